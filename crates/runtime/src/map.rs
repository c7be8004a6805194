//! Maps: a row for each key.

use crate::{
    Buffer, Error, IndexList, IndexedRow, InputOf, IntoField, OwnedOf, Rows, ValueForm, ViewOf,
    access,
    engine::{self, EntryList, Location, RowEntries},
};
use keyscape_store::{Read, Tx};
use std::marker::PhantomData;

/// A map as generated code describes it. The example of [the crate](crate) has one.
pub trait MapRows: Rows {
    /// The literals that every key begins with. The entries of a unique index hold the rest of the
    /// key of their row.
    const PREFIX: &'static [u8];

    /// The indexes of the map: `()`, `(A, ())`, `(A, (B, ()))` and so on.
    type Indexes: IndexList<Self>;
}

/// The rows of a map. The generated constant of a map derefs to this type.
///
/// Every write updates the indexes of the map in the same transaction. A write that fails changes
/// nothing.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
/// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
///
/// let snapshot = db.read()?;
/// assert_eq!(ORDERS.get(&snapshot, (7, 1))?, Some(order));
/// assert_eq!(ORDERS.get_with(&snapshot, (7, 1), |order| order.amount)?, Some(3));
/// assert!(!ORDERS.contains(&snapshot, (7, 2))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Map<K>(pub(crate) PhantomData<fn() -> K>);

