//! `keyscape genesis`

use crate::{
    database::{Base, Opened, Verification},
    exit::Exit,
    failure::Failure,
    input::{
        genesis::{self, GenesisError},
        load::{How, Load, Places},
    },
    output::{
        dump::Dump,
        talk::{self, many},
    },
    system::SystemName,
};
use clap::{Args, Subcommand};
use keyscape_report::file::FileError;
use keyscape_store::{KeyRange, Read, StoreId};
use std::{
    fs::File,
    io::{BufReader, Write},
    path::{Path, PathBuf},
};
use tempfile::TempPath;

/// Write the state of a system as one JSON document, or make a database of one
///
/// The document says which system it is of, and has all of its rows, each on a line as `export` prints it, so that they
/// come back byte for byte; JSON that a row holds is taken to the letter, white space included. The document is never in
/// memory as a whole.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Genesis {
    #[command(subcommand)]
    way: Way,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape sim bank --blocks 100 --db state.redb
  keyscape genesis export bank state.redb > genesis.json
  keyscape genesis import bank new.redb genesis.json
  jq '.rows[] | select(.keyspace == \"supply\")' genesis.json";

#[derive(Debug, Subcommand)]
enum Way {
    Export(Export),
    Import(Import),
}

/// Print the state of a system as one JSON document
///
/// Nothing of the file changes. Other stores of the file are not printed.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape genesis export bank state.redb > genesis.json")]
struct Export {
    /// The system
    #[arg(value_name = "SYSTEM")]
    system: SystemName,
    /// The database file
    #[arg(value_name = "DB")]
    db: PathBuf,
    #[command(flatten)]
    verification: Verification,
}

/// Make a database file of a genesis
///
/// All of it, or none: what is wrong with a row is said, and so is an invariant that does not hold, such as
/// a supply that is not the sum of the balances; then there is no file.
///
/// Exit status: 1 if the rows are no state of the system; 2 if a row is bad or the file is there already.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape genesis import bank new.redb genesis.json
  keyscape genesis export bank state.redb | keyscape genesis import bank new.redb")]
struct Import {
    /// The system
    #[arg(value_name = "SYSTEM")]
    system: SystemName,
    /// The database file to make
    #[arg(value_name = "DB")]
    db: PathBuf,
    /// The document; without a file, stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Genesis {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.way {
            Way::Export(export) => export.run(),
            Way::Import(import) => import.run(),
        }
    }
}

impl Export {
    fn run(self) -> Result<Exit, Failure> {
        let layout = self.system.layout()?;
        let name = self.system.known().name();
        let mut base = Base::open(&layout, &self.db, Opened::ToRead(self.verification)).map_err(
            |failure| match failure {
                Failure::Database(error) => genesis::unopened(error, name),
                failure => failure,
            },
        )?;
        // What else is in the file does not belong to the system, and is not missed.
        let others = std::mem::take(&mut base.others);
        if !has_rows(&base, &others)? {
            return Err(GenesisError::Nothing { path: self.db, system: name }.into());
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "{{\"{}\":\"{name}\",\"{}\":[", genesis::SYSTEM, genesis::ROWS)?;
        Dump { base: &base, only: &[], without: &others, between: b",\n" }.write(&mut out)?;
        out.write_all(b"]}\n")?;
        out.flush()?;
        Ok(Exit::Fine)
    }
}

/// Whether a space of the system has a row.
fn has_rows(base: &Base<'_>, others: &[String]) -> Result<bool, Failure> {
    let state = base.db.read()?;
    for (_, space) in base.db.spaces().iter().skip(1) {
        let is_ours = !others.iter().any(|other| other == space);
        if is_ours && state.rows(StoreId::of(space), KeyRange::all())?.next()?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Rows of a document.
struct Rows {
    of: String,
}

impl Places for Rows {
    fn place(&self, row: u64) -> String {
        format!("{}, row {row}", self.of)
    }

    fn written(&self, _: u64) -> String {
        "nothing was written".to_owned()
    }
}

impl Import {
    fn run(self) -> Result<Exit, Failure> {
        if self.db.exists() {
            return Err(GenesisError::Exists(self.db).into());
        }
        match &self.file {
            Some(path) => {
                let opened = File::open(path);
                let file =
                    opened.map_err(|source| FileError::Read { path: path.clone(), source })?;
                self.fill(path.display().to_string(), file)
            }
            None => self.fill("stdin".to_owned(), std::io::stdin().lock()),
        }
    }

    /// Fills a file beside the one that is wanted, which comes into being complete and checked.
    fn fill(&self, of: String, input: impl std::io::Read) -> Result<Exit, Failure> {
        let known = self.system.known();
        let layout = self.system.layout()?;
        let unwritable = |source| FileError::Write { path: self.db.clone(), source };
        let folder = self.db.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut new = tempfile::Builder::new();
        let new = new.prefix(".keyscape-").tempdir_in(folder.unwrap_or(Path::new(".")));
        let new = new.map_err(unwritable)?;
        let path = new.path().join("genesis.redb");
        let base = Base::open(&layout, &path, Opened::New)?;
        let rows = Rows { of };
        let mut load = Load::new(&base, &rows, How::Once);
        let input = BufReader::with_capacity(1 << 18, input);
        genesis::read(input, &rows.of, known.name(), |row| load.take(row))?;
        if let Some(astray) = load.finish()?.pop() {
            let (index, map) = (astray.index, astray.map);
            return Err(GenesisError::Index { index, map }.into());
        }
        drop(load);
        let state = base.db.read()?;
        let count = keyscape_sim::state_of(&state, &known.layouts())?.rows;
        if count == 0 {
            return Err(GenesisError::Empty { place: rows.of }.into());
        }
        let verified = known.verify(&state);
        drop(state);
        verified.map_err(|fault| GenesisError::Invalid { system: known.name(), fault })?;
        drop(base);
        let made = TempPath::try_from_path(path).map_err(unwritable)?;
        let persisted = made.persist_noclobber(&self.db);
        persisted.map_err(|error| unwritable(error.error))?;
        talk::print(&format!("made {} with {}\n", self.db.display(), many(count, "row")));
        Ok(Exit::Fine)
    }
}
