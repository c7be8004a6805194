//! Typed structures: hashes, sets, sorted sets and queues. The [engine](crate::engine) writes their
//! records.

mod describe;
mod hash;
mod listing;
mod queue;
mod records;
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
    Acked, Backoff, Claim, DeadMembers, Failed, LeasedMembers, Pushed, Queue, QueueCounts,
    QueueMember, ReadyMembers, WaitingMembers,
};
pub use records::{PageOf, RecordScan, Records};
pub use scan::StructureScan;
pub use set::{Set, SetMembers};
pub use zset::{Zset, ZsetMembers};

use crate::{
    Buffer, Error, Field,
    engine::{Location, StructureRecords},
};

/// Returns the records of the structure with this key.
fn records_of<K: Structure>(key: &K::Key<'_>) -> Result<StructureRecords, Error> {
    let mut buffer = K::Buffer::default();
    K::encode(key, &mut buffer)?;
    Ok(StructureRecords::new(Location::of::<K>(), K::KIND, buffer.written()?))
}

/// Encodes a member or a score.
fn bytes_of<F: Field>(view: &F::View<'_>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(48);
    F::encode(view, &mut bytes)?;
    Ok(bytes)
}
