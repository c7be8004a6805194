//! Structures: each is checked when its first record is read.

use super::{Audit, FindingKind};
use crate::database::{DatabaseError, Entry, Writer};
use keyscape_layout::model::KeyspaceKind;
use keyscape_runtime::{StructureReport, record::Record};

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
        let writer = Writer { layout: base.layout, reader: &base.reader, with_entries: false };
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
