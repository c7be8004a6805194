//! `keyscape bank`, `keyscape txo`, …: the queries of the built-in systems.
//!
//! Each module declares its queries as data. This file turns them into commands, runs them, and
//! prints their answers.

use crate::{
    database::{DatabaseError, Verification, engine},
    failure::{Exit, Failure},
    input::address::Address,
    output::{Format, grid::Grid, stderr, stdout},
    system::{SystemName, not_opened, open_read_only},
};
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, FromArgMatches, Subcommand, ValueEnum};
use keyscape_diagnostics::escape;
use keyscape_query::{Answer, Arguments, Form, Query, Run};
use keyscape_store::{Admission, Db, Tx};
use serde_json::{Map, Value, json};
use std::{io::Write, path::PathBuf};

const DB: &str = "DB";
const FORMAT: &str = "format";

/// A query of a system with its arguments: `keyscape SYSTEM QUERY …`.
#[derive(Debug)]
pub(crate) struct SystemQuery {
    system: SystemName,
    query: &'static Query,
    db: PathBuf,
    format: Format,
    arguments: Arguments,
    verification: Verification,
}

/// Makes the command of a query.
fn command(system: &str, query: &'static Query) -> Command {
    let db = Arg::new(DB).required(true).value_parser(Address);
    let mut command = Command::new(query.name)
        .arg(db.help("The database: a file, or `postgres://USER@HOST/DATABASE`"));
    for argument in query.arguments {
        let arg = Arg::new(argument.name).help(argument.about);
        // A negative number is a bad value, not an unknown option.
        let negative = |arg: Arg| arg.allow_negative_numbers(true);
        let option = |arg: Arg, value| negative(arg).long(argument.name).value_name(value);
        command = command.arg(match argument.form {
            Form::Required => negative(arg).required(true),
            Form::Optional => negative(arg),
            Form::Repeated => arg.required(true).action(ArgAction::Append).num_args(1..),
            Form::Option(value) => option(arg, value),
            Form::Options(value) => option(arg, value).action(ArgAction::Append),
            Form::OneOf(values) => {
                let arg = arg.long(argument.name).value_parser(values.to_vec());
                arg.default_value(values.first().copied().unwrap_or_default())
            }
            Form::Flag => arg.long(argument.name).action(ArgAction::SetTrue),
        });
    }
    let format = Arg::new(FORMAT).long(FORMAT).value_name("FORMAT").default_value("human");
    let format = format.value_parser(clap::value_parser!(Format)).help(
        "Output format: a table, or a JSON object per row, then {\"next\": CURSOR} if there are more rows",
    );
    let example = format!("EXAMPLES\n{}", example(system, query));
    // The shared arguments would set their own description, so it is replaced.
    let command = Verification::augment_args(command.arg(format));
    command.about(query.about).long_about(None).after_help(example)
}

/// Returns an example of a query as one line.
fn example(system: &str, query: &Query) -> String {
    format!("  keyscape {system} {} {system}.redb {}", query.name, query.example)
}

/// Makes the command of a system, with a command for each of its queries.
fn system_command(system: SystemName) -> Command {
    let name = system.system().name();
    let (about, queries) = system.queries();
    let examples = queries.iter().map(|query| format!("\n{}", example(name, query)));
    let examples: String = examples.collect();
    Command::new(name)
        .about(about)
        .after_help(format!("EXAMPLES\n  keyscape sim {name} --db {name}.redb{examples}"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(queries.iter().map(|query| command(name, query)))
}

/// Returns the systems that have queries.
fn systems() -> impl Iterator<Item = SystemName> {
    SystemName::value_variants().iter().copied().filter(|system| !system.queries().1.is_empty())
}

impl Subcommand for SystemQuery {
    fn augment_subcommands(program: Command) -> Command {
        program.subcommands(systems().map(system_command))
    }

    fn augment_subcommands_for_update(program: Command) -> Command {
        Self::augment_subcommands(program)
    }

    fn has_subcommand(name: &str) -> bool {
        systems().any(|system| system.system().name() == name)
    }
}

impl FromArgMatches for SystemQuery {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let system = systems().find(|system| system.system().name() == name);
        let system = system.ok_or_else(missing)?;
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let query = system.queries().1.iter().find(|query| query.name == name);
        let query = query.ok_or_else(missing)?;
        let arguments = query.arguments.iter().map(|argument| {
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
            system,
            query,
            db: matches.get_one::<PathBuf>(DB).cloned().ok_or_else(missing)?,
            format: matches.get_one(FORMAT).copied().unwrap_or(Format::Human),
            arguments: Arguments::new(arguments),
            verification: Verification::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl SystemQuery {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let system = self.system.system();
        let answer = match self.query.run {
            Run::Read(run) => {
                let db = open_read_only(system, &self.db, self.verification)?;
                run(&db.read()?, &self.arguments)?
            }
            Run::Write(run) => {
                let db = self.open().map_err(|error| not_opened(error, system.name()))?;
                db.write(|tx: &mut Tx<'_>| run(tx, &self.arguments))?
            }
        };
        print(self.query, &answer, self.format)?;
        if let (Some(next), Format::Human) = (&answer.next, self.format) {
            stderr::line(&format!("more: --after '{next}'"));
        }
        Ok(Exit::Fine)
    }

    /// Opens the database for writing.
    fn open(&self) -> Result<Db, DatabaseError> {
        if self.db.exists() {
            self.verification.run(&self.db)?;
        }
        engine::open(&self.db, &self.system.system().layouts(), Admission::new())
    }
}

fn print(query: &Query, answer: &Answer, format: Format) -> Result<(), Failure> {
    match format {
        Format::Human => {
            let head: &[&str] = if query.is_record { &["field", "value"] } else { query.columns };
            let mut grid = Grid::new(head.iter().map(ToString::to_string).collect());
            for row in &answer.rows {
                if query.is_record {
                    lines(query.columns, row).into_iter().try_for_each(|line| grid.row(line))?;
                } else {
                    grid.row(row.iter().map(cell).collect())?;
                }
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
            if let Some(next) = &answer.next {
                writeln!(out, "{}", json!({ "next": next }))?;
            }
            out.flush()?;
        }
    }
    Ok(())
}

/// Returns the lines of a record: one for each value, each element of a list and each member of an
/// object. Missing values have no line.
fn lines(columns: &[&str], row: &[Value]) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for (name, value) in columns.iter().zip(row) {
        match value {
            Value::Object(members) => {
                for (member, value) in members {
                    add_lines(&format!("{name} {}", member.replace('_', " ")), value, &mut lines);
                }
            }
            value => add_lines(name, value, &mut lines),
        }
    }
    lines
}

fn add_lines(name: &str, value: &Value, lines: &mut Vec<Vec<String>>) {
    match value {
        Value::Null => {}
        Value::Array(list) => {
            lines.extend(list.iter().map(|value| vec![escaped(name), cell(value)]));
        }
        value => lines.push(vec![escaped(name), cell(value)]),
    }
}

/// Returns a value as a cell. The members of an object are shown as pairs. Missing members are
/// omitted.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escaped(text),
        Value::Array(list) => list.iter().map(cell).collect::<Vec<_>>().join(","),
        Value::Object(members) => {
            let empty = Value::Array(Vec::new());
            let members = members.iter().filter(|(_, value)| !value.is_null() && **value != empty);
            let pairs = members.map(|(name, value)| format!("{}={}", escaped(name), cell(value)));
            pairs.collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

/// Escapes control characters, which a terminal would interpret.
fn escaped(text: &str) -> String {
    escape::escaped(text).into_owned()
}
