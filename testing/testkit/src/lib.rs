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
#![expect(clippy::panic, reason = "a broken law fails the test that asked")]

mod laws;
mod membership;
mod notation;
mod order;
mod specimens;

pub use laws::laws;
pub use notation::{codec, try_codec};
pub use specimens::hex;
