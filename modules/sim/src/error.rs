//! Why a simulation ends early.

use crate::Fault;
use keyscape::store::StoreError;

/// Why a simulation ended before its last block. All blocks before it are committed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The run in the database draws from another seed.
    #[error("the run of `{system}` in this database has seed {stored}, not {asked}")]
    Seed {
        /// The system.
        system: &'static str,
        /// The seed of the run.
        stored: u64,
        /// The seed that was asked for.
        asked: u64,
    },
    /// The run in the database is further than the plan goes.
    #[error("the run of `{system}` in this database is at block {reached}, past block {asked}")]
    Further {
        /// The system.
        system: &'static str,
        /// The last block of the run.
        reached: u64,
        /// The last block of the plan.
        asked: u64,
    },
    /// The stores of the system have rows that no run has written.
    #[error("store `{space}` has rows, and no run of `{system}` has written them")]
    Foreign {
        /// The system.
        system: &'static str,
        /// The store.
        space: Box<str>,
    },
    /// Before the first block, something went wrong.
    #[error("before the first block of `{system}`: {fault}")]
    Begin {
        /// The system.
        system: &'static str,
        /// What it was.
        #[source]
        fault: Fault,
    },
    /// A block went wrong. Nothing of it is committed.
    #[error("block {height} of `{system}`: {fault}")]
    Block {
        /// The system.
        system: &'static str,
        /// The block.
        height: u64,
        /// What it was.
        #[source]
        fault: Fault,
    },
    /// Invariants do not hold. The block is not committed, but those since the last check are.
    #[error("after block {height} of `{system}`: {}", .broken.join("; "))]
    Broken {
        /// The system.
        system: &'static str,
        /// The block.
        height: u64,
        /// The invariants, in words.
        broken: Vec<String>,
    },
    /// How far the run is could not be read or written.
    #[error(transparent)]
    Record(#[from] keyscape::Error),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
