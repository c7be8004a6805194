//! Builds an index from the rows of its map.

use crate::{
    Error, Index, IndexFault, IndexRows, Keyspace, MapRows,
    engine::{EntryList, Location},
    index::IndexedRow,
    index_check::{self, has_row, is_right},
};
use keyscape_store::{
    BuildError, BuildPhase, IndexSource, KeyRange, Read, Row, StoreError, StoreId, Tx,
};
use std::{borrow::Cow, ops::ControlFlow};

impl<I: IndexRows> IndexSource for Index<I> {
    fn rows(&self, state: &dyn Read) -> Result<u64, StoreError> {
        let range = KeyRange::prefix(<I::Map as MapRows>::PREFIX);
        let mut rows = state.rows(StoreId::of(<I::Map as Keyspace>::SPACE), range)?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            count += u64::from(<I::Map as Keyspace>::decode(row.key).is_ok());
        }
        Ok(count)
    }

    fn check(
        &self,
        state: &dyn Read,
        found: &mut dyn FnMut(&[u8], &str),
    ) -> Result<(), BuildError> {
        for fault in &index_check::check::<I>(state)?.first {
            match fault {
                IndexFault::Missing { row, .. } => found(row, "the row has no entry"),
                IndexFault::Wrong { entry, .. } => found(entry, "the entry has a wrong value"),
                IndexFault::Stray { entry } => found(entry, "the entry has no row"),
            }
        }
        Ok(())
    }

    fn prefix(&self, phase: BuildPhase) -> Result<(StoreId, Cow<'_, [u8]>), BuildError> {
        let (space, prefix) = match phase {
            BuildPhase::Clear => (I::SPACE, I::PREFIX),
            BuildPhase::Fill => (I::Map::SPACE, <I::Map as MapRows>::PREFIX),
        };
        Ok((StoreId::of(space), prefix.into()))
    }

    fn visit(&self, tx: &mut Tx<'_>, phase: BuildPhase, row: Row<'_>) -> Result<(), BuildError> {
        match phase {
            BuildPhase::Clear => clear_entry::<I>(tx, row)?,
            BuildPhase::Fill => fill_entries::<I>(tx, row)?,
        };
        Ok(())
    }
}

/// Rebuilds an index. Returns the number of entries that were put or deleted. The caller runs this
/// as an attempt, since it may fail in the middle.
pub(crate) fn rebuild<I: IndexRows>(tx: &mut Tx<'_>) -> Result<u64, Error> {
    let mut changed = 0;
    Location::of::<I>().walk(tx, KeyRange::prefix(I::PREFIX), |tx, row| {
        changed += clear_entry::<I>(tx, row)?;
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    let rows = KeyRange::prefix(<I::Map as MapRows>::PREFIX);
    Location::of::<I::Map>().walk(tx, rows, |tx, row| {
        changed += fill_entries::<I>(tx, row)?;
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(changed)
}

/// Deletes an entry without a row. Returns the number of deleted entries.
fn clear_entry<I: IndexRows>(tx: &mut Tx<'_>, row: Row<'_>) -> Result<u64, Error> {
    let Ok(key) = I::decode(row.key) else { return Ok(0) };
    if has_row::<I>(tx, &key, row)? {
        return Ok(0);
    }
    Location::of::<I>().delete(tx, row.key)?;
    Ok(1)
}

/// Puts the entries of a row that are missing or wrong. Returns their number.
fn fill_entries<I: IndexRows>(tx: &mut Tx<'_>, row: Row<'_>) -> Result<u64, Error> {
    let Ok(key) = <I::Map as Keyspace>::decode(row.key) else { return Ok(0) };
    let indexed = IndexedRow { key: &key, key_bytes: row.key, value: row.value };
    let mut changed = 0;
    EntryList::with(|list| {
        indexed.list_in::<I>(list)?;
        for entry in list.keys() {
            match is_right::<I>(tx, entry, &indexed)? {
                Some(true) => continue,
                // Entries without a row are deleted by now, so the entry belongs to another row.
                Some(false) if I::UNIQUE => return Err(Location::of::<I>().not_unique(entry)),
                _ => {}
            }
            Location::of::<I>().put(tx, entry, indexed.entry::<I>())?;
            changed += 1;
        }
        Ok(changed)
    })
}
