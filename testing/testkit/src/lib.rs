//! Laws for every codec and rules for every engine, as functions that tests call.
//!
//! The whole test of a codec is `laws(&*codec("len8(bytes[20])"))`; a violated law panics with the
//! codec, value and bytes.
//!
//! ```
//! use keyscape_testkit::{codec, laws};
//!
//! laws(&*codec("hex(bytes[1..=2])"));
//! ```
//! The whole test of an engine is [`conformance::run`] with a function that opens an empty
//! database. [`history`] checks that transactions are serializable, and [`ledger`] notices lost and
//! repeated commits. [`Failing`] is an engine that fails at a given call. [`interrupt`] checks that
//! an interrupted operation writes nothing, and [`count`] counts reads and writes. [`corpus`] reads
//! rows that other programs stored.
#![expect(clippy::panic, reason = "a broken law fails the test that asked")]

pub mod conformance;
pub mod corpus;
mod description;
mod failing;
pub mod history;
mod laws;
pub mod ledger;
mod membership;
mod metered;
mod notation;
mod order;
mod specimens;

pub use corpus::unhex;
pub use failing::{Failing, Fault};
pub use keyscape_codec::hex::digits as hex;
pub use laws::laws;
pub use metered::{count, interrupt};
pub use notation::{codec, try_codec};
