//! The rows of [`StoreId::META`] that describe the layouts of a database.
//!
//! | key | value |
//! |---|---|
//! | `keyspace/` space NUL name | version in eight bytes, fingerprint, kind, NUL, text |
//! | `layout/` name | names of stores separated by spaces, NUL, text |
//! | `index/` space NUL name | the position of a build; an index without this row is built |
//! | `migration`, `migration-position`, `migrated` | a migration, see [`migrate`](super::migrate) |
//!
//! Databases of earlier versions have `keyspace/` rows only.

use super::{BuildState, KeyspaceInfo, Layout, store_of};
use crate::{KeyRange, Read, ReadExt, StoreError, StoreErrorKind, StoreId, Tx};
use std::collections::BTreeMap;

const KEYSPACE: &[u8] = b"keyspace/";
const LAYOUT: &[u8] = b"layout/";
const INDEX: &[u8] = b"index/";
/// The key of the row in [`StoreId::META`] that a migration writes when it begins, and deletes when
/// it ends. A database with this row cannot be opened.
pub const MIGRATION: &[u8] = b"migration";

/// The saved text of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedText {
    /// The name of the layout.
    pub name: String,
    /// The stores that this text describes. The text may declare others, which a newer text
    /// describes.
    pub stores: Vec<String>,
    /// The text.
    pub text: String,
}

/// Returns the saved texts of a database, by name of the layout. A database of an earlier version
/// has none.
///
/// ```
/// use keyscape_store::{Db, Layout, Memory, saved_texts};
///
/// let shop = Layout { text: "store shop", spaces: &["shop"], ..Layout::named("shop") };
/// let db = Db::new(Memory::new(Layout::spaces_of(&[&shop])?));
/// db.admit(&[&shop])?;
/// assert_eq!(saved_texts(&db.read()?)?[0].text, "store shop");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Errors of the store, and [`Corrupt`](StoreErrorKind::Corrupt) if a text cannot be read.
pub fn saved_texts(state: &(impl Read + ?Sized)) -> Result<Vec<SavedText>, StoreError> {
    let mut rows = state.rows(StoreId::META, KeyRange::prefix(LAYOUT))?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next()? {
        let name = String::from_utf8_lossy(&row.key[LAYOUT.len()..]).into_owned();
        let value = std::str::from_utf8(row.value).ok().and_then(|text| text.split_once('\0'));
        let Some((stores, text)) = value else {
            let what = "a saved layout cannot be read";
            return Err(StoreErrorKind::Corrupt { what }.into());
        };
        let stores = stores.split_whitespace().map(str::to_owned).collect();
        texts.push(SavedText { name, stores, text: text.to_owned() });
    }
    Ok(texts)
}

/// Saves the text of a layout, unless it is saved already. Texts that described the same stores no
/// longer describe them.
pub(super) fn save_text(tx: &mut Tx<'_>, layout: &Layout<'_>) -> Result<(), StoreError> {
    if layout.text.is_empty() {
        return Ok(());
    }
    let new = SavedText {
        name: layout.name.to_owned(),
        stores: layout.stores().into_iter().map(str::to_owned).collect(),
        text: layout.text.to_owned(),
    };
    if saved_texts(tx)?.contains(&new) {
        return Ok(());
    }
    forget_texts(tx, &layout.stores())?;
    let others = saved_texts(tx)?;
    let is_taken = |name: &str| name == new.name || others.iter().any(|text| text.name == name);
    // A text of the same name that still describes another store gets that store's name.
    if let Some(other) = others.iter().find(|other| other.name == new.name) {
        let store = other.stores.first().map_or("", String::as_str);
        let (mut name, mut number) = (store.to_owned(), 1);
        while is_taken(&name) {
            number += 1;
            name = format!("{store}-{number}");
        }
        SavedText { name, ..other.clone() }.save(tx)?;
    }
    new.save(tx)
}

/// Removes stores from the saved texts. Deletes the texts that describe no other stores.
pub(super) fn forget_texts(tx: &mut Tx<'_>, stores: &[&str]) -> Result<(), StoreError> {
    for mut saved in saved_texts(tx)? {
        let before = saved.stores.len();
        saved.stores.retain(|store| !stores.contains(&store.as_str()));
        if saved.stores.is_empty() {
            tx.delete(StoreId::META, &saved.key())?;
        } else if saved.stores.len() < before {
            saved.save(tx)?;
        }
    }
    Ok(())
}

