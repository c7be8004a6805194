//! Checks that every entry of an index has its row.

use super::{DatabaseError, Reader, indexes, space_name};
use keyscape_layout::{Layout, model::KeyspaceId};
use keyscape_store::{KeyRange, Read, ReadExt, StoreId};
use std::collections::BTreeSet;

/// An index that does not agree with its map after an import.
#[derive(Debug)]
pub(crate) struct Astray {
    pub(crate) index: String,
    pub(crate) map: String,
    /// Entries without a row.
    pub(crate) without_row: u64,
    /// The number of rows of the map, and of entries of the index.
    pub(crate) rows: u64,
    pub(crate) entries: u64,
}

/// Compares indexes with their maps: every entry must have a row, and there must be as many entries as
/// rows. Fields from values are not compared, because only the program can decode them.
pub(crate) fn check_entries(
    layout: &Layout,
    reader: &Reader<'_>,
    state: &impl Read,
    touched: &BTreeSet<KeyspaceId>,
) -> Result<Vec<Astray>, DatabaseError> {
    let mut astray = Vec::new();
    for &index in touched {
        let keyspace = layout.keyspace(index);
        let Some(map) = keyspace.of else { continue };
        let owners = StoreId::of(&space_name(layout, map));
        let (mut entries, mut without_row) = (0, 0);
        each(layout, reader, state, index, |key, value| {
            entries += 1;
            let owner = indexes::owner_key(layout, index, key, value);
            let there = match owner {
                Some((_, owner)) => state.contains(owners, &owner)?,
                None => false,
            };
            without_row += u64::from(!there);
            Ok(())
        })?;
        let mut rows = 0;
        each(layout, reader, state, map, |_, _| {
            rows += 1;
            Ok(())
        })?;
        if without_row > 0 || rows != entries {
            let (index, map) = (keyspace.name.clone(), layout.keyspace(map).name.clone());
            astray.push(Astray { index, map, without_row, rows, entries });
        }
    }
    Ok(astray)
}

/// Calls `visit` with each row of a keyspace.
fn each(
    layout: &Layout,
    reader: &Reader<'_>,
    state: &impl Read,
    id: KeyspaceId,
    mut visit: impl FnMut(&keyscape_layout::Record, &[u8]) -> Result<(), DatabaseError>,
) -> Result<(), DatabaseError> {
    let space = space_name(layout, id);
    let all = super::Wanted::all(id).prefix(layout)?;
    let mut rows = state.rows(StoreId::of(&space), KeyRange::prefix(&all))?;
    while let Some(row) = rows.next()? {
        match reader.read(&space, row.key, row.value) {
            Ok(entry) if entry.keyspace == id => visit(&entry.key, row.value)?,
            _ => {}
        }
    }
    Ok(())
}
