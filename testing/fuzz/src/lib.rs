//! Fuzz targets: each takes any bytes and panics if a promise is broken.
//!
//! The runner (`cargo run --release -p keyscape-fuzz -- --seconds 60`) mutates seeds on a stable
//! tool-chain and keeps inputs that reach new behaviour, as far as a target reports it. A finding
//! goes into `testing/fuzz/regressions/<target>/` and is run by the tests from then on.
#![expect(clippy::panic, reason = "a broken promise is reported by panicking")]

pub mod cost;
pub mod grammar;
mod mutate;
mod targets;

pub use mutate::Mutator;
pub use targets::{TARGETS, Target};
