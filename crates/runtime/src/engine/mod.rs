//! Rows, index entries and structures as bytes.
//!
//! The engine decides what a write changes besides the row itself: entries of indexes, the owners
//! of unique entries, counts, ranks, and the state of queues. The typed handles of this crate and
//! the database commands of the program write through the same functions. The engine needs no
//! generated code and no layout: the caller encodes keys, values, members and scores.
//!
//! Every function that writes more than one row is an attempt: after an error nothing has changed.

mod entries;
mod queue;
mod ranks;
mod report;
mod rows;
mod set;
mod structure;
mod zset;

pub use entries::{EntryKeys, EntryList};
pub use queue::{ClaimBytes, QueueRecords};
pub use report::{StructureFault, StructureFaultKind, StructureReport};
pub use rows::{RowEntries, delete, put};
pub use set::SetRecords;
pub use structure::StructureRecords;
pub use zset::ZsetRecords;

pub(crate) use rows::{delete_old, put_over};
pub(crate) use structure::{Edge, Span, corrupt};

use crate::{Error, Keyspace};
use keyscape_store::{StoreError, StoreId};
use std::borrow::Cow;

/// A keyspace as the engine sees it.
#[derive(Clone, Debug)]
pub struct Location {
    /// The name of the keyspace in errors.
    pub keyspace: Cow<'static, str>,
    /// The space that holds its rows.
    pub store: StoreId,
}

impl Location {
    pub(crate) const fn of<K: Keyspace>() -> Self {
        Self { keyspace: Cow::Borrowed(K::NAME), store: const { StoreId::of(K::SPACE) } }
    }

    /// Adds the keyspace to an error of the store.
    #[cold]
    pub(crate) fn failed(&self, error: StoreError) -> Error {
        error.in_keyspace(self.keyspace.clone()).into()
    }
}
