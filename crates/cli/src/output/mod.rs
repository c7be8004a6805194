//! Output: on the terminal, as JSON and as documents. `keyscape-report` writes the messages about a
//! layout.

pub(crate) mod audit;
pub(crate) mod change;
pub(crate) mod claim_json;
pub(crate) mod destination;
pub(crate) mod document;
pub(crate) mod dump;
pub(crate) mod entry_cells;
pub(crate) mod entry_json;
pub(crate) mod expected;
pub(crate) mod explanation;
pub(crate) mod grid;
pub(crate) mod markdown;
pub(crate) mod progress;
pub(crate) mod rule_page;
pub(crate) mod sarif;
pub(crate) mod stdout;
pub(crate) mod summary;
pub(crate) mod talk;

pub(crate) use keyscape_report::{bytes, claim, datum, json, message, style, table};
