//! Tests with PD and unistore, which `cargo xtask cluster tikv` builds and starts.
#![expect(clippy::unwrap_used, reason = "a failed test should stop")]

mod conformance;
mod engine;
mod faults;
mod setup;
