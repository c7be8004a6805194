//! Databases and layouts as data, for programs that show them: the command line and the explorer.
//!
//! [`database`] decodes and writes rows with a layout instead of generated code, and [`audit`]
//! compares all rows with their layout. [`document`] is the model of a document about a layout, and
//! [`change`] describes the differences of two layouts. [`input`] parses values and names. This
//! crate prints nothing.

#![allow(
    missing_docs,
    reason = "fields and variants have descriptive names; types and functions are documented"
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
    if count == 1 { format!("1 {noun}") } else { format!("{count} {}", plural(noun)) }
}

fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with('x') => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}
