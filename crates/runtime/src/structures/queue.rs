//! Queues.

use super::{
    QueueKeyspace, Records,
    place::{Place, bytes_of},
    queue_lists::{DeadMembers, LeasedMembers, ReadyMembers, WaitingMembers},
    queue_steps::{claimed, erase, item, leave, score_of, take, wake, write},
};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Error, Field, access,
    record::{Family, Item, State},
};
use keyscape_store::{Read, Tx};
use std::{borrow::Cow, fmt, marker::PhantomData};

/// The queues of a keyspace: members to be worked on, lowest score first. The generated constant
/// derefs to it.
///
/// A worker **claims** members for a while, the lease, and then **acknowledges** them, or has them
/// **retried** later, or **buries** them. What it does not finish is given to others when the lease
/// ends. A claim has a token; when somebody else has claimed the member since, whatever is done with
/// the old token is [`ClaimLost`](ErrorKind::ClaimLost).
///
/// - A member that is pushed while somebody works on it is **queued again**: it is ready again when
///   that work is acknowledged. Nothing that is pushed is lost.
/// - A member that is retried waits outside the order of those that are ready. So members that fail
///   again and again hold nobody up.
/// - Times are numbers in the unit of the program, and now is always given: a queue reads no clock.
///
/// Tokens come from a counter in the queue, so claims of one queue are made one after the other: in
/// optimistic transactions, one of two claims at the same time is run again. Acknowledging does not
/// touch the counter. The counter stays when the queue is empty, or deleted, so that no token is
/// given out twice.
pub struct Queue<K>(pub(crate) PhantomData<fn() -> K>);

type MemberOf<'m, K> = <<K as QueueKeyspace>::Member as Field>::View<'m>;
type ScoreOf<'s, K> = <<K as QueueKeyspace>::Score as Field>::View<'s>;

/// What a push did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The member is new, and ready.
    New,
    /// It was ready or waiting, and has the new score now.
    Known,
    /// Somebody works on it; it is queued again, with the new score, when that is acknowledged.
    Again,
    /// It was given up, and stays so until it is revived.
    Dead,
}

/// What became of a member that was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acked {
    /// It is gone.
    Done,
    /// It was pushed meanwhile, and is ready again.
    Again,
}

/// What became of a member that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// It is ready again then.
    RetryAt(u64),
    /// It was given up.
    Buried,
}

/// How long members wait that failed, and when they are given up.
///
/// ```
/// use keyscape_runtime::Backoff;
///
/// let backoff = Backoff { first: 10, most: 60, attempts: 5 };
/// let delays: Vec<_> = (1..=5).map(|attempts| backoff.delay(attempts)).collect();
/// assert_eq!(delays, [Some(10), Some(20), Some(40), Some(60), None]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The delay after the first attempt; it doubles with each.
    pub first: u64,
    /// The longest delay.
    pub most: u64,
    /// How many attempts there are.
    pub attempts: u32,
}

impl Backoff {
    /// The delay after so many attempts; `None` if that were all.
    #[must_use]
    pub fn delay(&self, attempts: u32) -> Option<u64> {
        let doubled = 2_u64.checked_pow(attempts.saturating_sub(1)).unwrap_or(u64::MAX);
        (attempts < self.attempts).then(|| self.first.saturating_mul(doubled).min(self.most))
    }
}

/// A member that was claimed.
pub struct Claim<K: QueueKeyspace> {
    /// The member.
    pub member: MemberOf<'static, K>,
    /// Its score.
    pub score: ScoreOf<'static, K>,
    /// What shows that this is the newest claim of the member.
    pub token: u64,
    /// How often it was claimed since it was pushed, this time included.
    pub attempts: u32,
    /// When the lease ends.
    pub deadline: u64,
}

impl<K: QueueKeyspace> Clone for Claim<K> {
    fn clone(&self) -> Self {
        Self { member: self.member.clone(), score: self.score.clone(), ..*self }
    }
}

impl<K: QueueKeyspace> fmt::Debug for Claim<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim")
            .field("member", &self.member)
            .field("score", &self.score)
            .field("token", &self.token)
            .field("attempts", &self.attempts)
            .field("deadline", &self.deadline)
            .finish()
    }
}

/// What a queue knows about a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<S> {
    /// Its score.
    pub score: S,
    /// Where it is.
    pub state: State,
    /// How often it was claimed since it was pushed.
    pub attempts: u32,
    /// Its next score, if it is queued again.
    pub again: Option<S>,
}

/// How many members of a queue are where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Can be claimed.
    pub ready: u64,
    /// Can be claimed later.
    pub waiting: u64,
    /// Claimed.
    pub leased: u64,
    /// Given up.
    pub dead: u64,
}

impl<K: QueueKeyspace> Queue<K> {
    /// Adds a member, or gives it another score.
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

    /// Claims up to `max` members until `now + lease`, lowest score first. Before that, up to `max` members
    /// that are due or whose lease has ended are made ready, the longest overdue first; so what it
    /// costs depends on `max` alone.
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
        tx.attempt(|tx| {
            wake::<K>(tx, &place, now, max)?;
            take(tx, &place, now.saturating_add(lease), max)
        })
    }

    /// The work is done: the member is gone, or ready again if it was pushed meanwhile.
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

    /// Gives a member up: nobody works on it until it is revived.
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

    /// What the queue knows about a member.
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
    #[must_use]
    pub fn ready<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, ReadyMembers<K>> {
        Records::new(key.into())
    }

    /// The members that can be claimed later, by when.
    #[must_use]
    pub fn waiting<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, WaitingMembers<K>> {
        Records::new(key.into())
    }

    /// The members that are claimed, by the end of their lease.
    #[must_use]
    pub fn leased<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, LeasedMembers<K>> {
        Records::new(key.into())
    }

    /// The members that were given up, in the order of their bytes.
    #[must_use]
    pub fn dead<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, DeadMembers<K>> {
        Records::new(key.into())
    }

    /// How many members are where. All of them are gone through.
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

    /// Deletes all members, and returns how many records there were. Claims are lost.
    ///
    /// # Errors
    /// See [`ErrorKind`]. Then nothing has changed.
    pub fn delete<'k>(&self, tx: &mut Tx<'_>, key: impl Into<K::Key<'k>>) -> Result<u64, Error> {
        let place = Place::<K>::of(&key.into())?;
        tx.attempt(|tx| place.delete_all(tx, Some(Family::Token)))
    }
}
