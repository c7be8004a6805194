//! The commands.

mod check;
mod completions;
mod decode;
mod doc;
mod encode;
mod explain;
mod fmt;
mod generate;
mod rule;

use crate::{exit::Exit, failure::Failure};
use clap::Subcommand;

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Check),
    Rule(rule::RulePage),
    Fmt(fmt::Fmt),
    Encode(encode::Encode),
    Decode(decode::Decode),
    Explain(explain::Explain),
    Doc(doc::Doc),
    Generate(generate::Generate),
    Completions(completions::Completions),
}

/// Does it.
pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(check) => check.run(),
        Command::Rule(page) => page.run(),
        Command::Fmt(fmt) => fmt.run(),
        Command::Encode(encode) => encode.run(),
        Command::Decode(decode) => decode.run(),
        Command::Explain(explain) => explain.run(),
        Command::Doc(doc) => doc.run(),
        Command::Generate(generate) => generate.run(),
        Command::Completions(completions) => completions.run(),
    }
}
