//! Tests with a real server, which the tests start in a temporary directory.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failed test should stop"
)]

mod cockroach;
mod conformance;
mod engine;
mod faults;
mod proxy;
mod setup;
