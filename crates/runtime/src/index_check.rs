//! Checking an index against its map.

use crate::{
    Buffer, Error, IndexRows, Keyspace, MapRows, ValueForm,
    engine::{EntryList, Location},
    index::IndexedRow,
};
use keyscape_store::{Hex, KeyRange, Read, Row};
use std::fmt;

/// The result of comparing an index with its map.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{BY_TICKET, ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces, StoreId};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
/// db.write(|tx| {
///     ORDERS.put(tx, (7, 1), &order)?;
///     // Something writes to the index without the map.
///     tx.delete(StoreId::of("shop"), b"t/ab")?;
///     let report = BY_TICKET.check(tx)?;
///     assert_eq!((report.rows, report.entries, report.faults), (1, 0, 1));
///     assert_eq!(
///         report.first[0].to_string(),
///         "the row 6f2f000000000000000700000001 has no entry 742f6162"
///     );
///     assert_eq!(BY_TICKET.rebuild(tx)?, 1);
///     assert!(BY_TICKET.check(tx)?.is_sound());
///     Ok::<(), keyscape_runtime::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// The number of rows of the map.
    pub rows: u64,
    /// The number of entries of the index.
    pub entries: u64,
    /// The number of faults.
    pub faults: u64,
    /// The first faults, at most [`IndexReport::MAX_LISTED`].
    pub first: Vec<IndexFault>,
}

impl IndexReport {
    /// The maximum number of listed faults.
    pub const MAX_LISTED: usize = 100;

    /// Whether the index agrees with its map.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.faults == 0
    }

    fn add(&mut self, fault: IndexFault) {
        self.faults += 1;
        if self.first.len() < Self::MAX_LISTED {
            self.first.push(fault);
        }
    }
}

/// A difference between an index and its map. Keys are encoded.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{BY_ORDER, ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces, StoreId};
/// use keyscape_runtime::IndexFault;
///
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// // A row loses its entry.
/// db.write(|tx| ORDERS.put(tx, (7, 1), &Order { ticket: Ticket::new("a")?, amount: 3 }))?;
/// let state = db.read()?;
/// let mut entries = BY_ORDER.scan_order(&state, 1)?;
/// let entry = entries.next_row()?.ok_or("no entry")?.key_bytes().to_vec();
/// db.write(|tx| tx.delete(StoreId::of("shop"), &entry))?;
/// let report = BY_ORDER.check(&db.read()?)?;
/// assert!(matches!(&report.first[0], IndexFault::Missing { entry: key, .. } if **key == *entry));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexFault {
    /// A row lacks an entry.
    Missing {
        /// The key of the row.
        row: Box<[u8]>,
        /// The key that the entry should have.
        entry: Box<[u8]>,
    },
    /// The entry of a row has a wrong value, such as the key of another row.
    Wrong {
        /// The key of the row.
        row: Box<[u8]>,
        /// The key of the entry.
        entry: Box<[u8]>,
    },
    /// The row of an entry is missing, or has other entries.
    Stray {
        /// The key of the entry.
        entry: Box<[u8]>,
    },
}

impl fmt::Display for IndexFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { row, entry } => {
                write!(f, "the row {} has no entry {}", Hex(row), Hex(entry))
            }
            Self::Wrong { row, entry } => {
                write!(f, "the entry {} of the row {} has a wrong value", Hex(entry), Hex(row))
            }
            Self::Stray { entry } => write!(f, "the entry {} has no row", Hex(entry)),
        }
    }
}

/// Compares an index with its map. Rows that do not decode belong to another keyspace, which is
/// proved to be disjoint.
pub(crate) fn check<I: IndexRows>(state: &(impl Read + ?Sized)) -> Result<IndexReport, Error> {
    let mut report = IndexReport::default();
    let prefix = KeyRange::prefix(<I::Map as MapRows>::PREFIX);
    let mut rows = Location::of::<I::Map>().rows(state, prefix)?;
    while let Some(row) = rows.next()? {
        let Ok(key) = <I::Map as Keyspace>::decode(row.key) else { continue };
        report.rows += 1;
        let indexed = IndexedRow { key: &key, key_bytes: row.key, value: row.value };
        EntryList::with(|list| {
            indexed.list_in::<I>(list)?;
            for key in list.keys() {
                let is_right = is_right::<I>(state, key, &indexed)?;
                if is_right == Some(true) {
                    continue;
                }
                let (row, entry) = (row.key.into(), key.into());
                report.add(match is_right {
                    Some(_) => IndexFault::Wrong { row, entry },
                    None => IndexFault::Missing { row, entry },
                });
            }
            Ok::<(), Error>(())
        })?;
    }
    let mut entries = Location::of::<I>().rows(state, KeyRange::prefix(I::PREFIX))?;
    while let Some(row) = entries.next()? {
        let Ok(key) = I::decode(row.key) else { continue };
        report.entries += 1;
        if !has_row::<I>(state, &key, row)? {
            report.add(IndexFault::Stray { entry: row.key.into() });
        }
    }
    Ok(report)
}

/// Whether the entry of a row has the right value, perhaps in an older form; `None` if the entry is
/// missing.
pub(crate) fn is_right<I: IndexRows>(
    state: &(impl Read + ?Sized),
    entry: &[u8],
    row: &IndexedRow<'_, '_, I::Map>,
) -> Result<Option<bool>, Error> {
    Location::of::<I>().get_with(state, entry, |value| {
        if I::UNIQUE { value == row.suffix() } else { I::Value::decode(value).is_ok() }
    })
}

/// Whether the row of an entry exists and has this entry.
pub(crate) fn has_row<I: IndexRows>(
    state: &(impl Read + ?Sized),
    key: &I::Key<'_>,
    row: Row<'_>,
) -> Result<bool, Error> {
    let mut owner = <I::Map as Keyspace>::Buffer::default();
    I::owner_key(key, row.value, &mut owner)?;
    let Ok(owner) = owner.written() else { return Ok(false) };
    let Ok(owner_key) = <I::Map as Keyspace>::decode(owner) else { return Ok(false) };
    let has_entry = Location::of::<I::Map>().get_with(state, owner, |value| {
        let indexed = IndexedRow { key: &owner_key, key_bytes: owner, value };
        EntryList::with(|list| {
            indexed.list_in::<I>(list)?;
            Ok::<bool, Error>(list.keys().any(|entry| entry == row.key))
        })
    })?;
    Ok(has_entry.transpose()?.unwrap_or(false))
}
