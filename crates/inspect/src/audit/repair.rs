//! Rewrites counts and ranks from the members.

use crate::database::{DatabaseError, Entry, OpenDatabase, Writer, structures};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind},
};
use std::ops::ControlFlow;

/// The number of structures that are read at once.
const BATCH: usize = 1024;

/// Rewrites the counts and ranks of all structures, each in a commit of its own. Returns the number
/// of structures. Calls `on_row` once for each record that is read.
pub fn rebuild_counts(
    base: &OpenDatabase<'_>,
    mut on_row: impl FnMut(),
) -> Result<u64, DatabaseError> {
    let mut rebuilt = 0;
    for id in base.layout.keyspace_ids().filter(|&id| has_counts(base.layout, id)) {
        let mut last = None;
        loop {
            let structures = structures(base, id, last.as_deref(), BATCH, || {
                on_row();
                ControlFlow::Continue(())
            })?;
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
