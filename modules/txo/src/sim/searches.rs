//! Compares searches with naive counts.

use super::{Block, valid::amount};
use crate::{
    event,
    keeper::{self, Standing},
    layout::txo::{Address, EVENTS, Event, Outpoint, Score, TOKENS, TOPICS, TokenId},
    search::{self, Hit, Join, Key, OutputQuery},
};
use keyscape_sim::{Fault, check};
use std::collections::BTreeMap;

/// The page size.
const PAGE: usize = 20;

type Members = BTreeMap<Outpoint, Score>;

impl Block<'_, '_> {
    /// Reads all outputs with an event directly.
    fn members(&self, event: &Event<'_>) -> Result<Members, Fault> {
        let rows = EVENTS.members(event).to_vec(self.tx);
        let rows = rows?;
        Ok(rows.into_iter().map(|row| (row.member, row.score)).collect())
    }

    fn is_unspent(&self, outpoint: Outpoint) -> Result<bool, Fault> {
        Ok(keeper::spender(self.tx, outpoint)?.is_none())
    }

    /// Computes the expected result of a search for unspent outputs of two events.
    fn expected(&self, a: &Members, b: &Members, query: &OutputQuery) -> Result<Vec<Hit>, Fault> {
        let mut found = Members::new();
        for (outpoint, score) in a {
            let is_in = match query.join {
                Join::Union => true,
                Join::Intersect => b.contains_key(outpoint),
                Join::Difference => !b.contains_key(outpoint),
            };
            if is_in {
                found.insert(*outpoint, *score);
            }
        }
        if query.join == Join::Union {
            for (outpoint, score) in b {
                let first = found.entry(*outpoint).or_insert(*score);
                *first = if query.reverse { *score.max(first) } else { *score.min(first) };
            }
        }
        let mut hits = Vec::new();
        for (outpoint, score) in found {
            if self.is_unspent(outpoint)? {
                hits.push(Hit { outpoint, score });
            }
        }
        hits.sort_by_key(|hit| (hit.score, hit.outpoint));
        if query.reverse {
            hits.reverse();
        }
        Ok(hits)
    }

    /// Compares a search with the naive result, including whether there is a next page.
    pub(super) fn search(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "search";
        let (owner, token) = (self.draw.address()?, self.draw.any_token());
        let (first, second) = (Event::Own { owner }, Event::Id { token });
        let join = [Join::Union, Join::Intersect, Join::Difference];
        let join = join[usize::try_from(self.draw.below(3)).unwrap_or_default()];
        let keys = [first.clone(), second.clone()].map(Key::Event);
        let [a, b] = keys;
        let mut query = OutputQuery::of(a).and(b).joined(join).unspent();
        if self.draw.chance(50) {
            query = query.reverse();
        }
        let expected = self.expected(&self.members(&first)?, &self.members(&second)?, &query)?;
        let page = self.valid(WHAT, |tx| search::page(tx, &query, PAGE))?;
        let shown = expected.len().min(PAGE);
        check(WHAT, page.hits == expected[..shown], || {
            format!("it found {:?} instead of {:?}", page.hits, &expected[..shown])
        })?;
        let has_more = page.next.is_some();
        check(WHAT, has_more == (shown < expected.len()), || {
            format!("it says that there is more: {has_more}; there are {}", expected.len())
        })
    }

    /// Compares the balance of an address with its unspent outputs.
    pub(super) fn balances(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "balance";
        let owner = self.draw.address()?;
        let (satoshis, outputs) = self.held(&owner)?;
        let query = OutputQuery::of(Key::Event(Event::Own { owner }));
        let balance = self.valid(WHAT, |tx| search::balance(tx, &query))?;
        check(WHAT, (balance.satoshis, balance.outputs) == (satoshis, outputs), || {
            format!("{balance:?} instead of {satoshis} in {outputs} outputs")
        })
    }

    /// Returns the unspent satoshis of an address, and the number of outputs.
    fn held(&self, owner: &Address<'static>) -> Result<(u128, u64), Fault> {
        let (mut satoshis, mut outputs) = (0, 0);
        for outpoint in self.members(&Event::Own { owner: owner.clone() })?.into_keys() {
            if self.is_unspent(outpoint)? {
                satoshis += u128::from(amount(outpoint));
                outputs += 1;
            }
        }
        Ok((satoshis, outputs))
    }

    /// Checks that a token is followed according to its lists and its fees.
    pub(super) fn fees(&mut self, token: TokenId) -> Result<(), Fault> {
        const WHAT: &str = "fee_balance or is_active";
        let (fees, price) = (self.draw.address()?, self.draw.below(50_000));
        let topic = event::token_topic(token)?;
        // One more output that the token must pay for, if one is found.
        if let Some(known) = self.known_output()? {
            let admission = keeper::Admission::default();
            self.valid("admit", |tx| keeper::admit(tx, &topic, known.outpoint, &admission))?;
        }
        let admitted = TOPICS.members(topic).to_vec(self.tx);
        let admitted = admitted?.len();
        let (held, _) = self.held(&fees)?;
        let wide = |number: u128| i128::try_from(number).unwrap_or(i128::MAX);
        let expected = wide(held) - wide(u128::from(price) * admitted as u128);
        let rest = self.valid(WHAT, |tx| keeper::fee_balance(tx, token, &fees, price))?;
        check(WHAT, rest == expected, || format!("{rest} instead of {expected}"))?;
        let is_followed = match keeper::standing(self.tx, token)? {
            Standing::Black => false,
            Standing::White => true,
            Standing::Neither => expected > 0,
        };
        let is_active = self.valid(WHAT, |tx| keeper::is_active(tx, token, &fees, price))?;
        check(WHAT, is_active == is_followed, || format!("it is followed: {is_active}"))?;
        let is_idle = TOKENS.is_empty(self.tx, token)?;
        let standing = keeper::standing(self.tx, token)?;
        let expected = is_followed && (standing == Standing::White || !is_idle);
        let address = |of| (of == token).then(|| fees.clone());
        let tokens = self.valid("followed", |tx| keeper::followed(tx, address, price))?;
        check("followed", tokens.contains(&token) == expected, || format!("{tokens:?}"))
    }
}
