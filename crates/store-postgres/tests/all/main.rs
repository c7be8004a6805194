//! Tests with a real server, which the tests start in a temporary directory.
#![expect(clippy::unwrap_used, reason = "a failed test should stop")]

mod cockroach;
mod conformance;
mod engine;
mod faults;
mod proxy;
mod setup;
#[cfg(feature = "tls")]
mod tls;
