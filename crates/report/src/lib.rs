//! What people are told about a layout: layouts out of files, and mistakes, claims and keys put into
//! words, with snippets, tables and colours. The command line and the macro say the same.
//!
//! This crate prints nothing. Texts have colours; [`plain`] takes them away.

pub mod bytes;
pub mod claim;
pub mod datum;
pub mod diagnostic;
pub mod file;
pub mod json;
pub mod message;
pub mod pieces;
mod snippet;
pub mod style;
pub mod suggestion;
pub mod table;

mod whole;

pub use whole::{findings, plain, rejected};
