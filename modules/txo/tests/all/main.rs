//! Tests of the transaction-output index, one file per theme.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where")]

mod defects;
mod finality;
mod history;
mod invariants;
mod keys;
mod merkle_paths;
mod operations;
mod replacements;
mod scores;
mod search;
mod sim;
mod topics;
mod undo;
mod workers;
mod world;
