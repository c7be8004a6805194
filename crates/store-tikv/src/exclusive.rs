//! Exclusive writers.

use crate::{
    commit::{acknowledged, fate, mutations},
    database::{KEYS_AT_ONCE, Tikv},
    error::{Fault, FaultKind},
};
use keyscape_store::{Commit, Revision, StoreError, StoreErrorKind};
use keyscape_store_remote::pause;
use std::time::Instant;
use tikv_client::{TimestampExt as _, Transaction, transaction::Mutation};

/// Locks all gate keys. Every other writer needs one of them. Waits for writers that are
/// committing.
///
/// The transaction begins before it waits, so it must not be used for reads.
pub(crate) fn begin(database: &Tikv) -> Result<Transaction, StoreError> {
    let begin = Instant::now();
    let mut attempt = 1;
    loop {
        let mut tx = database.cluster.begin_locking().map_err(Fault::into_error)?;
        // The id comes first, because its key decides whether the commit has happened.
        let id = database.names.commit(tx.start_timestamp().version());
        let keys: Vec<Vec<u8>> = std::iter::once(id).chain(database.names.gates()).collect();
        let fault = match database.cluster.run(tx.lock_keys(keys)) {
            Ok(()) => return Ok(tx),
            Err(fault) => fault,
        };
        database.roll_back(tx);
        let is_over = begin.elapsed() >= database.options.timeout;
        match fault.kind {
            FaultKind::Conflict if is_over => {
                return Err(StoreError::new(StoreErrorKind::Busy).because(fault.into_error()));
            }
            FaultKind::Conflict | FaultKind::Unavailable if !is_over => {
                pause(attempt);
                attempt += 1;
            }
            _ => return Err(fault.into_error()),
        }
    }
}

/// Writes the changes and commits.
pub(crate) fn write(
    database: &Tikv,
    mut tx: Transaction,
    commit: &Commit,
) -> Result<Revision, StoreError> {
    let start = tx.start_timestamp().version();
    let mutations = mutations(database, start, commit);
    if let Err(fault) = lock_and_write(database, &mut tx, &mutations) {
        // The commit has not begun.
        database.roll_back(tx);
        return Err(fault.into_error());
    }
    match database.cluster.run(tx.commit()) {
        Ok(at) => Ok(acknowledged(database, start, at)),
        Err(fault) => {
            // Rolling back a locking transaction releases only the locks of keys that are not
            // written yet.
            database.roll_back(tx);
            fate(database, start, fault)
        }
    }
}

/// Locks and writes the keys. Other commits that wait for this writer may hold locks, which expire.
/// Therefore conflicts are retried until the timeout.
fn lock_and_write(
    database: &Tikv,
    tx: &mut Transaction,
    mutations: &[Mutation],
) -> Result<(), Fault> {
    let begin = Instant::now();
    for part in mutations.chunks(KEYS_AT_ONCE as usize) {
        let mut attempt = 1;
        loop {
            match database.cluster.run(tx.batch_mutate(part.to_vec())) {
                Ok(()) => break,
                Err(fault)
                    if fault.kind == FaultKind::Conflict
                        && begin.elapsed() < database.options.timeout =>
                {
                    pause(attempt);
                    attempt += 1;
                }
                Err(fault) => return Err(fault),
            }
        }
    }
    Ok(())
}
