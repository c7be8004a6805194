//! The command line; each command defines its arguments in its own file.

mod adopt;
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
mod query;
mod queue;
mod repair;
mod rule;
mod salvage;
mod scan;
mod serve;
mod sim;
mod stat;
mod target;

use crate::failure::{Exit, Failure};
use clap::{ColorChoice, Parser, Subcommand};

/// Declare the byte layout of your keys once; prove that it is sound.
///
/// A layout (a `.keys` file) describes every key of a store. Keyscape proves that no two keyspaces
/// share a key, that every key has one reading, that scans return their rows and no others, and
/// that rows are in the declared order. It encodes and decodes keys, and reads and writes
/// databases: redb files, PostgreSQL and TiKV.
///
/// Results go to stdout, messages to stderr. Exit status: 0 success; 1 refuted, unknown, different
/// or not found; 2 wrong command line or input; 3 a bug in Keyscape, or a damaged file on which the
/// engine failed.
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

/// Declares the commands and runs the selected one. Each command defines its arguments and `run` in
/// its module.
macro_rules! commands {
    ($($module:ident::$command:ident,)*) => {
        /// The selected command with its arguments.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($command($module::$command),)*
            #[command(flatten)]
            Query(query::SystemQuery),
        }

        impl Command {
            pub(crate) fn run(self) -> Result<Exit, Failure> {
                match self {
                    $(Self::$command(arguments) => arguments.run(),)*
                    Self::Query(query) => query.run(),
                }
            }
        }
    };
}

commands! {
    check::Check,
    diff::Diff,
    rule::Rule,
    fmt::Fmt,
    encode::Encode,
    decode::Decode,
    explain::Explain,
    doc::Doc,
    generate::Generate,
    create::Create,
    layout::Layout,
    get::Get,
    scan::Scan,
    count::Count,
    serve::Serve,
    put::Put,
    delete::Delete,
    queue::Queue,
    index::Index,
    migrate::Migrate,
    stat::Stat,
    export::Export,
    import::Import,
    copy::Copy,
    adopt::Adopt,
    audit::Audit,
    repair::Repair,
    salvage::Salvage,
    lsp::Lsp,
    completions::Completions,
    man::Man,
    demo::Demo,
    sim::Sim,
    invariants::Invariants,
    genesis::Genesis,
}
