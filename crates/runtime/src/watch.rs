//! Typed subscriptions to committed changes.

use crate::{
    Error, Item, ItemRows, Listing, Map, MapRows, OwnedOf, Prefix, Records, Rows, ScanRows,
    ValueForm, access, engine::Location,
};
use keyscape_store::{Committed, Db, KeyRange, Revision, Subscription};
use std::{fmt, ops::Bound, time::Duration};

/// A subscription to the committed changes of a keyspace, of a scan, or of a listing. It returns a
/// [`CommittedRows`] or [`ListingChanges`] for each commit.
///
/// Commits arrive in their order, and wait in a buffer of limited size.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// use std::time::Duration;
///
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let watch = ORDERS.prefix_user(7).watch(&db)?;
/// db.write(|tx| {
///     ORDERS.put(tx, (7, 1), &Order { ticket: Ticket::new("a")?, amount: 3 })?;
///     ORDERS.put(tx, (8, 1), &Order { ticket: Ticket::new("b")?, amount: 4 })
/// })?;
/// db.write(|tx| ORDERS.delete(tx, (7, 1)))?;
///
/// let commit = watch.next(Duration::from_secs(1))?.ok_or("no commit")?;
/// assert_eq!(commit.rows.len(), 1);
/// assert_eq!(commit.rows[0].value.as_ref().map(|order| order.amount), Some(3));
/// let commit = watch.next(Duration::from_secs(1))?.ok_or("no commit")?;
/// assert_eq!((commit.rows[0].key.order, commit.rows[0].value.is_none()), (1, true));
/// assert!(watch.next(Duration::ZERO)?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Watch<T> {
    subscription: Subscription,
    location: Location,
    decode: Box<Decode<T>>,
}

/// Decodes the changes of a commit.
type Decode<T> = dyn Fn(&Committed) -> Result<T, Error> + Send + Sync;

/// The changed rows of one commit.
pub struct CommittedRows<K: Rows> {
    /// The revision of the state after the commit.
    pub revision: Revision,
    /// The rows in the order of their keys. Empty if the commit changed rows of other keyspaces
    /// only, which share the interval.
    pub rows: Vec<RowChange<K>>,
}

/// A row that was put or deleted.
pub struct RowChange<K: Rows> {
    /// The decoded key.
    pub key: K::Key<'static>,
    /// The new value; `None` if the row was deleted.
    pub value: Option<OwnedOf<K>>,
}

impl<T> Watch<T> {
    fn new(
        db: &Db,
        location: Location,
        range: KeyRange<'_>,
        decode: impl Fn(&Committed) -> Result<T, Error> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let subscription = location.watch(db, range)?;
        Ok(Self { subscription, location, decode: Box::new(decode) })
    }

    /// Sets the approximate size of the buffer in bytes.
    #[must_use]
    pub fn with_capacity(self, bytes: usize) -> Self {
        Self { subscription: self.subscription.with_capacity(bytes), ..self }
    }

    /// Waits for the next commit, at most for `timeout`. Returns `None` if there was none.
    ///
    /// # Errors
    /// [`FellBehind`](keyscape_store::StoreErrorKind::FellBehind) if commits were lost: read a
    /// snapshot, and continue. [`Closed`](keyscape_store::StoreErrorKind::Closed) after the
    /// database was dropped. Otherwise see [`ErrorKind`](crate::ErrorKind).
    pub fn next(&self, timeout: Duration) -> Result<Option<T>, Error> {
        let commit = self.subscription.next(timeout);
        let commit = commit.map_err(|error| self.location.failed(error))?;
        commit.map(|commit| (self.decode)(&commit)).transpose()
    }
}

impl<K: Rows> Watch<CommittedRows<K>> {
    /// Subscribes to rows. `passes` returns whether a key that cannot be decoded belongs to another
    /// keyspace.
    fn of_rows(db: &Db, range: KeyRange<'_>, passes: fn(&[u8]) -> bool) -> Result<Self, Error> {
        Self::new(db, Location::of::<K>(), range, move |commit| {
            let mut rows = Vec::new();
            for change in commit.changes.iter() {
                let key = match K::decode(change.key) {
                    Ok(key) => K::into_owned(key),
                    Err(_) if passes(change.key) => continue,
                    Err(source) => return Err(Location::of::<K>().corrupt(change.key, source)),
                };
                let value = change.value.map(|value| access::decoded::<K>(change.key, value));
                rows.push(RowChange { key, value: value.transpose()?.map(K::Value::into_owned) });
            }
            Ok(CommittedRows { revision: commit.revision, rows })
        })
    }
}

