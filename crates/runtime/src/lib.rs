//! Typed keyspaces on a store. Use the facade `keyscape` instead of this crate.
//!
//! Generated code describes each keyspace of a layout by a type that implements [`Keyspace`] and
//! traits such as [`MapRows`]. Handles such as [`Map`] are generic over that type. They encode keys
//! and values, and the [`engine`] writes the bytes. Written by hand, a map with one scan looks like
//! this:
//!
//! ```
//! use keyscape_codec::{KeyBuf, Malformed, Sink, fixed};
//! use keyscape_runtime::{
//!     Be, By, DomainError, Error, Keyspace, Map, MapRows, Prefix, Rows, ScanRows, Text,
//! };
//! use keyscape_store::{Db, Memory, Spaces};
//!
//! /// `map notes = "n" {author: u16be} {note: u16be} -> text`
//! #[derive(Clone, Copy, Debug)]
//! struct Notes;
//!
//! impl Keyspace for Notes {
//!     const NAME: &'static str = "notes";
//!     const SPACE: &'static str = "desk";
//!     type Buffer = KeyBuf<5>;
//!     type Key<'k> = (u16, u16);
//!
//!     fn encode((author, note): &(u16, u16), out: &mut impl Sink) -> Result<(), DomainError> {
//!         out.put(b"n");
//!         fixed::put_be(*author, out);
//!         fixed::put_be(*note, out);
//!         Ok(())
//!     }
//!
//!     fn decode(bytes: &[u8]) -> Result<(u16, u16), Malformed> {
//!         let missing = Malformed { reason: "no `n`" };
//!         let mut rest = bytes.strip_prefix(b"n").ok_or(missing)?;
//!         Ok((fixed::take_be(&mut rest)?, fixed::parse_be(rest)?))
//!     }
//!
//!     fn into_owned(key: (u16, u16)) -> (u16, u16) {
//!         key
//!     }
//! }
//!
//! impl Rows for Notes {
//!     type Value = Text;
//! }
//!
//! impl MapRows for Notes {
//!     const PREFIX: &'static [u8] = b"n";
//!     type Indexes = ();
//! }
//!
//! /// `scan author by note`
//! struct ByAuthor;
//!
//! impl ScanRows<Notes> for ByAuthor {
//!     const NAME: &'static str = "author";
//! }
//!
//! impl By<Notes> for ByAuthor {
//!     type Field = Be<u16>;
//!     const LAST: bool = true;
//! }
//!
//! fn of_author(author: u16) -> Prefix<Notes, ByAuthor> {
//!     Prefix::<Notes, ByAuthor>::new(|out| {
//!         out.put(b"n");
//!         fixed::put_be(author, out);
//!         Ok(())
//!     })
//! }
//!
//! const NOTES: Map<Notes> = Map::new();
//! let db = Db::new(Memory::new(Spaces::new(["desk"])?));
//! db.write(|tx| {
//!     NOTES.put(tx, (7, 1), "buy ink")?;
//!     NOTES.put(tx, (7, 2), "buy paper")?;
//!     NOTES.put(tx, (8, 1), "sleep")
//! })?;
//!
//! let snapshot = db.read()?;
//! let mut scan = of_author(7).range(2..).scan(&snapshot)?;
//! let row = scan.next_row()?.ok_or("no note")?;
//! assert_eq!((row.key, row.value()?), ((7, 2), "buy paper"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The feature `json` adds values as JSON, and the feature `proto` values as protobuf messages.

mod access;
pub mod engine;
mod error;
#[doc(hidden)]
pub mod fits;
mod index;
mod index_build;
mod index_check;
mod indexed_rows;
mod item;
mod map;
mod page;
mod prefix;
mod scan;
mod sequence;
mod structures;
mod value;
mod walk;
mod watch;

pub use engine::{StructureFault, StructureFaultKind, StructureReport};
pub use error::{Error, ErrorKind, Ok};
pub use fits::Misfit;
pub use index::{Extracted, Index, IndexList, IndexRows, IndexedRow};
pub use index_check::{IndexFault, IndexReport};
pub use indexed_rows::IndexedRows;
pub use item::{Item, ItemRows};
pub use keyscape_codec::record;
pub use keyscape_keys::{Buffer, DomainError, Field, IntoField, Keyspace};
pub use map::{Map, MapRows};
pub use page::{BadCursor, Page, PageCursor};
pub use prefix::Prefix;
pub use scan::{By, OwnedRow, RowView, Scan, ScanRows};
pub use sequence::{Blocks, Number, NumberOf, Sequence, SequenceRows};
pub use structures::{
    Acked, Backoff, Claim, Counting, EntryError, Failed, FieldRow, FieldRows, Hash, HashEntry,
    HashField, HashFieldOf, HashFields, HashKeyspace, Listing, Members, MembersByBytes,
    MembersByScore, MembersByTime, OwnedEntry, Pushed, Queue, QueueCounts, QueueKeyspace,
    QueueMember, RecordScan, Records, Scored, Scores, Set, SetKeyspace, Sorted, Structure,
    StructureScan, Timed, Zset, ZsetKeyspace,
};
#[cfg(feature = "json")]
pub use value::Json;
#[cfg(feature = "proto")]
pub use value::Proto;
pub use value::{
    BadValue, Be, Bool, Bytes, Const, Constant, Dec, Empty, InputOf, Le, OfField, OwnedOf, Reads,
    Rows, Text, Upgrade, ValueForm, ViewOf, Wrapped,
};
pub use walk::Step;
pub use watch::{CommittedRows, ListingChanges, RowChange, Watch};
