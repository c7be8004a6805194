//! Sorted sets.

use super::{
    Counting, Listing, Records, Scored, Sorted, StructureReport, ZsetKeyspace,
    describe::EntryError,
    listing,
    place::{Edge, Place, Span, bytes_of},
    rank::Ranks,
};
use crate::{
    DomainError, Error, Field, access,
    record::{self, Family},
};
use keyscape_codec::ValueError;
use keyscape_store::{Direction, Read, Tx, prefix_end};
use std::{
    marker::PhantomData,
    ops::{Bound, RangeBounds},
};

/// The sorted sets of a keyspace: members, each with a score, in the order of their scores, and of
/// their own bytes where scores are equal. The generated constant derefs to it.
///
/// Two families of records are kept in step: the score of each member, and the members by score.
/// `counted` adds the number of members; `ranked` adds how many lie in each part of the order. Each
/// of them is written by every change, so that two transactions that change one zset conflict.
pub struct Zset<K>(pub(crate) PhantomData<fn() -> K>);

type MemberOf<'m, K> = <<K as ZsetKeyspace>::Member as Field>::View<'m>;
type ScoreOf<'s, K> = <<K as ZsetKeyspace>::Score as Field>::View<'s>;

impl<K: ZsetKeyspace> Zset<K> {
    /// Adds a member, or gives it another score. Returns the score that it had.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn add<'k, 'm, 's>(
        &self,
        tx: &mut Tx<'_>,
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
        score: impl Into<ScoreOf<'s, K>>,
    ) -> Result<Option<ScoreOf<'static, K>>, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        let score = bytes_of::<K::Score>(&score.into())?;
        Self::set(tx, &place, &member, &score)
    }

    fn set(
        tx: &mut Tx<'_>,
        place: &Place<K>,
        member: &[u8],
        score: &[u8],
    ) -> Result<Option<ScoreOf<'static, K>>, Error> {
        let before = place.get(tx, Family::Member, member)?;
        if before.as_deref() != Some(score) {
            tx.attempt(|tx| {
                if let Some(before) = &before {
                    Self::unsort(tx, place, member, before)?;
                } else if K::COUNTED {
                    place.count(tx, 1)?;
                }
                let order = order::<K>(score, member);
                place.put(tx, Family::Member, member, score)?;
                place.put(tx, Family::Score, &order, &[])?;
                if K::RANKED { Ranks(place).add(tx, &order) } else { Ok(()) }
            })?;
        }
        before.map(|before| decoded::<K>(place, member, &before)).transpose()
    }

    /// Removes a member from the order.
    fn unsort(tx: &mut Tx<'_>, place: &Place<K>, member: &[u8], score: &[u8]) -> Result<(), Error> {
        let order = order::<K>(score, member);
        place.delete(tx, Family::Score, &order)?;
        if K::RANKED { Ranks(place).remove(tx, &order) } else { Ok(()) }
    }

    /// Adds to the score of a member, which begins at zero if it is not there. Returns the sum.
    ///
    /// # Errors
    /// A [`DomainError`] if the sum is outside the type of the scores; see
    /// [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn increment<'k, 'm>(
        &self,
        tx: &mut Tx<'_>,
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
        by: i128,
    ) -> Result<ScoreOf<'static, K>, Error>
    where
        K::Score: Counting,
    {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        let sum = match place.get(tx, Family::Member, &member)? {
            Some(score) => K::Score::plus(decoded::<K>(&place, &member, &score)?, by),
            None => K::Score::plus(K::Score::zero(), by),
        };
        let allowed = || "a sum that is a score".to_owned();
        let outside =
            || DomainError { what: K::NAME, source: ValueError::Outside { allowed: allowed() } };
        let sum = sum.ok_or_else(outside)?;
        Self::set(tx, &place, &member, &bytes_of::<K::Score>(&sum)?)?;
        Ok(sum)
    }

    /// Removes a member, and returns the score that it had.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn remove<'k, 'm>(
        &self,
        tx: &mut Tx<'_>,
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
    ) -> Result<Option<ScoreOf<'static, K>>, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        let Some(score) = place.get(tx, Family::Member, &member)? else { return Ok(None) };
        tx.attempt(|tx| {
            place.delete(tx, Family::Member, &member)?;
            Self::unsort(tx, &place, &member, &score)?;
            if K::COUNTED { place.count(tx, -1) } else { Ok(()) }
        })?;
        decoded::<K>(&place, &member, &score).map(Some)
    }

    /// The score of a member.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn score<'k, 'm>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
    ) -> Result<Option<ScoreOf<'static, K>>, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        let score = place.get(state, Family::Member, &member)?;
        score.map(|score| decoded::<K>(&place, &member, &score)).transpose()
    }

    /// The members with their scores, in order. `range` takes bounds on scores; `reverse`,
    /// `offset` and `limit` do what they say. If the keyspace is `ranked`, an offset costs
    /// O(log n), else each row that is left out is read.
    #[must_use]
    pub fn members<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, ZsetMembers<K>> {
        Records::new(key.into())
    }

    /// The members whose rank lies between the bounds; the first member has rank 0. It is the same
    /// as an offset and a limit.
    #[must_use]
    pub fn ranks<'k>(
        &self,
        key: impl Into<K::Key<'k>>,
        ranks: impl RangeBounds<u64>,
    ) -> Records<'k, ZsetMembers<K>> {
        let start = match ranks.start_bound() {
            Bound::Included(rank) => *rank,
            Bound::Excluded(rank) => rank.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match ranks.end_bound() {
            Bound::Included(rank) => rank.saturating_add(1),
            Bound::Excluded(rank) => *rank,
            Bound::Unbounded => u64::MAX,
        };
        self.members(key).offset(start).limit(end.saturating_sub(start))
    }

    /// How many members come before a member; `None` if it is none. That takes O(log n) if the
    /// keyspace is `ranked`, else all those members are read.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn rank<'k, 'm>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
    ) -> Result<Option<u64>, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        let Some(score) = place.get(state, Family::Member, &member)? else { return Ok(None) };
        let order = order::<K>(&score, &member);
        if K::RANKED {
            return Ranks(&place).before(state, &order).map(Some);
        }
        let span = Span { end: Edge::Before(order), ..Span::default() };
        let mut rows = place.range(state, Family::Score, &span)?;
        let mut rank = 0;
        while rows.next().map_err(access::failed::<K>)?.is_some() {
            rank += 1;
        }
        Ok(Some(rank))
    }

    /// How many members there are: one or two reads if the keyspace is `counted` or `ranked`, else all of
    /// them.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn count<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<u64, Error> {
        self.members(key).count(state)
    }

    /// Whether the zset has a member.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn exists<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<bool, Error> {
        Place::<K>::of(&key.into())?.exists(state)
    }

    /// Deletes the zset, and returns how many records it had.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn delete<'k>(&self, tx: &mut Tx<'_>, key: impl Into<K::Key<'k>>) -> Result<u64, Error> {
        let place = Place::<K>::of(&key.into())?;
        tx.attempt(|tx| place.delete_all(tx, None))
    }

    /// Whether the records of a zset agree: each member is once in the order, with its score, and
    /// counts are right.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind); what is wrong with records is in the report.
    pub fn check<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<StructureReport, Error> {
        let place = Place::<K>::of(&key.into())?;
        let mut report = StructureReport::default();
        let mut rows = place.rows(state, Family::Member)?;
        while let Some(row) = rows.next().map_err(access::failed::<K>)? {
            report.records += 1;
            let member = &row.key[place.rest_at()..];
            if K::Member::decode(member).is_err() {
                report.fault(&place, Family::Member, member, "it is no member");
            }
            if K::Score::decode(row.value).is_err() {
                report.fault(&place, Family::Member, member, "its value is no score");
            }
            if !place.contains(state, Family::Score, &order::<K>(row.value, member))? {
                report.fault(&place, Family::Member, member, "it is not in the order");
            }
        }
        report.count(&place, state, K::COUNTED)?;
        let mut orders = Vec::new();
        let mut rows = place.rows(state, Family::Score)?;
        while let Some(row) = rows.next().map_err(access::failed::<K>)? {
            report.records += 1;
            let rest = &row.key[place.rest_at()..];
            let mut member = rest;
            let score = record::take_score(&mut member, K::SCORE_WIDTH);
            let stored = place.get(state, Family::Member, member)?;
            if !score.is_ok_and(|score| stored.as_deref() == Some(&score)) {
                report.fault(&place, Family::Score, rest, "no member has this score");
            }
            orders.push(rest.to_vec());
        }
        // Without `ranked` there must be no such record: the check finds those.
        Ranks(&place).check(state, if K::RANKED { &orders } else { &[] }, &mut report)?;
        report.end(&place, state)
    }
}

