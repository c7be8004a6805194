//! `keyscape genesis`

use super::export::Dump;
use crate::{
    audit::Finding,
    database::{OpenDatabase, Verification, engine, open_read_only, publish, stage},
    failure::{Exit, Failure},
    input::{
        address::Address,
        genesis,
        load::{ImportMode, Load, RowSource, input},
    },
    output::stderr::{self, many},
    system::{SystemName, check_rows, not_opened},
};
use clap::{Args, Subcommand, ValueEnum};
use keyscape_diagnostics::file::FileError;
use std::{io::Write, path::PathBuf};

/// Export or import the state of a system as one JSON document
///
/// The document names its system and contains all rows, each on a line in the format of `export`.
/// An import restores them byte for byte, including the white space of JSON values. The document is
/// processed as a stream.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Genesis {
    #[command(subcommand)]
    action: Action,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape sim bank --blocks 100 --db state.redb
  keyscape genesis export bank state.redb > genesis.json
  keyscape genesis import bank new.redb genesis.json
  jq '.rows[] | select(.keyspace == \"supply\")' genesis.json";

#[derive(Debug, Subcommand)]
enum Action {
    Export(Export),
    Import(Import),
}

/// Export the state of a system as one JSON document
///
/// The file is not changed. Stores of other systems are not exported.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape genesis export bank state.redb > genesis.json
  keyscape genesis export cl cl.redb > cl.json
  keyscape genesis export bank state.redb --as cosmos --chain-id test-1")]
struct Export {
    /// The system
    #[arg(value_name = "SYSTEM")]
    system: SystemName,
    /// The database: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// Write the document of another program: `cosmos`, for the bank
    #[arg(long = "as", value_name = "FORMAT")]
    form: Option<Form>,
    /// The name of the chain in a document for Cosmos
    #[arg(long, value_name = "ID", default_value = "", requires = "form")]
    chain_id: String,
    #[command(flatten)]
    verification: Verification,
}

/// The format of a genesis document of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A genesis of the Cosmos SDK: `app_state.auth` and `app_state.bank`
    Cosmos,
}

/// Create a database file from a genesis document
///
/// Creates the complete file, or no file. Reports the first bad row, or the invariants that do not
/// hold, such as a supply that differs from the sum of the balances.
///
/// With `--from cosmos`, all addresses must have one prefix, which can be that of any chain.
/// Account types beyond those of the Cosmos SDK, interchain accounts, Ethermint and Injective are
/// rejected, because JSON does not state the numbers of their fields.
///
/// Exit status: 1 if the rows are not a valid state of the system; 2 if a row is bad or the file
/// already exists.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape genesis import bank new.redb genesis.json
  keyscape genesis export bank state.redb | keyscape genesis import bank new.redb
  keyscape genesis import bank new.redb --from cosmos genesis.json")]
struct Import {
    /// The system
    #[arg(value_name = "SYSTEM")]
    system: SystemName,
    /// The database to create: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// The file with the document [default: stdin, as with `-`]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Read the document of another program: `cosmos`, for the bank
    #[arg(long, value_name = "FORMAT")]
    from: Option<Form>,
}

impl Genesis {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.action {
            Action::Export(export) => export.run(),
            Action::Import(import) => import.run(),
        }
    }
}

impl Export {
    fn run(self) -> Result<Exit, Failure> {
        let layout = self.system.layout()?;
        let name = self.system.system().name();
        let base = open_read_only(&layout, &self.db, self.verification)
            .map_err(|error| not_opened(error, name))?;
        check_rows(self.system.system(), &self.db, &base.db.read()?)?;
        if let Some(form) = self.form {
            only_bank(self.system, form)?;
            let (rules, mut document) = (keyscape_bank::Rules::default(), Vec::new());
            keyscape_bank::cosmos::export(&base.db.read()?, &rules, &self.chain_id, &mut document)
                .map_err(|fault| {
                    let help = "`keyscape genesis export` without `--as` writes every row";
                    Failure::input(format!("the state has no document for Cosmos: {fault}"), help)
                })?;
            std::io::stdout().lock().write_all(&document)?;
            return Ok(Exit::Fine);
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "{{\"{}\":\"{name}\",\"{}\":[", genesis::SYSTEM, genesis::ROWS)?;
        Dump { base: &base, only: &[], warns_of_others: false, between: b",\n" }.write(&mut out)?;
        out.write_all(b"]}\n")?;
        out.flush()?;
        Ok(Exit::Fine)
    }
}

