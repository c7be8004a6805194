//! Rewrites counts and ranks from the members.

use crate::database::{Body, DatabaseError, Entry, OpenDatabase, Writer, space_name};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind},
};
use keyscape_runtime::record;
use keyscape_store::{KeyRange, Read, StoreId, prefix_end};
use std::ops::Bound;

/// The number of structures that are read at once.
const BATCH: usize = 1024;

/// Rewrites the counts and ranks of all structures, each in a commit of its own. Returns the number of
/// structures. Calls `on_row` once for each record that is read.
pub fn rebuild_counts(
    base: &OpenDatabase<'_>,
    mut on_row: impl FnMut(),
) -> Result<u64, DatabaseError> {
    let mut rebuilt = 0;
    for id in base.layout.keyspace_ids().filter(|&id| has_counts(base.layout, id)) {
        let mut last = None;
        loop {
            let structures = structures(base, id, last.as_deref(), &mut on_row)?;
            for (entry, _) in &structures {
                rebuild(base, entry)?;
                rebuilt += 1;
            }
            match structures.into_iter().nth(BATCH - 1) {
                Some((_, start)) => last = Some(start),
                None => break,
            }
        }
    }
    Ok(rebuilt)
}

fn has_counts(layout: &Layout, id: KeyspaceId) -> bool {
    matches!(layout.keyspace(id).kind, KeyspaceKind::Set | KeyspaceKind::Zset)
}

/// Returns the next structures of a keyspace, each with one of its records and the bytes that its
/// records begin with.
fn structures(
    base: &OpenDatabase<'_>,
    id: KeyspaceId,
    after: Option<&[u8]>,
    on_row: &mut impl FnMut(),
) -> Result<Vec<(Entry, Vec<u8>)>, DatabaseError> {
    let space = space_name(base.layout, id);
    let prefix = base.prefix(id)?;
    let state = base.db.read()?;
    let mut found: Vec<(Entry, Vec<u8>)> = Vec::new();
    let mut start_at = after.and_then(prefix_end).unwrap_or_else(|| prefix.clone());
    let end = prefix_end(&prefix);
    while found.len() < BATCH {
        let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let range = KeyRange::new(Bound::Included(&start_at), end);
        let mut rows = state.rows(StoreId::of(&space), range)?;
        let Some(row) = rows.next()? else { break };
        on_row();
        let start = match record::split(row.key) {
            Ok(split) if split.kind != record::Kind::Row => {
                let mut start = Vec::new();
                record::begin_structure(split.kind, &split.structure, &mut start);
                start
            }
            _ => row.key.to_vec(),
        };
        let entry = base.reader.read(&space, row.key, row.value).ok();
        if let Some(entry) = entry.filter(|entry| entry.keyspace == id && is_part(entry)) {
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

fn is_part(entry: &Entry) -> bool {
    matches!(entry.body, Body::Part { .. })
}

fn rebuild(base: &OpenDatabase<'_>, entry: &Entry) -> Result<(), DatabaseError> {
    let writer = Writer { layout: base.layout, reader: &base.reader, with_entries: false };
    base.db.write(|tx| {
        match base.layout.keyspace(entry.keyspace).kind {
            KeyspaceKind::Set => writer.set(entry)?.rebuild_counts(tx)?,
            KeyspaceKind::Zset => writer.zset(entry)?.rebuild_counts(tx)?,
            _ => {}
        }
        Ok::<_, DatabaseError>(())
    })
}
