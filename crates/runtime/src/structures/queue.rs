//! Typed queues.

mod reads;
mod results;

pub use results::{Acked, Backoff, Claim, Failed, Pushed, QueueCounts, QueueMember};

use super::{MemberOf, QueueKeyspace, ScoreOf, bytes_of, decode_score, records_of};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{Error, Field, IntoField, engine::QueueRecords, record::Family};
use keyscape_store::Tx;
use std::marker::PhantomData;

/// The queues of a keyspace: members to be worked on, lowest score first. The generated constant
/// derefs to this type.
///
/// A worker **claims** members for the duration of a lease. It then **acknowledges** a member,
/// **retries** it later, or **buries** it. Other workers can claim the member when the lease ends.
/// Each claim has a token. An operation with the token of an older claim fails with
/// [`ClaimLost`](ErrorKind::ClaimLost).
///
/// - A member that is pushed during a lease is **queued again**: it is ready again when the work is
///   acknowledged. A push does not revive a dead member, and returns [`Pushed::Dead`].
/// - A retried member waits outside the order of the ready members, until it is due. Ready and due
///   members are claimed in turn while both exist. So neither members that fail again and again nor
///   a stream of new ones starve the others.
/// - Times are numbers in a unit that the program chooses. The current time is a parameter: a queue
///   reads no clock.
///
/// Tokens come from a counter in the queue, so two optimistic transactions that claim from one
/// queue conflict. Acknowledging does not use the counter. The counter outlives the members, and
/// the deletion of the queue, so no token is given out twice.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
/// JOBS.push(tx, 1, Name::new("b")?, 2_u64)?;
/// for claim in JOBS.claim(tx, 1, 100, 30, 10)? {
///     match claim.member.as_str() {
///         "a" => drop(JOBS.ack(tx, 1, &claim)?),
///         _ => drop(JOBS.retry(tx, 1, &claim, 100, 60)?),
///     }
/// }
/// assert!(JOBS.claim(tx, 1, 159, 30, 10)?.is_empty());
/// assert_eq!(JOBS.claim(tx, 1, 160, 30, 10)?[0].attempts, 2);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Queue<K>(pub(crate) PhantomData<fn() -> K>);

