//! Reasons why a database cannot be opened with a layout.

use super::BuildError;
use crate::{Hex, SpaceError, StoreError};
use std::fmt;
use thiserror::Error;

/// The reason why a database cannot be opened with a layout.
///
/// ```
/// use keyscape_store::{Db, Layout, LayoutError, Memory, KeyspaceInfo, StoreId};
///
/// let orders = KeyspaceInfo {
///     space: "shop", name: "orders", kind: "map", text: "", fingerprint: [7; 32], version: 0,
/// };
/// let layout = Layout { spaces: &["shop"], keyspaces: &[orders], ..Layout::named("shop") };
/// let db = Db::new(Memory::new(Layout::spaces_of(&[&layout])?));
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// assert!(matches!(db.admit(&[&layout]), Err(LayoutError::NotAdopted { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A keyspace has changed since the database was written.
    #[error(
        "keyspace `{keyspace}` of `{space}` has changed its {what}: the database was written with `{saved}`, the layout says `{asked}`"
    )]
    Changed {
        /// The space.
        space: Box<str>,
        /// The keyspace.
        keyspace: Box<str>,
        /// The difference: `kind`, `bytes` or `version`.
        what: &'static str,
        /// The saved declaration.
        saved: Box<str>,
        /// The new declaration.
        asked: Box<str>,
    },
    /// The layout lacks a keyspace that the database has.
    #[error("keyspace `{keyspace}` of `{space}` is in the database and not in the layout")]
    Missing {
        /// The space.
        space: Box<str>,
        /// The keyspace.
        keyspace: Box<str>,
    },
    /// A space has rows and no layout was ever saved for it.
    #[error("store `{space}` has rows that no layout was saved for: adopt them, which checks each")]
    NotAdopted {
        /// The space.
        space: Box<str>,
    },
    /// The database has none of the layout's stores.
    #[error("the layout has none of the stores of the database: {}", names(.stores))]
    NoCommonStore {
        /// The stores of the database.
        stores: Vec<Box<str>>,
    },
    /// A store is new, and [`Admission`](crate::Admission) does not allow adding it.
    #[error("store `{store}` is not in the database, which has {}", names(.stores))]
    NewStore {
        /// The store.
        store: Box<str>,
        /// The stores of the database.
        stores: Vec<Box<str>>,
    },
    /// An index was added to a map with rows, and its entries are missing.
    #[error("index `{index}` is not built: its map has {rows} rows")]
    IndexNotBuilt {
        /// The index.
        index: Box<str>,
        /// The number of rows of the map.
        rows: u64,
    },
    /// An index cannot be built.
    #[error("index `{index}` cannot be built: {source}")]
    Build {
        /// The index.
        index: Box<str>,
        /// The reason.
        source: BuildError,
    },
    /// A migration has begun and not ended.
    #[error("a migration of the database has begun and not ended: `{command}` continues it")]
    Migrating {
        /// The command that continues it.
        command: Box<str>,
    },
    /// Rows do not fit the layout that should adopt them.
    #[error("{total} rows do not fit the layout; the first: {}", .rows.first().map(ToString::to_string).unwrap_or_default())]
    Unfit {
        /// The first rows that do not fit.
        rows: Vec<Unfit>,
        /// The number of rows that do not fit.
        total: u64,
    },
    /// The layouts cannot share a database.
    #[error(transparent)]
    Spaces(#[from] SpaceError),
    /// An error of the database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn names(names: &[Box<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// A row that does not fit.
///
/// ```
/// use keyscape_store::Unfit;
///
/// let key = b"ink".as_slice().into();
/// let row = Unfit { space: "shop".into(), key, reason: "no key".into() };
/// assert_eq!(row.to_string(), "store `shop`, key 696e6b: no key");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The space.
    pub space: Box<str>,
    /// The key.
    pub key: Box<[u8]>,
    /// The reason why the row does not fit.
    pub reason: Box<str>,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "store `{}`, key {}: {}", self.space, Hex(&self.key), self.reason)
    }
}
