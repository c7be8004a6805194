//! Fuzz targets. Each accepts any bytes and panics if a property does not hold.
//!
//! `cargo xtask fuzz` runs them under libFuzzer (`testing/fuzz/guided`), which prefers inputs that
//! reach new code. The test command needs no C++ compiler: its runner (`cargo run --release -p
//! keyscape-fuzz -- --seconds 60`) mutates seeds, and continues from slow inputs and from a random
//! sample of the others. Add a failing input to `testing/fuzz/regressions/<target>/`, which the
//! tests run.
#![expect(clippy::panic, reason = "a target panics if its property does not hold")]

pub mod cost;
pub mod grammar;
mod mutate;
mod targets;

pub use mutate::Mutator;
pub use targets::{TARGETS, Target};
