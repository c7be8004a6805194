//! Compares all rows of a database with its layout, in one pass over one snapshot.
//!
//! Every row is decoded and encoded again. A row of a map is compared with its index entries, and
//! an entry with its row, by point reads. The records of a structure are adjacent, and are compared
//! when the first of them is read. So the memory does not depend on the number of rows.

mod report;
mod statistics;
mod structures;

pub use report::{Finding, FindingKind, Findings, Report};
pub use statistics::{Size, Statistics};
pub use structures::rebuild_counts;

use crate::{
    database::{
        Body, DatabaseError, DynamicIndex, Entry, NO_KEYSPACE, OpenDatabase, SourceValue, Stored,
    },
    expected, many,
};
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{
    Expected,
    model::{KeyspaceId, Store},
};
use keyscape_runtime::record;
use keyscape_store::{KeyRange, Read, Row, StoreId};
use std::{collections::BTreeSet, num::NonZeroU64, ops::ControlFlow};

/// Options of an audit.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Checks one row of this many.
    pub sample: NonZeroU64,
    /// The maximum number of examples of each finding.
    pub examples: usize,
}

/// Audits a state of a database. Calls `on_row` once for each row, and ends early if it
/// breaks.
pub fn run(
    base: &OpenDatabase<'_>,
    state: &dyn Read,
    options: Options,
    mut on_row: impl FnMut() -> ControlFlow<()>,
) -> Result<Report, DatabaseError> {
    let mut audit = Audit::new(base, state, DynamicIndex::all(&base.reader), options.examples);
    let (mut rows, mut checked) = (0, 0);
    let mut is_complete = true;
    for index in &audit.indexes {
        if let Err(error) = base.refuse_unbuilt(index.id()) {
            let finding = (FindingKind::NotBuilt, space(base, index.id()), Some(index.id()));
            audit.findings.add(finding, &[], || error.to_string());
        }
    }
    'spaces: for (_, space) in base.db.spaces().iter().skip(1) {
        let mut cursor = state.rows(StoreId::of(space), KeyRange::all())?;
        let is_foreign = base.others.iter().any(|other| other == space);
        while let Some(row) = cursor.next()? {
            if on_row().is_break() {
                is_complete = false;
                break 'spaces;
            }
            if rows % options.sample == 0 {
                checked += 1;
                if is_foreign {
                    audit.findings.add(
                        (FindingKind::UnknownStore, space.to_owned(), None),
                        row.key,
                        || "the layout has no such store".to_owned(),
                    );
                } else {
                    audit.row(space, row)?;
                }
            }
            rows += 1;
        }
        audit.structure.clear();
    }
    if options.sample.get() == 1 && is_complete {
        audit.compare_counts();
    }
    let Audit { findings, mut statistics, .. } = audit;
    statistics.finish();
    Ok(Report { findings, statistics, rows, checked, is_complete })
}

/// Compares derived rows with their sources: the given indexes with their maps, and the records of
/// the given structures with each other.
pub fn derived(
    base: &OpenDatabase<'_>,
    state: &dyn Read,
    ids: &BTreeSet<KeyspaceId>,
) -> Result<Findings, DatabaseError> {
    let indexes = ids.iter().filter_map(|&id| DynamicIndex::new(&base.reader, id)).collect();
    let mut audit = Audit::new(base, state, indexes, EXAMPLES);
    let maps = audit.indexes.iter().map(DynamicIndex::map);
    let keyspaces: BTreeSet<KeyspaceId> = maps.chain(ids.iter().copied()).collect();
    for id in keyspaces {
        let space = space(base, id);
        base.reader.each(state, id, |row, entry| {
            audit.statistics.add(base.layout, &entry, row);
            audit.indexed(&space, &entry, row)?;
            if let (Body::Part { .. }, Ok(record)) = (&entry.body, record::split(row.key)) {
                audit.structure(&space, &entry, &record)?;
            }
            Ok::<_, DatabaseError>(())
        })?;
        audit.structure.clear();
    }
    audit.compare_counts();
    Ok(audit.findings)
}

/// The maximum number of examples of each finding of [`derived`].
const EXAMPLES: usize = 5;

