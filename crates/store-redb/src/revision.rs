//! The revision of a redb file.
//!
//! The revision is a row in the engine's own table, written with each commit. Looking it up costs
//! as much as a read, so it is cached in memory while no commit is in progress.

use crate::{
    database::{Redb, Table},
    error::{catch, store_error},
};
use keyscape_store::{Revision, StoreError, StoreErrorKind};
use redb::{ReadTransaction, TableError, WriteTransaction};
use std::sync::atomic::{AtomicU64, Ordering};

/// The engine's own table; its name is reserved.
pub(crate) const TABLE: &str = "keyscape:redb";
const KEY: &[u8] = b"revision";

/// INVARIANT: both numbers only grow, and `begun` is at least `seen`. They are equal while no
/// commit is in progress, and then they are the revision of the file.
#[derive(Debug, Default)]
pub(crate) struct Revisions {
    /// The newest commit that the file may contain.
    begun: AtomicU64,
    /// The newest commit that the file contains and that can be read.
    seen: AtomicU64,
}

impl Revisions {
    pub(crate) fn starting_at(revision: Revision) -> Revisions {
        Revisions { begun: AtomicU64::new(revision.0), seen: AtomicU64::new(revision.0) }
    }

    /// Returns the revision of the next commit. Numbers of failed commits are not reused.
    pub(crate) fn next(&self) -> Revision {
        Revision(self.begun.load(Ordering::SeqCst) + 1)
    }

    /// Records that commits up to this one have begun. Call this before they can be read.
    pub(crate) fn begin(&self, revision: Revision) {
        self.begun.store(revision.0, Ordering::SeqCst);
    }

    /// Records that this commit has ended. Call this after it can be read.
    pub(crate) fn end(&self, revision: Revision) {
        self.seen.store(revision.0, Ordering::SeqCst);
    }
}

/// Begins a read transaction and determines its revision.
pub(crate) fn begin_read(database: &Redb) -> Result<(ReadTransaction, Revision), StoreError> {
    let before = database.revisions.seen.load(Ordering::SeqCst);
    let transaction = database.file.begin_read()?;
    let after = database.revisions.begun.load(Ordering::SeqCst);
    // If no later commit had begun by now, the cached revision is the revision of the transaction.
    let revision = if before == after { Revision(before) } else { read(&transaction)? };
    Ok((transaction, revision))
}

/// Reads the revision from the file. Returns 0 if the file has no commit of this engine.
pub(crate) fn read(transaction: &ReadTransaction) -> Result<Revision, StoreError> {
    catch(|| read_row(transaction))
}

fn read_row(transaction: &ReadTransaction) -> Result<Revision, StoreError> {
    let table = match transaction.open_table(Table::new(TABLE)) {
        Ok(table) => table,
        Err(TableError::TableDoesNotExist(_)) => return Ok(Revision(0)),
        Err(error) => return Err(store_error(error)),
    };
    let Some(value) = table.get(KEY).map_err(store_error)? else { return Ok(Revision(0)) };
    let what = "the number of the last commit is not eight bytes";
    let bytes = value.value().try_into().map_err(|_| StoreErrorKind::Corrupt { what })?;
    Ok(Revision(u64::from_be_bytes(bytes)))
}

pub(crate) fn write(transaction: &WriteTransaction, revision: Revision) -> Result<(), StoreError> {
    let mut table = transaction.open_table(Table::new(TABLE)).map_err(store_error)?;
    table.insert(KEY, revision.0.to_be_bytes().as_slice()).map_err(store_error)?;
    Ok(())
}
