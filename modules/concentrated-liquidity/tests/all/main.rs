//! Tests of the module, against records of the Osmosis code and on their own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot be set up fails, and a record that cannot be read is a mistake"
)]

mod corpus;
mod costs;
mod defects;
mod invariants;
mod operations;
mod properties;
mod replay;
mod rows;
mod setup;
mod sims;
mod vectors;
