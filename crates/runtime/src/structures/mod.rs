//! Structures on an ordered store: hashes, sets, sorted sets and queues. What their records look
//! like is known by [`record`](crate::record) alone.

mod describe;
mod hash;
mod queue;
mod set;
mod structure;
mod zset;

pub use describe::{
    Counting, EntryError, HashField, HashKeyspace, QueueKeyspace, SetKeyspace, Structure,
    ZsetKeyspace,
};
pub use hash::{Hash, HashFieldOf};
pub use queue::Queue;
pub use set::Set;
pub use structure::StructurePrefix;
pub use zset::Zset;
