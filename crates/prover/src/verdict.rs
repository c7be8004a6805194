//! Claims, verdicts and counterexamples.

pub use crate::unknown::{EntryFault, Unknown};
use crate::{accept::Partner, numeric::NumericText, rules, scan_query::Interval};
use keyscape_layout::{
    Backend, Datum, Record, Span,
    model::{KeyspaceId, StoreId},
};

/// The result of checking a layout.
#[derive(Clone, Debug)]
pub struct Report {
    /// The claims, by keyspace in source order, then by rule.
    pub claims: Vec<Claim>,
    /// The acceptances that match no failing claim. They are errors of the layout.
    pub idle_accepts: Vec<(KeyspaceId, Span)>,
    /// The units of work of all claims and fixes, see [`Budget`](keyscape_automata::Budget).
    pub work: usize,
}

impl Report {
    /// Returns the number of claims that are not accepted and whose verdict satisfies the test.
    pub fn count(&self, test: impl Fn(&Verdict) -> bool) -> usize {
        self.claims.iter().filter(|c| c.accepted.is_none() && test(&c.verdict)).count()
    }

    /// Whether every claim is proved or accepted, and no acceptance is idle.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.idle_accepts.is_empty() && self.count(|v| !matches!(v, Verdict::Proved)) == 0
    }
}

rules! {
    /// A rule about layouts.
    pub enum Rule {
        Disjoint = "KS001" "disjoint" "no byte string is a key of two keyspaces",
        Unambiguous = "KS002" "unambiguous" "no key has two readings",
        ScanExact = "KS003" "scan-exact" "a scan returns its rows and no others",
        Ordered = "KS004" "ordered" "rows in byte order are rows in logical order",
        Lossless = "KS005" "lossless" "distinct values of a field have distinct bytes",
        Bounded = "KS006" "bounded" "no key is longer than the backend allows",
        Allocated = "KS007" "allocated" "prefixes are used as the namespace allocates them",
        StructureTyped = "KS008" "structure-typed" "no key is used with two kinds of structures",
        Indexed = "KS009" "indexed" "each row of a map has its own entries in an index",
        Splittable = "KS010" "splittable" "a split cuts each key exactly at its separators",
    }
}

/// A statement that the prover decides.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The rule of the claim.
    pub rule: Rule,
    /// The store of the keyspace.
    pub store: StoreId,
    /// The keyspace of the claim.
    pub keyspace: KeyspaceId,
    /// The index of the scan in the keyspace, for claims about scans.
    pub scan: Option<usize>,
    /// The index of the split in the keyspace, for claims about splits.
    pub split: Option<usize>,
    /// The path of the field, including arms, for claims about fields.
    pub field: Option<String>,
    /// The interval after the leading part, for a scan that is exact only in its tight form. The
    /// plain form would return foreign rows.
    pub tight: Option<Interval>,
    /// The counterexample of the plain form, for a scan with `tight`, if known.
    pub plain: Option<Box<Counterexample>>,
    /// The text fields of a proved claim that look like numbers. The claim would not hold for the
    /// order of numbers. These warnings change no verdict.
    pub numeric: Vec<NumericText>,
    /// The place of the claim in the layout.
    pub span: Span,
    /// The verdict on the claim.
    pub verdict: Verdict,
    /// The partners for which a claim of KS001, KS007 or KS008 is not proved. The claim is accepted
    /// if all partners are accepted.
    pub partners: Vec<Partner>,
    /// The reason why a failing claim is accepted.
    pub accepted: Option<String>,
    /// The reason why a refuted claim has no fix, if fixes were searched.
    pub no_fix: Option<NoFix>,
}

impl Claim {
    /// Whether a counterexample does not replay, which is a bug in the prover.
    #[must_use]
    pub fn is_bug(&self) -> bool {
        let is_bug = |reason: &Unknown| matches!(reason, Unknown::Bug { .. });
        matches!(&self.verdict, Verdict::Unknown(reason) if is_bug(reason))
            || self.partners.iter().filter_map(|p| p.undecided.as_ref()).any(is_bug)
    }

