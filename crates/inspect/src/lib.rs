//! Databases and layouts as data, for programs that show them: the command line and the explorer.
//!
//! [`database`] decodes and writes rows with a layout instead of generated code, and [`audit`]
//! compares all rows with their layout. [`document`] is the model of a document about a layout, and
//! [`change`] describes the differences of two layouts. [`input`] parses values and names. This
//! crate prints nothing.

#![allow(
    missing_docs,
    reason = "fields and variants are named after what they hold; types and functions are documented"
)]

pub mod audit;
pub mod change;
pub mod claim_json;
pub mod database;
pub mod document;
pub mod entry_cells;
pub mod entry_json;
pub mod expected;
pub mod input;
pub mod message;

/// Returns a number with its noun: `1 row`, `2 rows`, `2 entries`, `2 indexes`.
pub fn many(count: u64, noun: &str) -> String {
    match (noun.strip_suffix('y'), noun.strip_suffix('x')) {
        _ if count == 1 => format!("1 {noun}"),
        (Some(stem), _) => format!("{count} {stem}ies"),
        (_, Some(_)) => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}
