//! Structures on an ordered store.

#![expect(clippy::expect_used, reason = "helpers of tests may panic")]

#[expect(
    missing_docs,
    reason = "it looks like generated code, which is documented from its layout"
)]
pub mod txo;

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

use keyscape_runtime as rt;
use keyscape_store::{Db, Memory, Read, Spaces, StoreId};

/// The store of the structures.
pub(crate) const TXO: StoreId = StoreId::of("txo");

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

/// An empty database.
pub(crate) fn empty() -> Result<Db, Box<dyn std::error::Error>> {
    Ok(Db::new(Memory::new(Spaces::new(["txo"])?)))
}

/// All records of a store, as text with escapes, `=` and their value.
pub(crate) fn dump(state: &impl Read) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let rows = state.rows(TXO, keyscape_store::KeyRange::all())?.to_vec()?;
    let show = |bytes: &[u8]| bytes.escape_ascii().to_string();
    Ok(rows.iter().map(|(key, value)| format!("{}={}", show(key), show(value))).collect())
}

/// A name.
pub(crate) fn name(text: &str) -> txo::Name<'_> {
    txo::Name::new(text).expect("the tests use good names")
}

/// An outpoint of a transaction whose id has this last byte.
pub(crate) fn outpoint(transaction: u8, vout: u32) -> txo::Outpoint {
    let mut txid = [0xaa; 32];
    txid[31] = transaction;
    txo::Outpoint { txid, vout }
}

/// Fails with what is wrong.
pub(crate) fn sound(report: &rt::StructureReport) -> Outcome {
    if report.is_sound() { Ok(()) } else { Err(format!("{report:?}").into()) }
}
