//! Going through the rows of a scan.

use crate::{Error, Field, IndexRows, Keyspace, OwnedOf, Rows, ValueForm, ViewOf, access};
use keyscape_store::Row;
use std::{fmt, iter::FusedIterator, marker::PhantomData};

/// A scan that a layout declares, as generated code describes it. The example of [the crate](crate)
/// has one.
///
/// INVARIANT: every key in the interval that generated code gives for the scan is one of the
/// keyspace with the leading fields that were asked for, or one that [`ScanRows::passes`].
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::{Orders, OrdersUser};
/// use keyscape_runtime::ScanRows;
///
/// assert_eq!(<OrdersUser as ScanRows<Orders>>::NAME, "user");
/// assert!(!<OrdersUser as ScanRows<Orders>>::ALSO);
/// ```
pub trait ScanRows<K: Keyspace>: 'static {
    /// Its name, as the layout has it: its leading fields, or `all`.
    const NAME: &'static str;

    /// Whether rows of other keyspaces may lie between.
    const ALSO: bool = false;

    /// Whether this key is one of a keyspace whose rows may lie between.
    fn passes(key: &[u8]) -> bool {
        let _ = key;
        false
    }
}

/// A scan whose rows come in the order of a field, so that it can have bounds. The example of
/// [the crate](crate) has one.
///
/// INVARIANT: of the rows of the scan, those with a smaller field have smaller keys (greater ones if
/// it is [`By::DESCENDING`]); and those with a given field are exactly those whose key goes on, behind
/// the leading part, with the bytes of the field and of [`By::AFTER`].
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::{Orders, OrdersUser};
/// use keyscape_runtime::{By, Field};
///
/// type Number = <OrdersUser as By<Orders>>::Field;
/// assert_eq!(<Number as Field>::decode(&[0, 0, 0, 5])?, 5);
/// # Ok::<(), keyscape_codec::Malformed>(())
/// ```
pub trait By<K: Keyspace>: ScanRows<K> {
    /// The field behind the leading part.
    type Field: Field;

    /// The literals that follow the field.
    const AFTER: &'static [u8] = b"";

    /// Whether keys end behind the field and its literals.
    const LAST: bool;

    /// Whether greater values have smaller keys.
    const DESCENDING: bool = false;
}

/// The rows of a scan, one at a time and borrowed.
///
/// A scan borrows the transaction, so that writing while scanning does not compile:
///
/// ```compile_fail,E0502
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::ORDERS;
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| {
///     let mut scan = ORDERS.scan_user(tx, 7)?;
///     while let Some(row) = scan.next()? {
///         ORDERS.delete(tx, (row.key.user, row.key.order))?;
///     }
///     Ok::<(), keyscape_runtime::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Prefix::walk`](crate::Prefix::walk) goes on after each row instead.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::{Order, layout::{ORDERS, Ticket}};
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
/// while let Some(row) = scan.next()? {
///     assert_eq!(row.key.user, 7);
///     sum += row.value()?.amount;
/// }
/// assert_eq!(sum, 7);
///
/// let rows = ORDERS.scan_user(&snapshot, 8)?.rows().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(rows.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Scan<'t, K, B> {
    rows: keyscape_store::Rows<'t>,
    /// How many rows may still be returned.
    left: u64,
    marker: PhantomData<fn() -> (K, B)>,
}

impl<'t, K: Rows, B: ScanRows<K>> Scan<'t, K, B> {
    pub(crate) fn new(rows: keyscape_store::Rows<'t>, limit: u64) -> Self {
        Self { rows, left: limit, marker: PhantomData }
    }

    /// Goes to the next row and returns it; `None` at the end.
    ///
    /// # Errors
    /// [`CorruptKey`](crate::ErrorKind::CorruptKey) for a row that is none of the scan; see
    /// [`ErrorKind`](crate::ErrorKind).
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend its rows")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<RowView<'_, K>>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        if B::ALSO {
            return self.next_of_several();
        }
        match self.rows.next() {
            Ok(Some(row)) => {
                self.left -= 1;
                RowView::new(row).map(Some)
            }
            Ok(None) => Ok(None),
            Err(error) => Err(access::failed::<K>(error)),
        }
    }

    /// With rows of other keyspaces between.
    fn next_of_several(&mut self) -> Result<Option<RowView<'_, K>>, Error> {
        loop {
            let Some(row) = self.rows.next().map_err(access::failed::<K>)? else { return Ok(None) };
            if RowView::<K>::of_scan::<B>(row)?.is_some() {
                break;
            }
        }
        self.left -= 1;
        // A row that may be returned or passed over cannot be lent from inside the loop.
        self.rows.row().map(RowView::new).transpose()
    }

    /// Goes to the next row for nothing but its being there.
    pub(crate) fn step(&mut self) -> Result<bool, Error> {
        self.next().map(|row| row.is_some())
    }

    /// The rows that are left, borrowing nothing.
    #[must_use]
    pub fn rows(self) -> OwnedRows<'t, K, B> {
        OwnedRows { scan: self, done: false }
    }
}