impl<K: QueueKeyspace> Queue<K> {
    /// Adds a member, or changes its score.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert_eq!(JOBS.push(tx, 1, Name::new("a")?, 5_u64)?, rt::Pushed::New);
    /// assert_eq!(JOBS.push(tx, 1, Name::new("a")?, 3_u64)?, rt::Pushed::Updated);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`]. Then nothing has changed.
    pub fn push<'k, 'm, 's>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
        score: impl IntoField<ScoreOf<'s, K>>,
    ) -> Result<Pushed, Error> {
        let queue = queue_of::<K>(&key.into_field()?)?;
        let member = bytes_of::<K::Member>(&member.into_field()?)?;
        queue.push(tx, &member, &bytes_of::<K::Score>(&score.into_field()?)?)
    }

    /// Claims up to `max` members until `now + lease`. Ready members, lowest score first, take
    /// turns with members that are due or whose lease has ended, the longest overdue first. The
    /// cost depends on `max` alone.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert_eq!((claims[0].score, claims[0].attempts, claims[0].deadline), (5, 1, 130));
    /// assert!(JOBS.claim(tx, 1, 100, 30, 1)?.is_empty());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`]. Then nothing has changed.
    pub fn claim<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        now: u64,
        lease: u64,
        max: usize,
    ) -> Result<Vec<Claim<K>>, Error> {
        let queue = queue_of::<K>(&key.into_field()?)?;
        let deadline = now.saturating_add(lease);
        tx.attempt(|tx| {
            let claims = queue.claim(tx, now, deadline, max)?.into_iter().map(|claim| {
                let member = K::Member::decode(&claim.member).map(K::Member::into_owned);
                let records = &queue.records;
                let corrupt = |source| records.corrupt(Family::Item, &claim.member, source);
                Ok(Claim {
                    member: member.map_err(corrupt)?,
                    score: decode_score::<K>(records, Family::Item, &claim.member, &claim.score)?,
                    token: claim.token,
                    attempts: claim.attempts,
                    deadline,
                })
            });
            claims.collect()
        })
    }

    /// Acknowledges finished work. The member is removed, or ready again if it was pushed in the
    /// meantime.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert_eq!(JOBS.push(tx, 1, Name::new("a")?, 7_u64)?, rt::Pushed::Again);
    /// assert_eq!(JOBS.ack(tx, 1, &claims[0])?, rt::Acked::Again);
    /// assert!(JOBS.ack(tx, 1, &claims[0]).is_err());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ClaimLost`](ErrorKind::ClaimLost); see [`ErrorKind`]. Then nothing has changed.
    pub fn ack<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        claim: &Claim<K>,
    ) -> Result<Acked, Error> {
        let member = bytes_of::<K::Member>(&claim.member)?;
        queue_of::<K>(&key.into_field()?)?.ack(tx, &member, claim.token)
    }

    /// Retries failed work at `now + delay`, and returns that time. A member that was pushed in the
    /// meantime gets the new score, and is worked on once, not twice.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert_eq!(JOBS.retry(tx, 1, &claims[0], 100, 60)?, 160);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ClaimLost`](ErrorKind::ClaimLost); see [`ErrorKind`]. Then nothing has changed.
    pub fn retry<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        claim: &Claim<K>,
        now: u64,
        delay: u64,
    ) -> Result<u64, Error> {
        let due = now.saturating_add(delay);
        let member = bytes_of::<K::Member>(&claim.member)?;
        queue_of::<K>(&key.into_field()?)?.retry(tx, &member, claim.token, due)?;
        Ok(due)
    }

    /// Ends a claim whose work cannot begin yet, for example because another member must be
    /// processed first. The member waits for `delay`, and the claim does not count as an attempt.
    /// Returns the time of the next claim.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert_eq!(JOBS.postpone(tx, 1, &claims[0], 100, 60)?, 160);
    /// assert_eq!(JOBS.claim(tx, 1, 160, 30, 1)?[0].attempts, 1);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Queue::retry`].
    pub fn postpone<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        claim: &Claim<K>,
        now: u64,
        delay: u64,
    ) -> Result<u64, Error> {
        let due = now.saturating_add(delay);
        let member = bytes_of::<K::Member>(&claim.member)?;
        queue_of::<K>(&key.into_field()?)?.postpone(tx, &member, claim.token, due)?;
        Ok(due)
    }

    /// Retries failed work later, or buries the member after the last attempt.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// let backoff = rt::Backoff { first: 60, max: 3_600, attempts: 2 };
    /// assert_eq!(JOBS.fail(tx, 1, &claims[0], 100, &backoff)?, rt::Failed::RetryAt(160));
    /// let claims = JOBS.claim(tx, 1, 160, 30, 1)?;
    /// assert_eq!(JOBS.fail(tx, 1, &claims[0], 160, &backoff)?, rt::Failed::Buried);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Queue::retry`].
    pub fn fail<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        claim: &Claim<K>,
        now: u64,
        backoff: &Backoff,
    ) -> Result<Failed, Error> {
        match backoff.delay(claim.attempts) {
            Some(delay) => self.retry(tx, key, claim, now, delay).map(Failed::RetryAt),
            None => self.bury(tx, key, claim).map(|()| Failed::Buried),
        }
    }

    /// Buries a member: it cannot be claimed until it is revived, even if it was pushed in the
    /// meantime.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// JOBS.bury(tx, 1, &claims[0])?;
    /// assert_eq!(JOBS.dead(1).to_vec(tx)?, [Name::new("a")?]);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ClaimLost`](ErrorKind::ClaimLost); see [`ErrorKind`]. Then nothing has changed.
    pub fn bury<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        claim: &Claim<K>,
    ) -> Result<(), Error> {
        let member = bytes_of::<K::Member>(&claim.member)?;
        queue_of::<K>(&key.into_field()?)?.bury(tx, &member, claim.token)
    }

    /// Extends the lease until `now + lease`, and returns that time. The claim with its old
    /// deadline stays valid.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert_eq!(JOBS.extend(tx, 1, &claims[0], 120, 30)?, 150);
    /// assert!(JOBS.claim(tx, 1, 149, 30, 1)?.is_empty());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ClaimLost`](ErrorKind::ClaimLost); see [`ErrorKind`]. Then nothing has changed.
    pub fn extend<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        claim: &Claim<K>,
        now: u64,
        lease: u64,
    ) -> Result<u64, Error> {
        let deadline = now.saturating_add(lease);
        let member = bytes_of::<K::Member>(&claim.member)?;
        queue_of::<K>(&key.into_field()?)?.extend(tx, &member, claim.token, deadline)?;
        Ok(deadline)
    }

    /// Makes a dead member ready, as if it were new. Returns whether it was dead.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// JOBS.bury(tx, 1, &claims[0])?;
    /// assert!(JOBS.revive(tx, 1, Name::new("a")?)?);
    /// assert_eq!(JOBS.claim(tx, 1, 100, 30, 1)?.len(), 1);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`]. Then nothing has changed.
    pub fn revive<'k, 'm>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        queue_of::<K>(&key.into_field()?)?
            .revive(tx, &bytes_of::<K::Member>(&member.into_field()?)?)
    }

    /// Removes a member in any state. Returns whether it existed. A claim of the member is lost.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// assert!(JOBS.remove(tx, 1, Name::new("a")?)?);
    /// assert!(JOBS.ack(tx, 1, &claims[0]).is_err());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`]. Then nothing has changed.
    pub fn remove<'k, 'm>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        queue_of::<K>(&key.into_field()?)?
            .remove(tx, &bytes_of::<K::Member>(&member.into_field()?)?)
    }
}

fn queue_of<K: QueueKeyspace>(key: &K::Key<'_>) -> Result<QueueRecords, Error> {
    Ok(QueueRecords { records: records_of::<K>(key)?, score_width: K::SCORE_WIDTH })
}
