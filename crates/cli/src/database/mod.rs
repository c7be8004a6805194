//! Database files, read and written with a layout instead of generated code.
//!
//! The layout decodes and encodes keys and values. The engine of the runtime writes rows with their
//! index entries, and the records of structures.

mod entry;
mod error;
mod filter;
mod indexes;
mod info;
mod listing;
mod open;
mod reader;
mod write;

pub(crate) use entry::{Body, Entry, Part, QueueItem, Stored, family_name, stored_key};
pub(crate) use error::DatabaseError;
pub(crate) use filter::{RowFilter, leading_bytes};
pub(crate) use indexes::{Compared, DynamicIndex, DynamicIndexes, IndexFault, program_indexes};
pub(crate) use info::{SavedLayout, space_name};
pub(crate) use listing::{Faults, Listing};
pub(crate) use open::{Additions, OpenDatabase, Opened, Verification, sound};
pub(crate) use reader::{NO_KEYSPACE, Reader};
pub(crate) use write::Writer;

use write::location;
