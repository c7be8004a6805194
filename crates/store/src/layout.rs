//! Layouts saved in the database, and their comparison on opening.

use crate::{
    Db, KeyRange, Mode, Read, SpaceError, Spaces, StoreError, StoreErrorKind, StoreId, Tx,
};
use std::{collections::BTreeMap, fmt};
use thiserror::Error;

/// A layout as the database saves it: its spaces, and a fingerprint for each keyspace. Generated code
/// has it as a constant.
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
///     Layout { name: "shop", spaces: &["shop"], keyspaces: &[ORDERS] };
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout<'a> {
    /// The name of the layout.
    pub name: &'a str,
    /// The stores without families by name, and the families as `store/family`.
    pub spaces: &'a [&'a str],
    /// The keyspaces of the layout.
    pub keyspaces: &'a [KeyspaceInfo<'a>],
}

/// A keyspace as the database saves it.
///
/// ```
/// use keyscape_store::{KeyspaceInfo, Layout};
///
/// let orders = KeyspaceInfo {
///     space: "shop",
///     name: "orders",
///     kind: "map",
///     text: "\"o/\" {order: u64be}",
///     fingerprint: [7; 32],
///     version: 0,
/// };
/// let layout = Layout { name: "shop", spaces: &["shop"], keyspaces: &[orders] };
/// assert_eq!(layout.keyspaces[0].name, "orders");
/// ```
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

/// The reason why a database cannot be opened with a layout.
///
/// ```
/// use keyscape_store::{Db, Layout, LayoutError, Memory, KeyspaceInfo, StoreId};
///
/// let orders = KeyspaceInfo {
///     space: "shop", name: "orders", kind: "map", text: "", fingerprint: [7; 32], version: 0,
/// };
/// let layout = Layout { name: "shop", spaces: &["shop"], keyspaces: &[orders] };
/// let db = Db::new(Memory::new(Layout::spaces_of(&[&layout])?));
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// assert!(matches!(db.admit(&[&layout]), Err(LayoutError::NotAdopted { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A keyspace has changed since the database was written.
    #[error(
        "keyspace `{keyspace}` of `{space}` has changed its {what}: the database was written with `{saved}`, the layout says `{asked}`"
    )]
    Changed {
        /// The space.
        space: Box<str>,
        /// The keyspace.
        keyspace: Box<str>,
        /// The difference: `kind`, `bytes` or `version`.
        what: &'static str,
        /// The saved declaration.
        saved: Box<str>,
        /// The new declaration.
        asked: Box<str>,
    },
    /// The layout lacks a keyspace that the database has.
    #[error("keyspace `{keyspace}` of `{space}` is in the database and not in the layout")]
    Missing {
        /// The space.
        space: Box<str>,
        /// The keyspace.
        keyspace: Box<str>,
    },
    /// A space has rows and no layout was ever saved for it.
    #[error("store `{space}` has rows that no layout was saved for: adopt them, which checks each")]
    NotAdopted {
        /// The space.
        space: Box<str>,
    },
    /// Rows do not fit the layout that should adopt them.
    #[error("{total} rows do not fit the layout; the first: {}", .rows.first().map(ToString::to_string).unwrap_or_default())]
    Unfit {
        /// The first rows that do not fit.
        rows: Vec<Unfit>,
        /// The number of rows that do not fit.
        total: u64,
    },
    /// The layouts cannot share a database.
    #[error(transparent)]
    Spaces(#[from] SpaceError),
    /// An error of the database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A row that does not fit.
///
/// ```
/// use keyscape_store::Unfit;
///
/// let row = Unfit { space: "shop".into(), key: b"ink".as_slice().into(), reason: "no key".into() };
/// assert_eq!(row.to_string(), "store `shop`, key 696e6b: no key");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The space.
    pub space: Box<str>,
    /// The key.
    pub key: Box<[u8]>,
    /// The reason why the row does not fit.
    pub reason: Box<str>,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "store `{}`, key ", self.space)?;
        self.key.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ": {}", self.reason)
    }
}

/// The maximum number of listed rows that do not fit.
const MOST_UNFIT: usize = 100;
/// The first byte of the keys of saved keyspaces in [`StoreId::META`]. Space, NUL and name follow.
const PREFIX: &[u8] = b"keyspace/";

