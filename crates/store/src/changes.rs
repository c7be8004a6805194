//! The write set of a transaction.

use crate::{KeyRange, Spaces, StoreError, StoreErrorKind, StoreId, key::Key};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

/// The write set of a transaction: at most one change per key, sorted by the name of the store and
/// then by key. Two write sets are equal if they write the same rows.
///
/// ```
/// use keyscape_store::{Db, Memory, Spaces, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| {
///     tx.put(SHOP, b"b", b"1")?;
///     tx.delete(SHOP, b"a")?;
///     let keys: Vec<_> = tx.changes().iter().map(|change| change.key).collect();
///     assert_eq!(keys, [b"a", b"b"]);
///     Ok::<(), keyscape_store::StoreError>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Sorted by name. A store stays listed if all its changes are rolled back.
    stores: Vec<StoreChanges>,
    rows: u64,
    bytes: u64,
}

impl PartialEq for Changes {
    fn eq(&self, other: &Changes) -> bool {
        // All other fields follow from these.
        self.stores().eq(other.stores())
    }
}

impl Eq for Changes {}

/// Values by key; `None` deletes.
pub(crate) type Pending = BTreeMap<Key, Option<Value>>;

/// A shared value, which the memory engine stores without a copy.
pub(crate) type Value = Arc<[u8]>;

/// The earlier change of a key, if there was one.
pub(crate) type Before = Option<Option<Value>>;

/// The changes of one store.
///
/// ```
/// use keyscape_store::{Changes, Spaces, StoreId};
///
/// let (auth, bank) = (StoreId::of("auth"), StoreId::of("bank"));
/// let spaces = Spaces::new(["auth", "bank"])?;
/// let mut changes = Changes::new();
/// changes.set(&spaces, bank, b"bob", Some(b"7"))?;
/// changes.set(&spaces, bank, b"alice", None)?;
/// changes.set(&spaces, auth, b"bob", Some(b"secret"))?;
///
/// let mut stores = changes.stores();
/// assert_eq!(stores.next().map(|store| (store.id(), store.name())), Some((auth, "auth")));
/// let bank = stores.next().ok_or("there is a second store")?;
/// let rows: Vec<_> = bank.iter().collect();
/// assert_eq!(rows, [(&b"alice"[..], None), (b"bob", Some(&b"7"[..]))]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreChanges {
    id: StoreId,
    name: Arc<str>,
    pending: Pending,
}

/// One change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// The id of the store.
    pub store: StoreId,
    /// The name of the store.
    pub name: &'a str,
    /// The encoded key.
    pub key: &'a [u8],
    /// The new value; `None` if the row is deleted.
    pub value: Option<&'a [u8]>,
}

impl Changes {
    /// Creates an empty write set.
    #[must_use]
    pub fn new() -> Changes {
        Changes::default()
    }

