//! The database knows its layout.

use crate::{
    Db, KeyRange, Mode, Read, SpaceError, Spaces, StoreError, StoreErrorKind, StoreId, Tx,
};
use std::{collections::BTreeMap, fmt};
use thiserror::Error;

/// What a layout is to a database: the spaces that it needs, and what says whether the bytes of its
/// keyspaces are still the same. Generated code has it as a constant.
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
    /// Its stores without families by name, and its families as `store/family`.
    pub spaces: &'a [&'a str],
    /// Its keyspaces.
    pub keyspaces: &'a [KeyspaceInfo<'a>],
}

/// What a keyspace is to a database.
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
    /// The space that its keys are in, one of the layout's.
    pub space: &'a str,
    /// Its name.
    pub name: &'a str,
    /// What it is: `map`, `item`, `index`, …
    pub kind: &'a str,
    /// What changes bytes, in one line, for people.
    pub text: &'a str,
    /// A hash over what changes bytes.
    pub fingerprint: [u8; 32],
    /// The version that the layout says.
    pub version: u64,
}

/// Why a database is not opened with a layout.
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
    /// A keyspace is not what it was when the database was written.
    #[error(
        "keyspace `{keyspace}` of `{space}` has changed its {what}: the database was written with `{saved}`, the layout says `{asked}`"
    )]
    Changed {
        /// The space.
        space: Box<str>,
        /// The keyspace.
        keyspace: Box<str>,
        /// What is different: `kind`, `bytes` or `version`.
        what: &'static str,
        /// What it was.
        saved: Box<str>,
        /// What it would be.
        asked: Box<str>,
    },
    /// A keyspace that the database has is not in the layout.
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
        /// The first of them.
        rows: Vec<Unfit>,
        /// How many there are.
        total: u64,
    },
    /// The layouts do not go together.
    #[error(transparent)]
    Spaces(#[from] SpaceError),
    /// The database failed.
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
    /// Why.
    pub reason: Box<str>,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "store `{}`, key ", self.space)?;
        self.key.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ": {}", self.reason)
    }
}

/// How many rows that do not fit are told of.
const MOST_UNFIT: usize = 100;
/// What the keys of saved keyspaces begin with, in [`StoreId::META`]; space, NUL and name follow.
const PREFIX: &[u8] = b"keyspace/";

impl Layout<'_> {
    /// The spaces of a database with these layouts.
    ///
    /// # Errors
    /// If two of them want the same space: nobody has proved that their keys are apart.
    pub fn spaces_of(layouts: &[&Layout<'_>]) -> Result<Spaces, SpaceError> {
        Spaces::new(layouts.iter().flat_map(|layout| layout.spaces))
    }

    /// Every keyspace must be in a space of the layout, or nobody would ever compare it.
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
    /// Opens the database for layouts: compares them with what is saved, and saves keyspaces that
    /// are new. Everything that is saved for the spaces of the layouts must be in them unchanged.
    ///
    /// # Errors
    /// [`LayoutError`] says what is different. A space with rows that nothing was saved for has to
    /// be adopted, by [`Db::adopt`].
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

    /// Takes rows that are there without a saved layout into the layouts: gives every row to
    /// `check`, and saves the layouts if each one fits.
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

/// The keyspaces of a layout in one space that are not saved yet; all that are must be the same.
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

/// What is saved of a space, by the name of the keyspace.
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
