//! Database files on the command line: how they are opened, and the messages about them.

mod open;

pub(crate) use keyscape_inspect::database::{
    Body, Compared, Condition, DatabaseError, DynamicIndex, DynamicIndexes, Entry, Faults,
    IndexFault, Listing, OpenDatabase, Part, QueueItem, Reader, RowFilter, SavedLayout, Stored,
    Writer, engine, family_name, joined, program_indexes, saved_bundle, sound, space_name,
    stored_key,
};
pub(crate) use open::{Additions, Opened, Verification, only_file, open, warn_unbuilt};
