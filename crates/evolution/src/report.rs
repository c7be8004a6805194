//! The rules about a change, and the result of a comparison.

use crate::correspondence::Correspondence;
use keyscape_automata::OverBudget;
use keyscape_layout::{
    Backend, Record,
    model::{KeyspaceId, StoreId},
};
use keyscape_prover::{Row, rules};

rules! {
    /// A rule about a change from an old layout to a new one.
    pub enum Rule {
        Lost = "KS101" "lost" "every stored key has a reading in the new layout",
        Reread = "KS102" "reread" "every stored key is read as before",
        Captured = "KS103" "captured" "no new keyspace contains rows of another keyspace",
        Value = "KS104" "value" "the values of stored rows can be read",
        Index = "KS105" "index" "no index has to be built, and none leaves entries behind",
        Forward = "KS106" "forward" "the old program can read the rows that the new one writes",
        Order = "KS107" "order" "scans keep their order, and cursors of pages stay valid",
        Retired = "KS108" "retired" "retired prefixes stay retired",
        Access = "KS109" "access" "scans and indexes that programs call still exist",
        Limit = "KS110" "limit" "stored rows fit the limits of the new backend",
    }
}

/// The compatibility that a change must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// The new program reads the rows that exist.
    #[default]
    Backward,
    /// The old program reads the rows that the new one writes.
    Forward,
    /// Both.
    Full,
    /// Both, while old and new programs run at the same time. The old program does not maintain an
    /// index that only the new layout has.
    Rolling,
}

impl Level {
    /// All levels.
    pub const ALL: [Self; 4] = [Self::Backward, Self::Forward, Self::Full, Self::Rolling];

    /// Returns the name, such as `backward`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Backward => "backward",
            Self::Forward => "forward",
            Self::Full => "full",
            Self::Rolling => "rolling",
        }
    }

    /// Whether a change must have no finding of this rule to reach the level. No level requires the
    /// rules about order and names, because they concern the sources of programs.
    #[must_use]
    pub const fn requires(self, rule: Rule) -> bool {
        match rule {
            Rule::Order | Rule::Access => false,
            Rule::Forward => !matches!(self, Self::Backward),
            _ => !matches!(self, Self::Forward),
        }
    }
}

/// The result of comparing two layouts.
#[derive(Clone, Debug)]
pub struct Report {
    /// The findings, by rule and then in the order of the layouts.
    pub findings: Vec<Finding>,
    /// The counterparts.
    pub correspondence: Correspondence,
    /// The units of work that the comparison took; see [`Budget`](keyscape_automata::Budget).
    pub work: usize,
}

impl Report {
    /// Returns the findings that a level does not allow.
    pub fn of_level(&self, level: Level) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| level.requires(finding.rule))
    }
}

/// An effect of a change, or a question about the change that is not decided.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The old keyspace.
    pub old: Option<KeyspaceId>,
    /// The new keyspace.
    pub new: Option<KeyspaceId>,
    /// The evidence, or the reason why the question is undecided.
    pub fault: Result<Fault, Unknown>,
    /// Whether no shorter key is a counterexample.
    pub minimal: bool,
}

impl Finding {
    /// Whether the finding shows a bug in Keyscape: two of its parts contradict each other.
    #[must_use]
    pub const fn is_bug(&self) -> bool {
        matches!(self.fault, Err(Unknown::Bug { .. }))
    }
}

/// The part of a keyspace that a finding concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The keys.
    Key,
    /// The members of a structure.
    Member,
    /// The scores of a structure.
    Score,
}

/// Two readings of the same bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Readings {
    /// The reading in the old layout.
    pub old: Row,
    /// The reading in the new layout.
    pub new: Row,
}

/// The evidence of a finding.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// KS101: a row of the old layout whose key, member or score has no reading in the new one.
    Lost {
        /// The part.
        part: Part,
        /// The row. For a member or score, only its bytes and value.
        row: Row,
    },
    /// KS102: a key, member or score with two readings.
    Reread {
        /// The part.
        part: Part,
        /// The readings.
        readings: Readings,
    },
    /// KS103: a key of an old keyspace that a new keyspace reads.
    Captured {
        /// The readings.
        readings: Readings,
    },
    /// KS104: a form of values that the new layout does not read.
    Value(ValueFault),
    /// KS105.
    Index(IndexFault),
    /// KS106.
    Forward(ForwardFault),
    /// KS107.
    Order(OrderFault),
    /// KS108.
    Retired(RetiredFault),
    /// KS109.
    Access(AccessFault),
    /// KS110: a row that was allowed and exceeds the limit of the new backend.
    Limit {
        /// The new backend.
        backend: &'static Backend,
        /// A row with a key over the limit, or a shorter row if such a key is too long to show.
        row: Row,
        /// The length of the shortest key over the limit; 0 for the empty key.
        length: usize,
    },
}

