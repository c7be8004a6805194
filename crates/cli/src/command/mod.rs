//! The command line; each command defines its arguments in its own file.

mod adopt;
mod ask;
mod audit;
mod check;
mod check_fix;
mod completions;
mod copy;
mod count;
mod create;
mod decode;
mod delete;
mod demo;
mod diff;
mod doc;
mod encode;
mod explain;
mod export;
mod fmt;
mod generate;
mod genesis;
mod get;
mod import;
mod index;
mod invariants;
mod layout;
mod lsp;
mod man;
mod migrate;
mod put;
mod queue;
mod repair;
mod rule;
mod salvage;
mod scan;
mod serve;
mod sim;
mod stat;
mod target;

use crate::{
    database::DatabaseArgument,
    failure::{Exit, Failure},
    system::{Badges, Bank, Cl, Paw, Txo},
};
use clap::{ColorChoice, Parser, Subcommand};

/// Declare the byte layout of your keys once; prove that it is sound.
///
/// A layout (a `.keys` file) describes every key of a store. Keyscape proves that no two keyspaces
/// share a key, that every key has one reading, that scans return their rows and no others, and
/// that rows are in the declared order. It encodes and decodes keys, and reads and writes
/// databases: redb files, PostgreSQL and TiKV.
///
/// Results go to stdout, messages to stderr. Exit status: 0 success; 1 refuted, unknown, different
/// or not found; 2 wrong command line or input; 3 a bug in Keyscape, or a
/// damaged file on which the engine failed.
#[derive(Debug, Parser)]
#[command(
    name = "keyscape",
    version,
    max_term_width = 100,
    after_help = EXAMPLES
)]
pub(crate) struct Arguments {
    /// Use colours: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape check shop.keys
  keyscape encode shop.keys orders user=1 order=7
  keyscape decode shop.keys 6f2f312f37
  keyscape explain shop.keys 6f2f312f37
  keyscape doc shop.keys --format html --output keys.html
  keyscape generate rust shop.keys --output src/shop.rs
  keyscape scan shop.redb orders user=1";

impl Arguments {
    /// Sets the colours of all output streams.
    pub(crate) fn use_colours(&self) {
        match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// The selected command with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Check),
    Diff(diff::Diff),
    Rule(rule::RulePage),
    Fmt(fmt::Fmt),
    Encode(encode::Encode),
    Decode(decode::Decode),
    Explain(explain::Explain),
    Doc(doc::Doc),
    Generate(generate::Generate),
    Create(create::Create),
    Layout(layout::SavedLayout),
    Get(get::Get),
    Scan(scan::Scan),
    Count(count::Count),
    Serve(serve::Serve),
    Put(put::Put),
    Delete(delete::Delete),
    Queue(queue::Queue),
    Index(index::Index),
    Migrate(migrate::Migrate),
    Stat(stat::Stat),
    Export(export::Export),
    Import(import::Import),
    Copy(copy::Copy),
    Adopt(adopt::Adopt),
    Audit(audit::Audit),
    Repair(repair::Repair),
    Salvage(salvage::Salvage),
    Demo(demo::Demo),
    Sim(sim::Sim),
    Invariants(invariants::Invariants),
    Genesis(genesis::Genesis),
    /// Query the bank: balances, owners, supply, accounts; send coins
    Bank(ask::Ask<Bank>),
    /// Query the transaction-output index: search, outputs, topics; roll back
    Txo(ask::Ask<Txo>),
    /// Query the concentrated liquidity: pools, prices, positions, ticks
    Cl(ask::Ask<Cl>),
    /// Query the badges: collections, balances, totals
    Badges(ask::Ask<Badges>),
    /// Query PAW: pools, prices, providers, requests
    Paw(ask::Ask<Paw>),
    Lsp(lsp::Lsp),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Returns the database of a command that can read an index.
    fn database(&self) -> Option<&DatabaseArgument> {
        match self {
            Self::Get(get) => Some(get.database()),
            Self::Scan(scan) => Some(scan.database()),
            Self::Count(count) => Some(count.database()),
            Self::Index(index) => Some(index.database()),
            _ => None,
        }
    }
}

/// Runs the selected command.
pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    let layout = command.database().and_then(|database| database.layout.clone());
    run_alone(command).map_err(|failure| failure.with_layout(layout.as_deref()))
}

fn run_alone(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(check) => check.run(),
        Command::Diff(diff) => diff.run(),
        Command::Rule(page) => page.run(),
        Command::Fmt(fmt) => fmt.run(),
        Command::Encode(encode) => encode.run(),
        Command::Decode(decode) => decode.run(),
        Command::Explain(explain) => explain.run(),
        Command::Doc(doc) => doc.run(),
        Command::Generate(generate) => generate.run(),
        Command::Create(create) => create.run(),
        Command::Layout(layout) => layout.run(),
        Command::Get(get) => get.run(),
        Command::Scan(scan) => scan.run(),
        Command::Serve(serve) => serve.run(),
        Command::Count(count) => count.run(),
        Command::Put(put) => put.run(),
        Command::Delete(delete) => delete.run(),
        Command::Queue(queue) => queue.run(),
        Command::Index(index) => index.run(),
        Command::Migrate(migrate) => migrate.run(),
        Command::Stat(stat) => stat.run(),
        Command::Export(export) => export.run(),
        Command::Import(import) => import.run(),
        Command::Copy(copy) => copy.run(),
        Command::Adopt(adopt) => adopt.run(),
        Command::Audit(audit) => audit.run(),
        Command::Repair(repair) => repair.run(),
        Command::Salvage(salvage) => salvage.run(),
        Command::Demo(demo) => demo.run(),
        Command::Sim(sim) => sim.run(),
        Command::Invariants(invariants) => invariants.run(),
        Command::Genesis(genesis) => genesis.run(),
        Command::Bank(ask) => ask.run(),
        Command::Txo(ask) => ask.run(),
        Command::Cl(ask) => ask.run(),
        Command::Badges(ask) => ask.run(),
        Command::Paw(ask) => ask.run(),
        Command::Lsp(lsp) => lsp.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
