//! `keyscape demo`

use super::Arguments;
use crate::{
    database::{Verification, open_read_only},
    failure::{Exit, Failure},
    output::stdout,
    system::SystemName,
};
use clap::{Args, Parser};
use keyscape_diagnostics::{
    bytes,
    datum::{Extent, scalar},
    file::{self, FileError},
};
use keyscape_prover::Verdict;
use keyscape_store::{KeyRange, Read, StoreId};
use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

/// Show what Keyscape does, in a few seconds
///
/// Refutes a typical layout, and proves it with the offered fix. Proves two real layouts, simulates
/// five systems as one chain on one database file and checks their invariants. Explains a key byte
/// by byte, and rejects a bad value. You can rerun every line that starts with `$` on the files in
/// the directory.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape demo
  keyscape demo try-it")]
pub(crate) struct Demo {
    /// The directory to create
    #[arg(value_name = "DIRECTORY", default_value = "keyscape-demo")]
    directory: PathBuf,
}

const SHOP: &str = include_str!("../../../../examples/shop.keys");
/// The number of blocks. It is enough to show a state, and takes about a second.
const BLOCKS: &str = "20";

impl Demo {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        fs::create_dir(&self.directory).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => Failure::input(
                format!("`{}` already exists", self.directory.display()),
                "remove it, or choose another directory: `keyscape demo DIRECTORY`",
            ),
            _ => FileError::Write { path: self.directory.clone(), source }.into(),
        })?;
        let outcome = self.run_steps();
        if outcome.is_err() {
            // A partial directory would block the next run. If the removal fails, the next run
            // reports it.
            let _ = fs::remove_dir_all(&self.directory);
        }
        outcome
    }

    fn run_steps(&self) -> Result<Exit, Failure> {
        self.refuted()?;
        self.proved()?;
        self.simulate()?;
        self.explained()?;
        self.next()?;
        Ok(Exit::Fine)
    }

    fn refuted(&self) -> Result<(), Failure> {
        self.file("shop.keys", SHOP)?;
        say(&format!(
            "{}\n1. A typical layout: `/` ends the user in a key, but the scan stops before it.\n\n$ cat {}\n{}",
            program(),
            self.path("shop.keys"),
            SHOP
        ))?;
        step(&["check", &self.path("shop.keys")], Exit::Refuted)
    }

    fn proved(&self) -> Result<(), Failure> {
        self.file("fixed.keys", &fixed(&self.directory.join("shop.keys"))?)?;
        let mut check = vec!["check".to_owned(), self.path("fixed.keys")];
        for system in [SystemName::Bank, SystemName::Txo] {
            let name = format!("{}.keys", system.system().name());
            self.file(&name, &system.system().layout_texts().concat())?;
            check.push(self.path(&name));
        }
        say(
            "\n2. Three proofs: the first offered fix, the bank of the Cosmos SDK, and an index of transaction outputs.\n",
        )?;
        step(&check.iter().map(String::as_str).collect::<Vec<_>>(), Exit::Fine)
    }

    fn simulate(&self) -> Result<(), Failure> {
        say(
            "\n3. Five systems in one chain on one database file: random operations, invalid ones rejected, invariants checked.\n",
        )?;
        let db = self.path("state.redb");
        step(&["sim", "chain", "--blocks", BLOCKS, "--seed", "1", "--db", &db], Exit::Fine)
    }

    fn explained(&self) -> Result<(), Failure> {
        let (bank, db) = (self.path("bank.keys"), self.path("state.redb"));
        say(
            "\n4. The rows of the file, decoded with the layout that it stores, and a key byte by byte.\n",
        )?;
        let (key, denom) = self.a_balance()?;
        let denom = format!("denom={denom}");
        step(&["scan", &db, "bank/balances", &denom, "--limit", "3"], Exit::Fine)?;
        step(&["explain", &bank, &bytes::hex(&key)], Exit::Fine)?;
        say(
            "\n5. A value that would collide with another keyspace is rejected: `z:tp:TOPIC:tx` holds the transactions of a topic.\n",
        )?;
        let txo = self.path("txo.keys");
        step(&["encode", &txo, "topics", "topic=mine"], Exit::Fine)?;
        step(&["encode", &txo, "topics", "topic=mine:tx"], Exit::Input)
    }

    fn next(&self) -> Result<(), Failure> {
        let path = |name: &str| self.path(name);
        let (bank, db) = (path("bank.keys"), path("state.redb"));
        let commands = [
            "rule KS003".to_owned(),
            format!("layout {db}"),
            format!("scan {db} txo/events --limit 5"),
            format!("stat {db}"),
            format!("invariants chain {db}"),
            format!("sim paw --blocks 50 --seed 2 --db {}", path("more.redb")),
            format!("genesis export paw {db}"),
            format!("doc {bank} --format html --output {}", path("bank.html")),
            format!("generate rust {}", path("fixed.keys")),
        ];
        let mut text = "\n6. More to try:\n".to_owned();
        for command in commands {
            let _ = writeln!(text, "$ keyscape {command}");
        }
        say(&text)
    }

    fn path(&self, name: &str) -> String {
        self.directory.join(name).display().to_string()
    }

    fn file(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.directory.join(name);
        fs::write(&path, text).map_err(|source| FileError::Write { path, source }.into())
    }

    /// Returns the first of the shortest balance keys, and the denomination of the balance.
    fn a_balance(&self) -> Result<(Vec<u8>, String), Failure> {
        let layout = file::open(&self.directory.join("bank.keys"))?;
        let path = self.directory.join("state.redb");
        let base = open_read_only(&layout, &path, Verification::default())?;
        let state = base.db.read()?;
        let mut rows = state.rows(StoreId::of("bank"), KeyRange::all())?;
        let mut shortest: Option<(Vec<u8>, String)> = None;
        while let Some(row) = rows.next()? {
            let Ok(entry) = base.reader.read_exactly("bank", row.key, row.value) else { continue };
            let is_shorter = shortest.as_ref().is_none_or(|(key, _)| row.key.len() < key.len());
            if layout.keyspace(entry.keyspace).name == "balances"
                && let Some(denom) = entry.key.get("denom")
                && is_shorter
            {
                shortest = Some((row.key.to_vec(), scalar(None, denom, Extent::Whole)));
            }
        }
        shortest.ok_or_else(|| bug("the simulation wrote no balances".to_owned()))
    }
}