impl<K, B> fmt::Debug for Scan<'_, K, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan").field("rows", &self.rows).field("left", &self.left).finish()
    }
}

/// A row, borrowed from the scan that returned it. Its value is decoded when it is asked for.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::{Order, layout::{ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
/// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
/// let snapshot = db.read()?;
/// let mut scan = ORDERS.scan_all(&snapshot)?;
/// let row = scan.next()?.ok_or("no row")?;
/// assert_eq!((row.key.user, row.key.order), (7, 1));
/// assert_eq!(row.key_bytes(), b"o/\0\0\0\0\0\0\0\x07\0\0\0\x01");
/// assert_eq!(row.value()?.amount, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RowView<'r, K: Rows> {
    /// The key.
    pub key: K::Key<'r>,
    row: Row<'r>,
}

/// A row that borrows nothing: its key and its value.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::{Order, layout::{ORDERS, Orders, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// use keyscape_runtime::{Error, OwnedRow};
///
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// # db.write(|tx| ORDERS.put(tx, (7, 1), &Order { ticket: Ticket::new("a")?, amount: 3 }))?;
/// let rows: Result<Vec<OwnedRow<Orders>>, Error> = ORDERS.scan_user(&db.read()?, 7)?.rows().collect();
/// assert_eq!(rows?[0].1.amount, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type OwnedRow<K> = (<K as Keyspace>::Key<'static>, OwnedOf<K>);

impl<'r, K: Rows> RowView<'r, K> {
    fn new(row: Row<'r>) -> Result<Self, Error> {
        match K::decode(row.key) {
            Ok(key) => Ok(Self { key, row }),
            Err(source) => Err(access::corrupt_key::<K>(row.key, source)),
        }
    }

    /// A row in the interval of a scan; `None` if it is passed over.
    pub(crate) fn of_scan<B: ScanRows<K>>(row: Row<'r>) -> Result<Option<Self>, Error> {
        match K::decode(row.key) {
            Ok(key) => Ok(Some(Self { key, row })),
            Err(_) if B::ALSO && B::passes(row.key) => Ok(None),
            Err(source) => Err(access::corrupt_key::<K>(row.key, source)),
        }
    }

    /// The value.
    ///
    /// # Errors
    /// [`CorruptValue`](crate::ErrorKind::CorruptValue).
    pub fn value(&self) -> Result<ViewOf<'r, K>, Error> {
        access::decoded::<K>(self.row.key, self.row.value)
    }

    /// The bytes of the key.
    #[must_use]
    pub fn key_bytes(&self) -> &'r [u8] {
        self.row.key
    }

    /// The bytes of the value.
    #[must_use]
    pub fn value_bytes(&self) -> &'r [u8] {
        self.row.value
    }

    /// The same row, borrowing nothing.
    ///
    /// # Errors
    /// [`CorruptValue`](crate::ErrorKind::CorruptValue).
    pub fn into_owned(self) -> Result<OwnedRow<K>, Error> {
        let value = self.value().map(K::Value::into_owned)?;
        Ok((K::into_owned(self.key), value))
    }
}

impl<K: IndexRows> RowView<'_, K> {
    /// The key of the row of the map that this entry stands for.
    ///
    /// # Errors
    /// [`CorruptValue`](crate::ErrorKind::CorruptValue) if the entry of a unique index holds no key
    /// of the map.
    pub fn owner(&self) -> Result<<K::Map as Keyspace>::Key<'static>, Error> {
        crate::index::owner::<K>(&self.key, self.row)
    }
}

impl<K: Rows> fmt::Debug for RowView<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowView").field("key", &self.key).field("value", &self.row.value).finish()
    }
}

/// The rows of a scan as an iterator. It ends after an error.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::{Order, layout::{ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
/// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
/// for row in ORDERS.scan_all(&db.read()?)?.rows() {
///     let (key, order) = row?;
///     assert_eq!((key.user, order.amount), (7, 3));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OwnedRows<'t, K, B> {
    scan: Scan<'t, K, B>,
    done: bool,
}

impl<K: Rows, B: ScanRows<K>> Iterator for OwnedRows<'_, K, B> {
    type Item = Result<OwnedRow<K>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let row = match self.scan.next() {
            Ok(row) => row.map(RowView::into_owned),
            Err(error) => Some(Err(error)),
        };
        self.done = !matches!(row, Some(Ok(_)));
        row
    }
}

impl<K: Rows, B: ScanRows<K>> FusedIterator for OwnedRows<'_, K, B> {}

impl<K, B> fmt::Debug for OwnedRows<'_, K, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedRows").field(&self.scan).finish()
    }
}
