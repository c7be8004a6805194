//! Tests every layout and every example in `spec/`. `spec/README.md` describes the format of the
//! blocks.

mod examples;
mod expectations;
mod layouts;
mod markdown;
mod pages;
mod runner;
