//! Laws that every part of one kind must keep, as functions that tests call.
//!
//! A codec's whole test is `laws(&*codec("len8(bytes[20])"))`; a law that does not hold panics and
//! says for which codec, value and bytes.
//!
//! ```
//! use keyscape_testkit::{codec, laws};
//!
//! laws(&*codec("hex(bytes[1..=2])"));
//! ```
//! An engine's whole test is [`conformance::run`] with a function that opens an empty database;
//! [`Failing`] is an engine that fails at a given call.
//! [`corpus`] reads rows that other programs stored.
#![expect(clippy::panic, reason = "a broken law fails the test that asked")]

pub mod conformance;
pub mod corpus;
mod description;
mod failing;
mod laws;
mod membership;
mod notation;
mod order;
mod specimens;

pub use failing::{Failing, Fault};
pub use laws::laws;
pub use notation::{codec, try_codec};
pub use specimens::hex;
