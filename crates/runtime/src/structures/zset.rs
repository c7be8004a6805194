//! Typed sorted sets.

use super::{
    Counting, MemberOf, MembersByScore, Records, ScoreOf, Scores, ZsetKeyspace, bytes_of,
    decode_score, records_of,
};
use crate::{
    DomainError, Error, Field, IntoField, StructureReport, engine::ZsetRecords, record::Family,
};
use keyscape_codec::ValueError;
use keyscape_store::{Read, Tx};
use std::{
    marker::PhantomData,
    ops::{Bound, RangeBounds},
};

/// The sorted sets of a keyspace. Members are in the order of their scores, and of their own bytes
/// if scores are equal. The generated constant derefs to this type.
///
/// Two families of records always agree: the score of each member, and the members by score.
/// `counted` adds the number of members, and `ranked` the number of members in each part of the
/// order. Every change writes these records, so two transactions that change one sorted set
/// conflict.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
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

impl<K: ZsetKeyspace> Zset<K> {
    /// Adds a member, or changes its score. Returns the old score.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
        score: impl IntoField<ScoreOf<'s, K>>,
    ) -> Result<Option<ScoreOf<'static, K>>, Error> {
        let zset = zset_of::<K>(&key.into_field()?)?;
        let member = bytes_of::<K::Member>(&member.into_field()?)?;
        let score = bytes_of::<K::Score>(&score.into_field()?)?;
        let old = zset.score(tx, &member)?;
        let decode = |old: &[u8]| decode_score::<K>(&zset.records, Family::Member, &member, old);
        let decoded = old.as_deref().map(decode).transpose()?;
        zset.set(tx, &member, old.as_deref(), &score)?;
        Ok(decoded)
    }

    /// Adds to the score of a member. A new member begins at zero. Returns the sum.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
        by: i128,
    ) -> Result<ScoreOf<'static, K>, Error>
    where
        K::Score: Counting,
    {
        let zset = zset_of::<K>(&key.into_field()?)?;
        let member = bytes_of::<K::Member>(&member.into_field()?)?;
        let old = zset.score(tx, &member)?;
        let sum = match &old {
            Some(old) => {
                K::Score::plus(decode_score::<K>(&zset.records, Family::Member, &member, old)?, by)
            }
            None => K::Score::plus(K::Score::zero(), by),
        };
        let allowed = || "a sum that is a score".to_owned();
        let outside =
            || DomainError { what: K::NAME, source: ValueError::Outside { allowed: allowed() } };
        let sum = sum.ok_or_else(outside)?;
        zset.set(tx, &member, old.as_deref(), &bytes_of::<K::Score>(&sum)?)?;
        Ok(sum)
    }

    /// Removes a member. Returns its score.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
    ) -> Result<Option<ScoreOf<'static, K>>, Error> {
        let zset = zset_of::<K>(&key.into_field()?)?;
        let member = bytes_of::<K::Member>(&member.into_field()?)?;
        let Some(score) = zset.score(tx, &member)? else { return Ok(None) };
        let decoded = decode_score::<K>(&zset.records, Family::Member, &member, &score)?;
        zset.remove(tx, &member, &score)?;
        Ok(Some(decoded))
    }

    /// Returns the score of a member.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn score<'k, 'm>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
    ) -> Result<Option<ScoreOf<'static, K>>, Error> {
        let zset = zset_of::<K>(&key.into_field()?)?;
        let member = bytes_of::<K::Member>(&member.into_field()?)?;
        let score = zset.score(state, &member)?;
        score
            .map(|score| decode_score::<K>(&zset.records, Family::Member, &member, &score))
            .transpose()
    }

    /// Lists the members with their scores, in order. `range` takes bounds on scores. An offset
    /// costs O(log n) if the keyspace is `ranked`, else each skipped row is read.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// let first = BOARD.members(1).range(4..).limit(1).to_vec(tx)?;
    /// assert_eq!(first[0].member.as_str(), "ann");
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn members<'k>(&self, key: impl IntoField<K::Key<'k>>) -> Records<'k, MembersByScore<K>> {
        Records::new(key)
    }

    /// Lists the members whose rank is between the bounds. The first member has rank 0. Short for
    /// an offset and a limit.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl IntoField<K::Key<'k>>,
        ranks: impl RangeBounds<u64>,
    ) -> Records<'k, MembersByScore<K>> {
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

    /// Counts the members before a member. Returns `None` if the sorted set does not contain it.
    /// Takes O(log n) if the keyspace is `ranked`, else all those members are read.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
    ) -> Result<Option<u64>, Error> {
        let zset = zset_of::<K>(&key.into_field()?)?;
        let member = bytes_of::<K::Member>(&member.into_field()?)?;
        let Some(score) = zset.score(state, &member)? else { return Ok(None) };
        zset.rank(state, &member, &score).map(Some)
    }

    /// Counts the members. Takes one or two reads if the keyspace is `counted` or `ranked`, else a
    /// scan.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<u64, Error> {
        self.members(key).count(state)
    }

    /// Checks that each member is in the order once, with its score, and that counts are right.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Faults of records are in the report.
    pub fn check<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<StructureReport, Error> {
        zset_of::<K>(&key.into_field()?)?.check(
            state,
            |member| K::Member::decode(member).is_ok(),
            |score| K::Score::decode(score).is_ok(),
        )
    }
}

pub(super) fn zset_of<K: Scores>(key: &K::Key<'_>) -> Result<ZsetRecords, Error> {
    Ok(ZsetRecords {
        records: records_of::<K>(key)?,
        score_width: K::SCORE_WIDTH,
        counted: K::COUNTED,
        ranked: K::RANKED,
    })
}