    /// Lists all changes in order, including metadata in the store [`StoreId::META`].
    pub fn iter(&self) -> impl Iterator<Item = Change<'_>> {
        self.stores.iter().flat_map(|store| {
            store.iter().map(|(key, value)| Change {
                store: store.id,
                name: &store.name,
                key,
                value,
            })
        })
    }

    /// Lists the changes by store, sorted by name. Stores without changes are left out.
    pub fn stores(&self) -> impl Iterator<Item = &StoreChanges> {
        self.stores.iter().filter(|store| !store.pending.is_empty())
    }

    /// Counts the rows that are put or deleted.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Counts the bytes of all keys and values.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the write set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the changes inside some ranges.
    pub(crate) fn within(&self, ranges: &[(StoreId, KeyRange<'_>)]) -> Changes {
        let mut part = Changes::new();
        for (id, range) in ranges.iter().filter(|(_, range)| !range.is_empty()) {
            let Some(from) = self.stores.iter().find(|store| store.id == *id) else { continue };
            for (key, value) in from.pending.range::<[u8], _>(range.bounds()) {
                let place = part.find(*id);
                let place = place.unwrap_or_else(|| part.add_store(*id, Arc::clone(&from.name)));
                part.insert(place, key.clone(), value.clone());
            }
        }
        part
    }

    /// Returns the changes by store, owned.
    pub(crate) fn into_stores(self) -> impl Iterator<Item = StoreChanges> {
        self.stores.into_iter()
    }

    /// Returns the pending changes of a store, if there ever was one.
    pub(crate) fn pending(&self, store: StoreId) -> Option<&Pending> {
        self.find(store).map(|place| &self.stores[place].pending)
    }

    /// Sets the change of a key; `None` deletes it.
    ///
    /// # Errors
    /// [`UnknownStore`](StoreErrorKind::UnknownStore).
    pub fn set(
        &mut self,
        spaces: &Spaces,
        store: StoreId,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        self.replace(spaces, store, key, value).map(drop)
    }

    /// Sets the change of a key. Returns the earlier change.
    pub(crate) fn replace(
        &mut self,
        spaces: &Spaces,
        store: StoreId,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Result<Before, StoreError> {
        let place = match self.find(store) {
            Some(place) => place,
            None => {
                let name = spaces.shared_name(store).ok_or(StoreErrorKind::UnknownStore(store))?;
                self.add_store(store, name)
            }
        };
        Ok(self.insert(place, Key::new(key), value.map(shared)))
    }

    /// Sets the change of a key of the store at `place`. Returns the earlier change.
    fn insert(&mut self, place: usize, key: Key, value: Option<Value>) -> Before {
        let key_bytes = key.len() as u64;
        self.bytes += value.as_ref().map_or(0, |value| value.len() as u64);
        let before = match self.stores[place].pending.entry(key) {
            Entry::Occupied(mut entry) => Some(entry.insert(value)),
            Entry::Vacant(entry) => {
                entry.insert(value);
                self.rows += 1;
                self.bytes += key_bytes;
                None
            }
        };
        self.bytes -= value_bytes(before.as_ref());
        before
    }

    /// Restores the change that [`Changes::replace`] returned.
    pub(crate) fn restore(&mut self, store: StoreId, key: &[u8], before: Before) {
        let Some(changes) = self.stores.iter_mut().find(|changes| changes.id == store) else {
            return;
        };
        self.bytes += value_bytes(before.as_ref());
        let after = match before {
            Some(value) => changes.pending.get_mut(key).map(|now| std::mem::replace(now, value)),
            None => {
                let after = changes.pending.remove(key);
                if after.is_some() {
                    self.rows -= 1;
                    self.bytes -= key.len() as u64;
                }
                after
            }
        };
        self.bytes -= value_bytes(after.as_ref());
    }

    fn find(&self, store: StoreId) -> Option<usize> {
        self.stores.iter().position(|changes| changes.id == store)
    }

    /// Adds a store without changes. Returns its place.
    fn add_store(&mut self, id: StoreId, name: Arc<str>) -> usize {
        let place = self.stores.partition_point(|changes| changes.name < name);
        self.stores.insert(place, StoreChanges { id, name, pending: Pending::new() });
        place
    }
}

/// Allocates a value. Empty values, such as those of most index entries, share one allocation.
fn shared(value: &[u8]) -> Value {
    if value.is_empty() { Value::default() } else { value.into() }
}

fn value_bytes(change: Option<&Option<Value>>) -> u64 {
    change.and_then(Option::as_ref).map_or(0, |value| value.len() as u64)
}

impl StoreChanges {
    /// Returns the id of the store.
    #[must_use]
    pub fn id(&self) -> StoreId {
        self.id
    }

    /// Returns the name of the store.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lists keys and new values in order. `None` deletes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], Option<&[u8]>)> {
        self.pending.iter().map(|(key, value)| (&**key, value.as_deref()))
    }

    pub(crate) fn into_pending(self) -> Pending {
        self.pending
    }
}
