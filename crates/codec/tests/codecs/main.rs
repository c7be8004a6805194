//! Tests of codecs, by theme.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::needless_pass_by_value, reason = "values are written where they are used")]

mod build_errors;
mod golden;
mod laws;
mod orders;
mod static_path;
mod value_errors;
