//! Checks structures, and rewrites their counts and ranks from the members.

use super::{Audit, FindingKind};
use crate::database::{DatabaseError, Entry, OpenDatabase, Writer, structures};
use keyscape_layout::model::{KeyspaceId, KeyspaceKind};
use keyscape_runtime::{StructureReport, record::Record};
use std::ops::ControlFlow;

impl Audit<'_> {
    /// Checks the structure of a record, unless it is the one of the last record.
    pub(super) fn structure(
        &mut self,
        space: &str,
        entry: &Entry,
        record: &Record<'_>,
    ) -> Result<(), DatabaseError> {
        let mut start = vec![record.kind.byte()];
        start.extend_from_slice(&record.structure);
        if start == self.structure {
            return Ok(());
        }
        self.structure = start;
        let base = self.base;
        let writer = Writer { reader: &base.reader, with_entries: false };
        let (id, state) = (entry.keyspace, self.state);
        let is_member = |bytes: &[u8]| base.reader.member(id, bytes).is_ok();
        let is_score = |bytes: &[u8]| base.reader.score(id, bytes).is_ok();
        let report = match base.layout.keyspace(id).kind {
            KeyspaceKind::Set => writer.set(entry)?.check(state, is_member)?,
            KeyspaceKind::Zset => writer.zset(entry)?.check(state, is_member, is_score)?,
            KeyspaceKind::Queue => {
                writer.queue(id, &entry.key)?.check(state, is_member, is_score)?
            }
            _ => StructureReport::default(),
        };
        for fault in &report.first {
            let finding = (FindingKind::from(fault.kind), space.to_owned(), Some(id));
            self.findings.add(finding, &fault.record, || fault.what.to_owned());
        }
        let listed = report.first.len() as u64;
        let finding = (FindingKind::Record, space.to_owned(), Some(id));
        self.findings.add_more(finding, report.faults.saturating_sub(listed));
        Ok(())
    }
}

/// The number of structures that are read at once.
const BATCH: usize = 1024;

/// Rewrites the counts and ranks of all structures, each in a commit of its own. Returns the number
/// of structures. Calls `on_row` once for each record that is read.
pub fn rebuild_counts(
    base: &OpenDatabase<'_>,
    mut on_row: impl FnMut(),
) -> Result<u64, DatabaseError> {
    let mut rebuilt = 0;
    let has_counts = |id: &KeyspaceId| {
        matches!(base.layout.keyspace(*id).kind, KeyspaceKind::Set | KeyspaceKind::Zset)
    };
    for id in base.layout.keyspace_ids().filter(has_counts) {
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

fn rebuild(base: &OpenDatabase<'_>, entry: &Entry) -> Result<(), DatabaseError> {
    let writer = Writer { reader: &base.reader, with_entries: false };
    base.db.write(|tx| {
        match base.layout.keyspace(entry.keyspace).kind {
            KeyspaceKind::Set => writer.set(entry)?.rebuild_counts(tx)?,
            KeyspaceKind::Zset => writer.zset(entry)?.rebuild_counts(tx)?,
            _ => {}
        }
        Ok::<_, DatabaseError>(())
    })
}
