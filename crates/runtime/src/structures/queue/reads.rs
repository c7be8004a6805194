//! Reads of queues.

use super::{
    super::{
        MemberOf, MembersByBytes, MembersByScore, MembersByTime, QueueKeyspace, Records, ScoreOf,
        bytes_of, decode_score,
    },
    Queue, QueueCounts, QueueMember, queue_of,
};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{Error, Field, IntoField, StructureReport, record::Family};
use keyscape_store::Read;

impl<K: QueueKeyspace> Queue<K> {
    /// Returns the state of a member.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// let member = JOBS.get(tx, 1, Name::new("a")?)?.ok_or("no member")?;
    /// assert_eq!(member.state, rt::record::State::Leased(130));
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn get<'k, 'm>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
    ) -> Result<Option<QueueMember<ScoreOf<'static, K>>>, Error> {
        let queue = queue_of::<K>(&key.into_field()?)?;
        let member = bytes_of::<K::Member>(&member.into_field()?)?;
        let Some(item) = queue.item(state, &member)? else { return Ok(None) };
        let score = |score: &[u8]| decode_score::<K>(&queue.records, Family::Item, &member, score);
        Ok(Some(QueueMember {
            score: score(&item.score)?,
            state: item.state,
            attempts: item.attempts,
            again: item.again.as_deref().map(score).transpose()?,
        }))
    }

    /// Lists the members that can be claimed, by score.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// assert_eq!(JOBS.ready(1).range(..=5).count(tx)?, 1);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ready<'k>(&self, key: impl IntoField<K::Key<'k>>) -> Records<'k, MembersByScore<K>> {
        Records::new(key)
    }

    /// Lists the members that wait, by the time at which they are due.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// JOBS.retry(tx, 1, &claims[0], 100, 60)?;
    /// assert_eq!(JOBS.waiting(1).to_vec(tx)?, [rt::Timed { member: Name::new("a")?, at: 160 }]);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn waiting<'k>(
        &self,
        key: impl IntoField<K::Key<'k>>,
    ) -> Records<'k, MembersByTime<K, false>> {
        Records::new(key)
    }

    /// Lists the claimed members, by the end of their lease.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert_eq!(JOBS.leased(1).to_vec(tx)?, [rt::Timed { member: Name::new("a")?, at: 130 }]);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn leased<'k>(
        &self,
        key: impl IntoField<K::Key<'k>>,
    ) -> Records<'k, MembersByTime<K, true>> {
        Records::new(key)
    }

    /// Lists the dead members, in the order of their bytes.
    #[must_use]
    pub fn dead<'k>(&self, key: impl IntoField<K::Key<'k>>) -> Records<'k, MembersByBytes<K>> {
        Records::new(key)
    }

    /// Counts the members in each state. Scans all of them.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert_eq!(JOBS.counts(tx, 1)?.leased, claims.len() as u64);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn counts<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<QueueCounts, Error> {
        let key = key.into_field()?;
        Ok(QueueCounts {
            ready: self.ready(key.clone()).count(state)?,
            waiting: self.waiting(key.clone()).count(state)?,
            leased: self.leased(key.clone()).count(state)?,
            dead: self.dead(key).count(state)?,
        })
    }

    /// Returns the time at which the next member is due or the next lease ends. A queue without
    /// ready members has nothing to claim until then.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert_eq!(JOBS.next_time(tx, 1)?, Some(claims[0].deadline));
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn next_time<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<Option<u64>, Error> {
        let key = key.into_field()?;
        let mut waiting = self.waiting(key.clone()).limit(1).scan(state)?;
        let due = waiting.next_row()?.map(|row| row.at);
        let mut leased = self.leased(key).limit(1).scan(state)?;
        let deadline = leased.next_row()?.map(|row| row.at);
        Ok(due.into_iter().chain(deadline).min())
    }

    /// Checks that each member has an item, is listed once in its state, and has a token that was
    /// given out.
    ///
    /// # Errors
    /// See [`ErrorKind`]. Faults of records are in the report.
    pub fn check<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<StructureReport, Error> {
        queue_of::<K>(&key.into_field()?)?.check(
            state,
            |member| K::Member::decode(member).is_ok(),
            |score| K::Score::decode(score).is_ok(),
        )
    }
}
