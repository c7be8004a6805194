//! Typed keyspaces on a store. Use the facade `keyscape` instead of this crate.

mod error;
mod keyspace;
pub mod record;
mod structures;
mod value;

pub use error::{DomainError, Error, ErrorKind};
pub use keyspace::{Buffer, Field, Keyspace, Rows};
pub use structures::{
    Counting, EntryError, Hash, HashField, HashFieldOf, HashKeyspace, Queue, QueueKeyspace, Set,
    SetKeyspace, Structure, StructurePrefix, Zset, ZsetKeyspace,
};
pub use value::{BadValue, ValueForm};
