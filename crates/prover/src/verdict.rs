//! Claims, verdicts and counterexamples.

pub use crate::unknown::{EntryFault, Unknown};
use crate::{numeric::NumericText, partner::Partner, scan_query::Interval};
use keyscape_layout::{
    Backend, Datum, Record, Span,
    model::{KeyspaceId, StoreId},
};

/// Everything that was decided about a layout.
#[derive(Clone, Debug)]
pub struct Report {
    /// One claim after the other: by keyspace in source order, then by rule.
    pub claims: Vec<Claim>,
    /// Accepted claims that match no claim that fails: mistakes of the layout.
    pub idle_accepts: Vec<(KeyspaceId, Span)>,
    /// The units of work that all claims and fixes took; see [`Budget`](keyscape_automata::Budget).
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

/// A rule that claims follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// KS001: no byte string is a key of two keyspaces.
    Disjoint,
    /// KS002: no key has two readings.
    Unambiguous,
    /// KS003: a scan reads its rows and no others.
    ScanExact,
    /// KS004: byte order is logical order.
    Ordered,
    /// KS005: distinct values have distinct encodings.
    Lossless,
    /// KS006: no key is longer than the backend allows.
    Bounded,
    /// KS007: prefixes are used as the namespace allocates them.
    Allocated,
    /// KS008: no key is used with two kinds of structures.
    StructureTyped,
    /// KS009: an index has one entry of its own for each row of its map.
    Indexed,
    /// KS010: a split cuts each key exactly at its separators.
    Splittable,
}

impl Rule {
    /// All rules that are decided.
    pub const ALL: [Self; 10] = [
        Self::Disjoint,
        Self::Unambiguous,
        Self::ScanExact,
        Self::Ordered,
        Self::Lossless,
        Self::Bounded,
        Self::Allocated,
        Self::StructureTyped,
        Self::Indexed,
        Self::Splittable,
    ];

    /// Returns the rule with a code or name.
    #[must_use]
    pub fn find(code: &str) -> Option<Self> {
        let is_meant = |known: &str| known.eq_ignore_ascii_case(code);
        Self::ALL.into_iter().find(|rule| is_meant(rule.code()) || is_meant(rule.name()))
    }

    /// Returns its code, as layouts and reports write it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Disjoint => "KS001",
            Self::Unambiguous => "KS002",
            Self::ScanExact => "KS003",
            Self::Ordered => "KS004",
            Self::Lossless => "KS005",
            Self::Bounded => "KS006",
            Self::Allocated => "KS007",
            Self::StructureTyped => "KS008",
            Self::Indexed => "KS009",
            Self::Splittable => "KS010",
        }
    }

    /// Returns its claim in a few words.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Disjoint => "no byte string is a key of two keyspaces",
            Self::Unambiguous => "no key has two readings",
            Self::ScanExact => "a scan returns its rows and no others",
            Self::Ordered => "rows in byte order are rows in logical order",
            Self::Lossless => "distinct values of a field have distinct bytes",
            Self::Bounded => "no key is longer than the backend allows",
            Self::Allocated => "prefixes are used as the namespace allocates them",
            Self::StructureTyped => "no key is used with two kinds of structures",
            Self::Indexed => "an index has one entry of its own for each row of its map",
            Self::Splittable => "a split cuts each key exactly at its separators",
        }
    }

    /// Returns its name in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Disjoint => "disjoint",
            Self::Unambiguous => "unambiguous",
            Self::ScanExact => "scan-exact",
            Self::Ordered => "ordered",
            Self::Lossless => "lossless",
            Self::Bounded => "bounded",
            Self::Allocated => "allocated",
            Self::StructureTyped => "structure-typed",
            Self::Indexed => "indexed",
            Self::Splittable => "splittable",
        }
    }
}

