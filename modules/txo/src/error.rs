//! Errors of operations.

use crate::layout::txo::{Outpoint, Txid};
use keyscape::store::StoreError;
use std::fmt;

/// A rejected operation or a failure of the store. The operation has written nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store failed, or a stored row does not fit the layout.
    #[error(transparent)]
    Store(#[from] keyscape::Error),
    /// The output is unknown.
    #[error("output {} is unknown: save it first", Dotted(*.0))]
    UnknownOutput(Outpoint),
    /// The transaction is unknown.
    #[error("transaction {0} is unknown")]
    UnknownTransaction(Txid),
    /// The amount of an output never changes.
    #[error(
        "output {} has {stored} satoshis, not {given}: the amount of an output never changes",
        Dotted(*.outpoint)
    )]
    OtherAmount {
        /// The output.
        outpoint: Outpoint,
        /// The stored amount.
        stored: u64,
        /// The given amount.
        given: u64,
    },
    /// Another transaction has spent the output.
    #[error("output {} is spent by {by}, so {given} cannot spend it", Dotted(*.outpoint))]
    AlreadySpent {
        /// The output.
        outpoint: Outpoint,
        /// The transaction that has spent it.
        by: Txid,
        /// The given transaction.
        given: Txid,
    },
    /// A transaction cannot spend its own output.
    #[error("a transaction cannot spend its own output {}", Dotted(*.0))]
    OwnOutput(Outpoint),
    /// A transaction cannot precede a transaction whose output it spends.
    #[error(
        "transaction {spender} spends an output of {parent} and cannot precede it in the chain: confirm {parent} first"
    )]
    SpendBeforeOutput {
        /// The transaction with the output.
        parent: Txid,
        /// The spending transaction.
        spender: Txid,
    },
    /// A confirmed transaction cannot spend an output of an unconfirmed one.
    #[error(
        "transaction {spender} is confirmed and spends an output of {parent}, which is not: confirm {parent} first"
    )]
    UnconfirmedParent {
        /// The transaction with the output.
        parent: Txid,
        /// The spending transaction.
        spender: Txid,
    },
    /// A spend that would make a transaction its own ancestor.
    #[error("transaction {spender} cannot spend output {}, which descends from it", Dotted(*.outpoint))]
    Cycle {
        /// The output.
        outpoint: Outpoint,
        /// The spending transaction.
        spender: Txid,
    },
    /// The block has not begun.
    #[error("block {height} has not begun: the last one is {last}")]
    NoBlock {
        /// The block of the position.
        height: u32,
        /// The last block that has begun.
        last: u32,
    },
    /// The topic has not applied all dependencies of a transaction.
    #[error("topic `{topic}` has not applied {missing}, which {txid} needs")]
    NotReady {
        /// The topic.
        topic: String,
        /// The transaction.
        txid: Txid,
        /// The first missing dependency.
        missing: Txid,
    },
    /// The topic has not admitted an output that a transaction consumes.
    #[error("topic `{topic}` has not admitted output {}, which {txid} consumes", Dotted(*.input))]
    MissingInput {
        /// The topic.
        topic: String,
        /// The transaction.
        txid: Txid,
        /// The first missing input.
        input: Outpoint,
    },
    /// An applied transaction needs this one, or consumes an output of it.
    #[error("topic `{topic}` has applied {by}, which needs {txid}")]
    Needed {
        /// The topic.
        topic: String,
        /// The transaction.
        txid: Txid,
        /// The transaction that needs it.
        by: Txid,
    },
    /// A merkle state that contradicts the score of the output.
    #[error("output {} {why}, so it cannot be in the merkle state {state}", Dotted(*.outpoint))]
    MerkleState {
        /// The output.
        outpoint: Outpoint,
        /// The state.
        state: u32,
        /// The contradiction.
        why: &'static str,
    },
    /// The topic has not admitted the output.
    #[error("topic `{topic}` has not admitted output {}", Dotted(*.outpoint))]
    NotInTopic {
        /// The topic.
        topic: String,
        /// The output.
        outpoint: Outpoint,
    },
    /// The transaction is not in a block.
    #[error("transaction {0} is not confirmed")]
    NotConfirmed(Txid),
    /// Blocks must begin in ascending order, above all confirmed transactions.
    #[error(
        "block {height} cannot begin: block {last} has begun or has confirmed transactions; roll back to a lower one first"
    )]
    BlockOrder {
        /// The given block.
        height: u32,
        /// The last block that has begun, or the highest with confirmed transactions.
        last: u32,
    },
    /// The undo log does not reach back that far.
    #[error("the state after block {height} cannot be restored: {}", Lowest(*.lowest))]
    TooDeep {
        /// The requested block.
        height: u32,
        /// The lowest possible block; `None` if no block has begun.
        lowest: Option<u32>,
    },
    /// The transaction is final: its block can no longer be rolled back.
    #[error("transaction {0} is final: its block can no longer be rolled back")]
    Final(Txid),
    /// A search without a set.
    #[error("a search needs at least one key")]
    NoKeys,
    /// A cursor outside the bounds of the search, or of the other direction.
    #[error("the cursor does not belong to this search: {0}")]
    ForeignCursor(&'static str),
    /// A sum that overflows.
    #[error("{0} is more than a number can hold")]
    Overflow(&'static str),
    /// A stored value that no operation writes, or a row that does not fit its keyspace.
    #[error("{place}: {why}")]
    Corrupt {
        /// The value or the row.
        place: String,
        /// The reason.
        why: String,
    },
}

impl Error {
    pub(crate) fn corrupt(place: impl fmt::Display, why: impl fmt::Display) -> Error {
        Error::Corrupt { place: place.to_string(), why: why.to_string() }
    }

    pub(crate) fn corrupt_unit(unit: u64, why: &str) -> Error {
        Error::corrupt(format_args!("undo unit {unit}"), why)
    }
}

impl keyscape_sim::OperationError for Error {
    type Kind = Error;

    fn kind(&self) -> &Error {
        self
    }

    fn access(&self) -> Option<&keyscape::Error> {
        match self {
            Error::Store(error) => Some(error),
            _ => None,
        }
    }

    /// Typed access rejects operations, too: a claim that was lost, for example.
    fn is_refusal(&self) -> bool {
        !self.is_failure()
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Error::Store(error.into())
    }
}

impl From<keyscape::DomainError> for Error {
    fn from(error: keyscape::DomainError) -> Self {
        Error::Store(error.into())
    }
}

/// The lowest block for a rollback.
struct Lowest(Option<u32>);

impl fmt::Display for Lowest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(lowest) => write!(f, "the lowest possible block is {lowest}"),
            None => f.write_str("no block has begun"),
        }
    }
}

/// An outpoint in the form `txid.vout`.
#[derive(Clone, Copy)]
pub(crate) struct Dotted(pub(crate) Outpoint);

impl fmt::Display for Dotted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0.txid, self.0.vout)
    }
}
