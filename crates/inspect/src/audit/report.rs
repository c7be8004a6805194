//! The report of an audit: findings, grouped by kind and keyspace, and sizes.

use super::{Size, Statistics};
use crate::{claim_json::present, database::IndexFault, document::facts::json::hex_text};
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{Layout, model::KeyspaceId};
use keyscape_runtime::StructureFaultKind;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The result of an audit.
#[derive(Debug)]
pub struct Report {
    pub findings: Findings,
    pub statistics: Statistics,
    /// The number of rows, and of those that were checked.
    pub rows: u64,
    pub checked: u64,
    /// Whether all rows were read.
    pub is_complete: bool,
}

impl Report {
    /// Returns the report as one JSON object.
    pub fn object(&self, layout: &Layout) -> Value {
        let findings = self.findings.iter().map(|finding| {
            json!({
                "kind": finding.kind.name(),
                "level": finding.kind.level(),
                "says": finding.kind.says(),
                "store": finding.space,
                "keyspace": finding.keyspace.map(|id| &layout.keyspace(id).name),
                "count": finding.count,
                "examples": finding.examples,
            })
        });
        let sized = |id: KeyspaceId, size: Size, prefix: Option<String>| {
            let keyspace = layout.keyspace(id);
            present(json!({
                "store": layout.store(keyspace.store).name,
                "keyspace": keyspace.name,
                "rows": size.rows,
                "key_bytes": size.key_bytes,
                "value_bytes": size.value_bytes,
                "prefix": prefix,
            }))
        };
        let keyspaces = self.statistics.keyspaces().into_iter();
        let prefixes = self.statistics.prefixes().into_iter();
        let prefixes = prefixes.map(|one| sized(one.keyspace, one.size, Some(hex(&one.prefix))));
        json!({
            "rows": self.rows,
            "checked": self.checked,
            "ok": self.findings.are_harmless(),
            "findings": findings.collect::<Vec<_>>(),
            "keyspaces": keyspaces.map(|(id, size)| sized(id, size, None)).collect::<Vec<_>>(),
            "prefixes": prefixes.collect::<Vec<_>>(),
        })
    }
}

/// Declares the kinds of findings, each with its name in output and its description.
macro_rules! kinds {
    ($($kind:ident = $name:literal $about:literal,)*) => {
        /// The kinds of findings, in the order of a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum FindingKind {
            $($kind,)*
        }

        impl FindingKind {
            /// All kinds.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$kind),*];

            /// Returns the name in output.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Describes the kind.
            pub const fn says(self) -> &'static str {
                match self {
                    $(Self::$kind => $about,)*
                }
            }
        }
    };
}

kinds! {
    UnknownStore = "unknown-store" "rows of a store that the layout does not have",
    UnknownKey = "unknown-key" "keys that no keyspace has",
    Domain = "outside-domain" "rows with a field outside its domain",
    Ambiguous = "ambiguous-key" "keys with several readings",
    Canonical = "not-canonical" "rows that encode to other bytes",
    Value = "bad-value" "values that do not have the declared form",
    MissingField = "missing-field" "rows whose value does not provide a field of the index",
    Record = "bad-record" "records that are not valid",
    NotBuilt = "index-not-built" "the index is not built",
    MissingEntry = "missing-entry" "rows without an index entry",
    WrongEntry = "wrong-entry" "index entries with a wrong value",
    DanglingEntry = "dangling-entry" "index entries without a row",
    StaleEntry = "stale-entry" "index entries of rows that have another entry",
    EntryCount = "entry-count" "the number of index entries is not that of the rows",
    Partner = "missing-partner" "records of structures without their partner",
    Count = "wrong-count" "counts that disagree with the members",
    Rank = "wrong-rank" "ranks that disagree with the members",
    Reserved = "reserved-prefix" "rows under a reserved prefix",
    Deprecated = "deprecated-prefix" "rows under a deprecated prefix",
    TooLong = "key-too-long" "keys beyond the limits of the backend",
    NearLimit = "key-near-limit" "keys near the longest that the backend allows",
}

impl FindingKind {
    /// Whether the database contradicts its layout. Other findings are warnings.
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
    /// The first ones.
    pub examples: Vec<Example>,
}

impl Finding {
    /// Returns the keyspace, or the space if no keyspace is known.
    pub fn place(&self, layout: &Layout) -> String {
        self.keyspace.map_or_else(|| self.space.clone(), |id| layout.full_name(id))
    }
}

/// A row with a description of its fault.
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

    /// Counts a finding. Builds the text only for the first examples.
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

    /// Removes the findings that are not about derived rows.
    pub fn only_derived(mut self) -> Self {
        self.groups.retain(|(kind, ..), _| kind.is_derived());
        self
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether no finding contradicts the layout.
    pub fn are_harmless(&self) -> bool {
        !self.groups.keys().any(|(kind, ..)| kind.is_wrong())
    }
}