impl Layout<'_> {
    /// Returns the spaces of a database with these layouts.
    ///
    /// # Errors
    /// If two layouts have the same space, since their keys are not proved to be disjoint.
    pub fn spaces_of(layouts: &[&Layout<'_>]) -> Result<Spaces, SpaceError> {
        Spaces::new(layouts.iter().flat_map(|layout| layout.spaces))
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
}

impl Db {
    /// Opens the database for layouts. Compares them with the saved ones, and saves new keyspaces. Every
    /// saved keyspace in the spaces of the layouts must be unchanged.
    ///
    /// # Errors
    /// [`LayoutError`] with the difference. A space that has rows and no saved keyspace must be adopted
    /// with [`Db::adopt`].
    pub fn admit(&self, layouts: &[&Layout<'_>]) -> Result<(), LayoutError> {
        let mut tx = match self.begin(Mode::Write) {
            Err(error) if error.kind() == StoreErrorKind::ReadOnly => self.begin(Mode::Read)?,
            begun => begun?,
        };
        let mut new = Vec::new();
        for layout in layouts {
            layout.check()?;
            for space in layout.spaces {
                new.extend(compare(&tx, layout, space)?);
            }
        }
        for space in new.iter().map(|keyspace| keyspace.space) {
            if saved(&tx, space)?.is_empty() && has_rows(&tx, space)? {
                return Err(LayoutError::NotAdopted { space: space.into() });
            }
        }
        if tx.mode() == Mode::Write {
            new.iter().try_for_each(|keyspace| keyspace.save(&mut tx))?;
        }
        tx.commit()?;
        Ok(())
    }

    /// Adopts rows that were written without a saved layout. Passes every row to `check`, and saves the
    /// layouts if all rows fit.
    ///
    /// # Errors
    /// [`LayoutError::Unfit`] with the rows that do not fit, and as [`Db::admit`].
    pub fn adopt<R: fmt::Display>(
        &self,
        layouts: &[&Layout<'_>],
        mut check: impl FnMut(&str, &[u8], &[u8]) -> Result<(), R>,
    ) -> Result<(), LayoutError> {
        let mut tx = self.begin(Mode::Write)?;
        let (mut unfit, mut total) = (Vec::new(), 0);
        for layout in layouts {
            layout.check()?;
            for space in layout.spaces {
                let new = compare(&tx, layout, space)?;
                let mut rows = tx.rows(StoreId::of(space), KeyRange::all())?;
                while let Some(row) = rows.next()? {
                    let Err(reason) = check(space, row.key, row.value) else { continue };
                    total += 1;
                    if unfit.len() < MOST_UNFIT {
                        let reason = reason.to_string().into();
                        unfit.push(Unfit { space: (*space).into(), key: row.key.into(), reason });
                    }
                }
                drop(rows);
                new.iter().try_for_each(|keyspace| keyspace.save(&mut tx))?;
            }
        }
        if total > 0 {
            return Err(LayoutError::Unfit { rows: unfit, total });
        }
        tx.commit()?;
        Ok(())
    }
}

/// Returns the keyspaces of a layout in one space that are not saved yet. Saved ones must be equal.
fn compare<'a>(
    tx: &Tx<'_>,
    layout: &Layout<'a>,
    space: &str,
) -> Result<Vec<KeyspaceInfo<'a>>, LayoutError> {
    let mut saved = saved(tx, space)?;
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

/// Reads the saved keyspaces of a space, by name.
fn saved(tx: &Tx<'_>, space: &str) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
    let prefix = saved_key(space, "");
    let mut rows = tx.rows(StoreId::META, KeyRange::prefix(&prefix))?;
    let mut saved = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let name = String::from_utf8_lossy(&row.key[prefix.len()..]).into_owned();
        saved.insert(name, row.value.to_vec());
    }
    Ok(saved)
}

fn has_rows(tx: &Tx<'_>, space: &str) -> Result<bool, StoreError> {
    let mut rows = tx.rows(StoreId::of(space), KeyRange::all().expecting(1))?;
    Ok(rows.next()?.is_some())
}

fn saved_key(space: &str, name: &str) -> Vec<u8> {
    [PREFIX, space.as_bytes(), &[0], name.as_bytes()].concat()
}

impl<'a> KeyspaceInfo<'a> {
    /// Version in eight bytes, fingerprint, kind, NUL, text.
    fn save(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let version = self.version.to_be_bytes();
        let value =
            [&version[..], &self.fingerprint, self.kind.as_bytes(), &[0], self.text.as_bytes()];
        tx.put(StoreId::META, &saved_key(self.space, self.name), &value.concat())
    }

    fn decode(space: &'a str, name: &'a str, value: &'a [u8]) -> Option<KeyspaceInfo<'a>> {
        let (version, rest) = value.split_first_chunk()?;
        let (fingerprint, rest) = rest.split_first_chunk()?;
        let (kind, text) = std::str::from_utf8(rest).ok()?.split_once('\0')?;
        let version = u64::from_be_bytes(*version);
        Some(KeyspaceInfo { space, name, kind, text, fingerprint: *fingerprint, version })
    }
}
