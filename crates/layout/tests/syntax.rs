//! The syntax of the layout language: parsing, errors, formatting.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests may panic")]

#[path = "syntax/examples.rs"]
mod examples;
#[path = "syntax/flaws.rs"]
mod flaws;
#[path = "syntax/formatting.rs"]
mod formatting;
#[path = "syntax/generator.rs"]
mod generator;
#[path = "syntax/mistakes.rs"]
mod mistakes;
#[path = "syntax/outline.rs"]
mod outline;
#[path = "syntax/parsing.rs"]
mod parsing;
#[path = "syntax/properties.rs"]
mod properties;
#[path = "syntax/recovery.rs"]
mod recovery;
#[path = "syntax/size.rs"]
mod size;
