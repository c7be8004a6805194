//! The command line of Keyscape.
//!
//! Each file in [`command`] is one command. [`input`] parses arguments and files, [`output`]
//! formats results, [`audit`] and [`salvage`] work on whole databases, and [`system`] lists the
//! built-in systems. Results go to stdout, messages to stderr; [`failure`] defines the exit
//! statuses.

mod command;
mod database;
mod failure;
mod in_order;
mod input;
mod output;
mod panics;
mod salvage;
mod system;

use clap::Parser;
use failure::Exit;
use keyscape_inspect::audit;
use output::{message::Message, stderr};
use panics::catch_panic;
use std::process::ExitCode;

fn main() -> ExitCode {
    let run = || {
        let arguments = command::Arguments::parse();
        arguments.use_colours();
        arguments.command.run().unwrap_or_else(|failure| failure.report())
    };
    let exit = catch_panic(run).unwrap_or_else(|panic| {
        let title = format!("a bug in Keyscape, or a damaged database file: {panic}");
        let help = "please report it with the command line".to_owned();
        stderr::say(&Message::error(title).with_help(Some(help)));
        Exit::Bug
    });
    exit.into()
}
