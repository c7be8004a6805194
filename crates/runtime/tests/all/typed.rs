//! Typed access to rows.

mod builds;
mod failing;
mod indexes;
mod model;
mod odd;
mod pages;
mod rows;
mod scans;
mod sequences;
mod values;

use keyscape_runtime::Error;
use keyscape_samples::shop;
use keyscape_store::{Database, Db, Memory, Meter, Operation, OverBudget, Spaces, StoreId};
use keyscape_store_redb::Options;
use proptest::prelude::*;
use redb::backends::InMemoryBackend;
use shop::{Order, layout::Ticket};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The result of a test.
type Outcome = Result<(), Box<dyn std::error::Error>>;

const SHOP: StoreId = StoreId::of("shop");
const ODD: StoreId = StoreId::of("odd");

/// Creates an empty database.
fn database() -> Db {
    Db::new(Memory::new(spaces()))
}

/// Creates an engine without rows.
type Engine = fn() -> Arc<dyn Database>;

/// Draws an engine for a random program, usually the fast one.
fn engines() -> impl Strategy<Value = Engine> {
    let memory: Engine = || Arc::new(Memory::new(spaces()));
    let redb: Engine = || {
        let opened = Options::new().create_on(InMemoryBackend::new(), spaces());
        Arc::new(opened.expect("a database"))
    };
    prop_oneof![5 => Just(memory), 1 => Just(redb)]
}

fn spaces() -> Spaces {
    Spaces::new(["shop", "odd"]).expect("two names")
}

fn ticket(text: &str) -> Ticket<'static> {
    Ticket::new(text.to_owned()).expect("a ticket")
}

fn order(text: &str, amount: u64) -> Order {
    Order { ticket: ticket(text), amount }
}

/// Returns the name of the variant of an error.
fn kind(error: &Error) -> String {
    let text = format!("{:?}", error.kind());
    text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
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
