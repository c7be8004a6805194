//! Runs traces and vectors of the Osmosis code, and prints the differences of the module.
//!
//! `cargo run --release -p keyscape-concentrated-liquidity --example replay -- FILE…`

mod class;
mod command;
mod dump;
mod engine;
mod operations;
mod vectors;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mut out, mut messages) = (std::io::stdout().lock(), std::io::stderr().lock());
    // A closed pipe ends the run early.
    command::run(&arguments, &mut out, &mut messages).unwrap_or(command::UNUSABLE).into()
}
