//! Queues.

mod answer;
mod listed;
mod look;
mod step;

pub use answer::{Acked, Backoff, Claim, Failed, Known, Pushed, QueueCounts};
pub use listed::{DeadMembers, LeasedMembers, ReadyMembers, WaitingMembers};

use step::{claimed, erase, item, leave, take, write};

use super::{
    QueueKeyspace,
    place::{Place, bytes_of},
};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Error, Field,
    record::{Family, Item, State},
};
use keyscape_store::Tx;
use std::{borrow::Cow, marker::PhantomData};

/// The queues of a keyspace: members to be worked on, lowest score first. The generated constant
/// derefs to it.
///
/// A worker **claims** members for a while, the lease, and then **acknowledges** them, or has them
/// **retried** later, or **buries** them. What it does not finish is given to others when the lease
/// ends. A claim has a token; when somebody else has claimed the member since, whatever is done with
/// the old token is [`ClaimLost`](ErrorKind::ClaimLost).
///
/// - A member that is pushed while somebody works on it is **queued again**: it is ready again when
///   that work is acknowledged. What is pushed is worked on afterwards, unless the member was given up:
///   then it stays where it is, and the push says so.
/// - A member that is retried waits outside the order of those that are ready, and is claimed by its time. Every second
///   claim is for members that are ready, and every second for those that are due, while there are both: neither members that fail again and again nor
///   an endless stream of new ones hold the others up.
/// - Times are numbers in the unit of the program, and now is always given: a queue reads no clock.
///
/// Tokens come from a counter in the queue, so claims of one queue are made one after the other: in
/// optimistic transactions, one of two claims at the same time is run again. Acknowledging does not
/// touch the counter. The counter stays when the queue is empty, or deleted, so that no token is
/// given out twice.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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

type MemberOf<'m, K> = <<K as QueueKeyspace>::Member as Field>::View<'m>;
type ScoreOf<'s, K> = <<K as QueueKeyspace>::Score as Field>::View<'s>;

