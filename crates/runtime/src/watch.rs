//! Typed subscriptions to committed changes.

use crate::{
    Error, Item, ItemRows, Keyspace, Listing, Map, MapRows, OwnedOf, Prefix, Records, Rows,
    ScanRows, ValueForm, access,
    engine::{Location, corrupt},
};
use keyscape_store::{Db, KeyRange, Revision, Subscription};
use std::{fmt, marker::PhantomData, ops::Bound, time::Duration};

/// A subscription to the committed changes of a keyspace, or of one of its scans.
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
pub struct Watch<K> {
    subscription: Subscription,
    /// Whether a key that cannot be decoded belongs to another keyspace.
    passes: fn(&[u8]) -> bool,
    marker: PhantomData<fn() -> K>,
}

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

impl<K: Rows> Watch<K> {
    fn new(db: &Db, range: KeyRange<'_>, passes: fn(&[u8]) -> bool) -> Result<Self, Error> {
        let subscription =
            db.watch([(access::space::<K>(), range)]).map_err(access::failed::<K>)?;
        Ok(Self { subscription, passes, marker: PhantomData })
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
    /// snapshot, and go on. [`Closed`](keyscape_store::StoreErrorKind::Closed) after the database
    /// was dropped. Otherwise see [`ErrorKind`](crate::ErrorKind).
    pub fn next(&self, timeout: Duration) -> Result<Option<CommittedRows<K>>, Error> {
        let commit = self.subscription.next(timeout).map_err(access::failed::<K>)?;
        let Some(commit) = commit else { return Ok(None) };
        let mut rows = Vec::new();
        for change in commit.changes.iter() {
            let key = match K::decode(change.key) {
                Ok(key) => K::into_owned(key),
                Err(_) if (self.passes)(change.key) => continue,
                Err(source) => return Err(access::corrupt_key::<K>(change.key, source)),
            };
            let value = change.value.map(|value| access::decoded::<K>(change.key, value));
            rows.push(RowChange { key, value: value.transpose()?.map(K::Value::into_owned) });
        }
        Ok(Some(CommittedRows { revision: commit.revision, rows }))
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
    pub fn watch(&self, db: &Db) -> Result<Watch<K>, Error> {
        // Other keyspaces may begin with the same literals.
        Watch::new(db, KeyRange::prefix(K::PREFIX), |_| true)
    }
}

impl<K: ItemRows> Item<K> {
    /// Subscribes to the commits that change the value.
    ///
    /// # Errors
    /// As [`Db::watch`].
    pub fn watch(&self, db: &Db) -> Result<Watch<K>, Error> {
        let key = Bound::Included(K::KEY);
        Watch::new(db, KeyRange::new(key, key), |_| false)
    }
}

impl<K: Rows, B: ScanRows<K>> Prefix<K, B> {
    /// Subscribes to the commits that change rows of the scan, regardless of direction and limit.
    ///
    /// # Errors
    /// As [`Db::watch`] and [`Prefix::scan`].
    pub fn watch(&self, db: &Db) -> Result<Watch<K>, Error> {
        let above = self.above()?;
        Watch::new(db, self.interval(above.as_ref())?, |key| B::ALSO && B::passes(key))
    }
}

/// A subscription to the committed changes of a listing of a structure.
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
pub struct ListingWatch<L> {
    subscription: Subscription,
    rest_at: usize,
    marker: PhantomData<fn() -> L>,
}

/// The changed rows of a listing in one commit. A row whose position changes is removed and added.
pub struct ListingChanges<L: Listing> {
    /// The revision of the state after the commit.
    pub revision: Revision,
    /// The rows that were added, in order.
    pub added: Vec<L::Owned>,
    /// The number of removed rows.
    pub removed: u64,
}

impl<L: Listing> Records<'_, L> {
    /// Subscribes to the commits that change rows of the listing, regardless of direction, offset
    /// and limit.
    ///
    /// # Errors
    /// As [`Db::watch`].
    pub fn watch(&self, db: &Db) -> Result<ListingWatch<L>, Error> {
        let store = access::space::<L::Keyspace>();
        let (watch, rest_at) = self.with_range(|range| db.watch([(store, range)]))?;
        let subscription = watch.map_err(access::failed::<L::Keyspace>)?;
        Ok(ListingWatch { subscription, rest_at, marker: PhantomData })
    }
}

impl<L: Listing> ListingWatch<L> {
    /// Sets the approximate size of the buffer in bytes.
    #[must_use]
    pub fn with_capacity(self, bytes: usize) -> Self {
        Self { subscription: self.subscription.with_capacity(bytes), ..self }
    }

    /// Waits for the next commit, at most for `timeout`. Returns `None` if there was none.
    ///
    /// # Errors
    /// As [`Watch::next`].
    pub fn next(&self, timeout: Duration) -> Result<Option<ListingChanges<L>>, Error> {
        let commit = self.subscription.next(timeout).map_err(access::failed::<L::Keyspace>)?;
        let Some(commit) = commit else { return Ok(None) };
        let (mut added, mut removed) = (Vec::new(), 0);
        let mut scratch = Vec::new();
        for change in commit.changes.iter() {
            let rest = change.key.get(self.rest_at..).unwrap_or_default();
            let failed = |fault| corrupt(&Location::of::<L::Keyspace>(), change.key, fault);
            let Some(value) = change.value else {
                removed += 1;
                continue;
            };
            if L::is_listed(rest, value).map_err(failed)? {
                added.push(L::into_owned(L::row(rest, value, &mut scratch).map_err(failed)?));
            }
        }
        Ok(Some(ListingChanges { revision: commit.revision, added, removed }))
    }
}

impl<K: Keyspace> fmt::Debug for Watch<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("keyspace", &K::NAME)
            .field("subscription", &self.subscription)
            .finish_non_exhaustive()
    }
}

impl<L: Listing> fmt::Debug for ListingWatch<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListingWatch")
            .field("keyspace", &L::Keyspace::NAME)
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

impl<L: Listing> fmt::Debug for ListingChanges<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListingChanges")
            .field("revision", &self.revision)
            .field("added", &self.added.len())
            .field("removed", &self.removed)
            .finish()
    }
}
