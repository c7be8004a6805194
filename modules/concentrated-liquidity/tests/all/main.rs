//! Tests of the module, against records of the Osmosis code and on their own.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod costs;
mod defects;
mod faults;
mod invariants;
mod operations;
mod properties;
mod replay;
mod rows;
mod setup;
