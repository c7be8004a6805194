//! Results of queue operations.

use super::super::{MemberOf, QueueKeyspace, ScoreOf};
use crate::record::State;

/// The outcome of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The member is new, and ready.
    New,
    /// The member was ready or waiting, and has the new score.
    Updated,
    /// The member is claimed. It is queued again with the new score when the claim is acknowledged.
    Again,
    /// The member is dead, and stays so until it is revived.
    Dead,
}

/// The outcome of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acked {
    /// The member was removed.
    Done,
    /// The member was pushed in the meantime, and is ready again.
    Again,
}

/// The outcome of failed work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The member is due again at this time.
    RetryAt(u64),
    /// The member is dead now.
    Buried,
}

/// The delays between attempts, and their maximum number.
///
/// ```
/// use keyscape_runtime::Backoff;
///
/// let backoff = Backoff { first: 10, max: 60, attempts: 5 };
/// let delays: Vec<_> = (1..=5).map(|attempts| backoff.delay(attempts)).collect();
/// assert_eq!(delays, [Some(10), Some(20), Some(40), Some(60), None]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The delay after the first attempt. It doubles with each further attempt.
    pub first: u64,
    /// The maximum delay.
    pub max: u64,
    /// The maximum number of attempts.
    pub attempts: u32,
}

impl Backoff {
    /// Returns the delay after this number of attempts, or `None` if it was the last.
    #[must_use]
    pub fn delay(&self, attempts: u32) -> Option<u64> {
        let doubled = 2_u64.checked_pow(attempts.saturating_sub(1)).unwrap_or(u64::MAX);
        (attempts < self.attempts).then(|| self.first.saturating_mul(doubled).min(self.max))
    }
}

/// A claim of a member.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
/// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
///
/// // A claim can be stored elsewhere: its member and its token identify it.
/// let rt::Claim { member, score, token, attempts, deadline } = claims[0].clone();
/// JOBS.ack(tx, 1, &rt::Claim { member, score, token, attempts, deadline })?;
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Claim<K: QueueKeyspace> {
    /// The claimed member.
    pub member: MemberOf<'static, K>,
    /// The score of the member.
    pub score: ScoreOf<'static, K>,
    /// Identifies the newest claim of the member.
    pub token: u64,
    /// The number of claims since the member was pushed, including this one.
    pub attempts: u32,
    /// The time at which the lease ends.
    pub deadline: u64,
}

/// The state of a member of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueMember<S> {
    /// The current score.
    pub score: S,
    /// Ready, waiting, leased or dead.
    pub state: State,
    /// The number of claims since the member was pushed.
    pub attempts: u32,
    /// The next score, if the member is queued again.
    pub again: Option<S>,
}

/// The number of members of a queue in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Members that can be claimed.
    pub ready: u64,
    /// Members that wait until they are due.
    pub waiting: u64,
    /// Claimed members.
    pub leased: u64,
    /// Buried members.
    pub dead: u64,
}
