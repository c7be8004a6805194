//! Structures on an ordered store.

mod costs;
mod faults;
mod hash;
mod models;
mod queue;
mod queue_model;
mod records;
mod scans;
mod set;
mod workers;
mod zset;

pub(crate) use crate::{Engine, Outcome};
use keyscape_runtime as rt;
pub(crate) use keyscape_samples::txo;
use keyscape_store::{Database, Db, Memory, Read, Spaces, StoreId};
use proptest::prelude::*;
use std::sync::Arc;

/// The store of the structures.
pub(crate) const TXO: StoreId = StoreId::of("txo");

/// Creates an empty database.
pub(crate) fn empty() -> Result<Db, Box<dyn std::error::Error>> {
    Ok(Db::from(memory()))
}

pub(crate) fn memory() -> Arc<dyn Database> {
    Arc::new(Memory::new(spaces()))
}

fn spaces() -> Spaces {
    Spaces::new(["txo"]).expect("a name")
}

pub(crate) fn redb() -> Arc<dyn Database> {
    crate::redb(spaces())
}

/// Draws an engine for a random program.
pub(crate) fn engines() -> impl Strategy<Value = Engine> {
    crate::engines(memory, redb)
}

/// Returns all records of a store as text `key=value` with escapes.
pub(crate) fn dump(state: &impl Read) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let rows = state.rows(TXO, keyscape_store::KeyRange::all())?.to_vec()?;
    let show = |bytes: &[u8]| bytes.escape_ascii().to_string();
    Ok(rows.iter().map(|(key, value)| format!("{}={}", show(key), show(value))).collect())
}

/// Converts a text to a name.
pub(crate) fn name(text: &str) -> txo::Name<'_> {
    txo::Name::new(text).expect("the tests use good names")
}

/// Converts a text to an event.
pub(crate) fn event(text: &str) -> txo::Event<'_> {
    txo::Event::new(text).expect("the tests use good events")
}

/// Returns an outpoint of a transaction whose id ends with the given byte.
pub(crate) fn outpoint(transaction: u8, vout: u32) -> txo::Outpoint {
    let mut txid = [0xaa; 32];
    txid[31] = transaction;
    txo::Outpoint { txid, vout }
}

/// Fails with the report unless it is sound.
pub(crate) fn sound(report: &rt::StructureReport) -> Outcome {
    if report.is_sound() { Ok(()) } else { Err(format!("{report:?}").into()) }
}
