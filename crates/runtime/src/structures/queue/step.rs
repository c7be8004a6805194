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
use std::borrow::Cow;

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

/// Makes members ready that are due or whose lease has ended, the longest overdue first.
pub(super) fn wake<K: QueueKeyspace>(
    tx: &mut Tx<'_>,
    place: &Place<K>,
    now: u64,
    max: usize,
) -> Result<(), Error> {
    let mut overdue = Vec::new();
    // Nothing later than now is read, so that those who work on it do not conflict.
    let span = Span { end: Edge::Behind(now.to_be_bytes().to_vec()), ..Span::default() };
    for family in [Family::Waiting, Family::Leased] {
        let mut rows = place.range(tx, family, &span)?;
        for _ in 0..max {
            let Some(row) = rows.next().map_err(access::failed::<K>)? else { break };
            let mut member = &row.key[place.rest_at()..];
            let at: u64 = fixed::take_be(&mut member)
                .map_err(|source| place.corrupt(family, &row.key[place.rest_at()..], source))?;
            overdue.push((at, family, member.to_vec()));
        }
    }
    overdue.sort();
    overdue.truncate(max);
    for (at, family, member) in overdue {
        let state = if family == Family::Waiting { State::Waiting(at) } else { State::Leased(at) };
        let mut item = stated(tx, place, &member, state)?;
        erase(tx, place, &member, &item)?;
        leave(&mut item, State::Ready);
        write(tx, place, &member, &item)?;
    }
    Ok(())
}

/// Claims the ready members with the lowest scores.
pub(super) fn take<K: QueueKeyspace>(
    tx: &mut Tx<'_>,
    place: &Place<K>,
    deadline: u64,
    max: usize,
) -> Result<Vec<Claim<K>>, Error> {
    let mut first = Vec::new();
    let mut rows = place.rows(tx, Family::Ready)?;
    for _ in 0..max {
        let Some(row) = rows.next().map_err(access::failed::<K>)? else { break };
        first.push(row.key[place.rest_at()..].to_vec());
    }
    drop(rows);
    if first.is_empty() {
        return Ok(Vec::new());
    }
    let mut token = place.number(tx, Family::Token)?;
    let mut claims = Vec::with_capacity(first.len());
    for rest in first {
        let mut member = &rest[..];
        let score = record::take_score(&mut member, K::SCORE_WIDTH)
            .map_err(|source| place.corrupt(Family::Ready, &rest, source))?;
        let mut item = stated(tx, place, member, State::Ready)?;
        if item.score != score {
            return Err(place.broken(Family::Ready, &rest, "its item has another score"));
        }
        let none = || place.broken(Family::Token, &[], "there is no token left");
        token = token.checked_add(1).ok_or_else(none)?;
        erase(tx, place, member, &item)?;
        (item.state, item.token) = (State::Leased(deadline), token);
        item.attempts = item.attempts.saturating_add(1);
        write(tx, place, member, &item)?;
        let decoded = K::Member::decode(member).map(K::Member::into_owned);
        claims.push(Claim {
            member: decoded.map_err(|source| place.corrupt(Family::Ready, &rest, source))?,
            score: score_of(place, member, &score)?,
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
