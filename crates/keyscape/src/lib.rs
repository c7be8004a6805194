#![cfg_attr(all(feature = "macros", feature = "runtime"), doc = include_str!("../docs/first.md"))]
#![cfg_attr(
    not(all(feature = "macros", feature = "runtime")),
    doc = "Declare the byte layout of your keys once; prove that it is sound; use it with types."
)]

pub use keyscape_codec::{Malformed, Uint as U256};
pub use keyscape_keys::DomainError;
/// Proves a layout and expands to a module for each of its stores.
///
/// The argument is the path of a layout, relative to the directory of `Cargo.toml`, or a layout as
/// a raw string: `layout!("shop.keys")`, `layout!(r#"store shop …"#)`. A refuted or unknown claim
/// that is not accepted is a compile error with the report of `keyscape check`.
///
/// Each module contains:
/// - a type for each type of the layout that the store uses;
/// - for each keyspace, a marker, a constant and a key type;
/// - for each scan, two functions of the marker;
/// - for each index with fields from values, a trait;
/// - `LAYOUT`, with which a database checks that its stored bytes match the layout.
///
/// Value types that the layout only names must be in scope where the macro is called, and as public
/// as the module.
#[cfg(feature = "macros")]
pub use keyscape_macros::layout;

#[cfg(feature = "runtime")]
pub use keyscape_runtime::{
    Acked, Backoff, BadCursor, BadValue, Blocks, Claim, Error, ErrorKind, Extracted, Failed, Hash,
    HashFieldOf, Index, IndexFault, IndexReport, InputOf, Item, Map, Misfit, Ok, OwnedOf, OwnedRow,
    Page, PageCursor, Prefix, Pushed, Queue, QueueCounts, QueueMember, RowView, Scan, Sequence,
    Set, StructureFault, StructureFaultKind, StructureReport, ValueForm, ViewOf, Watch, Zset,
    record,
};
#[cfg(feature = "runtime")]
pub use keyscape_store::{self as store, memory, memory_with};

/// The value forms of layouts. Generated code uses them; a program needs them only to define its
/// own form on top of one.
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

/// The traits that generated code implements for each keyspace, scan and index, and the types in
/// their signatures. For generic functions.
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
    pub use keyscape_keys::{Buffer, Field, IntoField, Keyspace};
    #[cfg(feature = "runtime")]
    pub use keyscape_runtime::{
        By, EntryError, HashField, HashKeyspace, IndexList, IndexRows, IndexedRow, ItemRows,
        MapRows, Members, Number, NumberOf, QueueKeyspace, Rows, ScanRows, Scores, SequenceRows,
        SetKeyspace, Step, Structure, Upgrade, ZsetKeyspace,
    };
}

/// Iterators over the rows of structures and scans. Methods return them; few programs name them.
///
/// ```
/// # #[cfg(all(feature = "macros", feature = "runtime"))] {
/// use keyscape::layout;
///
/// layout!(r#"
///     store shop structures
///     set tags = "t/" {item: u64be} member u16be
/// "#);
/// let db = keyscape::memory(&shop::LAYOUT)?;
/// db.write(|tx| shop::TAGS.add(tx, 7, 1_u16))?;
/// assert_eq!(shop::TAGS.members(7).to_vec(&db.read()?)?, [1]);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "runtime")]
pub mod listings {
    pub use keyscape_runtime::{
        CommittedRows, Counting, FieldRow, FieldRows, HashEntry, HashFields, IndexedRows, Listing,
        ListingChanges, MembersByBytes, MembersByScore, MembersByTime, OwnedEntry, RecordScan,
        Records, RowChange, Scored, Sorted, StructureScan, Timed,
    };
}