/// Returns the text of a layout with its first offered fix applied.
fn fixed(path: &Path) -> Result<String, Failure> {
    let layout = file::open(path)?;
    let report = keyscape_prover::check(&layout, keyscape_prover::Config::default());
    let fix = report.claims.iter().find_map(|claim| match &claim.verdict {
        Verdict::Refuted(found) => found.fixes.first(),
        _ => None,
    });
    let fix = fix.ok_or_else(|| bug("the layout of the shop has no fix".to_owned()))?;
    let mut text = String::from_utf8_lossy(&file::read_bytes(path)?).into_owned();
    text.replace_range(fix.replaces.start as usize..fix.replaces.end as usize, &fix.edit);
    Ok(text)
}

/// Prints a command and runs it as if it had been typed.
fn step(arguments: &[&str], expected: Exit) -> Result<(), Failure> {
    let line = arguments.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ");
    say(&format!("\n$ keyscape {line}\n"))?;
    let typed = std::iter::once("keyscape").chain(arguments.iter().copied());
    let ended = match Arguments::try_parse_from(typed) {
        Ok(parsed) => parsed.command.run().unwrap_or_else(|failure| failure.report()),
        Err(_) => Exit::Input,
    };
    if ended == expected {
        return Ok(());
    }
    Err(bug(format!("`keyscape {line}` ended with {ended:?}, not {expected:?}")))
}

fn bug(title: String) -> Failure {
    Failure::described(title, None, Exit::Bug)
}

/// Quotes an argument for a shell.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

/// Returns a line that shows the path of the program, if the program was not started by its name.
fn program() -> String {
    match std::env::args_os().next().map(PathBuf::from) {
        Some(program) if program.components().nth(1).is_some() => {
            format!("in the following, `keyscape` means {}\n", program.display())
        }
        _ => String::new(),
    }
}

fn say(text: &str) -> Result<(), Failure> {
    stdout::print_data(text)?;
    Ok(())
}
