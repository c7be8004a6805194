//! The steps that the operations of queues are made of. Each keeps the families in step: a member
//! has one item, and one record in the family that the item's state says.

use super::super::{
    QueueKeyspace,
    place::{Edge, Place, Span, bytes_of},
};
use super::Claim;
use crate::{
    BadValue, Error, ErrorKind, Field, access,
    record::{self, Family, Item, State},
};
use keyscape_codec::fixed;
use keyscape_store::{Read, Tx};
use std::{borrow::Cow, collections::VecDeque};

/// What is known about a member.
pub(super) fn item<K: QueueKeyspace>(
    state: &(impl Read + ?Sized),
    place: &Place<K>,
    member: &[u8],
) -> Result<Option<Item<'static>>, Error> {
    let Some(value) = place.get(state, Family::Item, member)? else { return Ok(None) };
    let item = Item::read(&value, K::SCORE_WIDTH);
    let item =
        item.map_err(|source| place.corrupt(Family::Item, member, BadValue::new(source.reason)))?;
    Ok(Some(Item {
        score: Cow::Owned(item.score.into_owned()),
        again: item.again.map(|again| Cow::Owned(again.into_owned())),
        ..item
    }))
}

/// What stands behind the family in the record of a member's state.
pub(super) fn place_of(item: &Item<'_>, member: &[u8], width: Option<usize>) -> Vec<u8> {
    let mut rest = Vec::with_capacity(16 + item.score.len() + member.len());
    match item.state {
        State::Ready => record::put_score(&item.score, width, &mut rest),
        State::Waiting(at) | State::Leased(at) => fixed::put_be(at, &mut rest),
        State::Dead => {}
    }
    rest.extend_from_slice(member);
    rest
}

/// Writes an item, and its place among those of its state.
pub(super) fn write<K: QueueKeyspace>(
    tx: &mut Tx<'_>,
    place: &Place<K>,
    member: &[u8],
    item: &Item<'_>,
) -> Result<(), Error> {
    let rest = place_of(item, member, K::SCORE_WIDTH);
    place.put(tx, item.state.family(), &rest, &[])?;
    place.put(tx, Family::Item, member, &item.bytes(K::SCORE_WIDTH))
}

/// Deletes the place of an item among those of its state.
pub(super) fn erase<K: QueueKeyspace>(
    tx: &mut Tx<'_>,
    place: &Place<K>,
    member: &[u8],
    item: &Item<'_>,
) -> Result<(), Error> {
    place.delete(tx, item.state.family(), &place_of(item, member, K::SCORE_WIDTH))
}

/// Ends a lease. The next work on the member is also that which a push meanwhile asked for.
pub(super) fn leave(item: &mut Item<'_>, state: State) {
    item.state = state;
    if let Some(again) = item.again.take() {
        item.score = again;
    }
}

/// The item of a claim.
pub(super) fn claimed<K: QueueKeyspace>(
    tx: &Tx<'_>,
    place: &Place<K>,
    claim: &Claim<K>,
) -> Result<(Vec<u8>, Item<'static>), Error> {
    let member = bytes_of::<K::Member>(&claim.member)?;
    let lost = |why| Error::from(ErrorKind::ClaimLost { keyspace: K::NAME, why });
    let item = item(tx, place, &member)?.ok_or_else(|| lost("the member is gone"))?;
    match item.state {
        _ if item.token != claim.token => Err(lost("somebody else has claimed the member since")),
        State::Leased(_) => Ok((member, item)),
        State::Ready => Err(lost("the lease has ended, and the member is ready for others")),
        State::Waiting(_) => Err(lost("the member was given back, and waits")),
        State::Dead => Err(lost("the member was given up")),
    }
}

/// Members that can be claimed, from where they are.
struct Claimable {
    /// The members with the lowest scores, each behind its score.
    ready: VecDeque<Vec<u8>>,
    /// Members that are due or whose lease has ended, the longest overdue first.
    overdue: VecDeque<(State, Vec<u8>)>,
}