impl<K: MapRows> Map<K> {
    /// Subscribes to the commits that change rows of the map.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// use std::time::Duration;
    ///
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("ab")?, amount: 3 };
    /// let watch = ORDERS.watch(&db)?;
    /// db.write(|tx| ORDERS.put(tx, (7, 1), &order))?;
    /// let commit = watch.next(Duration::from_secs(1))?.ok_or("no commit")?;
    /// assert_eq!(commit.rows[0].value, Some(order));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Db::watch`].
    pub fn watch(&self, db: &Db) -> Result<Watch<CommittedRows<K>>, Error> {
        // Other keyspaces may begin with the same literals.
        Watch::of_rows(db, KeyRange::prefix(K::PREFIX), |_| true)
    }
}

impl<K: ItemRows> Item<K> {
    /// Subscribes to the commits that change the value.
    ///
    /// # Errors
    /// As [`Db::watch`].
    pub fn watch(&self, db: &Db) -> Result<Watch<CommittedRows<K>>, Error> {
        let key = Bound::Included(K::KEY);
        Watch::of_rows(db, KeyRange::new(key, key), |_| false)
    }
}

impl<K: Rows, B: ScanRows<K>> Prefix<K, B> {
    /// Subscribes to the commits that change rows of the scan, regardless of direction and limit.
    ///
    /// # Errors
    /// As [`Db::watch`] and [`Prefix::scan`].
    pub fn watch(&self, db: &Db) -> Result<Watch<CommittedRows<K>>, Error> {
        let above = self.above()?;
        Watch::of_rows(db, self.interval(above.as_ref())?, |key| B::ALSO && B::passes(key))
    }
}

/// The changed rows of a listing in one commit. A row whose position changes is removed and added.
///
/// ```
/// # use keyscape_samples::txo::{BOARD, Name, db};
/// use std::time::Duration;
///
/// # let db = db()?;
/// let watch = BOARD.members(1).range(10..).watch(&db)?;
/// db.write(|tx| {
///     BOARD.add(tx, 1, Name::new("ann")?, 5_u64)?;
///     BOARD.add(tx, 1, Name::new("bob")?, 15_u64)
/// })?;
/// let commit = watch.next(Duration::from_secs(1))?.ok_or("no commit")?;
/// assert_eq!(commit.added[0].member.as_str(), "bob");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingChanges<T> {
    /// The revision of the state after the commit.
    pub revision: Revision,
    /// The rows that were added, in order.
    pub added: Vec<T>,
    /// The number of removed rows.
    pub removed: u64,
}

impl<L: Listing> Records<'_, L> {
    /// Subscribes to the commits that change rows of the listing, regardless of direction, offset,
    /// limit and cursor.
    ///
    /// # Errors
    /// As [`Db::watch`].
    pub fn watch(&self, db: &Db) -> Result<Watch<ListingChanges<L::Owned>>, Error> {
        let location = Location::of::<L::Keyspace>;
        self.with_range(|range, rest_at| {
            Watch::new(db, location(), range, move |commit| {
                let (mut added, mut removed) = (Vec::new(), 0);
                let mut scratch = Vec::new();
                for change in commit.changes.iter() {
                    let rest = change.key.get(rest_at..).unwrap_or_default();
                    let corrupt = |fault| location().corrupt(change.key, fault);
                    let Some(value) = change.value else {
                        removed += u64::from(L::is_rest(rest));
                        continue;
                    };
                    if L::is_listed(rest, value).map_err(corrupt)? {
                        let row = L::row(rest, value, &mut scratch).map_err(corrupt)?;
                        added.push(L::into_owned(row));
                    }
                }
                Ok(ListingChanges { revision: commit.revision, added, removed })
            })
        })
    }
}

impl<T> fmt::Debug for Watch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("location", &self.location)
            .field("subscription", &self.subscription)
            .finish_non_exhaustive()
    }
}

impl<K: Rows> fmt::Debug for CommittedRows<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<_> = self.rows.iter().map(|row| &row.key).collect();
        f.debug_struct("CommittedRows")
            .field("revision", &self.revision)
            .field("keys", &keys)
            .finish_non_exhaustive()
    }
}

impl<K: Rows> fmt::Debug for RowChange<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_deleted = self.value.is_none();
        f.debug_struct("RowChange")
            .field("key", &self.key)
            .field("is_deleted", &is_deleted)
            .finish_non_exhaustive()
    }
}
