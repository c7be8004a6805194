//! The reasons for which a claim is not decided.

use crate::verdict::Row;
use keyscape_layout::model::KeyspaceId;

/// Why a claim was not decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Unknown {
    /// The search would have grown too large.
    Budget(keyscape_automata::OverBudget),
    /// The automata of these codecs hold more than their encodings, and no real key was found.
    Inexact {
        /// The codecs, as written in layouts.
        codecs: Vec<String>,
    },
    /// The scan asks with other bytes than the key's, and the values that were tried show nothing.
    OtherCodec {
        /// The number of values that were tried.
        tried: usize,
    },
    /// Rows of an `also` keyspace have their fields elsewhere in the key.
    AlsoElsewhere {
        /// The keyspace.
        keyspace: KeyspaceId,
    },
    /// An index does not carry all fields of its map's key, and the rows that were tried are told
    /// apart all the same.
    Rows {
        /// The number of rows that were tried.
        tried: usize,
    },
    /// Rows of a map could have no entry in an index, or several.
    Entry {
        /// The field of the map's key because of which.
        field: String,
        /// The reason.
        fault: EntryFault,
        /// A row of the map without an entry, if one was found.
        row: Option<Box<Row>>,
    },
    /// The values of index entries do not follow from the rows of the map.
    EntryValue,
    /// The key of an index or of its map is not proved to be unambiguous, so that two rows may have one
    /// entry, or one row several.
    Ambiguous {
        /// The keyspace whose key is ambiguous.
        keyspace: KeyspaceId,
    },
    /// A codec does not know its order.
    Order {
        /// The codec, as written in layouts.
        codec: String,
        /// Why not.
        reason: &'static str,
    },
    /// A counterexample was found, but its key has more readings than are looked at, and the one
    /// that shows it is not among those.
    Readings {
        /// The key.
        key: Vec<u8>,
    },
    /// A counterexample was found that does not replay. This is a bug in the prover.
    Bug {
        /// The key.
        key: Vec<u8>,
    },
}

/// The reason why a row of a map may have several entries, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryFault {
    /// Values that are one row of the map can be several entries.
    Several,
    /// The index does not accept every value that the field has in the map.
    Rejected,
    /// Rows with some combination of optional parts have no entry.
    Absent,
}
