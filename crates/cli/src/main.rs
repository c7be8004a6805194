//! The command line of Keyscape.
//!
//! One file per command under [`command`]; what goes in is read in [`input`], what comes out is
//! written in [`output`]. stdout is data, stderr is talk, and [`exit`] says what a status means.

mod arguments;
mod command;
mod database;
mod exit;
mod failure;
mod input;
mod output;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    arguments.color.apply();
    match command::run(arguments.command) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report().into(),
    }
}
