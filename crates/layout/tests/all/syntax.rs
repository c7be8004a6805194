//! The syntax of the layout language: parsing, errors, formatting.

mod examples;
mod flaws;
mod formatting;
mod generator;
mod migrations;
mod mistakes;
mod outline;
mod parsing;
mod properties;
mod recovery;
mod size;
