//! Stores by name and by id.

use crate::{StoreError, StoreErrorKind};
use std::{fmt, sync::Arc};
use thiserror::Error;

/// The id of a store, or of one family of a store: a hash of its name.
///
/// The id is known at compile time, so a keyspace can be a constant, and independent layouts can
/// share a database. [`Spaces::new`] checks that the names of a database have different ids.
///
/// ```
/// use keyscape_store::StoreId;
///
/// const BANK: StoreId = StoreId::of("bank");
/// assert_ne!(BANK, StoreId::of("auth"));
/// assert_eq!(StoreId::family("node", "blocks"), StoreId::of("node/blocks"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoreId(u64);

const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

impl StoreId {
    /// The store for fingerprints, versions and commit ids, in every database.
    pub const META: StoreId = StoreId::of(Spaces::META);

    /// Returns the id of the store with this name.
    #[must_use]
    pub const fn of(name: &str) -> StoreId {
        StoreId(fnv(HASH_START, name.as_bytes()))
    }

    /// Returns the id of a family of a store. The name of the space is `store/family`.
    #[must_use]
    pub const fn family(store: &str, family: &str) -> StoreId {
        StoreId(fnv(fnv(fnv(HASH_START, store.as_bytes()), b"/"), family.as_bytes()))
    }
}

impl fmt::Debug for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreId({:016x})", self.0)
    }
}

/// FNV-1a: short, and possible in a constant. Nothing here is secret, and collisions are checked.
const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
}

/// The names of the spaces of a database: each store without families, and each family as
/// `store/family`. The store for metadata is always among them.
///
/// ```
/// use keyscape_store::{Spaces, StoreId};
///
/// let spaces = Spaces::new(["bank", "node/blocks"])?;
/// assert_eq!(spaces.name(StoreId::family("node", "blocks")), Some("node/blocks"));
/// assert_eq!(spaces.name(StoreId::of("auth")), None);
/// assert!(Spaces::new(["bank", "bank"]).is_err());
/// # Ok::<(), keyscape_store::SpaceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spaces {
    /// By slot; the metadata first, then as given.
    names: Vec<Arc<str>>,
    /// An open-addressing table from ids to slots. The size is a power of two, and at most half of
    /// the table is used.
    slots: Vec<Option<(StoreId, usize)>>,
}

impl Spaces {
    /// The name of the space for metadata.
    pub const META: &'static str = "keyscape:meta";
    /// The prefix of reserved names.
    pub const RESERVED: &'static str = "keyscape:";

    /// Creates the spaces with these names.
    ///
    /// # Errors
    /// If a name is empty, contains a NUL, is reserved or given twice, or if two names have the
    /// same id.
    pub fn new<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Result<Spaces, SpaceError> {
        let mut spaces = Spaces { names: vec![Arc::from(Spaces::META)], slots: Vec::new() };
        for name in names {
            let name = name.as_ref();
            if name.is_empty() {
                return Err(SpaceError::Empty);
            }
            if name.contains('\0') {
                return Err(SpaceError::Nul(name.into()));
            }
            if name.starts_with(Spaces::RESERVED) {
                return Err(SpaceError::Reserved(name.into()));
            }
            spaces.names.push(Arc::from(name));
        }
        spaces.slots = vec![None; (2 * spaces.names.len()).next_power_of_two()];
        for (slot, name) in spaces.names.iter().enumerate() {
            let id = StoreId::of(name);
            let place = place(&spaces.slots, id);
            if let Some((_, found)) = spaces.slots[place] {
                let (name, other) = (&**name, &*spaces.names[found]);
                return Err(if other == name {
                    SpaceError::Twice(name.into())
                } else {
                    SpaceError::Collision(name.into(), other.into())
                });
            }
            spaces.slots[place] = Some((id, slot));
        }
        Ok(spaces)
    }

    /// Creates the spaces of a stored database from its names. Leaves out reserved names. For
    /// engines.
    ///
    /// # Errors
    /// As [`Spaces::new`].
    pub fn stored(
        engine: &'static str,
        names: impl IntoIterator<Item = String>,
    ) -> Result<Spaces, StoreError> {
        let names = names.into_iter().filter(|name| !name.starts_with(Spaces::RESERVED));
        Spaces::new(names).map_err(|error| StoreError::backend(engine, error))
    }

    /// Counts the spaces, including the one for metadata.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "the space for metadata is always there")]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the slot of a space, which is less than [`Spaces::len`]. Metadata has slot 0.
    #[must_use]
    pub fn slot(&self, store: StoreId) -> Option<usize> {
        self.slots[place(&self.slots, store)].map(|(_, slot)| slot)
    }

    /// Returns the slot of a space. For engines.
    ///
    /// # Errors
    /// [`UnknownStore`](StoreErrorKind::UnknownStore).
    pub fn try_slot(&self, store: StoreId) -> Result<usize, StoreError> {
        self.slot(store).ok_or_else(|| StoreErrorKind::UnknownStore(store).into())
    }

    /// Returns the name of a space.
    #[must_use]
    pub fn name(&self, store: StoreId) -> Option<&str> {
        self.slot(store).map(|slot| &*self.names[slot])
    }

    pub(crate) fn shared_name(&self, store: StoreId) -> Option<Arc<str>> {
        self.slot(store).map(|slot| self.names[slot].clone())
    }

    /// Lists all spaces by slot, the one for metadata first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (StoreId, &str)> {
        self.names.iter().map(|name| (StoreId::of(name), &**name))
    }
}

/// Returns the table position of an id, or the free position for it.
fn place(slots: &[Option<(StoreId, usize)>], id: StoreId) -> usize {
    let mask = slots.len() - 1;
    let mut place = id.0 as usize & mask;
    // Half of the positions are free, so the loop ends.
    while slots[place].is_some_and(|(other, _)| other != id) {
        place = (place + 1) & mask;
    }
    place
}

/// The error for names that cannot be the spaces of a database.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// A name is empty.
    #[error("a store has an empty name")]
    Empty,
    /// A name contains the character NUL, which ends names among the metadata.
    #[error("store name {0:?} contains a NUL")]
    Nul(Box<str>),
    /// A name begins with [`Spaces::RESERVED`].
    #[error("store name `{0}`: names that begin with `{reserved}` are reserved", reserved = Spaces::RESERVED)]
    Reserved(Box<str>),
    /// A name occurs twice.
    #[error("store `{0}` is named twice")]
    Twice(Box<str>),
    /// Two different names have the same id.
    #[error("stores `{0}` and `{1}` have the same id: rename one of them")]
    Collision(Box<str>, Box<str>),
}
