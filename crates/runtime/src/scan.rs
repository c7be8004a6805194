//! Scans over rows.

use crate::{
    Error, Field, IndexRows, Keyspace, OwnedOf, Rows, ValueForm, ViewOf, access,
    engine::{LocatedRows, Location},
};
use keyscape_store::Row;
use std::{fmt, iter::FusedIterator, marker::PhantomData};

/// A declared scan as generated code describes it. The example of [the crate](crate)
/// has one.
///
/// INVARIANT: every key in the interval of the scan belongs to the keyspace and has the leading
/// fields of the scan, or [`ScanRows::passes`].
pub trait ScanRows<K: Keyspace>: 'static {
    /// The name in the layout: the leading fields, or `all`.
    const NAME: &'static str;

    /// Whether rows of other keyspaces may be in the interval.
    const ALSO: bool = false;

    /// Whether a key belongs to another keyspace whose rows may be in the interval.
    fn passes(key: &[u8]) -> bool {
        let _ = key;
        false
    }
}

/// A scan in the order of a field, which can have bounds. The example of
/// [the crate](crate) has one.
///
/// INVARIANT: rows of the scan with a smaller field have smaller keys, or greater ones if the scan
/// is [`By::DESCENDING`]. A row has a value in the field exactly if its key continues, after the
/// leading fields, with the encoded value and [`By::AFTER`].
pub trait By<K: Keyspace>: ScanRows<K> {
    /// The field after the leading fields.
    type Field: Field;

    /// The literals that follow the field.
    const AFTER: &'static [u8] = b"";

    /// Whether keys end after the field and its literals.
    const LAST: bool;

    /// Whether greater values have smaller keys.
    const DESCENDING: bool = false;
}

/// The rows of a scan. [`Scan::next_row`] lends one row at a time. As an iterator, a scan returns
/// owned rows, and ends after an error.
///
/// A scan borrows the transaction, so writing during the scan does not compile:
///
/// ```compile_fail,E0502
/// # use keyscape_samples::shop::layout::ORDERS;
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| {
///     let mut scan = ORDERS.scan_user(tx, 7)?;
///     while let Some(row) = scan.next_row()? {
///         ORDERS.delete(tx, (row.key.user, row.key.order))?;
///     }
///     Ok::<(), keyscape_runtime::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Prefix::walk`](crate::Prefix::walk) continues after each row instead.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| {
///     ORDERS.put(tx, (7, 1), &Order { ticket: Ticket::new("a")?, amount: 3 })?;
///     ORDERS.put(tx, (7, 2), &Order { ticket: Ticket::new("b")?, amount: 4 })?;
///     ORDERS.put(tx, (8, 1), &Order { ticket: Ticket::new("c")?, amount: 5 })
/// })?;
/// let snapshot = db.read()?;
/// let mut scan = ORDERS.scan_user(&snapshot, 7)?;
/// let mut sum = 0;
/// while let Some(row) = scan.next_row()? {
///     assert_eq!(row.key.user, 7);
///     sum += row.value()?.amount;
/// }
/// assert_eq!(sum, 7);
///
/// let rows = ORDERS.scan_user(&snapshot, 8)?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(rows.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Scan<'t, K, B> {
    rows: LocatedRows<'t>,
    /// The maximum number of further rows.
    left: u64,
    marker: PhantomData<fn() -> (K, B)>,
}

impl<'t, K: Rows, B: ScanRows<K>> Scan<'t, K, B> {
    pub(crate) fn new(rows: LocatedRows<'t>, limit: u64) -> Self {
        Self { rows, left: limit, marker: PhantomData }
    }

    /// Lends the next row, or returns `None` at the end.
    ///
    /// # Errors
    /// [`CorruptKey`](crate::ErrorKind::CorruptKey) for a row that does not belong to the scan; see
    /// [`ErrorKind`](crate::ErrorKind).
    #[inline]
    pub fn next_row(&mut self) -> Result<Option<RowView<'_, K>>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        if B::ALSO {
            return self.next_of_several();
        }
        let Some(row) = self.rows.next()? else { return Ok(None) };
        self.left -= 1;
        RowView::new(row).map(Some)
    }

    /// Returns the next row if rows of other keyspaces may be in the interval.
    fn next_of_several(&mut self) -> Result<Option<RowView<'_, K>>, Error> {
        loop {
            let Some(row) = self.rows.next()? else { return Ok(None) };
            if RowView::<K>::of_scan::<B>(row)?.is_some() {
                break;
            }
        }
        self.left -= 1;
        // The borrow checker rejects lending a row from inside the loop.
        self.rows.row().map(RowView::new).transpose()
    }

    /// Moves to the next row. Returns whether there is one.
    pub(crate) fn step(&mut self) -> Result<bool, Error> {
        self.next_row().map(|row| row.is_some())
    }
}

