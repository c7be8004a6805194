//! Output: on the terminal, as JSON and as documents. `keyscape-diagnostics` writes the messages
//! about a layout.

pub(crate) mod columns;
pub(crate) mod destination;
pub(crate) mod grid;
pub(crate) mod markdown;
pub(crate) mod progress;
pub(crate) mod rule_page;
pub(crate) mod sarif;
pub(crate) mod stderr;
pub(crate) mod stdout;

use clap::ValueEnum;
pub(crate) use keyscape_diagnostics::{bytes, claim, datum, json, message, style, table};
pub(crate) use keyscape_inspect::{
    change, claim_json, document, entry_cells, entry_json, expected,
};

/// Output formats of rows and reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text; on a terminal, wide columns are truncated
    Human,
    /// JSON, one object per line
    Json,
}
