//! Indexes: an entry for each row of a map, under another key.

use crate::{
    BadValue, Buffer, Error, ErrorKind, IndexReport, Keyspace, MapRows, OwnedRow, Rows, ViewOf,
    access, index_check,
};
use keyscape_codec::Sink;
use keyscape_store::{Read, ReadExt, Row, Tx};
use std::{fmt, marker::PhantomData};

/// An index, as generated code describes it.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::{ByOrder, ByTicket, Orders};
/// use keyscape_runtime::{IndexList, IndexRows, MapRows};
///
/// assert!(!ByOrder::FROM_VALUE && !ByOrder::UNIQUE);
/// assert!(ByTicket::FROM_VALUE && ByTicket::UNIQUE);
/// // One index from the value is enough for writes to read the old row.
/// assert!(<Orders as MapRows>::Indexes::FROM_VALUE);
/// ```
///
/// INVARIANT: two rows of the map have different entries, or the index is unique.
pub trait IndexRows: Rows {
    /// The map.
    type Map: MapRows;

    /// The literals that every key begins with.
    const PREFIX: &'static [u8];

    /// Whether each key belongs to one row of the map at most. Then an entry holds the key of that
    /// row without [`MapRows::PREFIX`].
    const UNIQUE: bool;

    /// Whether a field comes from the value of the map's row.
    const FROM_VALUE: bool;

    /// What the entries of an index hold that is not unique.
    const ENTRY: &'static [u8] = b"";

    /// Appends the key of the entry of a row.
    ///
    /// # Errors
    /// [`ErrorKind::Domain`], or [`ErrorKind::CorruptValue`] of the row.
    fn entry_key(row: &IndexedRow<'_, '_, Self::Map>, out: &mut impl Sink) -> Result<(), Error>;

    /// Appends the key of the row that an entry stands for. If the index is unique, that is
    /// [`MapRows::PREFIX`] and what the entry holds.
    ///
    /// # Errors
    /// [`ErrorKind::Domain`].
    fn owner_key(key: &Self::Key<'_>, entry: &[u8], out: &mut impl Sink) -> Result<(), Error>;
}

/// A row of a map, as its indexes see it.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::{ByOrder, Orders};
/// use keyscape_runtime::{IndexRows, IndexedRow};
///
/// /// What the entries of a row look like is for the index to say.
/// fn entry(row: &IndexedRow<'_, '_, Orders>) -> Option<Vec<u8>> {
///     let mut key = Vec::new();
///     ByOrder::entry_key(row, &mut key).ok().map(|()| key)
/// }
/// ```
pub struct IndexedRow<'r, 'k, M: MapRows> {
    /// The key.
    pub key: &'r M::Key<'k>,
    pub(crate) key_bytes: &'r [u8],
    /// Empty if no index asks for the value.
    pub(crate) value: &'r [u8],
}

impl<'r, M: MapRows> IndexedRow<'r, '_, M> {
    /// The value. Only for an index that is [`IndexRows::FROM_VALUE`].
    ///
    /// # Errors
    /// [`ErrorKind::CorruptValue`].
    pub fn value(&self) -> Result<ViewOf<'r, M>, Error> {
        access::decoded::<M>(self.key_bytes, self.value)
    }

    /// What the entry of a unique index holds.
    pub(crate) fn suffix(&self) -> &'r [u8] {
        self.key_bytes.get(M::PREFIX.len()..).unwrap_or_default()
    }

    /// What the entry of an index holds.
    pub(crate) fn entry<I: IndexRows<Map = M>>(&self) -> &'r [u8] {
        if I::UNIQUE { self.suffix() } else { I::ENTRY }
    }

    /// The key of the entry of an index.
    pub(crate) fn key_in<I: IndexRows<Map = M>>(&self) -> Result<I::Buffer, Error> {
        let mut key = I::Buffer::default();
        I::entry_key(self, &mut key)?;
        Ok(key)
    }
}

impl<M: MapRows> fmt::Debug for IndexedRow<'_, '_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexedRow").field("key", self.key).finish_non_exhaustive()
    }
}

/// The indexes of a map: `()`, `(A, ())`, `(A, (B, ()))` and so on.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::Orders;
/// use keyscape_runtime::{IndexList, MapRows};
///
/// type OfOrders = <Orders as MapRows>::Indexes;
/// assert!(<OfOrders as IndexList<Orders>>::FROM_VALUE, "by_ticket is from the value");
/// ```
pub trait IndexList<M: MapRows> {
    /// Whether there is one.
    const ANY: bool;

    /// Whether one takes a field from the value, so that writes have to read the old row.
    const FROM_VALUE: bool;

    /// Shows each index to `visitor`, in order, up to the first error.
    ///
    /// # Errors
    /// What `visitor` returns.
    fn visit<V: IndexVisitor<M>>(visitor: &mut V) -> Result<(), Error>;
}

