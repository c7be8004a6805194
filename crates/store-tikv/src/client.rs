//! The connection to a cluster.

use crate::{address::Address, error::Fault, options::Options};
use keyscape_store::StoreError;
use keyscape_store_remote::detached;
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
use tokio::runtime::{Builder, Handle, Runtime};

/// The largest answer of a store: a page of large rows.
pub(crate) const LARGEST_ANSWER: usize = 256 << 20;
const WORKERS: usize = 2;
/// The pause between two attempts to reach a store that does not answer.
const RETRY_PAUSE: Duration = Duration::from_millis(20);
/// The waits of the client for a region that moves: up to 10 seconds in all.
const REGION: Backoff = Backoff::no_jitter_backoff(2, 500, 25);
/// The waits of the client for a lock: up to a second in all. The engine waits longer.
const LOCK: Backoff = Backoff::no_jitter_backoff(1, 100, 16);

/// A client with its own event loop.
pub(crate) struct Cluster {
    client: TransactionClient,
    /// Present until the cluster is dropped.
    runtime: Option<Runtime>,
    timeout: Duration,
}

impl Cluster {
    /// Connects. Tries again while the cluster starts, until the time is over.
    pub(crate) fn connect(address: &Address, options: &Options) -> Result<Cluster, StoreError> {
        detached(Handle::try_current().is_ok(), || Cluster::connect_here(address, options))
            .unwrap_or_else(|error| Err(Fault::NoThread(error).into_error()))
    }

    fn connect_here(address: &Address, options: &Options) -> Result<Cluster, StoreError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("keyscape-tikv")
            .enable_all()
            .build()
            .map_err(|error| StoreError::backend(crate::ENGINE, error))?;
        let config = Config::default()
            .with_timeout(options.request_timeout)
            .with_grpc_max_decoding_message_size(LARGEST_ANSWER);
        let begin = Instant::now();
        let mut last = Fault::silent(options.connect_timeout);
        loop {
            let left = options.connect_timeout.saturating_sub(begin.elapsed());
            if left.is_zero() {
                // Dropping it would wait for the search of an address.
                runtime.shutdown_background();
                let remedy = "start the cluster, or correct the address";
                return Err(match last {
                    Fault::Away(mut cause) | Fault::Rejected(mut cause) => {
                        cause.words = format!("cannot connect to the cluster: {}", cause.words);
                        cause.advice(remedy).into()
                    }
                    other => other.into_error(),
                });
            }
            let drivers = address.drivers.clone();
            let connecting = TransactionClient::new_with_config(drivers, config.clone());
            let timed = async { tokio::time::timeout(left, connecting).await };
            match runtime.block_on(timed) {
                Ok(Ok(client)) => {
                    let timeout = options.timeout;
                    return Ok(Cluster { client, runtime: Some(runtime), timeout });
                }
                Ok(Err(error)) => last = error.into(),
                Err(_) => {}
            }
            thread::sleep(RETRY_PAUSE.min(left));
        }
    }

    /// Runs a request to its end, at most for the timeout.
    pub(crate) fn run<T: Send>(
        &self,
        work: impl Future<Output = tikv_client::Result<T>> + Send,
    ) -> Result<T, Fault> {
        // Only dropping the cluster takes its event loop.
        let Some(runtime) = &self.runtime else { return Err(Fault::silent(self.timeout)) };
        let timed = async { tokio::time::timeout(self.timeout, work).await };
        match detached(Handle::try_current().is_ok(), || runtime.block_on(timed)) {
            Ok(Ok(answer)) => answer.map_err(Fault::from),
            Ok(Err(_)) => Err(Fault::silent(self.timeout)),
            Err(error) => Err(Fault::NoThread(error)),
        }
    }

    /// Runs a request that can be repeated, until it succeeds or the time is over. The client gives
    /// up earlier while a region moves or a lock is held.
    pub(crate) fn repeat<T, F>(&self, work: impl Fn() -> F) -> Result<T, Fault>
    where
        T: Send,
        F: Future<Output = tikv_client::Result<T>> + Send,
    {
        let begin = Instant::now();
        loop {
            match self.run(work()) {
                Err(Fault::Away(_) | Fault::Conflict(_)) if begin.elapsed() < self.timeout => {
                    thread::sleep(RETRY_PAUSE);
                }
                answer => return answer,
            }
        }
    }

    /// Runs requests without waiting for them.
    fn run_later(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(work);
        }
    }

    /// Deletes keys in one transaction without waiting for it. Then tells `done` whether it did.
    pub(crate) fn delete_later(
        &self,
        keys: Vec<Vec<u8>>,
        done: impl FnOnce(bool) + Send + 'static,
    ) {
        let (client, time) = (self.client.clone(), self.timeout);
        self.run_later(async move {
            let deleted = tokio::time::timeout(time, delete(&client, keys)).await;
            if !matches!(deleted, Ok(Ok(()))) {
                tracing::debug!(?deleted, "ids of commits could not be deleted");
            }
            done(matches!(deleted, Ok(Ok(()))));
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

    /// Returns a state for one request. A snapshot of the client keeps all rows that it has read.
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
        // A deletion that is undone in part runs again.
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

impl Drop for Cluster {
    /// A runtime must not be dropped inside another one, where it would wait.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
