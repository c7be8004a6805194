//! Database files as the commands see them: opened with a layout, every row read by it.
//!
//! Nothing here has generated code: keys and values are read and written by the layout itself, and the
//! records of structures by `keyscape_runtime::record`.

#[cfg(test)]
mod agreement;
mod entry;
mod error;
mod indexes;
mod info;
mod listing;
mod open;
mod owners;
mod reader;
mod verification;
mod wanted;
mod write;

pub(crate) use entry::{Body, Entry, Part, QueueItem, Stored, family_name, stored_key};
pub(crate) use error::DatabaseError;
pub(crate) use indexes::indexes_from_value;
pub(crate) use info::{SavedLayout, space_name};
pub(crate) use listing::{Faults, Listing};
pub(crate) use open::{Base, Opened, sound};
pub(crate) use owners::{Astray, check_entries};
pub(crate) use reader::Reader;
pub(crate) use verification::Verification;
pub(crate) use wanted::Wanted;
pub(crate) use write::{Kept, Writer};