impl<K: MapRows> Map<K> {
    /// Returns the value of a key, owned.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn get<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<Option<OwnedOf<K>>, Error> {
        self.get_with(state, key, <K::Value as ValueForm>::into_owned)
    }

    /// Passes the borrowed value of a key to `read`, and returns its result.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn get_with<'k, T>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
        read: impl FnOnce(ViewOf<'_, K>) -> T,
    ) -> Result<Option<T>, Error> {
        let key = access::encoded::<K>(&key.into_field()?)?;
        access::read::<K, _>(state, key.written()?, read)
    }

    /// Returns the values of keys, owned, in the order of the keys. On a server, this is one round
    /// trip.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
    /// assert_eq!(ORDERS.get_many(&db.read()?, [(7, 2), (7, 1)])?, [None, Some(order)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn get_many<'k, Q: IntoField<K::Key<'k>>>(
        &self,
        state: &(impl Read + ?Sized),
        keys: impl IntoIterator<Item = Q>,
    ) -> Result<Vec<Option<OwnedOf<K>>>, Error> {
        let keys = keys.into_iter().map(|key| access::encoded::<K>(&key.into_field()?));
        let keys = keys.collect::<Result<Vec<_>, Error>>()?;
        let keys = keys.iter().map(Buffer::written).collect::<Result<Vec<_>, _>>()?;
        access::read_many::<K>(state, &keys)
    }

    /// Whether a key has a row.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn contains<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<bool, Error> {
        let key = access::encoded::<K>(&key.into_field()?)?;
        Location::of::<K>().contains(state, key.written()?)
    }

    /// Puts a row. Replaces an existing row.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| {
    ///     ORDERS.put(tx, (7, 1), &order)?;
    ///     // The ticket is unique, and belongs to another row.
    ///     assert!(ORDERS.put(tx, (7, 2), &order).is_err());
    ///     Ok::<(), keyscape_runtime::Error>(())
    /// })?;
    /// assert!(!ORDERS.contains(&db.read()?, (7, 2))?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NotUnique`](crate::ErrorKind::NotUnique) if a unique index has an entry of another row
    /// under the same key; see [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn put<'k, 'v>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        value: InputOf<'v, K>,
    ) -> Result<(), Error> {
        let key = key.into_field()?;
        let buffer = access::encoded::<K>(&key)?;
        if let Some(bytes) = K::Value::as_bytes(&value) {
            return engine::put(tx, &MapRow::<K>::new(&key, buffer.written()?), bytes);
        }
        access::with_buffer(|bytes| {
            let key_bytes = buffer.written()?;
            K::Value::encode(value, bytes)
                .map_err(|error| Location::of::<K>().unencodable(key_bytes, error))?;
            engine::put(tx, &MapRow::<K>::new(&key, key_bytes), bytes)
        })
    }

    /// Deletes a row, which need not exist.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
    /// db.write(|tx| ORDERS.delete(tx, (7, 1)))?;
    /// assert!(!ORDERS.contains(&db.read()?, (7, 1))?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn delete<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<(), Error> {
        let key = key.into_field()?;
        let buffer = access::encoded::<K>(&key)?;
        engine::delete(tx, &MapRow::<K>::new(&key, buffer.written()?))
    }

    /// Deletes a row and returns its value.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
    /// assert_eq!(db.write(|tx| ORDERS.take(tx, (7, 1)))?, Some(order));
    /// assert_eq!(db.write(|tx| ORDERS.take(tx, (7, 1)))?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn take<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<Option<OwnedOf<K>>, Error> {
        let key = key.into_field()?;
        let buffer = access::encoded::<K>(&key)?;
        let bytes = buffer.written()?;
        access::with_buffer(|old| {
            if !Location::of::<K>().copy(tx, bytes, old)? {
                return Ok(None);
            }
            let value = access::decoded::<K>(bytes, old).map(K::Value::into_owned)?;
            engine::delete_old(tx, &MapRow::<K>::new(&key, bytes), Some(old))?;
            Ok(Some(value))
        })
    }

    /// Passes the value of a key to `change`, and puts the value that it returns. Deletes the row
    /// if `change` returns `None`.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// db.write(|tx| {
    ///     ORDERS.put(tx, (7, 1), &order)?;
    ///     ORDERS.update(tx, (7, 1), |order| {
    ///         let more = order.map(|order| Order { amount: order.amount + 1, ..order });
    ///         Ok::<_, keyscape_runtime::Error>(more)
    ///     })
    /// })?;
    /// assert_eq!(ORDERS.get_with(&db.read()?, (7, 1), |order| order.amount)?, Some(4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of `change`, or as [`Map::put`]. Then nothing has changed.
    pub fn update<'k, E: From<Error>>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        change: impl FnOnce(Option<OwnedOf<K>>) -> Result<Option<OwnedOf<K>>, E>,
    ) -> Result<(), E> {
        let key = key.into_field().map_err(Error::from)?;
        let buffer = access::encoded::<K>(&key)?;
        let bytes = buffer.written().map_err(Error::from)?;
        access::with_buffer(|old| {
            let exists = Location::of::<K>().copy(tx, bytes, old)?;
            let old = exists.then_some(&**old);
            let row = MapRow::<K>::new(&key, bytes);
            let before = old.map(|old| access::decoded::<K>(bytes, old)).transpose()?;
            match change(before.map(K::Value::into_owned))? {
                Some(after) => access::with_buffer(|value| {
                    K::Value::encode_owned(&after, value)
                        .map_err(|error| Location::of::<K>().unencodable(bytes, error))?;
                    engine::put_over(tx, &row, old, value)
                })?,
                None if exists => engine::delete_old(tx, &row, old)?,
                None => {}
            }
            Ok(())
        })
    }
}

/// A row of a map, with its key both decoded and encoded.
pub(crate) struct MapRow<'r, 'k, M: MapRows> {
    key: &'r M::Key<'k>,
    key_bytes: &'r [u8],
}

impl<'r, 'k, M: MapRows> MapRow<'r, 'k, M> {
    pub(crate) fn new(key: &'r M::Key<'k>, key_bytes: &'r [u8]) -> Self {
        Self { key, key_bytes }
    }
}

impl<M: MapRows> RowEntries for MapRow<'_, '_, M> {
    type Error = Error;

    fn location(&self) -> Location {
        Location::of::<M>()
    }

    fn key(&self) -> &[u8] {
        self.key_bytes
    }

    fn has_indexes(&self) -> bool {
        M::Indexes::ANY
    }

    fn reads_value(&self) -> bool {
        M::Indexes::FROM_VALUE
    }

    fn list_entries(&self, value: Option<&[u8]>, entries: &mut EntryList) -> Result<(), Error> {
        let (key, key_bytes) = (self.key, self.key_bytes);
        let row = IndexedRow { key, key_bytes, value: value.unwrap_or_default() };
        M::Indexes::list_entries(&row, value.is_some(), entries)
    }
}
