//! Comparison of layouts with those that a database has saved.

use super::{
    BuildState, IndexInfo, KeyspaceInfo, Layout, LayoutError, SavedMigration, Unfit, saved,
    store_of,
};
use crate::{Db, KeyRange, Mode, Read, StoreError, StoreErrorKind, StoreId, Tx};
use std::fmt;

/// The maximum number of listed rows that do not fit.
const MAX_UNFIT: usize = 100;

/// The changes that opening a database may make to it.
///
/// ```
/// use keyscape_store::{Admission, Db, KeyspaceInfo, Layout, LayoutError, Memory};
///
/// const ORDERS: KeyspaceInfo<'static> = KeyspaceInfo {
///     space: "shop", name: "orders", kind: "map", text: "", fingerprint: [7; 32], version: 0,
/// };
/// const SHOP: Layout<'static> =
///     Layout { spaces: &["shop"], keyspaces: &[ORDERS], ..Layout::named("shop") };
/// const LOG: Layout<'static> = Layout {
///     spaces: &["log"],
///     keyspaces: &[KeyspaceInfo { space: "log", ..ORDERS }],
///     ..Layout::named("log")
/// };
/// let db = Db::new(Memory::new(Layout::spaces_of(&[&SHOP, &LOG])?));
/// db.admit(&[&SHOP])?;
/// assert!(matches!(db.admit(&[&SHOP, &LOG]), Err(LayoutError::NewStore { .. })));
/// db.admit_with(&[&SHOP, &LOG], Admission::new().add_stores(true))?;
/// db.admit(&[&LOG])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Admission {
    adds_stores: bool,
    unbuilt: Unbuilt,
    is_lenient: bool,
}

/// The treatment of indexes that are not built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unbuilt {
    #[default]
    Refuse,
    Build,
    Begin,
    Leave,
}

/// An index that is not built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnbuiltIndex {
    /// The space of its entries.
    pub space: Box<str>,
    /// The name of the index.
    pub name: Box<str>,
    /// The number of rows of its map.
    pub rows: u64,
}

impl UnbuiltIndex {
    fn is(&self, keyspace: &KeyspaceInfo<'_>) -> bool {
        (&*self.space, &*self.name) == (keyspace.space, keyspace.name)
    }
}

impl Admission {
    /// Allows new keyspaces in the stores of the database, and nothing else.
    #[must_use]
    pub const fn new() -> Admission {
        Admission { adds_stores: false, unbuilt: Unbuilt::Refuse, is_lenient: false }
    }

    /// Sets whether stores that the database does not have are added.
    #[must_use]
    pub const fn add_stores(self, adds_stores: bool) -> Admission {
        Admission { adds_stores, ..self }
    }

    /// Whether stores that the database does not have are added.
    #[must_use]
    pub const fn adds_stores(self) -> bool {
        self.adds_stores
    }

    /// Sets whether indexes that are not built are built.
    #[must_use]
    pub const fn build_indexes(self, builds: bool) -> Admission {
        let unbuilt = if builds { Unbuilt::Build } else { Unbuilt::Refuse };
        Admission { unbuilt, ..self }
    }

    /// Saves the indexes that are not built, and leaves their building to [`Db::build_index`].
    #[must_use]
    pub const fn begin_indexes(self) -> Admission {
        Admission { unbuilt: Unbuilt::Begin, ..self }
    }

    /// Opens the database although indexes are not built, and does not save new ones. For tools,
    /// which must not read the indexes that [`Db::admit_with`] returns.
    #[must_use]
    pub const fn leave_indexes(self) -> Admission {
        Admission { unbuilt: Unbuilt::Leave, ..self }
    }

    /// Opens a database for reading although rows were never adopted, or the layout lacks
    /// keyspaces. For tools that report rows without a keyspace.
    #[must_use]
    pub const fn lenient(self) -> Admission {
        Admission { is_lenient: true, ..self }
    }
}

