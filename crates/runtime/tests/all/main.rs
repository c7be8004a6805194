//! Tests of typed access and of structures.
#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod allocations;
mod structures;
mod typed;

use keyscape_store::{Database, Meter, Operation, OverBudget, Spaces};
use keyscape_store_redb::Options;
use proptest::prelude::*;
use redb::backends::InMemoryBackend;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The result of a test.
type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Creates an engine without rows.
type Engine = fn() -> Arc<dyn Database>;

/// Draws an engine for a random program, usually the fast one.
fn engines(memory: Engine, redb: Engine) -> impl Strategy<Value = Engine> {
    prop_oneof![5 => Just(memory), 1 => Just(redb)]
}

fn redb(spaces: Spaces) -> Arc<dyn Database> {
    let opened = Options::new().create_on(InMemoryBackend::new(), spaces);
    Arc::new(opened.expect("a database"))
}

/// A meter that rejects the operation with this number.
#[derive(Debug)]
struct FailAt(AtomicU64);

impl FailAt {
    fn new(operation: u64) -> Self {
        Self(AtomicU64::new(operation))
    }
}

impl Meter for FailAt {
    fn charge(&self, _: Operation, _: u64) -> Result<(), OverBudget> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            0 => Err(OverBudget { what: "operations", limit: 0, actual: 1 }),
            _ => Ok(()),
        }
    }
}
