//! Valid operations, and checks of their effects.

use super::Block;
use crate::{
    error::Error,
    event,
    keeper::{self, NewEvent, NewOutput, ProgressSource, Standing, StoredOutput},
    layout::{
        txo::{BLACKLIST, Event, Outpoint, SETS, Score, SetName, Txid, WHITELIST},
        txo_undo::FLOOR,
    },
    score,
    search::Key,
};
use keyscape::store::Tx;
use keyscape_sim::{Fault, check, is};
use serde_json::json;
use std::collections::BTreeSet;

impl Block<'_, '_> {
    /// Draws and runs a valid operation.
    pub(super) fn valid_operation(&mut self) -> Result<(), Fault> {
        match self.draw.below(40) {
            0..=10 => self.save(),
            11..=16 => self.spend(),
            17 => self.add(),
            18..=20 => self.confirm(),
            21 => self.unconfirm(),
            22..=25 => self.topic(),
            26 => self.apply(),
            27..=28 => self.merkle(),
            29 => self.log(),
            30 => self.enqueue(),
            31 => self.enqueue_output(),
            32..=33 => self.work(),
            34 => self.work_on_token(),
            35 => self.lists(),
            36 => self.progress(),
            37 => self.roll_back(),
            38 => self.balances(),
            _ => self.search(),
        }
    }

    /// Draws a known output, if one is found.
    pub(super) fn known_output(&mut self) -> Result<Option<StoredOutput>, Fault> {
        for _ in 0..8 {
            let outpoint = self.draw.outpoint();
            let known = keeper::output(self.tx, outpoint)?;
            if known.is_some() {
                return Ok(known);
            }
        }
        Ok(None)
    }

    /// Draws a spent output, known or not, and its spender.
    pub(super) fn spent_output(&mut self) -> Result<Option<(Outpoint, Txid)>, Fault> {
        for _ in 0..8 {
            let outpoint = self.draw.outpoint();
            if let Some(by) = keeper::spender(self.tx, outpoint)? {
                return Ok(Some((outpoint, by)));
            }
        }
        Ok(None)
    }

    /// Returns the expected score of a transaction after an operation with a score argument.
    pub(super) fn settled(&self, txid: Txid, given: Score) -> Result<Score, Fault> {
        let known = keeper::transaction_score(self.tx, txid)?;
        Ok(match (known, score::position(given)) {
            (Some(known), None) => known,
            _ => given,
        })
    }

    /// Checks that all parts of a transaction have its score.
    pub(super) fn check_score(
        &self,
        what: &'static str,
        txid: Txid,
        expected: Score,
    ) -> Result<(), Fault> {
        let mut scores = Vec::new();
        for outpoint in keeper::outputs_of(self.tx, txid)? {
            scores.push(keeper::score_of(self.tx, outpoint)?);
        }
        let spends = keeper::spent_by(self.tx, txid)?;
        scores.extend(spends.into_iter().map(|(_, score)| Some(score)));
        let is_right = scores.iter().all(|score| *score == Some(expected));
        check(what, is_right, || format!("{txid} has the scores {scores:?}, not {expected:?}"))
    }

    /// Draws a score for any transaction, for queues.
    pub(super) fn score(&mut self) -> Score {
        match self.draw.chance(40) {
            true => score::confirmed(self.height, self.draw.index()),
            false => score::seen(self.now),
        }
    }

    /// Draws a score that a transaction can have: after its parents and before the transactions
    /// that spend its outputs.
    pub(super) fn score_for(&mut self, txid: Txid) -> Result<Option<Score>, Fault> {
        let drawn = self.score();
        if self.is_final(txid)? {
            return Ok(Some(score::seen(self.now)));
        }
        let score = match self.bounds(txid)? {
            Bounds { parent: None, child: None } => drawn,
            // An unconfirmed parent: the transaction cannot be confirmed.
            Bounds { parent: Some(Score::Unconfirmed { .. }), .. } => score::seen(self.now),
            Bounds { parent, child } => {
                let low =
                    parent.and_then(score::position).map_or((0, 0), |at| (at.height, at.index));
                match (score::position(drawn), child.and_then(score::position)) {
                    (None, None) => drawn,
                    (Some(at), None) if (at.height, at.index) > low => drawn,
                    (_, None) => score::seen(self.now),
                    (_, Some(high)) if high.height == low.0 && high.index > low.1 + 1 => {
                        let between = high.index - low.1 - 1;
                        score::confirmed(low.0, low.1 + 1 + self.draw.below(between))
                    }
                    (_, Some(high)) if high.height > low.0 => {
                        score::confirmed(low.0.max(1), low.1 + 1 + self.draw.index())
                    }
                    (_, Some(_)) => return Ok(None),
                }
            }
        };
        let is_possible = self.is_possible(txid, score)?;
        Ok(is_possible.then_some(score))
    }

