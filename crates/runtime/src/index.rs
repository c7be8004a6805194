//! Indexes: the rows of a map under other keys.

use crate::{
    BadValue, Buffer, Error, ErrorKind, IndexReport, IntoField, Keyspace, MapRows, OwnedRow, Rows,
    ViewOf, access,
    engine::{EntryList, Location},
    index_build, index_check,
};
use keyscape_codec::Sink;
use keyscape_store::{Read, Row, Tx};
use std::{fmt, marker::PhantomData};

/// An index as generated code describes it.
///
/// INVARIANT: two rows of the map have no common entry, or the index is unique.
pub trait IndexRows: Rows {
    /// The map whose rows the index lists.
    type Map: MapRows;

    /// The literals that every key begins with.
    const PREFIX: &'static [u8];

    /// Whether each key belongs to at most one row of the map. Then an entry holds the key of that
    /// row without [`MapRows::PREFIX`].
    const UNIQUE: bool;

    /// Whether a field comes from the value of the map's row.
    const FROM_VALUE: bool;

    /// The value of all entries of an index that is not unique.
    const ENTRY: &'static [u8] = b"";

    /// Passes the key of each entry of a row to `visit`. A row has one entry, unless the layout
    /// takes a field `optional`ly from the value or from `each` element of a list. A key may occur
    /// several times.
    ///
    /// # Errors
    /// [`ErrorKind::Domain`], [`ErrorKind::CorruptValue`] or [`ErrorKind::Extract`] of the row, and
    /// errors of `visit`.
    fn entry_keys(
        row: &IndexedRow<'_, '_, Self::Map>,
        visit: impl FnMut(&Self::Key<'_>) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Appends the key of the row of an entry. If the index is unique, the key is
    /// [`MapRows::PREFIX`] and the value of the entry.
    ///
    /// # Errors
    /// [`ErrorKind::Domain`].
    fn owner_key(key: &Self::Key<'_>, entry: &[u8], out: &mut impl Sink) -> Result<(), Error>;
}

/// A field that a value provides to an index, or the reason why it does not.
///
/// Programs return it from the extractors of fields that the layout takes `from value`. Any error
/// can be returned with `?`; typed access reports it as [`ErrorKind::Extract`].
///
/// ```
/// use keyscape_runtime::Extracted;
///
/// fn due(text: &str) -> Extracted<u64> {
///     Ok(text.parse()?)
/// }
/// assert_eq!(due("7")?, 7);
/// assert!(due("soon").is_err());
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
pub type Extracted<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A row of a map from which the entries of indexes follow.
///
/// ```
/// # use keyscape_samples::shop::layout::{ByOrder, Orders};
/// use keyscape_runtime::{IndexRows, IndexedRow};
///
/// /// Counts the entries of a row.
/// fn entries(row: &IndexedRow<'_, '_, Orders>) -> Result<usize, keyscape_runtime::Error> {
///     let mut count = 0;
///     ByOrder::entry_keys(row, |_| {
///         count += 1;
///         Ok(())
///     })?;
///     Ok(count)
/// }
/// ```
pub struct IndexedRow<'r, 'k, M: MapRows> {
    /// The decoded key.
    pub key: &'r M::Key<'k>,
    pub(crate) key_bytes: &'r [u8],
    /// Empty if no index takes a field from the value.
    pub(crate) value: &'r [u8],
}

impl<'r, M: MapRows> IndexedRow<'r, '_, M> {
    /// Decodes the value. For indexes with [`IndexRows::FROM_VALUE`] only.
    ///
    /// # Errors
    /// [`ErrorKind::CorruptValue`].
    pub fn value(&self) -> Result<ViewOf<'r, M>, Error> {
        access::decoded::<M>(self.key_bytes, self.value)
    }

    /// Returns the value of the entry in a unique index.
    pub(crate) fn suffix(&self) -> &'r [u8] {
        self.key_bytes.get(M::PREFIX.len()..).unwrap_or_default()
    }

    /// Returns the value of the entry in an index.
    pub(crate) fn entry<I: IndexRows<Map = M>>(&self) -> &'r [u8] {
        if I::UNIQUE { self.suffix() } else { I::ENTRY }
    }

    /// Lists the entries in an index.
    pub(crate) fn list_in<I: IndexRows<Map = M>>(&self, list: &mut EntryList) -> Result<(), Error> {
        list.add_index(Location::of::<I>(), I::UNIQUE, self.entry::<I>(), |list| {
            I::entry_keys(self, |key| list.add_key(|out| Ok(I::encode(key, out)?)))
        })
    }

    /// Returns the error of a value that does not provide a field of an index.
    #[cold]
    pub fn extract_error<I: IndexRows<Map = M>>(
        &self,
        field: &'static str,
        source: Box<dyn std::error::Error + Send + Sync>,
    ) -> Error {
        let (index, key) = (I::NAME.into(), self.key_bytes.into());
        ErrorKind::Extract { index, field: field.into(), key, source }.into()
    }
}

impl<M: MapRows> fmt::Debug for IndexedRow<'_, '_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexedRow").field("key", self.key).finish_non_exhaustive()
    }
}

/// The indexes of a map: `()`, `(A, ())`, `(A, (B, ()))` and so on.
pub trait IndexList<M: MapRows> {
    /// Whether the map has an index.
    const ANY: bool;

    /// Whether an index takes a field from the value. Then writes read the old row.
    const FROM_VALUE: bool;

