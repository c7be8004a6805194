//! The command line; each command defines its arguments in its own file.

use crate::command::Command;
use clap::{Parser, ValueEnum};

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
    pub(crate) color: Color,
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

/// The `--color` option.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Sets the colour choice of all output streams.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
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
