//! The commands.

mod adopt;
mod check;
mod completions;
mod count;
mod create;
mod decode;
mod delete;
mod demo;
mod doc;
mod encode;
mod explain;
mod export;
mod fmt;
mod generate;
mod genesis;
mod get;
mod import;
mod invariants;
mod lsp;
mod man;
mod put;
mod queue;
mod repair;
mod rule;
mod scan;
mod sim;
mod stat;
mod target;

pub(crate) use demo::DemoError;

use crate::{exit::Exit, failure::Failure};
use clap::Subcommand;

/// The selected command with its arguments.
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
    Create(create::Create),
    Get(get::Get),
    Scan(scan::Scan),
    Count(count::Count),
    Put(put::Put),
    Delete(delete::Delete),
    Queue(queue::Queue),
    Stat(stat::Stat),
    Export(export::Export),
    Import(import::Import),
    Adopt(adopt::Adopt),
    Repair(repair::Repair),
    Demo(demo::Demo),
    Sim(sim::Sim),
    Invariants(invariants::Invariants),
    Genesis(genesis::Genesis),
    Lsp(lsp::Lsp),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs the selected command.
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
        Command::Create(create) => create.run(),
        Command::Get(get) => get.run(),
        Command::Scan(scan) => scan.run(),
        Command::Count(count) => count.run(),
        Command::Put(put) => put.run(),
        Command::Delete(delete) => delete.run(),
        Command::Queue(queue) => queue.run(),
        Command::Stat(stat) => stat.run(),
        Command::Export(export) => export.run(),
        Command::Import(import) => import.run(),
        Command::Adopt(adopt) => adopt.run(),
        Command::Repair(repair) => repair.run(),
        Command::Demo(demo) => demo.run(),
        Command::Sim(sim) => sim.run(),
        Command::Invariants(invariants) => invariants.run(),
        Command::Genesis(genesis) => genesis.run(),
        Command::Lsp(lsp) => lsp.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
    }
}
