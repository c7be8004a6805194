//! Tests every layout and every example in `spec/`. `spec/README.md` describes the format of the
//! blocks.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

#[path = "spec/examples.rs"]
mod examples;
#[path = "spec/expectations.rs"]
mod expectations;
#[path = "spec/layouts.rs"]
mod layouts;
#[path = "spec/markdown.rs"]
mod markdown;
#[path = "spec/pages.rs"]
mod pages;
#[path = "support/replay.rs"]
mod replay;
#[path = "spec/runner.rs"]
mod runner;
#[path = "support/values.rs"]
mod values;
