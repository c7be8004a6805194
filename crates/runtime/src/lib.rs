//! Typed keyspaces on a store. Use the facade `keyscape` instead of this crate.
//!
//! Generated code describes each keyspace of a layout by a type ([`Keyspace`] and what is built on
//! it); everything that reads and writes rows is generic over that. `tests/typed/shop.rs` and
//! `tests/structures/txo.rs` show what generated code looks like.

mod access;
mod blocks;
mod error;
mod handle;
mod index;
mod index_check;
mod item;
mod keep;
mod map;
mod page;
mod prefix;
pub mod record;
mod rows;
mod scan;
mod sequence;
mod structures;
mod value;

pub use blocks::Blocks;
pub use error::{Error, ErrorKind};
pub use index::{Index, IndexList, IndexRows, IndexVisitor, IndexedRow};
pub use index_check::{IndexFault, IndexReport};
pub use item::{Item, ItemRows};
pub use keyscape_keys::{Buffer, DomainError, Field, Keyspace};
pub use map::{Map, MapRows};
pub use page::{BadCursor, Page, PageCursor};
pub use prefix::Prefix;
pub use rows::Rows;
pub use scan::{By, OwnedRow, OwnedRows, RowView, Scan, ScanRows};
pub use sequence::{Number, NumberOf, Sequence, SequenceRows};
pub use structures::{
    Acked, Backoff, Claim, Counting, DeadMembers, EntryError, Failed, FieldRow, FieldRows, Hash,
    HashEntry, HashField, HashFieldOf, HashFields, HashKeyspace, Known, LeasedMembers, Listing,
    OwnedEntry, OwnedRecords, OwnedStructures, PageOf, Pushed, Queue, QueueCounts, QueueKeyspace,
    ReadyMembers, RecordScan, Records, Scored, Set, SetKeyspace, SetMembers, Sorted, Structure,
    StructureFault, StructureReport, StructureScan, Time, Timed, WaitingMembers, Zset,
    ZsetKeyspace, ZsetMembers,
};
#[cfg(feature = "json")]
pub use value::Json;
#[cfg(feature = "proto")]
pub use value::Proto;
pub use value::{
    BadValue, Be, Bool, Bytes, Const, Constant, Dec, Empty, InputOf, Le, OfField, OwnedOf, Reads,
    Text, ValueForm, ViewOf,
};