impl<K: QueueKeyspace> Queue<K> {
    /// Adds a member, or gives it another score.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert_eq!(JOBS.push(tx, 1, Name::new("a")?, 5_u64)?, rt::Pushed::New);
    /// assert_eq!(JOBS.push(tx, 1, Name::new("a")?, 3_u64)?, rt::Pushed::Known);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`]. Then nothing has changed.
    pub fn push<'k, 'm, 's>(
        &self,
        tx: &mut Tx<'_>,
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
        score: impl Into<ScoreOf<'s, K>>,
    ) -> Result<Pushed, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        let score = bytes_of::<K::Score>(&score.into())?;
        let Some(mut item) = item::<K>(tx, &place, &member)? else {
            let (state, score) = (State::Ready, Cow::Owned(score));
            let item = Item { state, attempts: 0, token: 0, score, again: None };
            tx.attempt(|tx| write(tx, &place, &member, &item))?;
            return Ok(Pushed::New);
        };
        let pushed = match item.state {
            State::Dead => return Ok(Pushed::Dead),
            State::Leased(_) => Pushed::Again,
            State::Ready | State::Waiting(_) => Pushed::Known,
        };
        tx.attempt(|tx| {
            erase(tx, &place, &member, &item)?;
            match pushed {
                Pushed::Again => item.again = Some(score.into()),
                _ => item.score = score.into(),
            }
            write(tx, &place, &member, &item)
        })?;
        Ok(pushed)
    }

    /// Claims up to `max` members until `now + lease`: by turns those that are ready, lowest score first, and those
    /// that are due or whose lease has ended, the longest overdue first. What it costs depends on `max`
    /// alone.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
        now: u64,
        lease: u64,
        max: usize,
    ) -> Result<Vec<Claim<K>>, Error> {
        let place = Place::<K>::of(&key.into())?;
        tx.attempt(|tx| take(tx, &place, (now, now.saturating_add(lease)), max))
    }

    /// The work is done: the member is gone, or ready again if it was pushed meanwhile.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
        claim: &Claim<K>,
    ) -> Result<Acked, Error> {
        let place = Place::<K>::of(&key.into())?;
        let (member, mut item) = claimed(tx, &place, claim)?;
        tx.attempt(|tx| {
            erase(tx, &place, &member, &item)?;
            let Some(again) = item.again.take() else {
                place.delete(tx, Family::Item, &member)?;
                return Ok(Acked::Done);
            };
            (item.state, item.attempts, item.score) = (State::Ready, 0, again);
            write(tx, &place, &member, &item)?;
            Ok(Acked::Again)
        })
    }

    /// The work failed: the member is ready again at `now + delay`. Returns when that is. If it was
    /// pushed meanwhile, it has the new score; it is worked on once, not twice.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
        claim: &Claim<K>,
        now: u64,
        delay: u64,
    ) -> Result<u64, Error> {
        let due = now.saturating_add(delay);
        Self::end(tx, &Place::of(&key.into())?, claim, State::Waiting(due))?;
        Ok(due)
    }

    /// The work failed: the member is retried later, or buried if there were enough attempts.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// let backoff = rt::Backoff { first: 60, most: 3_600, attempts: 2 };
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
        key: impl Into<K::Key<'k>>,
        claim: &Claim<K>,
        now: u64,
        backoff: &Backoff,
    ) -> Result<Failed, Error> {
        match backoff.delay(claim.attempts) {
            Some(delay) => self.retry(tx, key, claim, now, delay).map(Failed::RetryAt),
            None => self.bury(tx, key, claim).map(|()| Failed::Buried),
        }
    }

    /// Gives a member up: nobody works on it until it is revived, also if it was pushed meanwhile.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
        claim: &Claim<K>,
    ) -> Result<(), Error> {
        Self::end(tx, &Place::of(&key.into())?, claim, State::Dead)
    }

    /// Ends a claim that was not finished.
    fn end(tx: &mut Tx<'_>, place: &Place<K>, claim: &Claim<K>, state: State) -> Result<(), Error> {
        let (member, mut item) = claimed(tx, place, claim)?;
        tx.attempt(|tx| {
            erase(tx, place, &member, &item)?;
            leave(&mut item, state);
            write(tx, place, &member, &item)
        })
    }

    /// The work goes on: the lease ends at `now + lease`. Returns when that is; the claim, with its
    /// old deadline, stays good.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
        claim: &Claim<K>,
        now: u64,
        lease: u64,
    ) -> Result<u64, Error> {
        let place = Place::<K>::of(&key.into())?;
        let (member, mut item) = claimed(tx, &place, claim)?;
        let deadline = now.saturating_add(lease);
        tx.attempt(|tx| {
            erase(tx, &place, &member, &item)?;
            item.state = State::Leased(deadline);
            write(tx, &place, &member, &item)
        })?;
        Ok(deadline)
    }

    /// Makes a member ready that was given up, as if it were new. Says whether it was given up.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        match item::<K>(tx, &place, &member)? {
            Some(mut item) if item.state == State::Dead => tx.attempt(|tx| {
                erase(tx, &place, &member, &item)?;
                (item.state, item.attempts) = (State::Ready, 0);
                write(tx, &place, &member, &item)?;
                Ok(true)
            }),
            _ => Ok(false),
        }
    }

    /// Removes a member wherever it is, and says whether it was there. A claim of it is lost.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        let Some(item) = item::<K>(tx, &place, &member)? else { return Ok(false) };
        tx.attempt(|tx| {
            erase(tx, &place, &member, &item)?;
            place.delete(tx, Family::Item, &member)
        })?;
        Ok(true)
    }

    /// Deletes all members, and returns how many records there were. Claims are lost.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
    ///
    /// JOBS.delete(tx, 1)?;
    /// assert!(JOBS.ack(tx, 1, &claims[0]).is_err());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`]. Then nothing has changed.
    pub fn delete<'k>(&self, tx: &mut Tx<'_>, key: impl Into<K::Key<'k>>) -> Result<u64, Error> {
        let place = Place::<K>::of(&key.into())?;
        tx.attempt(|tx| place.delete_all(tx, Some(Family::Token)))
    }
}
