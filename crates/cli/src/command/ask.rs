//! `keyscape bank`, `keyscape txo`, …: the queries of the built-in systems.
//!
//! Each module states its queries as data. This file turns them into commands, runs them, and prints
//! their answers.

use crate::{
    database::{DatabaseError, Verification},
    exit::Exit,
    failure::Failure,
    input::genesis,
    output::{grid::Grid, stdout, talk},
    system::{Asked, Known},
};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use keyscape_query::{Answer, Form, Given, Query, QueryError, Run};
use keyscape_store::{Db, LayoutError, Tx};
use keyscape_store_redb::Options;
use serde_json::{Map, Value};
use std::{
    io::Write,
    marker::PhantomData,
    path::{Path, PathBuf},
};

const DB: &str = "DB";
const FORMAT: &str = "format";

/// A query of a system with its arguments.
#[derive(Debug)]
pub(crate) struct Ask<S> {
    query: &'static Query,
    db: PathBuf,
    format: Format,
    given: Given,
    verification: Verification,
    of: PhantomData<S>,
}

/// The format of an answer.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A table
    Human,
    /// One JSON object per row
    Json,
}

/// Makes the command of a query.
fn command(system: &str, query: &'static Query) -> Command {
    let db = Arg::new(DB).required(true).value_parser(clap::value_parser!(PathBuf));
    let mut command = Command::new(query.name).arg(db.help("The database file"));
    for argument in query.arguments {
        let arg = Arg::new(argument.name).help(argument.about);
        let arg = match argument.form {
            Form::Required => arg.required(true),
            Form::Optional => arg,
            Form::Repeated => arg.required(true).action(ArgAction::Append).num_args(1..),
            Form::Option(default) => {
                let arg = arg.long(argument.name).value_name("VALUE");
                match default {
                    Some(default) => arg.default_value(default),
                    None => arg,
                }
            }
            Form::Flag => arg.long(argument.name).action(ArgAction::SetTrue),
        };
        command = command.arg(arg);
    }
    let format = Arg::new(FORMAT).long(FORMAT).value_name("FORMAT").default_value("human");
    let format = format.value_parser(clap::value_parser!(Format)).help("The format of the answer");
    let example =
        format!("EXAMPLES\n  keyscape {system} {} {system}.redb {}", query.name, query.example);
    // The shared arguments bring a description of their own.
    let command = Verification::augment_args(command.arg(format));
    command.about(query.about).long_about(None).after_help(example)
}

impl<S: Asked> Args for Ask<S> {
    fn augment_args(system: Command) -> Command {
        let queries = S::QUERIES.iter().map(|query| command(S::SYSTEM.name(), query));
        system
            .subcommand_required(true)
            .arg_required_else_help(true)
            .disable_help_subcommand(true)
            .subcommands(queries)
    }

    fn augment_args_for_update(system: Command) -> Command {
        Self::augment_args(system)
    }
}

impl<S: Asked> FromArgMatches for Ask<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let query = S::QUERIES.iter().find(|query| query.name == name).ok_or_else(missing)?;
        let given = query.arguments.iter().map(|argument| {
            let values = match argument.form {
                Form::Flag if matches.get_flag(argument.name) => vec![String::new()],
                Form::Flag => Vec::new(),
                _ => {
                    matches.get_many::<String>(argument.name).unwrap_or_default().cloned().collect()
                }
            };
            (argument.name, values)
        });
        Ok(Self {
            query,
            db: matches.get_one::<PathBuf>(DB).cloned().ok_or_else(missing)?,
            format: matches.get_one(FORMAT).copied().unwrap_or(Format::Human),
            given: Given::new(given),
            verification: Verification::from_arg_matches(matches)?,
            of: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<S: Asked> Ask<S> {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let db = open(&self.db, S::SYSTEM, self.verification, self.query.run)?;
        let answer = match self.query.run {
            Run::Read(run) => run(&db.read()?, &self.given)?,
            Run::Write(run) => db.write(|tx: &mut Tx<'_>| run(tx, &self.given))?,
        };
        drop(db);
        print(self.query, &answer, self.format)?;
        if let Some(next) = &answer.next {
            talk::print(&format!("more: --after '{next}'\n"));
        }
        Ok(Exit::Fine)
    }
}

/// Opens the file of a system, for reading unless the query writes.
fn open(
    path: &Path,
    known: &'static dyn Known,
    verification: Verification,
    run: Run,
) -> Result<Db, Failure> {
    let layouts = known.layouts();
    let failed = |source: LayoutError| {
        let error = DatabaseError::Layout { path: path.to_owned(), source };
        genesis::unopened(error, known.name())
    };
    let options = Options::new();
    let opened = match run {
        Run::Read(_) => keyscape_store_redb::open_read_only_with(path, &layouts, &options),
        Run::Write(_) => {
            let options = Options::new().verify(false);
            if path.exists() {
                verification.run(path).map_err(|error| failed(error.into()))?;
            }
            return keyscape_store_redb::open_with(path, &layouts, &options).map_err(failed);
        }
    };
    let db = opened.map_err(failed)?;
    verification.run(path).map_err(|error| failed(error.into()))?;
    Ok(db)
}

fn print(query: &Query, answer: &Answer, format: Format) -> Result<(), Failure> {
    match format {
        Format::Human => {
            let head = query.columns.iter().map(ToString::to_string).collect();
            let mut grid = Grid::new(head);
            for row in &answer.rows {
                grid.row(row.iter().map(cell).collect())?;
            }
            grid.finish()?;
        }
        Format::Json => {
            let mut out = stdout::plain();
            for row in &answer.rows {
                let members = query.columns.iter().zip(row);
                let members = members.map(|(name, value)| (name.replace(' ', "_"), value.clone()));
                writeln!(out, "{}", Value::Object(members.collect::<Map<_, _>>()))?;
            }
            out.flush()?;
        }
    }
    Ok(())
}

/// Returns a value as a cell. Control characters could affect a terminal, so they are escaped.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if !text.contains(char::is_control) => text.clone(),
        Value::String(text) => text.escape_debug().to_string(),
        other => other.to_string(),
    }
}

/// Returns the help and the exit status of a failed query.
pub(crate) fn failed(error: &QueryError) -> (Option<String>, Exit) {
    match error {
        QueryError::Argument { .. } | QueryError::Usage(_) => {
            (Some("`--help` describes the arguments".to_owned()), Exit::Input)
        }
        _ => (None, Exit::Refuted),
    }
}
