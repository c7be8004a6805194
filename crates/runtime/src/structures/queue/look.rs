//! Looking at a queue without changing it.

use super::{
    super::{
        QueueKeyspace, Records,
        place::{Place, bytes_of},
    },
    DeadMembers, Known, LeasedMembers, MemberOf, Queue, QueueCounts, ReadyMembers, ScoreOf,
    WaitingMembers,
    step::{item, score_of},
};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{Error, access, record::Family};
use keyscape_store::Read;

impl<K: QueueKeyspace> Queue<K> {
    /// What the queue knows about a member.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// let known = JOBS.get(tx, 1, Name::new("a")?)?.ok_or("it is there")?;
    /// assert_eq!(known.state, rt::record::State::Leased(130));
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn get<'k, 'm>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
    ) -> Result<Option<Known<ScoreOf<'static, K>>>, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        let Some(item) = item::<K>(state, &place, &member)? else { return Ok(None) };
        let score = |score: &[u8]| score_of::<K>(&place, &member, score);
        Ok(Some(Known {
            score: score(&item.score)?,
            state: item.state,
            attempts: item.attempts,
            again: item.again.as_deref().map(score).transpose()?,
        }))
    }

    /// The members that can be claimed, by score.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// assert_eq!(JOBS.ready(1).range(..=5).count(tx)?, 1);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ready<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, ReadyMembers<K>> {
        Records::new(key.into())
    }

    /// The members that can be claimed later, by when.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// JOBS.retry(tx, 1, &claims[0], 100, 60)?;
    /// assert_eq!(JOBS.waiting(1).to_vec(tx)?, [rt::Timed { member: Name::new("a")?, at: 160 }]);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn waiting<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, WaitingMembers<K>> {
        Records::new(key.into())
    }

    /// The members that are claimed, by the end of their lease.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert_eq!(JOBS.leased(1).to_vec(tx)?, [rt::Timed { member: Name::new("a")?, at: 130 }]);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn leased<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, LeasedMembers<K>> {
        Records::new(key.into())
    }

    /// The members that were given up, in the order of their bytes.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert_eq!(JOBS.dead(1).count(tx)?, 0);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn dead<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, DeadMembers<K>> {
        Records::new(key.into())
    }

    /// How many members are where. All of them are gone through.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
    ) -> Result<QueueCounts, Error> {
        let key = key.into();
        Ok(QueueCounts {
            ready: self.ready(key.clone()).count(state)?,
            waiting: self.waiting(key.clone()).count(state)?,
            leased: self.leased(key.clone()).count(state)?,
            dead: self.dead(key).count(state)?,
        })
    }

    /// When the next member is due or the next lease ends: until then, a queue without ready members
    /// has nothing to claim.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
    ) -> Result<Option<u64>, Error> {
        let key = key.into();
        let mut waiting = self.waiting(key.clone()).limit(1).scan(state)?;
        let due = waiting.next()?.map(|row| row.at);
        let mut leased = self.leased(key).limit(1).scan(state)?;
        let deadline = leased.next()?.map(|row| row.at);
        Ok(due.into_iter().chain(deadline).min())
    }

    /// Whether the queue has a member, wherever it is.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert!(!JOBS.exists(tx, 1)?);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn exists<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<bool, Error> {
        let mut rows = Place::<K>::of(&key.into())?.rows(state, Family::Item)?;
        rows.next().map(|row| row.is_some()).map_err(access::failed::<K>)
    }
}
