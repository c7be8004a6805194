//! What queues answer.

use super::{MemberOf, ScoreOf};
use crate::{QueueKeyspace, record::State};
use std::fmt;

/// What a push did.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// assert_eq!(JOBS.push(tx, 1, Name::new("a")?, 5_u64)?, rt::Pushed::New);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
/// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
///
/// assert_eq!(JOBS.ack(tx, 1, &claims[0])?, rt::Acked::Done);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acked {
    /// It is gone.
    Done,
    /// It was pushed meanwhile, and is ready again.
    Again,
}

/// What became of a member that failed.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
/// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
///
/// let backoff = rt::Backoff { first: 60, most: 3_600, attempts: 1 };
/// assert_eq!(JOBS.fail(tx, 1, &claims[0], 100, &backoff)?, rt::Failed::Buried);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
/// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
///
/// // A claim can be kept elsewhere: its member and its token are what counts.
/// let rt::Claim { member, score, token, attempts, deadline } = claims[0].clone();
/// JOBS.ack(tx, 1, &rt::Claim { member, score, token, attempts, deadline })?;
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
/// let known = JOBS.get(tx, 1, Name::new("a")?)?.ok_or("it is there")?;
/// assert_eq!((known.score, known.attempts, known.again), (5, 0, None));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
/// assert_eq!(JOBS.counts(tx, 1)?, rt::QueueCounts { ready: 1, ..Default::default() });
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