impl<K: Rows, B: ScanRows<K>> Iterator for Scan<'_, K, B> {
    type Item = Result<OwnedRow<K>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next_row().and_then(|row| row.map(RowView::into_owned).transpose());
        access::next_item(row, &mut self.left)
    }
}

impl<K: Rows, B: ScanRows<K>> FusedIterator for Scan<'_, K, B> {}

impl<K, B> fmt::Debug for Scan<'_, K, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan").field("rows", &self.rows).field("left", &self.left).finish()
    }
}

/// A row that borrows from its scan. The value is decoded on demand.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
/// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
/// let snapshot = db.read()?;
/// let mut scan = ORDERS.scan_all(&snapshot)?;
/// let row = scan.next_row()?.ok_or("no row")?;
/// assert_eq!((row.key.user, row.key.order), (7, 1));
/// assert_eq!(row.key_bytes(), b"o/\0\0\0\0\0\0\0\x07\0\0\0\x01");
/// assert_eq!(row.value()?.amount, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RowView<'r, K: Rows> {
    /// The decoded key.
    pub key: K::Key<'r>,
    row: Row<'r>,
}

/// An owned row: key and value.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{ORDERS, Orders, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// use keyscape_runtime::{Error, OwnedRow};
///
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// # db.write(|tx| ORDERS.put(tx, (7, 1), &Order { ticket: Ticket::new("a")?, amount: 3 }))?;
/// let rows: Result<Vec<OwnedRow<Orders>>, Error> = ORDERS.scan_user(&db.read()?, 7)?.collect();
/// assert_eq!(rows?[0].1.amount, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type OwnedRow<K> = (<K as Keyspace>::Key<'static>, OwnedOf<K>);

impl<'r, K: Rows> RowView<'r, K> {
    fn new(row: Row<'r>) -> Result<Self, Error> {
        match K::decode(row.key) {
            Ok(key) => Ok(Self { key, row }),
            Err(source) => Err(Location::of::<K>().corrupt(row.key, source)),
        }
    }

    /// Decodes a row in the interval of a scan. Returns `None` if the scan skips it.
    pub(crate) fn of_scan<B: ScanRows<K>>(row: Row<'r>) -> Result<Option<Self>, Error> {
        match K::decode(row.key) {
            Ok(key) => Ok(Some(Self { key, row })),
            Err(_) if B::ALSO && B::passes(row.key) => Ok(None),
            Err(source) => Err(Location::of::<K>().corrupt(row.key, source)),
        }
    }

    /// Decodes the value.
    ///
    /// # Errors
    /// [`CorruptValue`](crate::ErrorKind::CorruptValue).
    pub fn value(&self) -> Result<ViewOf<'r, K>, Error> {
        access::decoded::<K>(self.row.key, self.row.value)
    }

    /// Returns the encoded key.
    #[must_use]
    pub fn key_bytes(&self) -> &'r [u8] {
        self.row.key
    }

    /// Returns the encoded value.
    #[must_use]
    pub fn value_bytes(&self) -> &'r [u8] {
        self.row.value
    }

    /// Copies the row.
    ///
    /// # Errors
    /// [`CorruptValue`](crate::ErrorKind::CorruptValue).
    pub fn into_owned(self) -> Result<OwnedRow<K>, Error> {
        let value = self.value().map(K::Value::into_owned)?;
        Ok((K::into_owned(self.key), value))
    }
}

impl<K: IndexRows> RowView<'_, K> {
    /// Returns the key of the row of this entry.
    ///
    /// # Errors
    /// [`CorruptValue`](crate::ErrorKind::CorruptValue) if the entry of a unique index does not
    /// hold a key of the map.
    pub fn owner(&self) -> Result<<K::Map as Keyspace>::Key<'static>, Error> {
        crate::index::owner::<K>(&self.key, self.row)
    }
}
