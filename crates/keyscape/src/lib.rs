#![cfg_attr(all(feature = "macros", feature = "runtime"), doc = include_str!("../docs/first.md"))]
#![cfg_attr(
    not(all(feature = "macros", feature = "runtime")),
    doc = "Declare the byte layout of your keys once; prove that it is sound; use it with types."
)]

pub use keyscape_codec::{KeyBuf, Malformed, Sink, Uint as U256};
pub use keyscape_keys::{Buffer, DomainError, Field, Keyspace};
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
pub use keyscape_runtime::*;
#[cfg(feature = "runtime")]
pub use keyscape_store as store;

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
        SequenceRows, Set, SetKeyspace, Structure, Text, ValueForm, ViewOf, Zset, ZsetKeyspace,
        fits, record::Kind,
    };
    #[cfg(feature = "runtime")]
    pub use keyscape_store::{KeyspaceInfo, Layout, Read};
    pub use std::{borrow::Cow, fmt, ops::Deref, str::FromStr, sync::LazyLock};
    #[cfg(feature = "json")]
    pub use {keyscape_runtime::Json, serde_json::Value as JsonValue};
}
