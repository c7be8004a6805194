//! Sorted sets.

mod members;
mod rank;

pub use members::ZsetMembers;

use super::{
    Counting, Records, StructureReport, ZsetKeyspace,
    place::{Edge, Place, Span, bytes_of},
};
use crate::{
    DomainError, Error, Field, access,
    record::{self, Family},
};
use keyscape_codec::ValueError;
use keyscape_store::{Read, Tx};
use rank::Ranks;
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
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
///     BOARD.add(tx, 1, Name::new(member)?, score)?;
/// }
///
/// let best = BOARD.members(1).reverse().limit(1).to_vec(tx)?;
/// assert_eq!(best[0], rt::Scored { member: Name::new("cid")?, score: 5 });
/// assert_eq!(BOARD.rank(tx, 1, Name::new("cid")?)?, Some(2));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Zset<K>(pub(crate) PhantomData<fn() -> K>);

type MemberOf<'m, K> = <<K as ZsetKeyspace>::Member as Field>::View<'m>;
type ScoreOf<'s, K> = <<K as ZsetKeyspace>::Score as Field>::View<'s>;

impl<K: ZsetKeyspace> Zset<K> {
    /// Adds a member, or gives it another score. Returns the score that it had.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert_eq!(BOARD.add(tx, 1, Name::new("ann")?, 5_u64)?, None);
    /// assert_eq!(BOARD.add(tx, 1, Name::new("ann")?, 6_u64)?, Some(5));
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        let answer = before.as_deref().map(|before| decoded::<K>(place, member, before));
        let answer = answer.transpose()?;
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
        Ok(answer)
    }

    /// Removes a member from the order.
    fn unsort(tx: &mut Tx<'_>, place: &Place<K>, member: &[u8], score: &[u8]) -> Result<(), Error> {
        let order = order::<K>(score, member);
        place.delete(tx, Family::Score, &order)?;
        if K::RANKED { Ranks(place).remove(tx, &order) } else { Ok(()) }
    }

    /// Adds to the score of a member, which begins at zero if it is not there. Returns the sum.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert_eq!(BOARD.increment(tx, 1, Name::new("ann")?, 5)?, 5);
    /// assert_eq!(BOARD.increment(tx, 1, Name::new("ann")?, -2)?, 3);
    /// assert!(BOARD.increment(tx, 1, Name::new("ann")?, -4).is_err());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.remove(tx, 1, Name::new("bob")?)?, Some(3));
    /// assert_eq!(BOARD.remove(tx, 1, Name::new("bob")?)?, None);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        let answer = decoded::<K>(&place, &member, &score)?;
        tx.attempt(|tx| {
            place.delete(tx, Family::Member, &member)?;
            Self::unsort(tx, &place, &member, &score)?;
            if K::COUNTED { place.count(tx, -1) } else { Ok(()) }
        })?;
        Ok(Some(answer))
    }

    /// The score of a member.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.score(tx, 1, Name::new("bob")?)?, Some(3));
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// let first = BOARD.members(1).range(4..).limit(1).to_vec(tx)?;
    /// assert_eq!(first[0].member.as_str(), "ann");
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn members<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, ZsetMembers<K>> {
        Records::new(key.into())
    }

    /// The members whose rank lies between the bounds; the first member has rank 0. It is the same
    /// as an offset and a limit.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// let middle = BOARD.ranks(1, 1..=1).to_vec(tx)?;
    /// assert_eq!(middle[0].member.as_str(), "ann");
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.rank(tx, 1, Name::new("bob")?)?, Some(0));
    /// assert_eq!(BOARD.rank(tx, 1, Name::new("dan")?)?, None);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.count(tx, 1)?, 3);
    /// assert_eq!(BOARD.members(1).range(..5).count(tx)?, 1);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert!(!BOARD.exists(tx, 1)?);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// BOARD.delete(tx, 1)?;
    /// assert_eq!(BOARD.count(tx, 1)?, 0);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert!(BOARD.check(tx, 1)?.is_sound());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