    /// Whether the claim is undecided, apart from accepted partners. Its verdict is unknown, or all
    /// partners that are not accepted are undecided.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        match &self.verdict {
            Verdict::Proved => false,
            Verdict::Unknown(_) => true,
            Verdict::Refuted(_) => {
                self.open_partners().next().is_some()
                    && self.open_partners().all(|partner| partner.undecided.is_some())
            }
        }
    }

    /// Returns the partners that the layout does not accept.
    pub fn open_partners(&self) -> impl Iterator<Item = &Partner> {
        self.partners.iter().filter(|partner| partner.accepted.is_none())
    }
}

/// The reason why a refuted claim has no fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoFix {
    /// No tried change proves the claim without breaking another one.
    NothingProves,
    /// The search for fixes reached its limit.
    Limit,
}

impl NoFix {
    /// Returns the description for reports.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NothingProves => "no single change that was tried proves it",
            Self::Limit => "the search for fixes reached its limit",
        }
    }
}

/// The verdict on a claim.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The claim holds for all keys.
    Proved,
    /// The claim does not hold for this counterexample.
    Refuted(Box<Counterexample>),
    /// The claim is not decided.
    Unknown(Unknown),
}

impl Verdict {
    /// Returns the verdict for a fault, without fixes.
    pub(crate) fn refuted(fault: Fault, minimal: bool) -> Self {
        Self::Refuted(Box::new(Counterexample { fault, minimal, fixes: Vec::new() }))
    }
}

/// A record that stores a part of a structure.
#[derive(Clone, Debug)]
pub struct StoredRecord {
    /// The bytes of the record.
    pub bytes: Vec<u8>,
    /// The family of the record, or the field of a hash.
    pub form: String,
    /// The parts of the record besides the structure's key.
    pub rest: Record,
}

/// The evidence that refutes a claim.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The fault that refutes the claim.
    pub fault: Fault,
    /// Whether no shorter counterexample exists.
    pub minimal: bool,
    /// Proved fixes, best first.
    pub fixes: Vec<Fix>,
}

/// The fault that a counterexample shows.
#[derive(Clone, Debug)]
pub enum Fault {
    /// KS001 and KS008: keys that belong to other keyspaces as well, at most 16.
    Disjoint {
        /// The collisions, one per other keyspace.
        collisions: Vec<Collision>,
        /// The number of further colliding keyspaces.
        more: usize,
    },
    /// KS002: a key with two readings.
    Unambiguous {
        /// One reading.
        a: Row,
        /// Another reading of the same bytes.
        b: Row,
    },
    /// KS003: a row that a scan returns wrongly, or misses.
    ScanExact(ScannedRow),
    /// KS004: two rows whose byte order contradicts the order of their values.
    Ordered {
        /// The row that is smaller in logical order.
        lower: Row,
        /// The row that is larger in logical order. Its key is smaller, or equal.
        higher: Row,
    },
    /// KS005: two values of a field with the same encoding.
    Lossless {
        /// A value.
        a: Datum,
        /// Another value with the same bytes.
        b: Datum,
        /// The bytes of both values.
        bytes: Vec<u8>,
    },
    /// KS006: a key that the backend rejects.
    Bounded {
        /// The backend.
        backend: &'static Backend,
        /// The key, which is too long or empty. In a store of structures, the structure's key. If
        /// the key is too long to construct, a shorter key of the same keyspace.
        row: Row,
        /// The length of the shortest key or record that is too long, or 0 for an empty key.
        length: usize,
        /// A key that is too long, if `row` has the empty key and such a key can be constructed.
        long: Option<Row>,
        /// In a store of structures, the record that is too long.
        record: Option<StoredRecord>,
    },
    /// KS007: a key that violates the rules of its namespaces.
    Allocated {
        /// The fault of the key.
        fault: AllocationFault,
        /// The key.
        row: Row,
    },
    /// KS009: two rows of the map that have the same entry in the index.
    Indexed {
        /// The first field of the map's key that the index lacks and in which the rows differ.
        missing: String,
        /// All other fields of the map's key that the index lacks.
        others: Vec<String>,
        /// A row of the map.
        a: Row,
        /// Another row of the map.
        b: Row,
        /// The entry of both rows.
        entry: Vec<u8>,
        /// The fields of the entry that come from the values of the rows.
        values: Record,
    },
    /// KS010: a row that a split cuts at other offsets than those of its separators.
    Splittable {
        /// The row.
        row: Row,
        /// The offsets at which the split cuts the key.
        cuts: Vec<usize>,
        /// The offsets of the separators.
        separators: Vec<usize>,
    },
}

