//! Typed keyspaces on a store. Use the facade `keyscape` instead of this crate.

mod error;
mod keyspace;
pub mod record;
mod structures;
mod value;

pub use error::{DomainError, Error, ErrorKind};
pub use keyspace::{Buffer, Field, Keyspace, Rows};
pub use structures::{
    Acked, Backoff, Claim, Counting, DeadMembers, EntryError, Failed, FieldRow, FieldRows, Hash,
    HashEntry, HashField, HashFieldOf, HashFields, HashKeyspace, Known, LeasedMembers, Listing,
    OwnedEntry, OwnedRecords, Pushed, Queue, QueueCounts, QueueKeyspace, ReadyMembers, RecordScan,
    Records, Scored, Set, SetKeyspace, SetMembers, Sorted, Structure, StructureFault,
    StructureReport, Time, Timed, WaitingMembers, Zset, ZsetKeyspace, ZsetMembers,
};
pub use value::{BadValue, ValueForm};