    /// Whether a transaction is in a block below the lowest that can be rolled back.
    pub(super) fn is_final(&self, txid: Txid) -> Result<bool, Fault> {
        let floor = FLOOR.get(self.tx)?.unwrap_or(u32::MAX);
        let at = keeper::transaction_score(self.tx, txid)?.and_then(score::position);
        Ok(at.is_some_and(|at| at.height < floor))
    }

    /// Whether a transaction can get a score, by the positions of its parents and children.
    fn is_possible(&self, txid: Txid, score: Score) -> Result<bool, Fault> {
        let known = keeper::transaction_score(self.tx, txid)?;
        if known.is_some() && score::position(score).is_none() {
            return Ok(true);
        }
        let Bounds { parent, child } = self.bounds(txid)?;
        Ok(parent.is_none_or(|parent| keeper::is_after(score, parent))
            && child.is_none_or(|child| keeper::is_after(child, score)))
    }

    /// Returns the latest parent of a transaction, and its earliest child.
    fn bounds(&self, txid: Txid) -> Result<Bounds, Fault> {
        let mut bounds = Bounds { parent: None, child: None };
        for (outpoint, _) in keeper::spent_by(self.tx, txid)? {
            bounds.parent = bounds.parent.max(keeper::transaction_score(self.tx, outpoint.txid)?);
        }
        for spender in keeper::spenders_of(self.tx, txid)? {
            let score = keeper::transaction_score(self.tx, spender)?;
            bounds.child = [bounds.child, score].into_iter().flatten().min();
        }
        Ok(bounds)
    }

    fn save(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "save_output";
        let outpoint = self.draw.outpoint();
        let before = keeper::output(self.tx, outpoint)?;
        let Some(score) = self.score_for(outpoint.txid)? else { return Ok(()) };
        let mut new = NewOutput::new(outpoint, amount(outpoint), score);
        new.owners.push(self.draw.address()?);
        let mut rejected = 0;
        if self.draw.chance(30) {
            let (symbol, is_good) = self.draw.symbol();
            rejected += usize::from(!is_good);
            new.events.push(NewEvent::Text(format!("sym:{symbol}")));
        }
        if self.draw.chance(20) {
            let (tag, is_good) = self.draw.symbol();
            rejected += usize::from(!is_good);
            new.data.push((tag, json!({ "height": self.height })));
        }
        if self.draw.chance(40) {
            let (owner, token) = (self.draw.address()?, self.draw.any_token());
            new.events.push(Event::Id { token }.into());
            new.events.push(match self.draw.below(3) {
                0 => Event::P2pkh { owner, token }.into(),
                1 => Event::Cos { owner, token }.into(),
                _ => Event::List { seller: Some(owner), token }.into(),
            });
        }
        if self.draw.chance(10) {
            let (text, is_good) = self.draw.symbol();
            rejected += usize::from(!is_good);
            new.events.push(NewEvent::Text(format!("app:{text}")));
        }
        let expected = self.settled(outpoint.txid, score)?;
        let saved = self.valid(WHAT, |tx| keeper::save_output(tx, &new))?;
        let after = keeper::output(self.tx, outpoint)?;
        self.check_score(WHAT, outpoint.txid, expected)?;
        check(WHAT, saved.is_new == before.is_none(), || "it is not new or not known".into())?;
        check(WHAT, saved.rejected.len() == rejected, || format!("{:?}", saved.rejected))?;
        let after = after.filter(|after| {
            after.score == expected
                && after.satoshis == new.satoshis
                && after.events == saved.events
                && after.spender == saved.spender
        });
        check(WHAT, after.is_some(), || "the output is not what was saved".into())?;
        let stale = before.map(|before| before.events).unwrap_or_default();
        for event in stale.into_iter().filter(|event| !saved.events.contains(event)) {
            let listed = [Key::Event(event.clone()), Key::Spent(event)];
            for key in listed {
                let score = key.score(self.tx, outpoint)?;
                check(WHAT, score.is_none(), || format!("{key:?} has a stale entry"))?;
            }
        }
        Ok(())
    }