impl Db {
    /// Opens the database for layouts. Compares them with the saved ones, and saves new keyspaces.
    /// Every saved keyspace in the spaces of the layouts must be unchanged.
    ///
    /// # Errors
    /// [`LayoutError`] with the difference. A space that has rows and no saved keyspace must be
    /// adopted with [`Db::adopt`].
    pub fn admit(&self, layouts: &[&Layout<'_>]) -> Result<(), LayoutError> {
        self.admit_with(layouts, Admission::new()).map(drop)
    }

    /// Opens the database for layouts, and makes the given changes. Returns the indexes that are
    /// left unbuilt.
    ///
    /// # Errors
    /// As [`Db::admit`].
    pub fn admit_with(
        &self,
        layouts: &[&Layout<'_>],
        admission: Admission,
    ) -> Result<Vec<UnbuiltIndex>, LayoutError> {
        let layouts = &*Layout::distinct(layouts);
        let mut tx = match self.begin(Mode::Write) {
            Err(error) if error.kind() == StoreErrorKind::ReadOnly => self.begin(Mode::Read)?,
            begun => begun?,
        };
        refuse_migrating(&tx)?;
        let mut new = Vec::new();
        for layout in layouts {
            layout.check()?;
            for space in layout.spaces {
                match compare(&tx, layout, space) {
                    Err(LayoutError::Missing { .. }) if admission.is_lenient => {}
                    compared => new.extend(compared?),
                }
            }
        }
        refuse_new_stores(&tx, layouts, &new, admission)?;
        let unbuilt = unbuilt(&tx, layouts, &new)?;
        let left = unbuilt.iter().map(|(index, rows)| UnbuiltIndex {
            space: index.space.into(),
            name: index.name.into(),
            rows: *rows,
        });
        let left: Vec<UnbuiltIndex> = left.collect();
        let is_allowed = match admission.unbuilt {
            Unbuilt::Refuse => false,
            Unbuilt::Build => tx.mode() == Mode::Write,
            Unbuilt::Begin | Unbuilt::Leave => true,
        };
        if let (Some(first), false) = (left.first(), is_allowed) {
            let (index, rows) = (first.name.clone(), first.rows);
            return Err(LayoutError::IndexNotBuilt { index, rows });
        }
        if tx.mode() != Mode::Write {
            return Ok(left);
        }
        if admission.unbuilt == Unbuilt::Leave {
            new.retain(|keyspace| !left.iter().any(|index| index.is(keyspace)));
        }
        for (index, _) in unbuilt.iter().filter(|_| admission.unbuilt != Unbuilt::Leave) {
            if saved::build(&tx, index.space, index.name)?.is_none() {
                saved::set_build(&mut tx, index.space, index.name, Some(&BuildState::START))?;
            }
        }
        new.iter().try_for_each(|keyspace| keyspace.save(&mut tx))?;
        layouts.iter().try_for_each(|layout| saved::save_text(&mut tx, layout))?;
        tx.commit()?;
        if admission.unbuilt != Unbuilt::Build {
            return Ok(left);
        }
        for (index, _) in &unbuilt {
            self.build_index(index, IndexInfo::BATCH, |_| ())?;
        }
        Ok(Vec::new())
    }

    /// Adopts rows that were written without a saved layout. Passes every row to `check`, compares
    /// the indexes of the layouts with their maps, and saves the layouts if everything fits.
    ///
    /// # Errors
    /// [`LayoutError::Unfit`] with the rows that do not fit, and as [`Db::admit`].
    pub fn adopt<R: fmt::Display>(
        &self,
        layouts: &[&Layout<'_>],
        mut check: impl FnMut(&str, &[u8], &[u8]) -> Result<(), R>,
    ) -> Result<(), LayoutError> {
        let layouts = &*Layout::distinct(layouts);
        let mut tx = self.begin(Mode::Write)?;
        refuse_migrating(&tx)?;
        let (mut unfit, mut total) = (Vec::new(), 0);
        let mut report = |space: &str, key: &[u8], reason: String| {
            total += 1;
            if unfit.len() < MAX_UNFIT {
                unfit.push(Unfit { space: space.into(), key: key.into(), reason: reason.into() });
            }
        };
        for layout in layouts {
            layout.check()?;
            for space in layout.spaces {
                let new = compare(&tx, layout, space)?;
                let mut rows = tx.rows(StoreId::of(space), KeyRange::all())?;
                while let Some(row) = rows.next()? {
                    if let Err(reason) = check(space, row.key, row.value) {
                        report(space, row.key, reason.to_string());
                    }
                }
                drop(rows);
                new.iter().try_for_each(|keyspace| keyspace.save(&mut tx))?;
            }
            for index in layout.indexes {
                let checked = index.source.check(&tx, &mut |key, reason| {
                    report(index.space, key, format!("index `{}`: {reason}", index.name));
                });
                checked
                    .map_err(|source| LayoutError::Build { index: index.name.into(), source })?;
            }
            saved::save_text(&mut tx, layout)?;
        }
        if total > 0 {
            return Err(LayoutError::Unfit { rows: unfit, total });
        }
        tx.commit()?;
        Ok(())
    }
}

/// Rejects a database whose rows are partly of another layout.
fn refuse_migrating(tx: &Tx<'_>) -> Result<(), LayoutError> {
    match SavedMigration::read(tx)? {
        Some(SavedMigration { command, .. }) => {
            Err(LayoutError::Migrating { command: command.into() })
        }
        None => Ok(()),
    }
}

/// Rejects stores that the database does not have, unless they may be added.
fn refuse_new_stores(
    tx: &Tx<'_>,
    layouts: &[&Layout<'_>],
    new: &[KeyspaceInfo<'_>],
    admission: Admission,
) -> Result<(), LayoutError> {
    let stores = saved::saved_stores(tx)?;
    let is_saved = |store: &str| stores.iter().any(|saved| **saved == *store);
    let mut requested = layouts.iter().flat_map(|layout| layout.stores());
    if !stores.is_empty() && !admission.adds_stores && !requested.any(is_saved) {
        return Err(LayoutError::NoCommonStore { stores });
    }
    for keyspace in new {
        let store = store_of(keyspace.space);
        let is_adopted = !saved::keyspaces(tx, keyspace.space)?.is_empty();
        if !is_adopted && !admission.is_lenient && has_rows(tx, keyspace.space)? {
            return Err(LayoutError::NotAdopted { space: keyspace.space.into() });
        }
        let is_new = !stores.is_empty() && !is_saved(store);
        if is_new && !admission.adds_stores && tx.mode() == Mode::Write {
            return Err(LayoutError::NewStore { store: store.into(), stores });
        }
    }
    Ok(())
}

/// Lists the indexes that are not built, each with the number of rows of its map.
fn unbuilt<'a>(
    tx: &Tx<'_>,
    layouts: &[&Layout<'a>],
    new: &[KeyspaceInfo<'_>],
) -> Result<Vec<(IndexInfo<'a>, u64)>, LayoutError> {
    let mut unbuilt = Vec::new();
    for index in layouts.iter().flat_map(|layout| layout.indexes) {
        let is_new = new.iter().any(|k| (k.space, k.name) == (index.space, index.name));
        if is_new {
            // Rows that were never adopted come with their entries.
            let is_adopted = !saved::keyspaces(tx, index.space)?.is_empty();
            let rows = if is_adopted { index.source.rows(tx)? } else { 0 };
            if rows > 0 {
                unbuilt.push((*index, rows));
            }
        } else if saved::build(tx, index.space, index.name)?.is_some() {
            unbuilt.push((*index, index.source.rows(tx)?));
        }
    }
    Ok(unbuilt)
}

/// Returns the keyspaces of a layout in one space that are not saved yet. Saved ones must be equal.
fn compare<'a>(
    tx: &Tx<'_>,
    layout: &Layout<'a>,
    space: &str,
) -> Result<Vec<KeyspaceInfo<'a>>, LayoutError> {
    let mut saved = saved::keyspaces(tx, space)?;
    let mut new = Vec::new();
    for keyspace in layout.keyspaces.iter().filter(|keyspace| keyspace.space == space) {
        let Some(value) = saved.remove(keyspace.name) else {
            new.push(*keyspace);
            continue;
        };
        let old = KeyspaceInfo::decode(space, keyspace.name, &value)
            .ok_or(StoreErrorKind::Corrupt { what: "a saved keyspace cannot be read" })
            .map_err(|kind| StoreError::new(kind).in_keyspace(keyspace.name.to_owned()))?;
        let changed = |what, saved: &str, asked: &str| LayoutError::Changed {
            space: space.into(),
            keyspace: keyspace.name.into(),
            what,
            saved: saved.into(),
            asked: asked.into(),
        };
        if old.kind != keyspace.kind {
            return Err(changed("kind", old.kind, keyspace.kind));
        }
        if old.fingerprint != keyspace.fingerprint {
            return Err(changed("bytes", old.text, keyspace.text));
        }
        if old.version != keyspace.version {
            let (saved, asked) = (old.version.to_string(), keyspace.version.to_string());
            return Err(changed("version", &saved, &asked));
        }
    }
    match saved.into_keys().next() {
        Some(name) => Err(LayoutError::Missing { space: space.into(), keyspace: name.into() }),
        None => Ok(new),
    }
}

fn has_rows(tx: &Tx<'_>, space: &str) -> Result<bool, StoreError> {
    let mut rows = tx.rows(StoreId::of(space), KeyRange::all().expecting(1))?;
    Ok(rows.next()?.is_some())
}
