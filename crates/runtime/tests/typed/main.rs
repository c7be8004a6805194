//! Typed access to hand-written keyspaces that look as generated ones do.
#![expect(clippy::expect_used, clippy::panic, reason = "a test that fails may panic")]

mod failing;
mod indexes;
mod model;
mod odd;
mod pages;
mod rows;
mod scans;
mod sequences;
#[expect(unreachable_pub, reason = "documentation examples include it as well")]
mod shop;
mod values;

use keyscape_runtime::Error;
use keyscape_store::{Db, Memory, Meter, Operation, OverBudget, Spaces, StoreId};
use shop::{Order, layout::Ticket};
use std::sync::atomic::{AtomicU64, Ordering};

/// What tests return.
type Outcome = Result<(), Box<dyn std::error::Error>>;

const SHOP: StoreId = StoreId::of("shop");
const ODD: StoreId = StoreId::of("odd");

/// An empty database.
fn database() -> Db {
    Db::new(Memory::new(spaces()))
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

/// The name of the variant.
fn kind(error: &Error) -> String {
    let text = format!("{:?}", error.kind());
    text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

/// Refuses the operation with this number.
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
