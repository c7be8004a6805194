//! The commands.

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

pub(crate) use ask::failed as query_failed;
pub(crate) use demo::DemoError;

use crate::{
    exit::Exit,
    failure::Failure,
    input::layout::DatabaseArgument,
    system::{Badges, Bank, Cl, Paw, Txo},
};
use clap::Subcommand;

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
