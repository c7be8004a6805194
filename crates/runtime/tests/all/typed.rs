//! Typed access to rows.

mod builds;
mod failing;
mod indexes;
mod model;
mod pages;
mod rows;
mod scans;
mod sequences;
mod values;

use crate::{Engine, FailAt, Outcome};
use keyscape_runtime::Error;
use keyscape_samples::{odd, shop};
use keyscape_store::{Db, Memory, Spaces, StoreId};
use proptest::prelude::*;
use shop::{Order, layout::Ticket};
use std::sync::Arc;

const SHOP: StoreId = StoreId::of("shop");
const ODD: StoreId = StoreId::of("odd");

/// Creates an empty database.
fn database() -> Db {
    Db::new(Memory::new(spaces()))
}

/// Draws an engine for a random program.
fn engines() -> impl Strategy<Value = Engine> {
    crate::engines(|| Arc::new(Memory::new(spaces())), || crate::redb(spaces()))
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
