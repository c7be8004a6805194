//! Keyscape: declare the byte layout of your keys once, prove that it is sound, use it with types.

pub use keyscape_codec::{KeyBuf, Malformed, Sink, Uint as U256};
pub use keyscape_keys::{Buffer, DomainError, Field, Keyspace};
#[cfg(feature = "macros")]
pub use keyscape_macros::layout;

#[cfg(feature = "runtime")]
pub use keyscape_runtime::*;
#[cfg(feature = "runtime")]
pub use keyscape_store as store;

/// What generated code names. Nothing here is meant for people; it changes with the generator.
#[doc(hidden)]
pub mod rt {
    pub use keyscape_codec::{self as codec, KeyBuf, Malformed, Sink};
    pub use keyscape_keys::{DomainError, Dynamic, Field, Keyspace, cut, leaf};
    #[cfg(feature = "proto")]
    pub use keyscape_runtime::Proto;
    #[cfg(feature = "runtime")]
    pub use keyscape_runtime::{
        Be, Bool, By, Bytes, Const, Constant, Dec, Empty, EntryError, Error, Hash, HashField,
        HashFieldOf, HashKeyspace, Index, IndexRows, IndexedRow, Item, ItemRows, Le, Map, MapRows,
        OfField, Prefix, Queue, QueueKeyspace, Reads, Rows, Scan, ScanRows, Sequence, SequenceRows,
        Set, SetKeyspace, Structure, Text, ValueForm, ViewOf, Zset, ZsetKeyspace, record::Kind,
    };
    #[cfg(feature = "runtime")]
    pub use keyscape_store::{KeyspaceInfo, Layout, Read};
    pub use std::{borrow::Cow, fmt, ops::Deref, str::FromStr, sync::LazyLock};
    #[cfg(feature = "json")]
    pub use {keyscape_runtime::Json, serde_json::Value as JsonValue};
}
