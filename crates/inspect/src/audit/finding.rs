//! Findings, grouped by kind and keyspace.

use crate::{database::IndexFault, document::facts::json::hex_text};
use keyscape_layout::model::KeyspaceId;
use keyscape_runtime::StructureFaultKind;
use serde::Serialize;
use std::collections::BTreeMap;

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    UnknownStore,
    UnknownKey,
    Domain,
    Ambiguous,
    Canonical,
    Value,
    Record,
    NotBuilt,
    MissingEntry,
    WrongEntry,
    DanglingEntry,
    StaleEntry,
    EntryCount,
    Partner,
    Count,
    Rank,
    Reserved,
    Deprecated,
    TooLong,
    NearLimit,
}

impl FindingKind {
    /// All kinds, in the order of a report.
    pub const ALL: [Self; 20] = [
        Self::UnknownStore,
        Self::UnknownKey,
        Self::Domain,
        Self::Ambiguous,
        Self::Canonical,
        Self::Value,
        Self::Record,
        Self::NotBuilt,
        Self::MissingEntry,
        Self::WrongEntry,
        Self::DanglingEntry,
        Self::StaleEntry,
        Self::EntryCount,
        Self::Partner,
        Self::Count,
        Self::Rank,
        Self::Reserved,
        Self::Deprecated,
        Self::TooLong,
        Self::NearLimit,
    ];

    /// Returns the name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownStore => "unknown-store",
            Self::UnknownKey => "unknown-key",
            Self::Domain => "outside-domain",
            Self::Ambiguous => "ambiguous-key",
            Self::Canonical => "not-canonical",
            Self::Value => "bad-value",
            Self::Record => "bad-record",
            Self::NotBuilt => "index-not-built",
            Self::MissingEntry => "missing-entry",
            Self::WrongEntry => "wrong-entry",
            Self::DanglingEntry => "dangling-entry",
            Self::StaleEntry => "stale-entry",
            Self::EntryCount => "entry-count",
            Self::Partner => "missing-partner",
            Self::Count => "wrong-count",
            Self::Rank => "wrong-rank",
            Self::Reserved => "reserved-prefix",
            Self::Deprecated => "deprecated-prefix",
            Self::TooLong => "key-too-long",
            Self::NearLimit => "key-near-limit",
        }
    }

    /// Describes the kind.
    pub const fn says(self) -> &'static str {
        match self {
            Self::UnknownStore => "rows of a store that the layout does not have",
            Self::UnknownKey => "keys that no keyspace has",
            Self::Domain => "rows with a field outside its domain",
            Self::Ambiguous => "keys with several readings",
            Self::Canonical => "rows that encode to other bytes",
            Self::Value => "values that do not have the declared form",
            Self::Record => "records that are not valid",
            Self::NotBuilt => "the index is not built",
            Self::MissingEntry => "rows without an index entry",
            Self::WrongEntry => "index entries with a wrong value",
            Self::DanglingEntry => "index entries without a row",
            Self::StaleEntry => "index entries of rows that have another entry",
            Self::EntryCount => "the number of index entries is not that of the rows",
            Self::Partner => "records of structures without their partner",
            Self::Count => "counts that disagree with the members",
            Self::Rank => "ranks that disagree with the members",
            Self::Reserved => "rows under a reserved prefix",
            Self::Deprecated => "rows under a deprecated prefix",
            Self::TooLong => "keys beyond the limits of the backend",
            Self::NearLimit => "keys near the longest that the backend allows",
        }
    }

    /// Whether the database is not what its layout says. Other findings are warnings.
    pub const fn is_wrong(self) -> bool {
        !matches!(self, Self::Deprecated | Self::NearLimit)
    }

    /// Returns `error` or `warning`.
    pub const fn level(self) -> &'static str {
        if self.is_wrong() { "error" } else { "warning" }
    }

    /// Whether `--repair indexes` rebuilds it.
    pub const fn is_of_index(self) -> bool {
        matches!(
            self,
            Self::NotBuilt
                | Self::MissingEntry
                | Self::WrongEntry
                | Self::DanglingEntry
                | Self::StaleEntry
        )
    }

    /// Whether the finding is about derived rows or about records of structures.
    pub const fn is_derived(self) -> bool {
        self.is_of_index()
            || matches!(
                self,
                Self::EntryCount | Self::Partner | Self::Count | Self::Rank | Self::Record
            )
    }

    /// Whether `--repair counts` rebuilds it.
    pub const fn is_of_counts(self) -> bool {
        matches!(self, Self::Count | Self::Rank)
    }
}

impl From<IndexFault> for FindingKind {
    fn from(fault: IndexFault) -> Self {
        match fault {
            IndexFault::Missing => Self::MissingEntry,
            IndexFault::Wrong => Self::WrongEntry,
            IndexFault::Dangling => Self::DanglingEntry,
            IndexFault::Stale => Self::StaleEntry,
        }
    }
}

impl From<StructureFaultKind> for FindingKind {
    fn from(kind: StructureFaultKind) -> Self {
        match kind {
            StructureFaultKind::Record => Self::Record,
            StructureFaultKind::Partner => Self::Partner,
            StructureFaultKind::Count => Self::Count,
            StructureFaultKind::Rank => Self::Rank,
        }
    }
}

/// The kind, the space and the keyspace of a finding.
type Subject = (FindingKind, String, Option<KeyspaceId>);

/// All findings of one kind in one keyspace.
#[derive(Clone, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    pub space: String,
    pub keyspace: Option<KeyspaceId>,
    pub count: u64,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// A row, and what is wrong with it.
#[derive(Clone, Debug, Serialize)]
pub struct Example {
    #[serde(serialize_with = "hex_text")]
    pub key: Vec<u8>,
    pub text: String,
}

/// Groups of findings.
#[derive(Debug)]
pub struct Findings {
    groups: BTreeMap<Subject, (u64, Vec<Example>)>,
    examples: usize,
}

impl Findings {
    /// Collects findings with at most `examples` examples of each kind.
    pub fn new(examples: usize) -> Self {
        Self { groups: BTreeMap::new(), examples }
    }

    /// Counts a finding. Builds the text of an example only if it is kept.
    pub fn add(&mut self, subject: Subject, key: &[u8], text: impl FnOnce() -> String) {
        let (count, examples) = self.groups.entry(subject).or_default();
        *count += 1;
        if examples.len() < self.examples {
            examples.push(Example { key: key.to_vec(), text: text() });
        }
    }

    /// Counts findings of which no examples are known.
    pub fn add_more(&mut self, subject: Subject, more: u64) {
        if more > 0 {
            self.groups.entry(subject).or_default().0 += more;
        }
    }

    /// Lists the groups by kind.
    pub fn iter(&self) -> impl Iterator<Item = Finding> + '_ {
        self.groups.iter().map(|((kind, space, keyspace), (count, examples))| Finding {
            kind: *kind,
            space: space.clone(),
            keyspace: *keyspace,
            count: *count,
            examples: examples.clone(),
        })
    }

    /// Keeps the findings about what is derived.
    pub fn only_derived(mut self) -> Self {
        self.groups.retain(|(kind, ..), _| kind.is_derived());
        self
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether the database is what its layout says.
    pub fn are_harmless(&self) -> bool {
        !self.groups.keys().any(|(kind, ..)| kind.is_wrong())
    }
}