/// Lists the stores of which a database has saved a layout, sorted.
///
/// ```
/// use keyscape_store::{Db, Memory, Spaces, saved_stores};
///
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// assert!(saved_stores(&db.read()?)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Errors of the store.
pub fn saved_stores(state: &(impl Read + ?Sized)) -> Result<Vec<Box<str>>, StoreError> {
    let mut rows = state.rows(StoreId::META, KeyRange::prefix(KEYSPACE))?;
    let mut stores: Vec<Box<str>> = Vec::new();
    while let Some(row) = rows.next()? {
        let name = row.key[KEYSPACE.len()..].split(|byte| *byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name);
        let store = store_of(&name);
        if stores.last().is_none_or(|last| **last != *store) {
            stores.push(store.into());
        }
    }
    stores.sort();
    stores.dedup();
    Ok(stores)
}

/// Reads the saved keyspaces of a space, by name.
pub(super) fn keyspaces(
    state: &(impl Read + ?Sized),
    space: &str,
) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
    let prefix = key(KEYSPACE, space, "");
    let mut rows = state.rows(StoreId::META, KeyRange::prefix(&prefix))?;
    let mut saved = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let name = String::from_utf8_lossy(&row.key[prefix.len()..]).into_owned();
        saved.insert(name, row.value.to_vec());
    }
    Ok(saved)
}

/// Returns the position of the build of an index; `None` if the index is built.
pub(super) fn build(
    state: &(impl Read + ?Sized),
    space: &str,
    name: &str,
) -> Result<Option<BuildState>, StoreError> {
    let Some(value) = state.get(StoreId::META, &key(INDEX, space, name))? else { return Ok(None) };
    let what = "the state of an index cannot be read";
    let corrupt = || StoreError::new(StoreErrorKind::Corrupt { what }).in_keyspace(name.to_owned());
    BuildState::decode(&value).map(Some).ok_or_else(corrupt)
}

/// Saves the position of the build of an index; `None` marks the index as built.
pub(super) fn set_build(
    tx: &mut Tx<'_>,
    space: &str,
    name: &str,
    state: Option<&BuildState>,
) -> Result<(), StoreError> {
    let key = key(INDEX, space, name);
    match state {
        Some(state) => tx.put(StoreId::META, &key, &state.encode()),
        None => tx.delete(StoreId::META, &key),
    }
}

/// Deletes the row of a keyspace.
pub(super) fn forget_keyspace(tx: &mut Tx<'_>, space: &str, name: &str) -> Result<(), StoreError> {
    tx.delete(StoreId::META, &key(KEYSPACE, space, name))
}

fn key(family: &[u8], space: &str, name: &str) -> Vec<u8> {
    [family, space.as_bytes(), &[0], name.as_bytes()].concat()
}

impl SavedText {
    fn key(&self) -> Vec<u8> {
        [LAYOUT, self.name.as_bytes()].concat()
    }

    /// Saves the names of the stores separated by spaces, a NUL, and the text.
    fn save(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let value = [self.stores.join(" ").as_bytes(), &[0], self.text.as_bytes()].concat();
        tx.put(StoreId::META, &self.key(), &value)
    }
}

impl<'a> KeyspaceInfo<'a> {
    /// Saves the version in eight bytes, the fingerprint, the kind, a NUL, and the text.
    pub(super) fn save(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let version = self.version.to_be_bytes();
        let value =
            [&version[..], &self.fingerprint, self.kind.as_bytes(), &[0], self.text.as_bytes()];
        tx.put(StoreId::META, &key(KEYSPACE, self.space, self.name), &value.concat())
    }

    pub(super) fn decode(
        space: &'a str,
        name: &'a str,
        value: &'a [u8],
    ) -> Option<KeyspaceInfo<'a>> {
        let (version, rest) = value.split_first_chunk()?;
        let (fingerprint, rest) = rest.split_first_chunk()?;
        let (kind, text) = std::str::from_utf8(rest).ok()?.split_once('\0')?;
        let version = u64::from_be_bytes(*version);
        Some(KeyspaceInfo { space, name, kind, text, fingerprint: *fingerprint, version })
    }
}
