//! Tests of the transaction-output index, one file per theme.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where")]

mod defects;
mod history;
mod invariants;
mod keys;
mod operations;
mod replacements;
mod scores;
mod search;
mod sim;
mod undo;
mod workers;
mod world;
