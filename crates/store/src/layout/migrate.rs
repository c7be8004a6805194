//! The rows of [`StoreId::META`] that describe a migration.
//!
//! | key | value |
//! |---|---|
//! | `migration` | the command that continues, NUL, the plan of the migration that runs |
//! | `migration-position` | the position of that migration |
//! | `migrated` | the last migration that ended |
//!
//! Plans and positions are bytes of the tool that migrates.

use super::{BuildState, Layout, saved, saved::MIGRATION, store_of};
use crate::{Read, ReadExt, StoreError, StoreErrorKind, StoreId, Tx};

const POSITION: &[u8] = b"migration-position";
const LAST: &[u8] = b"migrated";

/// A migration that has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedMigration {
    /// The command that continues it.
    pub command: String,
    /// Its plan.
    pub plan: Vec<u8>,
}

impl SavedMigration {
    /// Returns the migration that has begun and not ended, if there is one.
    ///
    /// # Errors
    /// Errors of the store, and [`Corrupt`](StoreErrorKind::Corrupt) if the row cannot be read.
    pub fn read(state: &(impl Read + ?Sized)) -> Result<Option<Self>, StoreError> {
        let Some(value) = state.get(StoreId::META, MIGRATION)? else { return Ok(None) };
        let at = value.iter().position(|byte| *byte == 0);
        let parts = at.map(|at| value.split_at(at));
        let read = parts.and_then(|(command, plan)| {
            let command = String::from_utf8(command.to_vec()).ok()?;
            Some(Self { command, plan: plan.get(1..)?.to_vec() })
        });
        let what = "the plan of a migration cannot be read";
        read.map(Some).ok_or_else(|| StoreErrorKind::Corrupt { what }.into())
    }

    /// Saves the migration. From then on the database can only be opened to continue it.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn begin(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let value = [self.command.as_bytes(), &[0], &self.plan].concat();
        tx.put(StoreId::META, MIGRATION, &value)
    }

    /// Ends the migration that has begun, and saves a description of it.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn end(tx: &mut Tx<'_>, description: &[u8]) -> Result<(), StoreError> {
        tx.delete(StoreId::META, MIGRATION)?;
        tx.delete(StoreId::META, POSITION)?;
        tx.put(StoreId::META, LAST, description)
    }

    /// Returns the description of the last migration that ended.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn last(state: &(impl Read + ?Sized)) -> Result<Option<Vec<u8>>, StoreError> {
        state.get(StoreId::META, LAST)
    }

    /// Returns the position of the migration that has begun.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn position(state: &(impl Read + ?Sized)) -> Result<Option<Vec<u8>>, StoreError> {
        state.get(StoreId::META, POSITION)
    }

    /// Saves the position of the migration that has begun.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn set_position(tx: &mut Tx<'_>, position: &[u8]) -> Result<(), StoreError> {
        tx.put(StoreId::META, POSITION, position)
    }
}

/// Replaces the saved layouts of some spaces. Each of the `unbuilt` indexes, by space and name, has
/// to be built; the others are built.
///
/// # Errors
/// Errors of the store, and if a keyspace is not in a space of its layout.
pub fn replace_layout(
    tx: &mut Tx<'_>,
    old_spaces: &[&str],
    new: &Layout<'_>,
    unbuilt: &[(&str, &str)],
) -> Result<(), StoreError> {
    new.check()?;
    for space in old_spaces.iter().chain(new.spaces) {
        for name in saved::keyspaces(tx, space)?.into_keys() {
            saved::forget_keyspace(tx, space, &name)?;
            saved::set_build(tx, space, &name, None)?;
        }
    }
    let mut stores: Vec<&str> = old_spaces.iter().map(|space| store_of(space)).collect();
    stores.sort_unstable();
    stores.dedup();
    saved::forget_texts(tx, &stores)?;
    new.keyspaces.iter().try_for_each(|keyspace| keyspace.save(tx))?;
    saved::save_text(tx, new)?;
    for (space, name) in unbuilt {
        saved::set_build(tx, space, name, Some(&BuildState::START))?;
    }
    Ok(())
}
