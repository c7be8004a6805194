//! End-to-end tests of the program: complete output for given input.
#![expect(clippy::unwrap_used, reason = "a test whose folder or program cannot start fails")]

mod cli {
    mod audit;
    mod check;
    mod check_details;
    mod check_json;
    mod colours;
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
    mod harness;
    mod help;
    mod import;
    mod indexes;
    mod inputs;
    mod lsp;
    mod man;
    mod messages;
    mod migrate;
    mod pipes;
    mod round_trip;
    mod salvage;
    mod saved_layout;
    mod scans;
    mod server;
    mod splits;
    mod stdin;
    mod structures;
    mod undecided;
}
