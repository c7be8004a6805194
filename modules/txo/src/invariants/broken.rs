//! Invariants that do not hold, in words.

use crate::{
    error::Shown,
    layout::txo::{Outpoint, Score, Txid},
};

/// An invariant that does not hold: what, and where. Events, topics and logs are texts, as they
/// stand in their keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// The records of a structure do not agree, its count for instance.
    #[error("`{keyspace}` at `{key}`: {faults} records do not agree; the first: {what}")]
    Structure {
        /// The keyspace.
        keyspace: &'static str,
        /// The key of the structure, with escapes.
        key: String,
        /// How many faults there are.
        faults: u64,
        /// What the first one is.
        what: &'static str,
    },
    /// A set has an output that does not say so.
    #[error("`{set}` has output {}, which {why}", Shown(.outpoint))]
    Orphan {
        /// The set.
        set: String,
        /// The output.
        outpoint: Outpoint,
        /// What the output lacks.
        why: &'static str,
    },
    /// An output says that a set has it, which is not so.
    #[error("output {} is not in `{set}`, where it should be", Shown(.outpoint))]
    Unlisted {
        /// The output.
        outpoint: Outpoint,
        /// The set.
        set: String,
    },
    /// The score of an output in a set is not that of its place in the chain, or of its transaction.
    #[error("output {} has the score {found:?} in `{set}` instead of {expected:?}", Shown(.outpoint))]
    Score {
        /// The output.
        outpoint: Outpoint,
        /// The set.
        set: String,
        /// Its score there.
        found: Score,
        /// What it should be; `None` if there should be none.
        expected: Option<Score>,
    },
    /// A transaction has one score in some set and another one in another.
    #[error("transaction {txid} has the score {found:?} in `{set}` and {expected:?} elsewhere")]
    Place {
        /// The transaction.
        txid: Txid,
        /// The set.
        set: String,
        /// The score of the transaction, or of something of it, there.
        found: Score,
        /// The score of the transaction.
        expected: Score,
    },
    /// An output is known and its satoshis are not, or the other way round.
    #[error("output {}: {why}", Shown(.outpoint))]
    Satoshis {
        /// The output.
        outpoint: Outpoint,
        /// What is missing.
        why: &'static str,
    },
    /// A spend and the lists of spends do not agree.
    #[error("the spend of output {} by {spender}: {why}", Shown(.outpoint))]
    Spend {
        /// The output.
        outpoint: Outpoint,
        /// The transaction that spends it.
        spender: Txid,
        /// What does not agree.
        why: &'static str,
    },
    /// An output is in two merkle states of one topic.
    #[error("output {} is in the merkle states {a} and {b} of topic `{topic}`", Shown(.outpoint))]
    TwoStates {
        /// The output.
        outpoint: Outpoint,
        /// The topic.
        topic: String,
        /// A state.
        a: u32,
        /// Another one.
        b: u32,
    },
    /// A topic or log has a transaction whose own list does not say so, or the other way round.
    #[error("transaction {txid} and `{set}`: {why}")]
    Listing {
        /// The transaction.
        txid: Txid,
        /// The set.
        set: String,
        /// What does not agree.
        why: &'static str,
    },
    /// A row is none of the layout.
    #[error("the row `{key}` of the store `{store}`: {why}")]
    Row {
        /// The store.
        store: &'static str,
        /// The key, with escapes.
        key: String,
        /// What is wrong with it.
        why: String,
    },
    /// A field of an output is none that operations write.
    #[error("{what} of output {}: {why}", Shown(.outpoint))]
    Field {
        /// The output.
        outpoint: Outpoint,
        /// The field.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// An invariant could not be checked to its end, because of a row that cannot be read.
    #[error("`{invariant}` could not be checked to its end: {why}")]
    Unchecked {
        /// The invariant.
        invariant: &'static str,
        /// The row, and what is wrong with it.
        why: String,
    },
    /// More of the same.
    #[error("`{invariant}`: {count} more")]
    More {
        /// The invariant.
        invariant: &'static str,
        /// How many more breaches there are.
        count: u64,
    },
    /// What is kept to take operations back does not agree.
    #[error("undo unit {unit}: {why}")]
    Undo {
        /// The unit.
        unit: u64,
        /// What does not agree.
        why: &'static str,
    },
}

/// How many breaches of an invariant are reported one by one.
pub const SHOWN: usize = 100;

/// Breaches of one invariant.
pub(super) struct Breaches {
    invariant: &'static str,
    first: Vec<Broken>,
    more: u64,
}

impl Breaches {
    pub(super) fn of(invariant: &'static str) -> Breaches {
        Breaches { invariant, first: Vec::new(), more: 0 }
    }

    pub(super) fn push(&mut self, broken: Broken) {
        if self.first.len() < SHOWN { self.first.push(broken) } else { self.more += 1 }
    }

    pub(super) fn reported(mut self) -> Vec<Broken> {
        if self.more > 0 {
            self.first.push(Broken::More { invariant: self.invariant, count: self.more });
        }
        self.first
    }
}