fn space(base: &OpenDatabase<'_>, id: KeyspaceId) -> String {
    crate::database::space_name(base.layout, id)
}

/// A running audit.
struct Audit<'a> {
    base: &'a OpenDatabase<'a>,
    state: &'a dyn Read,
    indexes: Vec<DynamicIndex<'a>>,
    findings: Findings,
    statistics: Statistics,
    /// The start of the records of the current structure.
    structure: Vec<u8>,
}

impl<'a> Audit<'a> {
    fn new(
        base: &'a OpenDatabase<'a>,
        state: &'a dyn Read,
        indexes: Vec<DynamicIndex<'a>>,
        examples: usize,
    ) -> Self {
        Self {
            base,
            state,
            indexes,
            findings: Findings::new(examples),
            statistics: Statistics::default(),
            structure: Vec::new(),
        }
    }

    fn row(&mut self, space: &str, row: Row<'_>) -> Result<(), DatabaseError> {
        let store = space.split('/').next().unwrap_or(space);
        let layout = self.base.layout;
        let store = layout.stores.iter().find(|known| known.name == store);
        // In a store of structures, the prefixes of the layout are those of the structure's key.
        let split = store.filter(|store| store.structures).map(|_| record::split(row.key));
        let key = match &split {
            Some(Ok(record)) => record.structure.to_vec(),
            _ => row.key.to_vec(),
        };
        let is_retired = store.is_some_and(|store| self.retired(space, store, &key, row.key));
        let before = self.base.reader.ambiguous();
        let entry = match self.base.reader.read(space, row.key, row.value) {
            Ok(entry) => entry,
            Err(reason) => {
                if !is_retired {
                    self.unread(space, row.key, reason);
                }
                return Ok(());
            }
        };
        if let Some(store) = store {
            self.limit(space, store, &entry, &key, row.key);
        }
        self.statistics.add(layout, &entry, row);
        if self.base.reader.ambiguous() > before {
            let finding = (FindingKind::Ambiguous, space.to_owned(), Some(entry.keyspace));
            self.findings.add(finding, row.key, || "the key has several readings".to_owned());
        }
        self.value(space, &entry, row);
        self.indexed(space, &entry, row)?;
        if let (Some(Ok(record)), true) = (&split, matches!(entry.body, Body::Part { .. })) {
            self.structure(space, &entry, record)?;
        }
        Ok(())
    }

    /// Reports a key that does not decode, with the nearest keyspace.
    fn unread(&mut self, space: &str, key: &[u8], reason: &'static str) {
        let base = self.base;
        let Some((read, miss)) = base.reader.nearest(space, key) else {
            let finding = (FindingKind::UnknownKey, space.to_owned(), None);
            return self.findings.add(finding, key, || reason.to_owned());
        };
        // A keyspace that has read all its literals so far rejects a value of the field.
        let in_field = matches!(
            miss.expected,
            Expected::Field { .. } | Expected::Mismatch { .. } | Expected::Derived { .. }
        );
        let (kind, keyspace) = match (in_field && miss.offset > 0, reason == NO_KEYSPACE) {
            (_, false) => (FindingKind::Record, None),
            (true, _) => (FindingKind::Domain, Some(miss.keyspace)),
            (false, _) => (FindingKind::UnknownKey, None),
        };
        let text = || match kind {
            FindingKind::Record => reason.to_owned(),
            _ => format!("nearest: {}", expected::sentence(base.layout, &read, &miss)),
        };
        self.findings.add((kind, space.to_owned(), keyspace), key, text);
    }

    /// Reports rows under reserved and deprecated prefixes.
    fn retired(&mut self, space: &str, store: &Store, key: &[u8], stored: &[u8]) -> bool {
        let mut found = false;
        for namespace in &store.namespaces {
            for retired in &namespace.retired {
                let prefix = [&namespace.prefix[..], &retired.prefix].concat();
                if !key.starts_with(&prefix) {
                    continue;
                }
                found = true;
                let kind = if retired.deprecated {
                    FindingKind::Deprecated
                } else {
                    FindingKind::Reserved
                };
                self.findings.add((kind, space.to_owned(), None), stored, || {
                    format!("under 0x{}: {}", hex(&prefix), retired.reason)
                });
            }
        }
        found
    }

