//! The reasons for which a claim is not decided.

use crate::verdict::Row;
use keyscape_layout::model::KeyspaceId;

/// The reason for which a claim is not decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Unknown {
    /// A search or construction exceeded its budget.
    Budget(keyscape_automata::OverBudget),
    /// The automata of these codecs accept more than the encodings, and no real key was found.
    Inexact {
        /// The codecs, as written in layouts.
        codecs: Vec<String>,
    },
    /// The scan encodes a field with another codec than the key, and no tried value is a
    /// counterexample.
    OtherCodec {
        /// The number of values that were tried.
        tried: usize,
    },
    /// An `also` keyspace has the leading fields at other places of its key.
    AlsoElsewhere {
        /// The `also` keyspace.
        keyspace: KeyspaceId,
    },
    /// An index lacks fields of its map's key, but distinguishes all rows that were tried.
    Rows {
        /// The number of rows that were tried.
        tried: usize,
    },
    /// Rows of a map could have no entry in an index, or several.
    Entry {
        /// The field of the map's key that causes this.
        field: String,
        /// The kind of fault.
        fault: EntryFault,
        /// A row of the map without an entry, if one was found.
        row: Option<Box<Row>>,
    },
    /// The values of index entries do not follow from the rows of the map.
    EntryValue,
    /// The key of an index or of its map is not proved to be unambiguous. Two rows may have the
    /// same entry, or one row several.
    Ambiguous {
        /// The keyspace whose key is ambiguous.
        keyspace: KeyspaceId,
    },
    /// An index takes a field from the values of its map, which are not proved to be unambiguous.
    /// Two programs may take different fields from one value.
    AmbiguousValue {
        /// The map.
        map: KeyspaceId,
    },
    /// A codec does not know its order.
    Order {
        /// The codec, as written in layouts.
        codec: String,
        /// The reason for which the order is unknown.
        reason: &'static str,
    },
    /// A counterexample was found, but its key has too many readings to replay.
    Readings {
        /// The key of the counterexample.
        key: Vec<u8>,
    },
    /// A counterexample was found that does not replay. This is a bug in the prover.
    Bug {
        /// The key of the counterexample.
        key: Vec<u8>,
    },
}

/// The reason why a row of a map may have several entries, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryFault {
    /// Values with the same row key can have different entries.
    Several,
    /// The index does not accept every value that the field has in the map.
    Rejected,
    /// Rows with some combination of optional parts have no entry.
    Absent,
}
