//! Database files on the command line: how they are opened, and the messages about them.

pub(crate) mod engine;
mod open;

pub(crate) use keyscape_inspect::database::{
    Body, Condition, DatabaseError, DynamicIndex, Entry, Faults, Listing, OpenDatabase, Part,
    QueueItem, Reader, RowFilter, SavedLayout, Stored, Writer, family_name, joined,
    program_indexes, sound, space_name, stored_key,
};
pub(crate) use open::{
    Additions, DatabaseArgument, Verification, only_file, open_read_only, publish, repair,
    saved_bundle, stage, warn_unbuilt, writer,
};
