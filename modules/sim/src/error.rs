//! Errors of simulations.

use crate::Fault;
use keyscape::store::StoreError;

/// The reason why a simulation ended before its last block. All earlier blocks are committed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The run in the database has another seed.
    #[error("the run of `{system}` in this database has seed {stored}, not {asked}")]
    Seed {
        /// The system.
        system: &'static str,
        /// The seed of the run.
        stored: u64,
        /// The requested seed.
        asked: u64,
    },
    /// The run in the database is already past the plan.
    #[error("the run of `{system}` in this database is at block {reached}, past block {asked}")]
    Further {
        /// The system.
        system: &'static str,
        /// The last block of the run.
        reached: u64,
        /// The last block of the plan.
        asked: u64,
    },
    /// The stores of the system contain rows that no run has written.
    #[error("store `{space}` has rows, and no run of `{system}` has written them")]
    Foreign {
        /// The system.
        system: &'static str,
        /// The store.
        space: Box<str>,
    },
    /// The initial state could not be written.
    #[error("before the first block of `{system}`: {fault}")]
    Begin {
        /// The system.
        system: &'static str,
        /// The cause.
        #[source]
        fault: Fault,
    },
    /// A block failed. Nothing of it is committed.
    #[error("block {height} of `{system}`: {fault}")]
    Block {
        /// The system.
        system: &'static str,
        /// The block.
        height: u64,
        /// The cause.
        #[source]
        fault: Fault,
    },
    /// Invariants do not hold; the message has one line for each. The block is not committed, but
    /// the blocks since the last check are.
    #[error("after block {height} of `{system}`, invariants do not hold:\n{}", .broken.join("\n"))]
    Broken {
        /// The system.
        system: &'static str,
        /// The block.
        height: u64,
        /// The violations.
        broken: Vec<String>,
    },
    /// The progress of the run could not be read or written.
    #[error(transparent)]
    Record(#[from] keyscape::Error),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
