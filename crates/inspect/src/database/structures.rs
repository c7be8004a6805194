//! Lists structures: hashes, sets, zsets and queues.

use super::{DatabaseError, Entry, OpenDatabase, space_name};
use keyscape_layout::model::KeyspaceId;
use keyscape_runtime::record;
use keyscape_store::{KeyRange, Read, StoreId, prefix_end};
use std::ops::{Bound, ControlFlow};

/// Returns the next structures of a keyspace, each with one of its records and the bytes that its
/// records begin with. Reads one record of each structure, and calls `on_row` for each.
///
/// # Errors
/// Returns errors of the database.
pub fn structures(
    base: &OpenDatabase<'_>,
    id: KeyspaceId,
    after: Option<&[u8]>,
    limit: usize,
    mut on_row: impl FnMut() -> ControlFlow<()>,
) -> Result<Vec<(Entry, Vec<u8>)>, DatabaseError> {
    let space = space_name(base.layout, id);
    let prefix = base.prefix(id)?;
    let state = base.db.read()?;
    let mut found: Vec<(Entry, Vec<u8>)> = Vec::new();
    let mut start_at = after.and_then(prefix_end).unwrap_or_else(|| prefix.clone());
    let end = prefix_end(&prefix);
    while found.len() < limit && on_row().is_continue() {
        let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let range = KeyRange::new(Bound::Included(&start_at), end);
        let mut rows = state.rows(StoreId::of(&space), range)?;
        let Some(row) = rows.next()? else { break };
        let start = match record::split(row.key) {
            Ok(split) if split.kind != record::Kind::Row => {
                let mut start = Vec::new();
                record::begin_structure(split.kind, &split.structure, &mut start);
                start
            }
            _ => row.key.to_vec(),
        };
        let entry = base.reader.read(&space, row.key, row.value).ok();
        if let Some(entry) = entry.filter(|entry| entry.keyspace == id) {
            found.push((entry, start.clone()));
        }
        drop(rows);
        match prefix_end(&start) {
            Some(next) => start_at = next,
            None => break,
        }
    }
    Ok(found)
}
