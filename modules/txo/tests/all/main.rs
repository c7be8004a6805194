//! Tests of the transaction-output index, a file per theme.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod defects;
mod history;
mod scores;
mod search;
mod sim;
mod undo;
mod workers;
mod world;
