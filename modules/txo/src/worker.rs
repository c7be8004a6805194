//! Processes a queue with several threads.
//!
//! Each thread claims one member, prepares it outside any transaction, and then does the work and
//! acknowledges it in one transaction: both are committed, or neither. Therefore:
//! - at most one member per thread is in work, and a lease begins when the work begins;
//! - threads wait only for the store, so they cannot deadlock;
//! - a member whose work fails waits with a growing delay outside the ready order, and finally
//!   becomes dead, so it does not block other members;
//! - a member that must wait for the position of another transaction ([`Error::UnconfirmedParent`])
//!   waits without counting an attempt, so it never becomes dead;
//! - no member is lost: if a worker dies, its member is ready again after the lease, and a member
//!   that is pushed during its work is processed again.
//!
//! This module neither reads a clock nor sleeps. [`WorkReport::next`] is the time for the next
//! call.

use crate::{
    error::Error,
    keeper::{self, Work},
};
use keyscape::{
    Acked, Backoff, Claim, ErrorKind, Failed, Queue,
    store::{Db, StoreError, Tx},
    traits::Field,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

/// The reason why the work on a member failed.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A member of a queue.
pub type MemberOf<W> = <<W as keyscape::traits::Members>::Member as Field>::View<'static>;

/// The work on a member.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape::{Backoff, Claim, store::Tx};
/// use keyscape_txo::{
///     keeper::{NewOutput, enqueue_transaction, outputs_of, save_output},
///     layout::txo::{Outpoint, Subscription, Subscriptions, Txid},
///     score,
///     worker::{Failure, Handler, Options, work},
/// };
///
/// /// Fetches transactions and saves their outputs.
/// struct Fetch;
///
/// impl Handler<Subscriptions> for Fetch {
///     type Prepared = Vec<u64>; // the amounts of the outputs
///
///     fn prepare(&self, claim: &Claim<Subscriptions>) -> Result<Vec<u64>, Failure> {
///         // A request to a node, for example.
///         if claim.member == Txid([9; 32]) { Err("not found".into()) } else { Ok(vec![500, 20]) }
///     }
///
///     fn apply(
///         &self,
///         tx: &mut Tx<'_>,
///         claim: &Claim<Subscriptions>,
///         amounts: &Vec<u64>,
///     ) -> Result<(), Failure> {
///         for (vout, satoshis) in (0..).zip(amounts.iter().copied()) {
///             let at = Outpoint { txid: claim.member, vout };
///             save_output(tx, &NewOutput::new(at, satoshis, claim.score))?;
///         }
///         Ok(())
///     }
/// }
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
/// let subscription = Subscription::new("bsv21")?;
/// db.write(|tx| {
///     enqueue_transaction(tx, &subscription, Txid([7; 32]), score::confirmed(850_000, 3))?;
///     enqueue_transaction(tx, &subscription, Txid([9; 32]), score::seen(1))
/// })?;
///
/// let backoff = Backoff { first: 10, max: 600, attempts: 5 };
/// let options = Options { threads: 2, max_members: 1_000, lease: 60, backoff };
/// let report = work(&db, &subscription.into(), &options, &|| 1_700_000_000, &Fetch)?;
/// assert_eq!((report.done, report.retried, report.next), (1, 1, Some(1_700_000_010)));
/// assert!(report.failures[0].ends_with(": not found"));
/// assert_eq!(outputs_of(&db.read()?, Txid([7; 32]))?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Handler<W: Work>: Sync {
    /// The result of [`Handler::prepare`].
    type Prepared;

    /// Prepares the work, outside any transaction. This may take a long time.
    ///
    /// # Errors
    /// Any failure: the member is retried later.
    fn prepare(&self, claim: &Claim<W>) -> Result<Self::Prepared, Failure>;

    /// Does the work, in the transaction that acknowledges the member. On a remote engine the
    /// transaction may run more than once.
    ///
    /// # Errors
    /// Any failure: nothing is written, and the member is retried later. Return
    /// [`Error::UnconfirmedParent`] unchanged or as the source of another error.
    fn apply(
        &self,
        tx: &mut Tx<'_>,
        claim: &Claim<W>,
        prepared: &Self::Prepared,
    ) -> Result<(), Failure>;
}

/// The options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of threads, which is the number of members in work; at least one.
    pub threads: usize,
    /// The maximum number of members to claim. The run ends earlier if no member is ready.
    pub max_members: u64,
    /// The duration of a lease, in the unit of the clock.
    pub lease: u64,
    /// The delays and the number of attempts.
    pub backoff: Backoff,
}

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkReport {
    /// The number of completed members.
    pub done: u64,
    /// The number of completed members that were pushed during their work and are ready again.
    pub again: u64,
    /// The number of failures that will be retried.
    pub retried: u64,
    /// The number of members that wait for the position of another transaction.
    pub postponed: u64,
    /// The number of members that became dead.
    pub buried: u64,
    /// The number of results that were discarded because the lease had ended and the member was
    /// claimed by another worker or removed.
    pub lost: u64,
    /// The first 100 failures in order. Each begins with the id of its member.
    pub failures: Vec<String>,
    /// The time at which the next member is due or the next lease ends, if any.
    pub next: Option<u64>,
}

/// The maximum number of failures in a report.
const MAX_FAILURES: usize = 100;

