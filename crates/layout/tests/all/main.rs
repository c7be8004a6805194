//! Tests of the language: syntax, names and the resolved model.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod bundle;
mod datum;
mod descriptor;
mod model;
mod row_value;
mod syntax;
mod traverse;