    /// Lists the entries of a row in each index, in order. Without a value, the entries of indexes
    /// that take a field from the value are skipped.
    ///
    /// # Errors
    /// As [`IndexRows::entry_keys`].
    fn list_entries(
        row: &IndexedRow<'_, '_, M>,
        has_value: bool,
        entries: &mut EntryList,
    ) -> Result<(), Error>;
}

impl<M: MapRows> IndexList<M> for () {
    const ANY: bool = false;
    const FROM_VALUE: bool = false;

    fn list_entries(_: &IndexedRow<'_, '_, M>, _: bool, _: &mut EntryList) -> Result<(), Error> {
        Ok(())
    }
}

impl<M: MapRows, I: IndexRows<Map = M>, Rest: IndexList<M>> IndexList<M> for (I, Rest) {
    const ANY: bool = true;
    const FROM_VALUE: bool = I::FROM_VALUE || Rest::FROM_VALUE;

    fn list_entries(
        row: &IndexedRow<'_, '_, M>,
        has_value: bool,
        entries: &mut EntryList,
    ) -> Result<(), Error> {
        if has_value || !I::FROM_VALUE {
            row.list_in::<I>(entries)?;
        } else {
            entries.skip();
        }
        Rest::list_entries(row, has_value, entries)
    }
}

/// The map of an index.
type MapOf<I> = <I as IndexRows>::Map;

/// The entries of an index. The generated constant of an index derefs to this type.
///
/// Only writes of rows of the map change entries.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{BY_TICKET, BY_ORDER, ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
/// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
///
/// let snapshot = db.read()?;
/// let owner = BY_TICKET.owner(&snapshot, Ticket::new("ab")?)?.ok_or("no such ticket")?;
/// assert_eq!((owner.user, owner.order), (7, 1));
/// assert_eq!(BY_ORDER.prefix_order(1).count(&snapshot)?, 1);
/// assert!(BY_ORDER.check(&snapshot)?.is_sound());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Index<K>(pub(crate) PhantomData<fn() -> K>);

impl<K: IndexRows> Index<K> {
    /// Returns the key of the row of an entry.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn owner<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<Option<<MapOf<K> as Keyspace>::Key<'static>>, Error> {
        let key = key.into_field()?;
        let buffer = access::encoded::<K>(&key)?;
        let bytes = buffer.written()?;
        let decode = |value: &[u8]| owner::<K>(&key, Row { key: bytes, value });
        Location::of::<K>().get_with(state, bytes, decode)?.transpose()
    }

    /// Returns the row of an entry.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{BY_TICKET, ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
    /// let (key, row) = BY_TICKET.get(&db.read()?, Ticket::new("ab")?)?.ok_or("no such ticket")?;
    /// assert_eq!((key.user, row), (7, order));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Inconsistent`] if the entry exists and its row does not; see [`ErrorKind`].
    pub fn get<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<Option<OwnedRow<MapOf<K>>>, Error> {
        let Some(owner) = self.owner(state, key)? else { return Ok(None) };
        let buffer = access::encoded::<MapOf<K>>(&owner)?;
        let bytes = buffer.written()?;
        match access::read_owned::<MapOf<K>>(state, bytes)? {
            Some(value) => Ok(Some((owner, value))),
            None => Err(row_missing::<K>(bytes)),
        }
    }

    /// Whether an entry exists.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn contains<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<bool, Error> {
        let key = access::encoded::<K>(&key.into_field()?)?;
        Location::of::<K>().contains(state, key.written()?)
    }

    /// Compares the index with its map: each row has its entries, and each entry its row.
    ///
    /// # Errors
    /// See [`ErrorKind`]. Differences are in the report.
    pub fn check(&self, state: &(impl Read + ?Sized)) -> Result<IndexReport, Error> {
        index_check::check::<K>(state)
    }

    /// Rebuilds the index from its map. Returns the number of entries that were put or deleted.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{BY_ORDER, ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
    /// // The index agrees with its map, so nothing changes.
    /// assert_eq!(db.write(|tx| BY_ORDER.rebuild(tx))?, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotUnique`] if the index is unique and two rows of the map have the same entry;
    /// see [`ErrorKind`]. Then nothing has changed.
    pub fn rebuild(&self, tx: &mut Tx<'_>) -> Result<u64, Error> {
        tx.attempt(index_build::rebuild::<K>)
    }
}

/// Returns the error of an entry whose row does not exist.
#[cold]
pub(crate) fn row_missing<I: IndexRows>(key: &[u8]) -> Error {
    Location::of::<I>().inconsistent(key, "the row of an entry is missing")
}

/// Returns the key of the row of an entry.
pub(crate) fn owner<I: IndexRows>(
    key: &I::Key<'_>,
    row: Row<'_>,
) -> Result<<MapOf<I> as Keyspace>::Key<'static>, Error> {
    let mut buffer = <MapOf<I> as Keyspace>::Buffer::default();
    I::owner_key(key, row.value, &mut buffer)?;
    let decoded = match buffer.written() {
        Ok(bytes) => MapOf::<I>::decode(bytes).map_err(|malformed| malformed.reason),
        Err(_) => Err("it is too long"),
    };
    decoded.map(MapOf::<I>::into_owned).map_err(|why| {
        let map = MapOf::<I>::NAME;
        let source = BadValue::new(format_args!("it does not hold a key of `{map}`: {why}"));
        Location::of::<I>().corrupt(row.key, source)
    })
}