/// What stands in a score record behind the family.
fn order<K: ZsetKeyspace>(score: &[u8], member: &[u8]) -> Vec<u8> {
    let mut order = Vec::with_capacity(score.len() + member.len() + 4);
    record::put_score(score, K::SCORE_WIDTH, &mut order);
    order.extend_from_slice(member);
    order
}

/// A score as it stands in a member record.
fn decoded<K: ZsetKeyspace>(
    place: &Place<K>,
    member: &[u8],
    score: &[u8],
) -> Result<ScoreOf<'static, K>, Error> {
    let score = K::Score::decode(score).map(K::Score::into_owned);
    score.map_err(|source| {
        place.corrupt(Family::Member, member, crate::BadValue::new(source.reason))
    })
}

/// The members of a zset, by score.
#[derive(Clone, Copy, Debug)]
pub struct ZsetMembers<K>(PhantomData<fn() -> K>);

impl<K: ZsetKeyspace> Listing for ZsetMembers<K> {
    type Keyspace = K;
    type Row<'r> = Scored<MemberOf<'r, K>, ScoreOf<'r, K>>;
    type Owned = Scored<MemberOf<'static, K>, ScoreOf<'static, K>>;

    const FAMILY: Family = Family::Score;

    fn row<'r>(
        rest: &'r [u8],
        _: &'r [u8],
        scratch: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError> {
        Ok(listing::scored::<K::Member, K::Score>(rest, K::SCORE_WIDTH, scratch)?)
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        Scored { member: K::Member::into_owned(row.member), score: K::Score::into_owned(row.score) }
    }