/// A statement that the prover decides.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The rule.
    pub rule: Rule,
    /// The store.
    pub store: StoreId,
    /// The keyspace.
    pub keyspace: KeyspaceId,
    /// The scan, as an index into the keyspace's scans, for claims about one.
    pub scan: Option<usize>,
    /// The split, as an index into the keyspace's splits, for claims about one.
    pub split: Option<usize>,
    /// The field, for claims about one: its path, with the arms on the way.
    pub field: Option<String>,
    /// For a scan that is proved in its tight form only: what may follow its leading part. Reading
    /// everything that starts with the leading part would return foreign rows.
    pub tight: Option<Interval>,
    /// For such a scan: what refutes the plain form, if that is known.
    pub plain: Option<Box<Counterexample>>,
    /// Fields of a proved claim that look like numbers, of which the claim would not hold. These
    /// are warnings, and change no verdict.
    pub numeric: Vec<NumericText>,
    /// The place of the claim in the layout.
    pub span: Span,
    /// The verdict.
    pub verdict: Verdict,
    /// For KS001, KS007 and KS008: everything that keeps the claim from being proved, by the other
    /// keyspace. The claim is accepted if all of them are.
    pub partners: Vec<Partner>,
    /// The reason for which a failing claim is accepted.
    pub accepted: Option<String>,
    /// Why a refuted claim has no fix, where fixes were looked for.
    pub no_fix: Option<NoFix>,
}

impl Claim {
    /// Whether a counterexample was found that does not replay, which is a bug in the prover.
    #[must_use]
    pub fn is_bug(&self) -> bool {
        let is_bug = |reason: &Unknown| matches!(reason, Unknown::Bug { .. });
        matches!(&self.verdict, Verdict::Unknown(reason) if is_bug(reason))
            || self.partners.iter().filter_map(|p| p.undecided.as_ref()).any(is_bug)
    }

    /// Whether the claim is not decided, apart from what the layout accepts: its verdict is unknown,
    /// or only undecided partners are not accepted.
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

    /// The partners that the layout does not accept.
    pub fn open_partners(&self) -> impl Iterator<Item = &Partner> {
        self.partners.iter().filter(|partner| partner.accepted.is_none())
    }
}

/// Why a refuted claim has no fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoFix {
    /// None of the changes that were tried proves the claim and keeps what was proved.
    NothingProves,
    /// The limit on the search for fixes was reached.
    Limit,
}

impl NoFix {
    /// In words, as reports say it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NothingProves => "no single change that was tried proves it",
            Self::Limit => "the search for fixes reached its limit",
        }
    }
}

/// The decision about a claim.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It holds for all keys.
    Proved,
    /// It does not hold, and this shows it.
    Refuted(Box<Counterexample>),
    /// It was not decided.
    Unknown(Unknown),
}

/// A record that stores a part of a structure.
#[derive(Clone, Debug)]
pub struct StoredRecord {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its purpose: its family, or the field of a hash.
    pub form: String,
    /// Its parts besides the structure's key.
    pub rest: Record,
}

/// The evidence that refutes a claim.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The fault.
    pub fault: Fault,
    /// Whether no shorter counterexample exists.
    pub minimal: bool,
    /// Changes that have themselves been proved, best first.
    pub fixes: Vec<Fix>,
}