/// Migrations: moving the rows of a database to a new layout.
///
/// The declaration has the syntax of `keyscape migrate`, which `spec/migration.md` describes. It is
/// proved before a byte moves. A program supplies functions for the fields and values that only it
/// can convert.
///
/// ```
/// # #[cfg(all(feature = "macros", feature = "runtime"))] {
/// use keyscape::migrate::{Migrate, Migrated, TypedMigration};
/// use keyscape::store::{Db, Memory};
///
/// mod v1 {
///     keyscape::layout!(r#"
///         store staff
///         map people = "p/" {id: u16be} -> text
///     "#);
/// }
/// mod v2 {
///     keyscape::layout!(r#"
///         store staff
///         map people = "q/" {initial: u8} {id: u16be} -> text
///     "#);
/// }
///
/// let migration = TypedMigration::new(
///     "move people { initial = program() }",
///     &v1::staff::LAYOUT,
///     &v2::staff::LAYOUT,
/// )
/// .rows(v1::staff::PEOPLE, v2::staff::PEOPLE, |key, name: String| {
///     let initial = name.bytes().next().ok_or("an empty name")?;
///     Ok(((initial, key.id), name))
/// });
/// let db = Db::new(Memory::new(migration.spaces()?));
/// db.admit(&[&v1::staff::LAYOUT])?;
/// db.write(|tx| v1::staff::PEOPLE.put(tx, 7, "Ada"))?;
///
/// assert!(matches!(db.migrate(&migration)?, Migrated::Done(_)));
/// db.admit(&[&v2::staff::LAYOUT])?;
/// let name = v2::staff::PEOPLE.get(&db.read()?, (b'A', 7))?;
/// assert_eq!(name.as_deref(), Some("Ada"));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "migrate")]
pub mod migrate {
    pub use keyscape_migrate::{
        ConvertError, Ended, Migrate, MigrateError, Migrated, RowProblem, TypedMigration,
    };
}

#[cfg(all(feature = "macros", feature = "runtime"))]
#[doc = include_str!("../docs/cookbook.md")]
pub mod cookbook {}

/// Names for generated code. Programs must not use them, because they change with the generator.
#[doc(hidden)]
pub mod rt {
    pub use crate::__serde_forms as serde_forms;
    pub use keyscape_codec::{self as codec, KeyBuf, Malformed, Sink};
    pub use keyscape_keys::{
        DomainError, Dynamic, Field, IntoField, Keyspace, cut, leaf, text, wrap,
    };
    #[cfg(feature = "proto")]
    pub use keyscape_runtime::Proto;
    #[cfg(feature = "runtime")]
    pub use keyscape_runtime::{
        Be, Bool, By, Bytes, Const, Constant, Dec, Empty, EntryError, Error, Extracted, Hash,
        HashField, HashFieldOf, HashKeyspace, Index, IndexRows, IndexedRow, Item, ItemRows, Le,
        Map, MapRows, Members, Misfit, OfField, Prefix, Queue, QueueKeyspace, Reads, Rows, Scan,
        ScanRows, Scores, Sequence, SequenceRows, Set, SetKeyspace, Structure, Text, ValueForm,
        ViewOf, Wrapped, Zset, ZsetKeyspace, fits, record::Kind,
    };
    #[cfg(feature = "runtime")]
    pub use keyscape_store::{IndexInfo, KeyspaceInfo, Layout, Read};
    #[cfg(feature = "serde")]
    pub use serde;
    pub use std::{borrow::Cow, fmt, ops::Deref, str::FromStr, sync::LazyLock};
    #[cfg(feature = "json")]
    pub use {keyscape_runtime::Json, serde_json::Value as JsonValue};
}

/// Implements serde for a generated type.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_forms {
    ($type:ty) => {
        impl $crate::rt::serde::Serialize for $type {
            fn serialize<S: $crate::rt::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                $crate::rt::text::serialize(self, serializer)
            }
        }

        impl<'de> $crate::rt::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::rt::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                $crate::rt::text::deserialize(deserializer)
            }
        }
    };
}

/// Without the feature `serde`, generated types do not implement serde.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_forms {
    ($type:ty) => {};
}
