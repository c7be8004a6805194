//! Structures on an ordered store: hashes, sets, sorted sets and queues. What their records look
//! like is known by [`record`](crate::record) alone.

mod describe;
mod hash;
mod listing;
mod place;
mod queue;
mod records;
mod report;
mod scan;
mod set;
mod zset;

pub use describe::{
    Counting, EntryError, HashField, HashKeyspace, QueueKeyspace, SetKeyspace, Structure,
    ZsetKeyspace,
};
pub use hash::{FieldRow, FieldRows, Hash, HashEntry, HashFieldOf, HashFields, OwnedEntry};
pub use listing::{Listing, Scored, Sorted, Timed};
pub use queue::{
    Acked, Backoff, Claim, DeadMembers, Failed, Known, LeasedMembers, Pushed, Queue, QueueCounts,
    ReadyMembers, WaitingMembers,
};
pub use records::{OwnedRecords, PageOf, RecordScan, Records};
pub use report::{StructureFault, StructureReport};
pub use scan::{OwnedStructures, StructureScan};
pub use set::{Set, SetMembers};
pub use zset::{Zset, ZsetMembers};