/// The fault that a counterexample shows.
#[derive(Clone, Debug)]
pub enum Fault {
    /// KS001: keys that other keyspaces have as well; at most 16.
    Disjoint {
        /// The collisions, one per other keyspace.
        collisions: Vec<Collision>,
        /// The number of further keyspaces that collide.
        more: usize,
    },
    /// KS002: one key with two readings.
    Unambiguous {
        /// One reading.
        a: Row,
        /// Another one of the same bytes.
        b: Row,
    },
    /// KS003: a row that a scan should not return, or does not.
    ScanExact {
        /// The fault of the row.
        fault: ScanFault,
        /// The leading fields that were asked for.
        asked: Record,
        /// The first key of the interval.
        start: Vec<u8>,
        /// The first key above it; `None` if there is none.
        end: Option<Vec<u8>>,
        /// The row.
        row: Row,
    },
    /// KS004: two rows whose bytes do not sort as their values do.
    Ordered {
        /// The row that is smaller in logical order.
        lower: Row,
        /// The row that is larger in logical order.
        higher: Row,
        /// The relation of the bytes.
        disorder: Disorder,
    },
    /// KS005: two values of a field with one encoding.
    Lossless {
        /// A value.
        a: Datum,
        /// Another value with the same bytes.
        b: Datum,
        /// The bytes of both.
        bytes: Vec<u8>,
    },
    /// KS006: a key that the backend does not take.
    Bounded {
        /// The backend.
        backend: &'static Backend,
        /// The key: too long, or empty. In a store of structures, the structure's key. If it is too
        /// long to be spelled, a shorter key of the same keyspace.
        row: Row,
        /// The length of the shortest key, or record, that is too long; 0 for an empty one.
        length: usize,
        /// A key that is too long, if the other one is empty.
        long: Option<Row>,
        /// In a store of structures, the record that is too long.
        record: Option<StoredRecord>,
    },
    /// KS007: a key outside what was allocated for it.
    Allocated {
        /// The fault of the key.
        fault: AllocationFault,
        /// The key.
        row: Row,
    },
    /// KS008: keys that structures of another kind have as well; at most 16.
    StructureTyped {
        /// The collisions, one per other keyspace.
        collisions: Vec<Collision>,
        /// The number of further keyspaces that collide.
        more: usize,
    },
    /// KS009: two rows of the map that have one entry in the index.
    Indexed {
        /// The first field of the map's key that the index does not carry and the rows differ in.
        missing: String,
        /// All other fields of the map's key that the index does not carry.
        others: Vec<String>,
        /// A row of the map.
        a: Row,
        /// Another one.
        b: Row,
        /// The entry of both.
        entry: Vec<u8>,
        /// The fields of the entry that come from the values of the rows.
        values: Record,
    },
    /// KS010: a row that a split cuts elsewhere than at its separators.
    Splittable {
        /// The row.
        row: Row,
        /// The offsets at which the split cuts the key.
        cuts: Vec<usize>,
        /// The offsets of the separators at which it should cut.
        separators: Vec<usize>,
    },
}

/// The fault of the prefix of a keyspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocationFault {
    /// The key lies outside the range that the keyspace is in.
    OutsideRange {
        /// The range: an index into the namespace's ranges.
        range: usize,
    },
    /// The keyspace stands in a nested namespace whose prefix is in no range of the outer one.
    Nested {
        /// The outer namespace: an index into the store's namespaces.
        namespace: usize,
        /// The nested one, in which the keyspace is.
        nested: usize,
    },
    /// The key has a prefix that may not be used.
    Retired {
        /// The namespace that says so: an index into the store's namespaces.
        namespace: usize,
        /// The prefix: an index into the namespace's retired prefixes.
        retired: usize,
    },
    /// The literal prefix of one keyspace begins with that of another.
    Comparable {
        /// The other keyspace.
        other: KeyspaceId,
    },
}

/// A key of two keyspaces.
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
    /// The bytes.
    pub key: Vec<u8>,
    /// The keyspace.
    pub keyspace: KeyspaceId,
    /// The fields.
    pub fields: Record,
}

/// The fault of a row of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanFault {
    /// It lies inside, but was not asked for.
    Foreign,
    /// It was asked for, but lies outside.
    Missed,
}

/// The way in which the bytes of two rows disagree with their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Disorder {
    /// The bytes are the other way round.
    Reversed,
    /// The bytes are the same.
    Tied,
}

/// A change of the layout that makes the claim true, and has been proved to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The lines to write: each declaration or clause that changes, on a line of its own.
    pub text: String,
    /// The place in the layout that it replaces.
    pub replaces: Span,
    /// The exact text for that place.
    pub edit: String,
    /// The effect on stored bytes.
    pub effect: Effect,
    /// The acceptances that match nothing once it is applied: `accept KS001 with b` of `a`.
    pub idle_accepts: Vec<String>,
}

/// The effect of a fix on stored bytes, in the order in which fixes are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing: other keys are asked for, and all values stay allowed.
    NothingStored,
    /// Keys get bytes that they did not have.
    BytesAdded,
    /// Keys are written in another way.
    TypeChanged,
    /// Keys keep their bytes, but fewer values are allowed: rows with other values are rejected.
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
