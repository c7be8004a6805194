//! Layouts from files, and messages about their errors, claims and keys, with snippets, tables and
//! colours. The command line and the macro share these messages.
//!
//! This crate prints nothing. Texts have colours; [`plain`] removes them.

pub mod bytes;
pub mod claim;
pub mod datum;
pub mod escape;
pub mod file;
pub mod json;
pub mod message;
mod snippet;
pub mod style;
pub mod suggestion;
pub mod table;

pub use claim::findings;
pub use message::{plain, rejected};
