//! The layout language: text to a checked model, and keys to readings.
mod diagnostic;
pub mod syntax;

pub use diagnostic::{Diagnostic, FileId, Severity, Span};