/// Processes a queue until no member is ready or `max_members` have been claimed. `now` returns the
/// time, in the unit of leases and delays. See [`Handler`] for an example.
///
/// # Errors
/// If the store fails. Failures of the handler, including panics, are failures of the member: see
/// [`WorkReport`].
pub fn work<W: Work, H: Handler<W>>(
    db: &Db,
    key: &W::Key<'static>,
    options: &Options,
    now: &(dyn Fn() -> u64 + Sync),
    handler: &H,
) -> Result<WorkReport, Error>
where
    W::Key<'static>: Sync,
{
    let shared = Shared::<W, H> {
        db,
        key,
        options,
        now,
        handler,
        left: AtomicU64::new(options.max_members),
        stopped: AtomicBool::new(false),
        report: Mutex::default(),
    };
    let failed = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..options.threads.max(1)).map(|_| scope.spawn(|| shared.run())).collect();
        threads.into_iter().find_map(|thread| match thread.join() {
            Ok(ended) => ended.err(),
            // Panics of handlers are caught; any other panic is a bug and is propagated.
            Err(panic) => resume_unwind(panic),
        })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let mut report = shared.report.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.next = Queue::<W>::new().next_time(&db.read()?, key.clone())?;
    Ok(report)
}

/// The shared state of the threads.
struct Shared<'a, W: Work, H> {
    db: &'a Db,
    key: &'a W::Key<'static>,
    options: &'a Options,
    now: &'a (dyn Fn() -> u64 + Sync),
    handler: &'a H,
    left: AtomicU64,
    stopped: AtomicBool,
    report: Mutex<WorkReport>,
}

/// The reason why a transaction of a worker ended.
enum Ended {
    Store(Error),
    Work(Failure),
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Ended::Store(error)
    }
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Ended::Store(error.into())
    }
}

impl<W: Work, H: Handler<W>> Shared<'_, W, H> {
    fn run(&self) -> Result<(), Error> {
        while !self.stopped.load(Ordering::Relaxed) && self.may_claim() {
            let worked = self.claim().and_then(|claim| match claim {
                Some(claim) => self.work_on(&claim).map(|()| true),
                None => Ok(false),
            });
            match worked {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.stopped.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn may_claim(&self) -> bool {
        let take = |left: u64| left.checked_sub(1);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    fn claim(&self) -> Result<Option<Claim<W>>, Error> {
        let (now, lease) = ((self.now)(), self.options.lease);
        let queue = Queue::<W>::new();
        let mut claims = self.db.write(|tx| queue.claim(tx, self.key.clone(), now, lease, 1))?;
        Ok(claims.pop())
    }

    fn work_on(&self, claim: &Claim<W>) -> Result<(), Error> {
        // A panic drops the transaction, so it can damage only the state of the handler itself.
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            let prepared = self.handler.prepare(claim).map_err(Ended::Work)?;
            self.db.write(|tx| {
                self.handler.apply(tx, claim, &prepared).map_err(Ended::Work)?;
                Ok(keeper::ack::<W>(tx, self.key, claim)?)
            })
        }));
        match attempt.unwrap_or_else(|_| Err(Ended::Work("the handler panicked".into()))) {
            Ok(acked) => self.count(|report| {
                report.done += 1;
                report.again += u64::from(acked == Acked::Again);
            }),
            Err(Ended::Work(failure)) => self.failed(claim, &failure)?,
            Err(Ended::Store(error)) if is_lost(&error) => self.count(|report| report.lost += 1),
            Err(Ended::Store(error)) => return Err(error),
        }
        Ok(())
    }

    fn failed(&self, claim: &Claim<W>, failure: &Failure) -> Result<(), Error> {
        let (now, backoff) = ((self.now)(), &self.options.backoff);
        let must_wait = waits_for_parent(&**failure);
        let queue = Queue::<W>::new();
        let ended = self.db.write(|tx| match must_wait {
            true => {
                let due = queue.postpone(tx, self.key.clone(), claim, now, backoff.first)?;
                Ok(Failed::RetryAt(due))
            }
            false => queue.fail(tx, self.key.clone(), claim, now, backoff),
        });
        let ended = match ended.map_err(Error::from) {
            Err(error) if !is_lost(&error) => return Err(error),
            ended => ended,
        };
        self.count(|report| {
            if report.failures.len() < MAX_FAILURES {
                report.failures.push(format!("{}: {failure}", W::shown(&claim.member)));
            }
            match ended {
                Ok(Failed::RetryAt(_)) if must_wait => report.postponed += 1,
                Ok(Failed::RetryAt(_)) => report.retried += 1,
                Ok(Failed::Buried) => report.buried += 1,
                Err(_) => report.lost += 1,
            }
        });
        Ok(())
    }

    fn count(&self, change: impl FnOnce(&mut WorkReport)) {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Whether the cause of a failure is a parent that is not confirmed yet.
fn waits_for_parent(failure: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(failure);
    while let Some(error) = cause {
        if matches!(error.downcast_ref(), Some(Error::UnconfirmedParent { .. })) {
            return true;
        }
        cause = error.source();
    }
    false
}

fn is_lost(error: &Error) -> bool {
    matches!(error, Error::Store(error) if matches!(error.kind(), ErrorKind::ClaimLost { .. }))
}
