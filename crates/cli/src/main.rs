//! The command line of Keyscape.
//!
//! One file per command under [`command`]; what goes in is read in [`input`], what comes out is
//! written in [`output`]; [`system`] knows the systems that come with it. stdout is data, stderr is talk, and [`exit`] says what a status means.

mod arguments;
mod bug;
mod command;
mod database;
mod exit;
mod failure;
mod in_order;
mod input;
mod output;
mod system;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let run = || {
        let arguments = arguments::Arguments::parse();
        arguments.color.apply();
        command::run(arguments.command).unwrap_or_else(|failure| failure.report())
    };
    bug::reported(run).into()
}
