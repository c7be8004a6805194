//! Invariants of the index.
//!
//! Each invariant reads sets and hashes in order and looks up related rows, so memory does not grow
//! with the state. Only the check for cycles of spends holds the unconfirmed transactions.

mod outputs;
mod rows;
mod spends;
mod transactions;
mod undo;

pub use outputs::{dependents, events, merkle, outputs, satoshis, topics};
pub use rows::{rows, structures};
pub use spends::{spends, spent};
pub use transactions::{listings, places, positions};
pub use undo::undo;

use crate::{
    error::{Error, Shown},
    layout::txo::{Outpoint, Score, Txid},
};
use keyscape::{
    Prefix, Zset,
    listings::Scored,
    store::Read,
    traits::{Field, ScanRows, ZsetKeyspace},
};
pub use keyscape_sim::SHOWN;
use keyscape_sim::{Unlisted, joined};

/// A violation of an invariant. Events, topics and logs are texts, as in their keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// A structure with inconsistent records, such as a wrong count.
    #[error("`{keyspace}` at `{key}`: {faults} records do not agree; the first: {what}")]
    Structure {
        /// The keyspace.
        keyspace: &'static str,
        /// The key of the structure, with escapes.
        key: String,
        /// The number of faults.
        faults: u64,
        /// The first fault.
        what: &'static str,
    },
    /// A set contains an output that has no record of it.
    #[error("`{set}` has output {}, which {why}", Shown(.outpoint))]
    Orphan {
        /// The set.
        set: String,
        /// The output.
        outpoint: Outpoint,
        /// The missing record.
        why: &'static str,
    },
    /// An output has a record of a set that does not contain it.
    #[error("output {} is not in `{set}`, where it should be", Shown(.outpoint))]
    Unlisted {
        /// The output.
        outpoint: Outpoint,
        /// The set.
        set: String,
    },
    /// An output in a set has another score than its position in the chain or its transaction.
    #[error("output {} has the score {found:?} in `{set}` instead of {expected:?}", Shown(.outpoint))]
    Score {
        /// The output.
        outpoint: Outpoint,
        /// The set.
        set: String,
        /// The score in the set.
        found: Score,
        /// The expected score; `None` if no score is expected.
        expected: Option<Score>,
    },
    /// A transaction with different scores in two sets.
    #[error("transaction {txid} has the score {found:?} in `{set}` and {expected:?} elsewhere")]
    Place {
        /// The transaction.
        txid: Txid,
        /// The set.
        set: String,
        /// The score of the transaction, or of a part of it, in the set.
        found: Score,
        /// The score of the transaction.
        expected: Score,
    },
    /// An output without satoshis, or satoshis without an output.
    #[error("output {}: {why}", Shown(.outpoint))]
    Satoshis {
        /// The output.
        outpoint: Outpoint,
        /// The missing part.
        why: &'static str,
    },
    /// A spend that does not match the lists of spends.
    #[error("the spend of output {} by {spender}: {why}", Shown(.outpoint))]
    Spend {
        /// The output.
        outpoint: Outpoint,
        /// The spending transaction.
        spender: Txid,
        /// The difference.
        why: &'static str,
    },
    /// An output in two merkle states of one topic.
    #[error("output {} is in the merkle states {a} and {b} of topic `{topic}`", Shown(.outpoint))]
    TwoStates {
        /// The output.
        outpoint: Outpoint,
        /// The topic.
        topic: String,
        /// One state.
        a: u32,
        /// The other state.
        b: u32,
    },
    /// A topic or log that does not match the transaction's own list.
    #[error("transaction {txid} and `{set}`: {why}")]
    Listing {
        /// The transaction.
        txid: Txid,
        /// The set.
        set: String,
        /// The difference.
        why: &'static str,
    },
    /// A topic has applied a transaction without a dependency.
    #[error("topic `{topic}` has applied {txid}, but not {missing}, which it needs")]
    Dangling {
        /// The topic.
        topic: String,
        /// The transaction.
        txid: Txid,
        /// The dependency.
        missing: Txid,
    },
    /// A topic has applied a transaction that consumes an output that the topic has not admitted.
    #[error("topic `{topic}` has applied {txid}, but has not admitted output {}, which it consumes", Shown(.input))]
    MissingInput {
        /// The topic.
        topic: String,
        /// The transaction.
        txid: Txid,
        /// The output.
        input: Outpoint,
    },
    /// A transaction is confirmed in a block that has not begun.
    #[error("transaction {txid} is in block {height}, and the last block is {last}")]
    AboveTip {
        /// The transaction.
        txid: Txid,
        /// Its block.
        height: u32,
        /// The last block.
        last: u32,
    },
    /// Two transactions at one position of the chain.
    #[error("transactions {a} and {b} are both at height {height}, index {index}")]
    SamePosition {
        /// One transaction.
        a: Txid,
        /// The other transaction.
        b: Txid,
        /// The block.
        height: u32,
        /// The position in the block.
        index: u64,
    },
    /// A row that does not fit the layout.
    #[error("the row `{key}` of the store `{store}`: {why}")]
    Row {
        /// The store.
        store: &'static str,
        /// The key, with escapes.
        key: String,
        /// The reason.
        why: String,
    },
    /// An invalid field of an output.
    #[error("{what} of output {}: {why}", Shown(.outpoint))]
    Field {
        /// The output.
        outpoint: Outpoint,
        /// The field.
        what: String,
        /// The reason.
        why: String,
    },
    /// An invariant that could not be checked completely, because a row cannot be read.
    #[error("`{invariant}` could not be checked to its end: {why}")]
    Unchecked {
        /// The invariant.
        invariant: &'static str,
        /// The row and the reason.
        why: String,
    },
    /// Further violations of the same invariant.
    #[error("`{invariant}`: {count} more")]
    More {
        /// The invariant.
        invariant: &'static str,
        /// The number of further violations.
        count: u64,
    },
    /// An inconsistent undo store.
    #[error("undo unit {unit}: {why}")]
    Undo {
        /// The unit.
        unit: u64,
        /// The difference.
        why: &'static str,
    },
}