    /// Adds an event and data to an output, and keeps the existing ones.
    fn add(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "add_events";
        let Some(before) = self.known_output()? else { return Ok(()) };
        let (outpoint, event) = (before.outpoint, Event::Ltm { token: self.draw.any_token() });
        let (symbol, is_good) = self.draw.symbol();
        let found = [event.clone().into(), NewEvent::Text(format!("sym:{symbol}"))];
        let data = [("added".to_owned(), json!(self.height))];
        let saved = self.valid(WHAT, |tx| keeper::add_events(tx, outpoint, &found, &data))?;
        check(WHAT, saved.rejected.len() == usize::from(!is_good), || {
            format!("{:?} were rejected", saved.rejected)
        })?;
        let mut events: BTreeSet<_> = before.events.into_iter().collect();
        events.insert(event);
        events.extend(event::sym(&symbol).ok());
        let Some(after) = keeper::output(self.tx, outpoint)? else {
            return check(WHAT, false, || "the output is gone".into());
        };
        check(WHAT, after.events.iter().eq(&events), || format!("its events: {:?}", after.events))?;
        let is_same = (after.score, after.satoshis, after.spender)
            == (before.score, before.satoshis, before.spender);
        check(WHAT, is_same, || "something else has changed".into())?;
        let tags = before.data.len() + 1;
        let had = before.data.iter().any(|(tag, _)| tag.as_str() == "added");
        check(WHAT, after.data.len() == tags - usize::from(had), || format!("{:?}", after.data))?;
        for event in events {
            for key in [Key::Event(event.clone()), Key::Spent(event)] {
                let is_listed = key.score(self.tx, outpoint)?.is_some();
                let is_right =
                    is_listed == (matches!(key, Key::Event(_)) || after.spender.is_some());
                check(WHAT, is_right, || format!("{key:?} has it: {is_listed}"))?;
            }
        }
        Ok(())
    }

    /// Spends an output, sometimes one that another unconfirmed transaction spends.
    fn spend(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "save_spend";
        let outpoint = self.draw.outpoint();
        let known = keeper::spender(self.tx, outpoint)?;
        let by = match known {
            Some(by) if self.draw.chance(70) => by,
            _ => self.draw.txid(),
        };
        let Some(score) = self.score_for(by)?.filter(|_| by != outpoint.txid) else {
            return Ok(());
        };
        let expected = self.settled(by, score)?;
        let save = |tx: &mut Tx<'_>| keeper::save_spend(tx, outpoint, by, score);
        let parent = keeper::transaction_score(self.tx, outpoint.txid)?;
        if parent.is_some_and(|parent| !keeper::is_after(expected, parent)) {
            let is_right = is!(Error: SpendBeforeOutput | UnconfirmedParent | AlreadySpent);
            return self.refused("save_spend before its output", is_right, save);
        }
        let other = known.filter(|other| *other != by);
        if let Some(other) = other {
            let spent = keeper::transaction_score(self.tx, other)?;
            if score::position(expected).is_none() || spent.and_then(score::position).is_some() {
                let what = "save_spend by another transaction";
                return self.refused(what, is!(Error: AlreadySpent), save);
            }
        }
        if score::position(expected).is_none() && self.ancestors(outpoint.txid)?.contains(&by) {
            return self.refused("save_spend by an ancestor", is!(Error: Cycle), save);
        }
        // The confirmed transaction may depend on the one that it would replace.
        let may_refuse = |error: &Error| matches!(error, Error::SpendBeforeOutput { parent, .. } if Some(*parent) == other);
        let Some(spend) = self.attempt(WHAT, may_refuse, save)? else { return Ok(()) };
        let first = spend.replaced.transactions.first().copied();
        check(WHAT, first == other, || format!("{:?}", spend.replaced))?;
        self.check_gone(WHAT, &spend.replaced)?;
        self.check_score(WHAT, by, expected)?;
        check(WHAT, spend.is_new == (known != Some(by)), || "it is not new or not known".into())?;
        let after = keeper::spender(self.tx, outpoint)?;
        check(WHAT, after == Some(by), || format!("it is spent by {after:?}"))?;
        let spenders = keeper::spenders_of(self.tx, outpoint.txid)?;
        check(WHAT, spenders.contains(&by), || format!("its spenders are {spenders:?}"))?;
        for event in keeper::events_of(self.tx, outpoint)? {
            let key = Key::Spent(event);
            let score = key.score(self.tx, outpoint)?;
            check(WHAT, score == Some(expected), || format!("in {key:?} its score is {score:?}"))?;
        }
        Ok(())
    }

    fn confirm(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "confirm";
        let Some(known) = self.known_output()? else { return Ok(()) };
        let (txid, index) = (known.outpoint.txid, self.draw.index());
        let at = (self.height, index).into();
        let confirm = |tx: &mut Tx<'_>| keeper::confirm(tx, txid, at);
        if self.is_final(txid)? {
            return self.refused("confirm of a final transaction", is!(Error: Final), confirm);
        }
        if !self.is_possible(txid, Score::Confirmed { at })? {
            let is_right = is!(Error: SpendBeforeOutput | UnconfirmedParent);
            return self.refused("confirm out of order", is_right, confirm);
        }
        let moved = self.valid(WHAT, confirm)?;
        let outputs = keeper::outputs_of(self.tx, txid)?;
        check(WHAT, moved.outputs == outputs.len() as u64, || format!("{moved:?}"))?;
        for outpoint in outputs {
            let score = keeper::score_of(self.tx, outpoint)?;
            let expected = score::confirmed(self.height, index);
            check(WHAT, score == Some(expected), || format!("its score is {score:?}"))?;
        }
        self.check_score(WHAT, txid, score::confirmed(self.height, index))
    }