impl Claimable {
    /// At most `max` of each. Nothing later than now is read, so that those who work on it do not conflict.
    fn find<K: QueueKeyspace>(
        tx: &Tx<'_>,
        place: &Place<K>,
        now: u64,
        max: usize,
    ) -> Result<Self, Error> {
        let mut late = Vec::new();
        let span = Span { end: Edge::Behind(now.to_be_bytes().to_vec()), ..Span::default() };
        for (family, state) in
            [(Family::Waiting, State::Waiting as fn(u64) -> State), (Family::Leased, State::Leased)]
        {
            let mut rows = place.range(tx, family, &span)?;
            for _ in 0..max {
                let Some(row) = rows.next().map_err(access::failed::<K>)? else { break };
                let mut member = &row.key[place.rest_at()..];
                let at: u64 = fixed::take_be(&mut member)
                    .map_err(|source| place.corrupt(family, &row.key[place.rest_at()..], source))?;
                late.push((at, family, state(at), member.to_vec()));
            }
        }
        late.sort_by(|a, b| (a.0, a.1, &a.3).cmp(&(b.0, b.1, &b.3)));
        late.truncate(max);
        let mut ready = VecDeque::new();
        let mut rows = place.rows(tx, Family::Ready)?;
        for _ in 0..max {
            let Some(row) = rows.next().map_err(access::failed::<K>)? else { break };
            ready.push_back(row.key[place.rest_at()..].to_vec());
        }
        let overdue = late.into_iter().map(|(_, _, state, member)| (state, member)).collect();
        Ok(Self { ready, overdue })
    }

    /// The member of the next claim with its item. Both sorts have every second token, as long as there are both: neither
    /// members that fail again and again nor an endless stream of new ones keep the others waiting.
    fn next<K: QueueKeyspace>(
        &mut self,
        tx: &Tx<'_>,
        place: &Place<K>,
        token: u64,
    ) -> Result<Option<(Vec<u8>, Item<'static>)>, Error> {
        let is_turn_of_overdue = token.is_multiple_of(2) || self.ready.is_empty();
        if is_turn_of_overdue && let Some((state, member)) = self.overdue.pop_front() {
            let item = stated(tx, place, &member, state)?;
            return Ok(Some((member, item)));
        }
        let Some(rest) = self.ready.pop_front() else { return Ok(None) };
        let mut member = &rest[..];
        let score = record::take_score(&mut member, K::SCORE_WIDTH)
            .map_err(|source| place.corrupt(Family::Ready, &rest, source))?;
        let item = stated(tx, place, member, State::Ready)?;
        if item.score != score {
            return Err(place.broken(Family::Ready, &rest, "its item has another score"));
        }
        Ok(Some((member.to_vec(), item)))
    }
}

/// Claims members: by turns those that are ready, lowest score first, and those that are overdue.
pub(super) fn take<K: QueueKeyspace>(
    tx: &mut Tx<'_>,
    place: &Place<K>,
    (now, deadline): (u64, u64),
    max: usize,
) -> Result<Vec<Claim<K>>, Error> {
    let mut claimable = Claimable::find(tx, place, now, max)?;
    if claimable.ready.is_empty() && claimable.overdue.is_empty() {
        return Ok(Vec::new());
    }
    let mut token = place.number(tx, Family::Token)?;
    let mut claims = Vec::new();
    while claims.len() < max {
        let none = || place.broken(Family::Token, &[], "there is no token left");
        let next = token.checked_add(1).ok_or_else(none)?;
        let Some((member, mut item)) = claimable.next(tx, place, next)? else { break };
        token = next;
        erase(tx, place, &member, &item)?;
        leave(&mut item, State::Leased(deadline));
        item.token = token;
        item.attempts = item.attempts.saturating_add(1);
        write(tx, place, &member, &item)?;
        let decoded = K::Member::decode(&member).map(K::Member::into_owned);
        let bad = |source| place.corrupt(item.state.family(), &member, source);
        claims.push(Claim {
            member: decoded.map_err(bad)?,
            score: score_of(place, &member, &item.score)?,
            token,
            attempts: item.attempts,
            deadline,
        });
    }
    place.set_number(tx, Family::Token, token)?;
    Ok(claims)
}

/// The item of a member whose state a record has said.
fn stated<K: QueueKeyspace>(
    tx: &Tx<'_>,
    place: &Place<K>,
    member: &[u8],
    state: State,
) -> Result<Item<'static>, Error> {
    match item(tx, place, member)? {
        Some(item) if item.state == state => Ok(item),
        Some(_) => Err(place.broken(Family::Item, member, "it is listed where it is not")),
        None => Err(place.broken(Family::Item, member, "it is listed, but not there")),
    }
}

/// A score, borrowing nothing.
pub(super) fn score_of<K: QueueKeyspace>(
    place: &Place<K>,
    member: &[u8],
    score: &[u8],
) -> Result<<K::Score as Field>::View<'static>, Error> {
    let score = K::Score::decode(score).map(K::Score::into_owned);
    score.map_err(|source| place.corrupt(Family::Item, member, BadValue::new(source.reason)))
}
