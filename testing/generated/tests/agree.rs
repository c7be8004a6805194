//! Generated code against the language: for every sound layout of the project and for small layouts
//! of all sorts, both write the same keys and accept the same bytes.
//!
//! A generated key that is read from bytes and written again as the same bytes has parts that are
//! all of their domains. The layouts are proved unambiguous, so these are the fields that the language
//! reads.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;
mod small;
mod systems;
mod values;
mod wraps;
