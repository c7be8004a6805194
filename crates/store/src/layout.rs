//! Layouts as databases save them.

mod admit;
mod error;
mod index;
mod migrate;
mod saved;

pub use admit::{Admission, UnbuiltIndex};
pub use error::{LayoutError, Unfit};
pub use index::{BuildError, BuildPhase, BuildState, IndexInfo, IndexSource};
pub use migrate::{SavedMigration, replace_layout};
pub use saved::{MIGRATION, SavedText, saved_stores, saved_texts};

use crate::{SpaceError, Spaces, StoreError, StoreErrorKind, StoreId};

/// A layout as the database saves it: its text, its spaces, and a fingerprint for each keyspace.
/// Generated code has it as a constant.
///
/// ```
/// use keyscape_store::{Db, KeyspaceInfo, Layout, LayoutError, Memory};
///
/// const ORDERS: KeyspaceInfo<'static> = KeyspaceInfo {
///     space: "shop",
///     name: "orders",
///     kind: "map",
///     text: "o/{user: dec(u64)}/{order: dec(u64)} -> text",
///     fingerprint: [1; 32],
///     version: 1,
/// };
/// const SHOP: Layout<'static> =
///     Layout { spaces: &["shop"], keyspaces: &[ORDERS], ..Layout::named("shop") };
///
/// let db = Db::new(Memory::new(Layout::spaces_of(&[&SHOP])?));
/// db.admit(&[&SHOP])?;
/// db.admit(&[&SHOP])?; // the same layout again
///
/// let changed = KeyspaceInfo { text: "o/{user: u64} -> text", fingerprint: [2; 32], ..ORDERS };
/// let changed = Layout { keyspaces: &[changed], ..SHOP };
/// assert!(matches!(db.admit(&[&changed]), Err(LayoutError::Changed { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The name of the layout.
    pub name: &'a str,
    /// All its files as one text, for tools. The store does not parse it. Empty if unknown.
    pub text: &'a str,
    /// The stores without families by name, and the families as `store/family`.
    pub spaces: &'a [&'a str],
    /// The keyspaces of the layout.
    pub keyspaces: &'a [KeyspaceInfo<'a>],
    /// The indexes that can be built.
    pub indexes: &'a [IndexInfo<'a>],
}

/// A keyspace as the database saves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyspaceInfo<'a> {
    /// The space of its keys, one of the layout's.
    pub space: &'a str,
    /// The name of the keyspace.
    pub name: &'a str,
    /// The kind: `map`, `item`, `index`, …
    pub kind: &'a str,
    /// The parts of the declaration that determine bytes, in one line, for messages.
    pub text: &'a str,
    /// A hash over the parts of the declaration that determine bytes.
    pub fingerprint: [u8; 32],
    /// The version of the store in the layout.
    pub version: u64,
}

impl<'a> Layout<'a> {
    /// Creates a layout without stores.
    #[must_use]
    pub const fn named(name: &'a str) -> Self {
        Self { name, text: "", spaces: &[], keyspaces: &[], indexes: &[] }
    }
}

impl Layout<'_> {
    /// Returns the spaces of a database with these layouts. A layout may be given more than once:
    /// the modules of its stores all contain it.
    ///
    /// # Errors
    /// If two different layouts have the same space, since their keys are not proved to be
    /// disjoint.
    pub fn spaces_of(layouts: &[&Layout<'_>]) -> Result<Spaces, SpaceError> {
        Spaces::new(Layout::distinct(layouts).into_iter().flat_map(|layout| layout.spaces))
    }

    /// Returns each layout once.
    fn distinct<'l, 'a>(layouts: &[&'l Layout<'a>]) -> Vec<&'l Layout<'a>> {
        let mut distinct: Vec<&'l Layout<'a>> = Vec::with_capacity(layouts.len());
        for layout in layouts {
            let is_same = |other: &&Layout<'_>| {
                (other.name, other.text, other.spaces) == (layout.name, layout.text, layout.spaces)
                    && other.keyspaces == layout.keyspaces
            };
            if !distinct.iter().any(is_same) {
                distinct.push(layout);
            }
        }
        distinct
    }

    /// Checks that every keyspace is in a space of the layout. Others would never be compared.
    fn check(&self) -> Result<(), StoreError> {
        let astray = self.keyspaces.iter().find(|keyspace| !self.spaces.contains(&keyspace.space));
        astray.map_or(Ok(()), |keyspace| {
            let unknown = StoreErrorKind::UnknownStore(StoreId::of(keyspace.space));
            Err(StoreError::new(unknown)
                .in_store(keyspace.space.to_owned())
                .in_keyspace(keyspace.name.to_owned()))
        })
    }

    /// Lists the names of its stores, sorted.
    fn stores(&self) -> Vec<&str> {
        let mut stores: Vec<&str> = self.spaces.iter().map(|space| store_of(space)).collect();
        stores.sort_unstable();
        stores.dedup();
        stores
    }
}

/// Returns the store of a space, which may be a family.
fn store_of(space: &str) -> &str {
    space.split('/').next().unwrap_or(space)
}