    /// Reports keys that are close to the limit of the backend.
    fn limit(&mut self, space: &str, store: &Store, entry: &Entry, key: &[u8], stored: &[u8]) {
        let Some(backend) = store.backend else { return };
        let bytes = if backend.has_structures { key.len() } else { stored.len() };
        let limit = backend.longest_key;
        let kind = match bytes {
            _ if bytes > limit || (bytes == 0 && !backend.empty_key) => FindingKind::TooLong,
            _ if bytes >= limit - limit / 10 => FindingKind::NearLimit,
            _ => return,
        };
        self.findings.add((kind, space.to_owned(), Some(entry.keyspace)), stored, || {
            format!("{bytes} bytes; {} allows {limit}", backend.name)
        });
    }

    /// Reports values of another form, and rows that encode to other bytes.
    fn value(&mut self, space: &str, entry: &Entry, row: Row<'_>) {
        let layout = self.base.layout;
        let id = entry.value_keyspace();
        let of = |kind| (kind, space.to_owned(), Some(id));
        if matches!(entry.value(), Some(Stored::Raw(_))) && layout.keyspace(id).value.is_some() {
            return self.findings.add(of(FindingKind::Value), row.key, || {
                format!("the value 0x{} does not decode", hex(shortened(row.value)))
            });
        }
        let text = match self.base.reader.encode(entry) {
            Ok((key, value)) if key == row.key && value == row.value => return,
            Ok((key, _)) if key != row.key => format!("its fields are encoded as {}", hex(&key)),
            Ok(_) => "its value is encoded as other bytes".to_owned(),
            Err(error) => {
                return self.findings.add(of(FindingKind::Domain), row.key, || error.to_string());
            }
        };
        self.findings.add(of(FindingKind::Canonical), row.key, || text);
    }

    /// Compares a row of a map with its entries, or an entry with its row.
    fn indexed(&mut self, space: &str, entry: &Entry, row: Row<'_>) -> Result<(), DatabaseError> {
        if !matches!(entry.body, Body::Row(_)) {
            return Ok(());
        }
        for index in &self.indexes {
            if !self.base.is_built(index.id()) {
                continue;
            }
            let of = |kind| (kind, space.to_owned(), Some(index.id()));
            if index.id() == entry.keyspace {
                if let Some(fault) =
                    index.entry_fault(self.state, &entry.key, row.key, row.value)?
                {
                    self.findings
                        .add(of(FindingKind::from(fault)), row.key, || fault.describe(None));
                }
            } else if index.map() == entry.keyspace {
                match index.row_faults(self.state, &entry.key, row.value) {
                    Ok(faults) => {
                        for (fault, key) in faults {
                            let text = || fault.describe(Some(&key));
                            self.findings.add(of(FindingKind::from(fault)), row.key, text);
                        }
                    }
                    Err(error @ DatabaseError::Store(_)) => return Err(error),
                    Err(DatabaseError::Extract { value: SourceValue::New, field, why, .. }) => {
                        self.findings.add(of(FindingKind::MissingField), row.key, || {
                            format!("the value does not provide `{field}`: {why}")
                        });
                    }
                    // Only the program can compute the entries.
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Compares the number of rows and entries of indexes that only the program can compute, if
    /// each row has one entry.
    fn compare_counts(&mut self) {
        for index in &self.indexes {
            let rows = self.statistics.rows(index.map());
            let entries = self.statistics.rows(index.id());
            let is_known = index.needs_program() && index.has_entry_per_row();
            if is_known && self.base.is_built(index.id()) && rows != entries {
                let finding =
                    (FindingKind::EntryCount, space(self.base, index.id()), Some(index.id()));
                let map = &self.base.layout.keyspace(index.map()).name;
                let (entries, rows) = (many(entries, "entry"), many(rows, "row"));
                let text = format!("{entries} for {rows} of `{map}`");
                self.findings.add(finding, &[], || text);
            }
        }
    }
}

/// The maximum number of bytes of a value in an example.
const MAX_BYTES: usize = 16;

fn shortened(value: &[u8]) -> &[u8] {
    value.get(..MAX_BYTES).unwrap_or(value)
}
