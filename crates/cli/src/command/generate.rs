//! `keyscape generate`

use crate::{
    exit::Exit,
    failure::Failure,
    output::{destination, message::Message, talk},
};
use clap::{Args, Subcommand};
use keyscape_codegen::Options;
use keyscape_layout::Layout;
use keyscape_prover::Config;
use keyscape_report::file;
use std::path::PathBuf;

/// Generate code from a layout that is proved
#[derive(Args, Debug)]
#[command(disable_help_subcommand = true, after_help = EXAMPLES)]
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

/// Generate Rust: types, keys, and typed access to a store
///
/// The source is what `keyscape::layout!` expands to, formatted: a module for each store, with a type
/// for each type of the layout, a struct for the keys of each keyspace, and a constant through which
/// its rows are read and written. It needs the crate `keyscape` and nothing else. Types that rows hold
/// and that the layout only names (`json Pool`, `proto Coin`) are looked up beside the modules.
///
/// Nothing is generated from a layout with a claim that is refuted or not decided and that is not
/// accepted: the report says why, as `keyscape check` does.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG)]
struct Rust {
    /// The layout; `-` is stdin
    layout: PathBuf,
    /// Where to write the source, all or nothing, in the place of what is there [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave out typed access: types and keys only, for `keyscape` without default features
    #[arg(long)]
    keys_only: bool,
}

const LONG: &str = "\
EXAMPLES
  keyscape generate rust shop.keys --output src/shop.rs
  keyscape generate rust shop.keys --keys-only > src/keys.rs

EXIT STATUS
  0  the source is written
  1  a claim is refuted or not decided, or an `accept` matches nothing
  2  the layout cannot be read or has mistakes, or the source cannot be written
  3  a bug in Keyscape";

impl Generate {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.language {
            Language::Rust(rust) => rust.run(),
        }
    }
}

/// Why no typed access can be generated.
fn unwritable(layout: &Layout) -> Option<Message> {
    let mut indexes = layout.keyspaces.iter().filter(|keyspace| keyspace.of.is_some());
    let index = indexes.find(|index| index.entry_value().is_none())?;
    let title = format!(
        "no typed access is generated: what entries of `{}` hold does not follow from the rows of its map",
        index.name
    );
    let help = "`--keys-only` leaves typed access out".to_owned();
    Some(Message::error(title).help_maybe(Some(help)))
}

impl Rust {
    fn run(self) -> Result<Exit, Failure> {
        let layout = file::open(&self.layout)?;
        let report = keyscape_prover::check(&layout, Config::default());
        if !report.holds() {
            talk::print(&keyscape_report::findings(&layout, &report, false));
            let title = "nothing was generated: the layout is not proved";
            talk::say(&Message::error(title));
            return Ok(Exit::Refuted);
        }
        if let (false, Some(message)) = (self.keys_only, unwritable(&layout)) {
            talk::say(&message);
            return Ok(Exit::Input);
        }
        match keyscape_codegen::source(&layout, &report, Options { access: !self.keys_only }) {
            Ok(source) => {
                destination::write(self.output.as_deref(), &source)?;
                Ok(Exit::Fine)
            }
            Err(error) => {
                talk::say(&Message::error(error.to_string()));
                Ok(Exit::Bug)
            }
        }
    }
}