impl Fault {
    /// Returns all rows of the counterexample.
    #[must_use]
    pub fn rows(&self) -> Vec<&Row> {
        match self {
            Self::Disjoint { collisions, .. } => {
                collisions.iter().flat_map(|found| [&found.here, &found.there]).collect()
            }
            Self::Unambiguous { a, b } | Self::Indexed { a, b, .. } => vec![a, b],
            Self::Ordered { lower, higher, .. } => vec![lower, higher],
            Self::Bounded { row, long, .. } => std::iter::once(row).chain(long).collect(),
            Self::ScanExact(ScannedRow { row, .. })
            | Self::Allocated { row, .. }
            | Self::Splittable { row, .. } => vec![row],
            Self::Lossless { .. } => Vec::new(),
        }
    }
}

/// The fault of the prefix of a keyspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocationFault {
    /// The key is outside the range of the keyspace.
    OutsideRange {
        /// The range: an index into the namespace's ranges.
        range: usize,
    },
    /// The prefix of a nested namespace around the keyspace is in no range of the outer namespace.
    Nested {
        /// The outer namespace: an index into the store's namespaces.
        namespace: usize,
        /// The nested namespace around the keyspace.
        nested: usize,
    },
    /// The key has a prefix that may not be used.
    Retired {
        /// The namespace with the retired prefix: an index into the store's namespaces.
        namespace: usize,
        /// The prefix: an index into the namespace's retired prefixes.
        retired: usize,
    },
    /// The literal prefix of one keyspace is a prefix of the literal prefix of another.
    Comparable {
        /// The other keyspace.
        other: KeyspaceId,
    },
}

/// A key that two keyspaces share.
#[derive(Clone, Debug)]
pub struct Collision {
    /// This keyspace's reading.
    pub here: Row,
    /// The other keyspace's reading of the same bytes.
    pub there: Row,
}

/// A key and one reading of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The bytes of the key.
    pub key: Vec<u8>,
    /// The keyspace of the reading.
    pub keyspace: KeyspaceId,
    /// The values of the fields.
    pub fields: Record,
}

/// A row that a scan returns wrongly, or misses.
#[derive(Clone, Debug)]
pub struct ScannedRow {
    /// The fault of the row.
    pub fault: ScanFault,
    /// The requested leading fields, inside their composites.
    pub asked: Record,
    /// The interval that the scan reads.
    pub interval: Interval,
    /// The row.
    pub row: Row,
}

/// The fault of a row of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanFault {
    /// The interval contains the row, but the scan must not return it.
    Foreign,
    /// The scan must return the row, but the interval does not contain it.
    Missed,
}

/// A change of the layout that proves the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The changed declarations and clauses, one per line.
    pub text: String,
    /// The place in the layout to replace.
    pub replaces: Span,
    /// The replacement text.
    pub edit: String,
    /// The effect on stored bytes.
    pub effect: Effect,
    /// The acceptances that the fix makes idle: `accept KS001 with b` of `a`.
    pub idle_accepts: Vec<String>,
}

/// The effect of a fix on stored bytes, in the order in which fixes are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Stored keys stay the same: only scans ask for other keys, and all values stay allowed.
    NothingStored,
    /// Keys get additional bytes.
    BytesAdded,
    /// Keys have another encoding.
    TypeChanged,
    /// Keys keep their bytes, but fewer values are allowed. Rows with other values are rejected.
    Narrowed,
}

impl Effect {
    /// Returns the phrase that reports use.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NothingStored => "no stored byte changes",
            Self::BytesAdded => "bytes are added to stored keys",
            Self::TypeChanged => "stored keys change",
            Self::Narrowed => "no stored byte changes; values outside are rejected",
        }
    }
}
