//! The connection to a cluster.

use crate::{
    ENGINE,
    address::Address,
    error::{Fault, FaultKind},
    options::Options,
};
use keyscape_store::StoreError;
use keyscape_store_remote::{EventLoop, NoAnswer, connect_detached, retry_until};
use std::{
    fmt,
    future::Future,
    thread,
    time::{Duration, Instant},
};
use tikv_client::{
    Backoff, CheckLevel, Config, RetryOptions, Snapshot, Timestamp, Transaction, TransactionClient,
    TransactionOptions,
};
use tokio::runtime::Builder;

/// The maximum size of an answer of a store, which must hold a page of large rows.
pub(crate) const LARGEST_ANSWER: usize = 256 << 20;
const WORKERS: usize = 2;
/// The pause between two attempts to reach a store that does not answer.
const RETRY_PAUSE: Duration = Duration::from_millis(20);
/// The backoff of the client for a region that moves: up to 10 seconds in total.
const REGION: Backoff = Backoff::no_jitter_backoff(2, 500, 25);
/// The backoff of the client for a lock: up to a second in total. The engine waits longer.
const LOCK: Backoff = Backoff::no_jitter_backoff(1, 100, 16);

/// A client with its own event loop.
pub(crate) struct Cluster {
    client: TransactionClient,
    events: EventLoop,
    timeout: Duration,
}

impl Cluster {
    /// Connects. Tries again while the cluster starts, until the timeout.
    pub(crate) fn connect(address: &Address, options: &Options) -> Result<Cluster, StoreError> {
        connect_detached(ENGINE, || Cluster::connect_here(address, options))
    }

    fn connect_here(address: &Address, options: &Options) -> Result<Cluster, StoreError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("keyscape-tikv")
            .enable_all()
            .build()
            .map_err(|error| StoreError::backend(ENGINE, error))?;
        let events = EventLoop::new(runtime);
        let config = Config::default()
            .with_timeout(options.request_timeout)
            .with_grpc_max_decoding_message_size(LARGEST_ANSWER);
        let begin = Instant::now();
        let mut last = Fault::silent(options.connect_timeout).advice;
        loop {
            let left = options.connect_timeout.saturating_sub(begin.elapsed());
            if left.is_zero() {
                let problem = format!("cannot connect to the cluster: {}", last.problem());
                return Err(last
                    .replaced(problem, "start the cluster, or correct the address")
                    .into());
            }
            let drivers = address.drivers.clone();
            let connecting = TransactionClient::new_with_config(drivers, config.clone());
            match events.run_here(left, connecting) {
                Some(Ok(client)) => {
                    return Ok(Cluster { client, events, timeout: options.timeout });
                }
                Some(Err(error)) => last = Fault::from(error).advice,
                None => {}
            }
            thread::sleep(RETRY_PAUSE.min(left));
        }
    }

    /// Runs a request to completion, at most for the timeout.
    pub(crate) fn run<T: Send>(
        &self,
        work: impl Future<Output = tikv_client::Result<T>> + Send,
    ) -> Result<T, Fault> {
        match self.events.run(self.timeout, work) {
            Ok(answer) => answer.map_err(Fault::from),
            Err(NoAnswer::TimedOut) => Err(Fault::silent(self.timeout)),
            Err(NoAnswer::NoThread(error)) => Err(Fault::no_thread(error)),
        }
    }

    /// Repeats an idempotent request until it succeeds or reaches the timeout. While a region moves
    /// or a lock is held, the client itself gives up earlier.
    pub(crate) fn repeat<T, F>(&self, work: impl Fn() -> F) -> Result<T, Fault>
    where
        T: Send,
        F: Future<Output = tikv_client::Result<T>> + Send,
    {
        let is_temporary =
            |fault: &Fault| matches!(fault.kind, FaultKind::Unavailable | FaultKind::Conflict);
        retry_until(self.timeout, is_temporary, || self.run(work()))
    }

    /// Deletes keys in one transaction.
    pub(crate) fn delete(&self, keys: Vec<Vec<u8>>) -> Result<(), Fault> {
        self.run(delete(&self.client, keys))
    }

    /// Deletes keys in one transaction without waiting for it. Calls `done` afterwards, with
    /// whether the deletion succeeded.
    pub(crate) fn delete_later(
        &self,
        keys: Vec<Vec<u8>>,
        done: impl FnOnce(bool) + Send + 'static,
    ) {
        let (client, time) = (self.client.clone(), self.timeout);
        self.events.spawn(async move {
            let deleted = tokio::time::timeout(time, delete(&client, keys)).await;
            let is_deleted = matches!(deleted, Ok(Ok(())));
            if !is_deleted {
                tracing::debug!(?deleted, "ids of commits could not be deleted");
            }
            done(is_deleted);
        });
    }

    pub(crate) fn now(&self) -> Result<Timestamp, Fault> {
        self.repeat(|| self.client.current_timestamp())
    }

    /// Begins a transaction that locks keys when it commits.
    pub(crate) fn begin(&self) -> Result<Transaction, Fault> {
        self.repeat(|| {
            self.client.begin_with_options(patient(TransactionOptions::new_optimistic()))
        })
    }

    /// Begins a transaction that locks keys when it writes.
    pub(crate) fn begin_locking(&self) -> Result<Transaction, Fault> {
        let options = || patient(TransactionOptions::new_pessimistic());
        self.repeat(|| self.client.begin_with_options(options()))
    }

    /// Returns a snapshot for one request. The client keeps all rows that a snapshot has read, so
    /// snapshots are not reused.
    pub(crate) fn state(&self, at: &Timestamp) -> Snapshot {
        self.client.snapshot(at.clone(), patient(TransactionOptions::new_optimistic()))
    }
}

async fn delete(client: &TransactionClient, keys: Vec<Vec<u8>>) -> tikv_client::Result<()> {
    let options = patient(TransactionOptions::new_optimistic());
    let mut tx = client.begin_with_options(options).await?;
    for key in keys {
        tx.delete(key).await?;
    }
    if let Err(error) = tx.commit().await {
        // The rollback may undo only a part of the deletion. The deletion runs again later, so no
        // id remains.
        tx.rollback().await?;
        return Err(error);
    }
    Ok(())
}

fn patient(options: TransactionOptions) -> TransactionOptions {
    let retries = RetryOptions { region_backoff: REGION, lock_backoff: LOCK };
    options.drop_check(CheckLevel::None).retry_options(retries)
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
