//! Tests of typed access and of structures.
#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod allocations;
mod structures;
mod typed;
