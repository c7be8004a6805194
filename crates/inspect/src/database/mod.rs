//! Databases, read and written with a layout instead of generated code.
//!
//! The layout decodes and encodes keys and values. The engine of the runtime writes rows with their
//! index entries, and the records of structures.

mod condition;
mod entry;
mod error;
mod filter;
mod indexes;
mod info;
mod listing;
mod open;
mod range;
mod reader;
mod write;

pub use condition::Condition;
pub use entry::{Body, Entry, Part, QueueItem, Stored, family_name, row_key, stored_key};
pub use error::{DatabaseError, SourceValue};
pub use filter::{RowFilter, leading_bytes, listing_family};
pub use indexes::{DynamicIndex, IndexFault, RowIndexEntries, program_indexes};
pub use info::{SavedLayout, joined, space_name};
pub use listing::{Faults, Listing, Page, structures};
pub use open::{OpenDatabase, sound};
pub use range::FieldRange;
pub use reader::{Automata, NO_KEYSPACE, Reader, Unread};
pub use write::Writer;

use write::location;
