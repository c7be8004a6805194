//! The number of a state of a redb file.
//!
//! It is a row in a table of the engine's own, written with each commit. Looking it up would cost
//! as much as a read, so that it is known from memory where no commit is under way.

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

/// INVARIANT: both only grow, `begun` at least as far as `seen`; they are equal while no commit is
/// under way, and then are the revision of the file.
#[derive(Debug, Default)]
pub(crate) struct Revisions {
    /// The newest commit that may be in the file.
    begun: AtomicU64,
    /// The newest commit that is in the file and can be read.
    seen: AtomicU64,
}

impl Revisions {
    pub(crate) fn starting_at(revision: Revision) -> Revisions {
        Revisions { begun: AtomicU64::new(revision.0), seen: AtomicU64::new(revision.0) }
    }

    /// The revision of the next commit. Numbers of failed commits are not used again.
    pub(crate) fn next(&self) -> Revision {
        Revision(self.begun.load(Ordering::SeqCst) + 1)
    }

    /// To be called before commits up to this one can be read.
    pub(crate) fn begin(&self, revision: Revision) {
        self.begun.store(revision.0, Ordering::SeqCst);
    }

    /// To be called after it can be read.
    pub(crate) fn end(&self, revision: Revision) {
        self.seen.store(revision.0, Ordering::SeqCst);
    }
}

/// Begins reading and finds out which state it is.
pub(crate) fn begin_read(database: &Redb) -> Result<(ReadTransaction, Revision), StoreError> {
    let before = database.revisions.seen.load(Ordering::SeqCst);
    let transaction = database.begin_read()?;
    let after = database.revisions.begun.load(Ordering::SeqCst);
    // What was seen before is the state, if no later commit had begun afterwards.
    let revision = if before == after { Revision(before) } else { read(&transaction)? };
    Ok((transaction, revision))
}

/// The revision that is in the file: 0 if no commit of ours is.
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