impl From<Unlisted> for Broken {
    fn from(unlisted: Unlisted) -> Broken {
        match unlisted {
            Unlisted::Unchecked { invariant, why } => Broken::Unchecked { invariant, why },
            Unlisted::More { invariant, count } => Broken::More { invariant, count },
        }
    }
}

/// The violations of one invariant.
type Breaches = keyscape_sim::Breaches<Broken>;

/// Checks all invariants and returns the violations: the first [`SHOWN`] of each, and the number of
/// further ones.
///
/// Unreadable rows are violations too. An invariant that cannot continue because of one is
/// [`Unchecked`](Broken::Unchecked); the others continue.
///
/// # Errors
/// If the store fails.
pub fn check(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut broken = rows(read)?;
    let reports = [
        ("structures", structures(read)),
        ("outputs", outputs(read)),
        ("events", events(read)),
        ("satoshis", satoshis(read)),
        ("topics", topics(read)),
        ("merkle", merkle(read)),
        ("dependents", dependents(read)),
        ("spends", spends(read)),
        ("spent", spent(read)),
        ("listings", listings(read)),
        ("places", places(read)),
        ("positions", positions(read)),
        ("undo", undo(read)),
    ];
    broken.extend(joined(reports, Error::is_corrupt)?);
    Ok(broken)
}

/// Visits every member of every sorted set of a scan.
fn each_member<K: ZsetKeyspace<Score = Score>, B: ScanRows<K>>(
    read: &impl Read,
    sets: &Prefix<K, B>,
    mut visit: impl FnMut(
        &K::Key<'_>,
        Scored<<K::Member as Field>::View<'_>, Score>,
    ) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut keys = sets.structures(read)?;
    while let Some(key) = keys.next_key()? {
        let mut members = Zset::<K>::new().members(key.clone()).scan(read)?;
        while let Some(row) = members.next_row()? {
            visit(&key, row)?;
        }
    }
    Ok(())
}