/// Is shown the indexes of a map.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::Orders;
/// use keyscape_runtime::{Error, IndexList, IndexRows, IndexVisitor, MapRows};
///
/// /// The names of the indexes of a map.
/// struct Names(Vec<&'static str>);
///
/// impl<M: MapRows> IndexVisitor<M> for Names {
///     fn index<I: IndexRows<Map = M>>(&mut self) -> Result<(), Error> {
///         self.0.push(I::NAME);
///         Ok(())
///     }
/// }
/// let mut names = Names(Vec::new());
/// <Orders as MapRows>::Indexes::visit(&mut names)?;
/// assert_eq!(names.0, ["by_order", "by_ticket"]);
/// # Ok::<(), Error>(())
/// ```
pub trait IndexVisitor<M: MapRows> {
    /// One of them.
    ///
    /// # Errors
    /// Whatever ends the visit.
    fn index<I: IndexRows<Map = M>>(&mut self) -> Result<(), Error>;
}

impl<M: MapRows> IndexList<M> for () {
    const ANY: bool = false;
    const FROM_VALUE: bool = false;

    fn visit<V: IndexVisitor<M>>(_: &mut V) -> Result<(), Error> {
        Ok(())
    }
}

impl<M: MapRows, I: IndexRows<Map = M>, Rest: IndexList<M>> IndexList<M> for (I, Rest) {
    const ANY: bool = true;
    const FROM_VALUE: bool = I::FROM_VALUE || Rest::FROM_VALUE;

    fn visit<V: IndexVisitor<M>>(visitor: &mut V) -> Result<(), Error> {
        visitor.index::<I>()?;
        Rest::visit(visitor)
    }
}

/// The map of an index.
type MapOf<I> = <I as IndexRows>::Map;

/// Access to an index. The generated constant of an index derefs to it.
///
/// Entries are written with the rows of the map and in no other way.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::{Order, layout::{BY_TICKET, BY_ORDER, ORDERS, Ticket}};
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
    /// The key of the row that an entry stands for.
    ///
    /// ```
    /// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
    /// # use shop::{Order, layout::{BY_TICKET, ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
    /// let owner = BY_TICKET.owner(&db.read()?, Ticket::new("ab")?)?.ok_or("no such ticket")?;
    /// assert_eq!((owner.user, owner.order), (7, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn owner<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<Option<<MapOf<K> as Keyspace>::Key<'static>>, Error> {
        let key = key.into();
        let buffer = access::encoded::<K>(&key)?;
        let bytes = buffer.written()?;
        let found = state
            .get_with(access::space::<K>(), bytes, |value| {
                owner::<K>(&key, Row { key: bytes, value })
            })
            .map_err(access::failed::<K>)?;
        found.transpose()
    }

    /// The row that an entry stands for.
    ///
    /// ```
    /// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
    /// # use shop::{Order, layout::{BY_TICKET, ORDERS, Ticket}};
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
    /// [`ErrorKind::Inconsistent`] if there is an entry and no row; see [`ErrorKind`].
    pub fn get<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<Option<OwnedRow<MapOf<K>>>, Error> {
        let Some(owner) = self.owner(state, key)? else { return Ok(None) };
        let buffer = access::encoded::<MapOf<K>>(&owner)?;
        let bytes = buffer.written()?;
        match access::read_owned::<MapOf<K>>(state, bytes)? {
            Some(value) => Ok(Some((owner, value))),
            None => Err(ErrorKind::Inconsistent {
                keyspace: K::NAME,
                what: "an entry of the index stands for a row that is not there",
                key: bytes.into(),
            }
            .into()),
        }
    }

    /// Whether there is an entry.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn contains<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<bool, Error> {
        let key = access::encoded::<K>(&key.into())?;
        access::contains::<K>(state, key.written()?)
    }

    /// Compares the index with its map, row by row in both directions.
    ///
    /// ```
    /// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
    /// # use shop::{Order, layout::{BY_ORDER, ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
    /// let report = BY_ORDER.check(&db.read()?)?;
    /// assert!(report.is_sound());
    /// assert_eq!((report.rows, report.entries), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`]. That they differ is no error but stands in the report.
    pub fn check(&self, state: &(impl Read + ?Sized)) -> Result<IndexReport, Error> {
        index_check::check::<K>(state)
    }

    /// Makes the index what its map says, and returns how many entries were put or deleted.
    ///
    /// ```
    /// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
    /// # use shop::{Order, layout::{BY_ORDER, ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
    /// // The index is what its map says, so that there is nothing to do.
    /// assert_eq!(db.write(|tx| BY_ORDER.rebuild(tx))?, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotUnique`] if the index is unique and two rows of the map have one entry; see
    /// [`ErrorKind`]. Then nothing has changed.
    pub fn rebuild(&self, tx: &mut Tx<'_>) -> Result<u64, Error> {
        tx.attempt(index_check::rebuild::<K>)
    }
}

/// The key of the row that an entry stands for.
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
        let source =
            BadValue::new(format_args!("it holds no key of `{}`: {why}", MapOf::<I>::NAME));
        ErrorKind::CorruptValue { keyspace: I::NAME, key: row.key.into(), source }.into()
    })
}
