//! Tests of the language server and of the grammar for editors.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod grammar;
mod session;
