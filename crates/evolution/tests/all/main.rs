//! Tests of comparisons and migrations on seeded changes and the specification.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod changes;
mod fitting;
mod migrations;
mod page;
mod spec;