/// Checks that a system supports documents of this form.
fn only_bank(system: SystemName, Form::Cosmos: Form) -> Result<(), Failure> {
    if system == SystemName::Bank {
        return Ok(());
    }
    let title = format!("`{}` has no documents for Cosmos", system.system().name());
    Err(Failure::input(title, "only `bank` has such documents"))
}

/// The help for a document that is rejected.
const NOTHING_WRITTEN: &str = "nothing was written";

impl Import {
    /// Fills a staged file, and publishes it when it is complete and checked.
    fn run(self) -> Result<Exit, Failure> {
        if engine::exists(&self.db)? {
            let title =
                format!("`{}` already exists", engine::without_password(&self.db).display());
            return Err(Failure::input(title, "choose another file; this one was not changed"));
        }
        let (name, input) = input(self.file.as_deref())?;
        let system = self.system.system();
        let layout = self.system.layout()?;
        let (base, staged) = stage(&layout, &self.db)?;
        let source = RowSource { name, separator: ", row ", is_new: true };
        if let Some(form) = self.from {
            only_bank(self.system, form)?;
            cosmos(&base, &source.name, input)?;
        } else {
            let mut load = Load::new(&base, &source, ImportMode::Insert);
            genesis::read(input, &source.name, system.name(), |row| load.write_line(row))?;
            let findings = load.finish()?;
            let describe =
                |finding: Finding| format!("{}: {}", finding.place(&layout), finding.kind.says());
            check(system.name(), &findings.iter().map(describe).collect::<Vec<_>>())?;
        }
        let state = base.db.read()?;
        let count = keyscape_sim::state_of(&state, &system.layouts())?.rows;
        if count == 0 {
            return Err(Failure::input(format!("{} has no rows", source.name), genesis::EXPORT));
        }
        check(system.name(), &system.broken(&state).map_err(Failure::System)?)?;
        let warnings = system.warnings(&state).map_err(Failure::System)?;
        drop(state);
        warnings.into_iter().for_each(|warning| stderr::warn(warning, None));
        publish(base, staged)?;
        let (path, rows) = (engine::without_password(&self.db), many(count, "row"));
        stderr::line(&format!("created {} with {rows}", path.display()));
        Ok(Exit::Fine)
    }
}

/// Rejects rows with violations.
fn check(system: &str, violations: &[String]) -> Result<(), Failure> {
    if violations.is_empty() {
        return Ok(());
    }
    let title = format!("this is not a valid first state of `{system}`");
    Err(Failure::violated(title, violations, Some(NOTHING_WRITTEN.to_owned())))
}

/// Fills a file from a genesis of a Cosmos chain, and reports the modules that are not read.
fn cosmos(
    base: &OpenDatabase<'_>,
    place: &str,
    mut input: impl std::io::Read,
) -> Result<(), Failure> {
    let mut document = String::new();
    let unread = |source| FileError::Read { path: PathBuf::from(place), source };
    input.read_to_string(&mut document).map_err(unread)?;
    let rules = keyscape_bank::Rules::default();
    let imported = base.db.write(|tx| keyscape_bank::cosmos::import(tx, &rules, &document));
    let imported = imported.map_err(|fault| {
        let title = format!("{place} is not a genesis of a Cosmos chain: {fault}");
        Failure::input(title, NOTHING_WRITTEN)
    })?;
    if imported.supply_is_computed {
        stderr::line("the document states no supply: it is the sum of the balances");
    }
    if !imported.skipped.is_empty() {
        stderr::line(&format!("not read: {}", imported.skipped.join(", ")));
    }
    Ok(())
}
