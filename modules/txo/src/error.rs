//! What operations refuse, and why.

use crate::layout::txo::{Outpoint, Txid};
use keyscape::{ErrorKind, store::StoreError};
use std::fmt;

/// An operation was refused or the store failed. Then nothing of the operation is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store failed, or what it holds does not fit the layout.
    #[error(transparent)]
    Store(#[from] keyscape::Error),
    /// The output is not known.
    #[error("output {} is not known: save it first", Shown(.0))]
    UnknownOutput(Outpoint),
    /// Nothing is known of the transaction.
    #[error("nothing is known of transaction {0}")]
    UnknownTransaction(Txid),
    /// An output has one number of satoshis for ever.
    #[error(
        "output {} holds {stored} satoshis, not {given}: an output does not change its amount",
        Shown(.outpoint)
    )]
    OtherAmount {
        /// The output.
        outpoint: Outpoint,
        /// What is stored.
        stored: u64,
        /// What was given.
        given: u64,
    },
    /// Another transaction has spent the output.
    #[error("output {} is spent by {by}, so {given} cannot spend it", Shown(.outpoint))]
    AlreadySpent {
        /// The output.
        outpoint: Outpoint,
        /// The transaction that has spent it.
        by: Txid,
        /// The one that was to spend it.
        given: Txid,
    },
    /// A transaction cannot spend an output of its own.
    #[error("output {} is one of the transaction that was to spend it", Shown(.0))]
    OwnOutput(Outpoint),
    /// The topic has not admitted the output.
    #[error("topic `{topic}` has not admitted output {}", Shown(.outpoint))]
    NotInTopic {
        /// The topic.
        topic: String,
        /// The output.
        outpoint: Outpoint,
    },
    /// A confirmed output has a place in the chain, an unconfirmed one has none.
    #[error("transaction {0} is not confirmed")]
    NotConfirmed(Txid),
    /// Blocks begin in order.
    #[error("block {height} cannot begin: block {last} has begun; roll back to a lower one first")]
    BlockOrder {
        /// The block.
        height: u32,
        /// The last one that has begun.
        last: u32,
    },
    /// What happened since then has been forgotten, or was never known.
    #[error("the state after block {height} is not kept: {}", Lowest(*.lowest))]
    TooDeep {
        /// The block to go back to.
        height: u32,
        /// The lowest one to which it is possible; `None` if no block has begun.
        lowest: Option<u32>,
    },
    /// What the transaction changed is not kept: it is too old, or was imported without it.
    #[error("transaction {0} is final: what it changed, or some of it, is not kept")]
    Final(Txid),
    /// A search has to name a set.
    #[error("a search needs at least one key")]
    NoKeys,
    /// A cursor lies outside of the bounds of the search, or goes the other way.
    #[error("the cursor does not belong to this search: {0}")]
    ForeignCursor(&'static str),
    /// A sum does not fit its number.
    #[error("{0} is more than a number can hold")]
    Overflow(&'static str),
    /// What is stored is not what operations write.
    #[error("{what} of {}: {why}", Shown(.outpoint))]
    Corrupt {
        /// The field.
        what: &'static str,
        /// The output.
        outpoint: Outpoint,
        /// What is wrong with it.
        why: String,
    },
    /// A row that is to be written is none of its keyspace.
    #[error("a row of `{keyspace}` does not fit its keyspace: {why}")]
    BadRow {
        /// The keyspace.
        keyspace: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The undo store does not hold what operations write.
    #[error("undo unit {unit}: {why}")]
    CorruptUndo {
        /// The number of the unit.
        unit: u64,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl Error {
    /// Whether the same transaction, run again from its beginning, may succeed.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Error::Store(error) if error.is_retryable())
    }

    /// Whether what is stored is not what operations write: the store works, and a row in it is wrong.
    #[must_use]
    pub fn is_corrupt(&self) -> bool {
        match self {
            Error::Store(error) => matches!(
                error.kind(),
                ErrorKind::CorruptKey { .. }
                    | ErrorKind::CorruptValue { .. }
                    | ErrorKind::Inconsistent { .. }
            ),
            Error::Corrupt { .. } | Error::BadRow { .. } | Error::CorruptUndo { .. } => true,
            _ => false,
        }
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

/// How far it is possible to go back.
struct Lowest(Option<u32>);

impl fmt::Display for Lowest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(lowest) => write!(f, "the lowest that is kept is that after block {lowest}"),
            None => f.write_str("no block has begun"),
        }
    }
}

/// An outpoint as people write it: `txid.vout`.
pub(crate) struct Shown<'a>(pub(crate) &'a Outpoint);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0.txid, self.0.vout)
    }
}