    fn unconfirm(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "unconfirm";
        let Some(known) = self.known_output()? else { return Ok(()) };
        if score::position(known.score).is_none() {
            return Ok(());
        }
        let (txid, now) = (known.outpoint.txid, self.now);
        let unconfirm = |tx: &mut Tx<'_>| keeper::unconfirm(tx, txid, now);
        if self.is_final(txid)? {
            return self.refused("unconfirm of a final transaction", is!(Error: Final), unconfirm);
        }
        self.valid(WHAT, unconfirm)?;
        let score = keeper::score_of(self.tx, known.outpoint)?;
        check(WHAT, score == Some(score::seen(now)), || format!("its score is {score:?}"))
    }

    fn log(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "log or unlog";
        let (log, txid) = (self.draw.log()?, self.draw.txid());
        let Some(score) = self.score_for(txid)? else { return Ok(()) };
        let expected = if self.draw.chance(80) {
            let expected = self.settled(txid, score)?;
            self.valid(WHAT, |tx| keeper::log(tx, &log, txid, score))?;
            self.check_score(WHAT, txid, expected)?;
            Some(expected)
        } else {
            self.valid(WHAT, |tx| keeper::unlog(tx, &log, txid))?;
            None
        };
        let after = keeper::logged(self.tx, &log, txid)?;
        check(WHAT, after == expected, || format!("{after:?} instead of {expected:?}"))
    }

    fn lists(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "whitelist or blacklist";
        let token = self.draw.any_token();
        let choice = self.draw.below(4);
        self.valid(WHAT, |tx| match choice {
            0 => WHITELIST.add(tx, (), token),
            1 => WHITELIST.remove(tx, (), token),
            2 => BLACKLIST.add(tx, (), token),
            _ => BLACKLIST.remove(tx, (), token),
        })?;
        let (set, member) = (SetName::new("watched")?, self.draw.below(4));
        let text = member.to_string();
        self.valid("add to a set", |tx| SETS.add(tx, &set, &*text))?;
        if member.is_multiple_of(2) {
            self.valid("remove from a set", |tx| SETS.remove(tx, &set, &*text))?;
        }
        let after = keeper::standing(self.tx, token)?;
        check(WHAT, choice != 2 || after == Standing::Black, || format!("{after:?}"))?;
        self.fees(token)
    }

    fn progress(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "advance";
        let source = match self.draw.chance(70) {
            true => ProgressSource::Subscription(self.draw.subscription()?),
            false => ProgressSource::Owner(self.draw.address()?),
        };
        let height = self.height.saturating_sub(u32::from(self.draw.chance(30)) * 3);
        let before = keeper::progress(self.tx, &source)?;
        self.valid(WHAT, |tx| keeper::advance(tx, &source, height))?;
        let after = keeper::progress(self.tx, &source)?;
        check(WHAT, after == before.max(Some(height)), || format!("{before:?} became {after:?}"))?;
        let (topic, host) = (self.draw.topic()?, self.draw.host()?);
        let now = self.now - self.draw.below(2) * 3_600_000_000_000;
        let before = keeper::last_met(self.tx, &topic, &host)?;
        self.valid("met_peer", |tx| keeper::met_peer(tx, &topic, &host, now))?;
        let met = keeper::last_met(self.tx, &topic, &host)?;
        check("met_peer", met == before.max(Some(now)), || format!("{before:?} became {met:?}"))?;
        // The next block is the following one, but none within the depth of the tip.
        let (tip, depth) = (self.height, super::DEPTH);
        let next = keeper::next_block(height, tip, depth);
        let is_right = next <= height + 1 && next <= tip.saturating_sub(depth);
        check("next_block", is_right, || format!("{next} after {height} of {tip}"))
    }
}

/// The scores between which a transaction must be.
struct Bounds {
    parent: Option<Score>,
    child: Option<Score>,
}

/// Returns the amount of an output, which is a function of its outpoint.
pub(super) fn amount(outpoint: Outpoint) -> u64 {
    let [a, b, ..] = outpoint.txid.0;
    u64::from(a) * 256 + u64::from(b) + u64::from(outpoint.vout) + 1
}
