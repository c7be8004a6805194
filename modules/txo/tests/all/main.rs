//! Tests of the transaction-output index, a file per theme.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod history;
mod scores;
mod sim;
mod undo;
mod world;
