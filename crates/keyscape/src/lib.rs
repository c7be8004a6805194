#![cfg_attr(all(feature = "macros", feature = "runtime"), doc = include_str!("../docs/first.md"))]
#![cfg_attr(
    not(all(feature = "macros", feature = "runtime")),
    doc = "Declare the byte layout of your keys once; prove that it is sound; use it with types."
)]

pub use keyscape_codec::{Malformed, Uint as U256};
pub use keyscape_keys::DomainError;
/// Proves a layout and expands to a module for each of its stores.
///
/// It takes the path of a layout, relative to the folder of `Cargo.toml`, or a layout as a raw string:
/// `layout!("shop.keys")`, `layout!(r#"store shop …"#)`. A claim that is refuted or not decided, and not
/// accepted, is a compile error with the report that `keyscape check` prints.
///
/// Each module has a type for each type of the layout that the store uses; for each keyspace a marker, a constant
/// and a type of keys; for each scan two functions of the marker; for an index that takes fields from
/// values a trait; and `LAYOUT`, by which a database knows whether its bytes are those that are meant.
/// Types that rows hold and that the layout only names are looked up where the macro is called, and must
/// be as public as the module.
#[cfg(feature = "macros")]
pub use keyscape_macros::layout;

#[cfg(feature = "runtime")]
pub use keyscape_runtime::{
    Acked, Backoff, BadCursor, BadValue, Blocks, Claim, Error, ErrorKind, Failed, Hash, Index,
    IndexFault, IndexReport, InputOf, Item, Map, Misfit, OwnedOf, OwnedRow, Page, PageCursor,
    Prefix, Pushed, Queue, QueueCounts, RowView, Scan, Sequence, Set, StructureFault,
    StructureReport, ValueForm, ViewOf, Zset, record,
};
#[cfg(feature = "runtime")]
pub use keyscape_store as store;

/// The forms of values that layouts name. Generated code names them; a program does where it has a
/// form of its own on top of one.
///
/// ```
/// use keyscape::{ValueForm, forms::Dec};
///
/// assert_eq!(Dec::<u64>::decode(b"42")?, 42);
/// # Ok::<(), keyscape::BadValue>(())
/// ```
#[cfg(feature = "runtime")]
pub mod forms {
    #[cfg(feature = "json")]
    pub use keyscape_runtime::Json;
    #[cfg(feature = "proto")]
    pub use keyscape_runtime::Proto;
    pub use keyscape_runtime::{
        Be, Bool, Bytes, Const, Constant, Dec, Empty, Le, OfField, Reads, Text, Wrapped,
    };
}

/// What generated code implements for each keyspace, scan and index: for functions over any of them.
///
/// ```
/// # #[cfg(all(feature = "macros", feature = "runtime"))] {
/// use keyscape::{Map, traits::{Keyspace, MapRows}};
///
/// fn names<K: MapRows>(_: &Map<K>) -> &'static str {
///     <K as Keyspace>::NAME
/// }
///
/// keyscape::layout!(r#"
///     store shop
///     map orders = "o/" {user: u64be} -> text
/// "#);
/// assert_eq!(names(&shop::ORDERS), "orders");
/// # }
/// ```
pub mod traits {
    pub use keyscape_codec::{KeyBuf, Sink};
    pub use keyscape_keys::{Buffer, Field, Keyspace};
    #[cfg(feature = "runtime")]
    pub use keyscape_runtime::{
        By, EntryError, HashField, HashFieldOf, HashKeyspace, IndexList, IndexRows, IndexVisitor,
        IndexedRow, ItemRows, Known, MapRows, Number, NumberOf, QueueKeyspace, Rows, ScanRows,
        SequenceRows, SetKeyspace, Structure, ZsetKeyspace,
    };
}

/// The rows of structures, and of scans as iterators. They come from methods; few programs name them.
///
/// ```
/// # #[cfg(all(feature = "macros", feature = "runtime"))] {
/// use keyscape::{layout, store::{Db, Layout, Memory}};
///
/// layout!(r#"
///     store shop structures
///     set tags = "t/" {item: u64be} member u16be
/// "#);
/// let db = Db::new(Memory::new(Layout::spaces_of(&[&shop::LAYOUT])?));
/// db.write(|tx| shop::TAGS.add(tx, 7, 1_u16))?;
/// assert_eq!(shop::TAGS.members(7).to_vec(&db.read()?)?, [1]);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "runtime")]
pub mod listings {
    pub use keyscape_runtime::{
        Counting, DeadMembers, FieldRow, FieldRows, HashEntry, HashFields, LeasedMembers, Listing,
        OwnedEntry, OwnedRecords, OwnedRows, OwnedStructures, PageOf, ReadyMembers, RecordScan,
        Records, Scored, SetMembers, Sorted, StructureScan, Timed, WaitingMembers, ZsetMembers,
    };
}

#[cfg(all(feature = "macros", feature = "runtime"))]
#[doc = include_str!("../docs/cookbook.md")]
pub mod cookbook {}

/// What generated code names. Nothing here is meant for people; it changes with the generator.
#[doc(hidden)]
pub mod rt {
    pub use keyscape_codec::{self as codec, KeyBuf, Malformed, Sink};
    pub use keyscape_keys::{DomainError, Dynamic, Field, Keyspace, cut, leaf, wrap};
    #[cfg(feature = "proto")]
    pub use keyscape_runtime::Proto;
    #[cfg(feature = "runtime")]
    pub use keyscape_runtime::{
        Be, Bool, By, Bytes, Const, Constant, Dec, Empty, EntryError, Error, Hash, HashField,
        HashFieldOf, HashKeyspace, Index, IndexRows, IndexedRow, Item, ItemRows, Le, Map, MapRows,
        Misfit, OfField, Prefix, Queue, QueueKeyspace, Reads, Rows, Scan, ScanRows, Sequence,
        SequenceRows, Set, SetKeyspace, Structure, Text, ValueForm, ViewOf, Wrapped, Zset,
        ZsetKeyspace, fits, record::Kind,
    };
    #[cfg(feature = "runtime")]
    pub use keyscape_store::{KeyspaceInfo, Layout, Read};
    pub use std::{borrow::Cow, fmt, ops::Deref, str::FromStr, sync::LazyLock};
    #[cfg(feature = "json")]
    pub use {keyscape_runtime::Json, serde_json::Value as JsonValue};
}