/// A form of values that is not read.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueFault {
    /// The form that is written, as the layout writes it.
    pub written: String,
    /// The forms that are read.
    pub read: Vec<String>,
    /// A value that shows the difference, if the layouts know both forms.
    pub example: Option<ValueExample>,
}

/// A value that is not read, or read as another value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueExample {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The value as it was written, in the field `value`.
    pub written: Record,
    /// The value as it is read, if it can be read.
    pub read: Option<Record>,
}

/// KS105: the effect on an index.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexFault {
    /// The index is new, so it has to be built.
    Added,
    /// The new layout lacks the index, and its entries remain stored.
    Removed,
    /// The entries of existing rows change, so the index has to be built again.
    Changed(IndexChange),
    /// A structure is `counted` or `ranked` now, so these records have to be built.
    RecordsAdded(&'static str),
    /// A structure is no longer `counted` or `ranked`, and these records remain stored.
    RecordsRemoved(&'static str),
}

/// The change of an index.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexChange {
    /// The index belongs to another map.
    Map,
    /// The index has another field, or takes the values of a field from another source.
    Field(String),
    /// The field accepts more values, so rows without an entry need one.
    Wider(String),
    /// The value of its entries differs.
    Value,
    /// The index is unique now, and existing rows may contain duplicates.
    Unique,
    /// An entry is no longer read.
    Lost(Row),
    /// An entry is read as an entry of other fields.
    Reread(Box<Readings>),
}

/// KS106: the reason why the old program cannot read a row of the new one.
#[derive(Clone, Debug, PartialEq)]
pub enum ForwardFault {
    /// The old layout has no reading of a key, member or score.
    Unread {
        /// The part.
        part: Part,
        /// The row. For a member or score, only its bytes and value.
        row: Row,
    },
    /// The old layout reads a key, member or score differently.
    Misread {
        /// The part.
        part: Part,
        /// The readings.
        readings: Readings,
    },
    /// The old layout does not read the value.
    Value(ValueFault),
}

/// KS107: the effect on the rows of a scan.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderFault {
    /// Two rows change their order.
    Order {
        /// The scan, by its name in the old layout.
        scan: String,
        /// The row that came first, with its old key.
        first: Row,
        /// The row that came second, with its old key.
        second: Row,
        /// The new keys of both.
        new_keys: (Vec<u8>, Vec<u8>),
    },
    /// A row has another key, so a cursor of a page points elsewhere.
    Cursor {
        /// The row, with its old key.
        row: Row,
        /// Its new key.
        new_key: Vec<u8>,
    },
    /// The keyspace has another name, which cursors contain.
    Renamed,
}

/// KS108: a prefix that the old layout retires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetiredPlace {
    /// The store, in the old layout.
    pub store: StoreId,
    /// The namespace.
    pub namespace: String,
    /// The whole prefix.
    pub prefix: Vec<u8>,
    /// Whether rows may still exist under it.
    pub deprecated: bool,
    /// The reason that the old layout gives.
    pub reason: String,
}

/// KS108: the reason why a retired prefix is no longer safe.
#[derive(Clone, Debug, PartialEq)]
pub enum RetiredFault {
    /// A keyspace uses the prefix.
    Used(RetiredPlace, Row),
    /// The new layout does not retire the prefix.
    Dropped(RetiredPlace),
}

/// KS109: an access that programs can no longer use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessFault {
    /// A scan, by its name in the old layout.
    Scan(String),
    /// An index.
    Index,
}

/// The reason why a question is not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The search exceeded its budget.
    Budget(OverBudget),
    /// The automata of these codecs contain more than their encodings, and no real key was found.
    Inexact {
        /// The codecs, as written in layouts.
        codecs: Vec<String>,
    },
    /// The values that two codecs read from the same bytes could not be compared.
    Values,
    /// The rows that were tried keep their order.
    Order,
    /// Two parts of Keyscape contradict each other about this key.
    Bug {
        /// The key.
        key: Vec<u8>,
    },
}

impl From<OverBudget> for Unknown {
    fn from(over: OverBudget) -> Self {
        Self::Budget(over)
    }
}
