//! The command line of Keyscape.
//!
//! Each file in [`command`] is one command. [`input`] parses arguments and files, [`output`]
//! formats results, [`audit`] and [`salvage`] work on whole databases, and [`system`] lists the
//! built-in systems. Results go to stdout, messages to stderr; [`exit`] defines the exit statuses.

mod arguments;
mod bug;
mod command;
mod database;
mod exit;
mod failure;
mod in_order;
mod input;
mod output;
mod salvage;
mod system;

use clap::Parser;
use keyscape_inspect::audit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let run = || {
        let arguments = arguments::Arguments::parse();
        arguments.color.apply();
        command::run(arguments.command).unwrap_or_else(|failure| failure.report())
    };
    bug::reported(run).into()
}
