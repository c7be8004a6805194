//! Tests of the program from outside: commands, documents, the explorer and the example systems.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test whose folder, program or server cannot start fails"
)]

mod harness;
mod modules;

/// Modules of the program that are tested without it.
#[path = "../../src"]
mod program {
    #[path = "output/columns.rs"]
    pub(crate) mod columns;
    pub(crate) mod in_order;
    pub(crate) mod panics;
    #[path = "salvage/rows.rs"]
    pub(crate) mod rows;
}

mod commands {
    mod audit;
    mod check;
    mod check_json;
    mod copy;
    mod database;
    mod database_files;
    mod decode;
    mod diagnostics;
    mod diff;
    mod encode;
    mod engine;
    mod exact_copy;
    mod explain;
    mod files;
    mod fmt;
    mod generate;
    mod golden_rows;
    mod help;
    mod import;
    mod indexes;
    mod inputs;
    mod lsp;
    mod messages;
    mod migrate;
    mod round_trip;
    mod rules;
    mod salvage;
    mod saved_layout;
    mod server;
    mod splits;
    mod streams;
    mod structures;
}

mod doc {
    mod counts;
    mod harness;
    mod hostile;
    mod html;
    mod json;
    mod markdown;
    mod output;
}

mod explorer {
    mod access;
    mod browser;
    mod hostile;
    mod pages;
    mod server;
    mod systems;
}

mod systems {
    mod demo;
    mod genesis;
    mod invariants;
    mod queries;
    mod sim;
}
