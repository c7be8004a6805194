//! What codecs promise, by theme.

mod build_errors;
mod golden;
mod laws;
mod orders;
mod static_path;
mod value_errors;
