//! Compares generated code with the language: for every sound layout of the project and for small
//! layouts of all kinds, both write the same keys and accept the same bytes.
//!
//! A generated key that is decoded and encoded again as the same bytes has only parts in their
//! domains. The layouts are proved unambiguous, so these are the fields that the language decodes.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;
mod small;
mod systems;
mod values;
mod wraps;