    fn is_place(rest: &[u8]) -> bool {
        listing::scored::<K::Member, K::Score>(rest, K::SCORE_WIDTH, &mut Vec::new()).is_ok()
    }

    fn known_count(
        state: &(impl Read + ?Sized),
        place: &Place<K>,
        span: &Span,
    ) -> Result<Option<u64>, Error> {
        let all = span.start == Edge::Open && span.end == Edge::Open;
        if K::COUNTED && all {
            return place.number(state, Family::Count).map(Some);
        }
        if !K::RANKED {
            return Ok(None);
        }
        let start = rank_of(state, place, &span.start, 0)?;
        let end = match &span.end {
            Edge::Open => Ranks(place).total(state)?,
            edge => rank_of(state, place, edge, u64::MAX)?,
        };
        Ok(Some(end.saturating_sub(start)))
    }

    fn skipped(
        state: &(impl Read + ?Sized),
        place: &Place<K>,
        span: &Span,
        rows: u64,
    ) -> Result<Option<Span>, Error> {
        if !K::RANKED {
            return Ok(None);
        }
        let mut span = span.clone();
        match span.direction {
            Direction::Forward => {
                let rank = rank_of(state, place, &span.start, 0)?.saturating_add(rows);
                // Behind the last one there is nothing.
                span.start = match Ranks(place).at(state, rank)? {
                    Some(order) => Edge::Before(order),
                    None => Edge::Behind(Vec::new()),
                };
            }
            Direction::Backward => {
                let end = match &span.end {
                    Edge::Open => Ranks(place).total(state)?,
                    edge => rank_of(state, place, edge, u64::MAX)?,
                };
                span.end = match end.checked_sub(rows) {
                    Some(rank) => match Ranks(place).at(state, rank)? {
                        Some(order) => Edge::Before(order),
                        None => Edge::Open,
                    },
                    None => Edge::Before(Vec::new()),
                };
            }
        }
        Ok(Some(span))
    }
}

/// How many members lie before an edge; `open` if it is open.
fn rank_of<K: ZsetKeyspace>(
    state: &(impl Read + ?Sized),
    place: &Place<K>,
    edge: &Edge,
    open: u64,
) -> Result<u64, Error> {
    let ranks = Ranks(place);
    match edge {
        Edge::Open => Ok(open),
        Edge::Before(order) => ranks.before(state, order),
        Edge::Behind(order) => match prefix_end(order) {
            Some(end) => ranks.before(state, &end),
            None => ranks.total(state),
        },
    }
}

impl<K: ZsetKeyspace> Sorted for ZsetMembers<K> {
    type By = K::Score;

    fn put(bytes: &[u8], out: &mut Vec<u8>) {
        record::put_score(bytes, K::SCORE_WIDTH, out);
    }
}
