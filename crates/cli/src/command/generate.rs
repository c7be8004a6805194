//! `keyscape generate`

use crate::{
    failure::{Exit, Failure},
    input::layout,
    output::{destination, stderr},
};
use clap::{Args, Subcommand};
use keyscape_codegen::Options;
use keyscape_layout::Layout;
use keyscape_prover::Config;
use std::path::PathBuf;

/// Generate code from a proved layout
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Generate {
    #[command(subcommand)]
    language: Language,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape generate rust shop.keys --output src/shop.rs
  keyscape generate rust shop.keys --keys-only > src/keys.rs";

#[derive(Debug, Subcommand)]
enum Language {
    Rust(Rust),
}

/// Generate Rust types, keys and typed access to a store
///
/// Generates the formatted expansion of `keyscape::layout!`: a module for each store, with a type
/// for each type of the layout, a struct for the key of each keyspace, and a constant that reads
/// and writes its rows. The code depends on the crate `keyscape` only. Value types that the layout
/// only names (`json Pool`, `proto Coin`) must be defined next to the modules.
///
/// If a claim is refuted or unknown, and not accepted, nothing is generated, and the report is that
/// of `keyscape check`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{DETAILS}"))]
struct Rust {
    /// The layout: a `.keys` file, a database that stores one, or `-` for stdin
    layout: PathBuf,
    /// Output file, replaced atomically [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Generate types and keys without typed access, for `keyscape` without default features
    #[arg(long)]
    keys_only: bool,
}

const DETAILS: &str = "\
EXIT STATUS
  0  the source was written
  1  a claim is refuted or unknown, or an `accept` matches nothing
  2  the layout cannot be read or has errors, or the source cannot be written
  3  a bug in Keyscape";

impl Generate {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.language {
            Language::Rust(rust) => rust.run(),
        }
    }
}

/// Checks that rows determine the values of all index entries, because typed access computes them.
fn check_entry_values(layout: &Layout) -> Result<(), Failure> {
    let mut indexes = layout.keyspaces.iter().filter(|keyspace| keyspace.of.is_some());
    let Some(index) = indexes.find(|index| index.entry_value().is_none()) else { return Ok(()) };
    let title = format!(
        "no typed access is generated: the values of `{}` do not follow from the rows of its map",
        index.name
    );
    Err(Failure::input(title, "use `--keys-only` to generate keys without typed access"))
}

impl Rust {
    fn run(self) -> Result<Exit, Failure> {
        let layout = layout::load(&self.layout)?;
        destination::check(self.output.as_deref(), &self.layout, &layout)?;
        let report = keyscape_prover::check(&layout, Config::default());
        if !report.holds() {
            stderr::print(&keyscape_diagnostics::findings(&layout, &report, false));
            return Err(Failure::refuted("nothing was generated: the layout is not proved"));
        }
        if !self.keys_only {
            check_entry_values(&layout)?;
        }
        let options = Options { access: !self.keys_only };
        let source = keyscape_codegen::source(&layout, &report, options)
            .map_err(|error| Failure::described(error.to_string(), None, Exit::Bug))?;
        destination::write(self.output.as_deref(), &source)?;
        Ok(Exit::Fine)
    }
}
