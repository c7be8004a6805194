//! Reads a genesis document, `{"genesis": SYSTEM, "rows": [ROW, …]}`, row by row.

use crate::{database::DatabaseError, exit::Exit, failure::Failure};
use keyscape_diagnostics::file::missing_directory;
use keyscape_store::LayoutError;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use std::{fmt, io, path::PathBuf};

/// The member that names the system.
pub(crate) const SYSTEM: &str = "genesis";
/// The member that contains the rows.
pub(crate) const ROWS: &str = "rows";

/// An error in a genesis document or its target.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GenesisError {
    #[error("`{}` already exists", .0.display())]
    Exists(PathBuf),
    #[error("cannot open `{}`: there is no such file", path.display())]
    NoFile { path: PathBuf, system: &'static str },
    #[error("`{}` has no rows of {}", path.display(), list(systems))]
    Nothing { path: PathBuf, systems: Vec<&'static str> },
    #[error("`{system}` combines several systems and has no genesis")]
    NoDocument { system: &'static str },
    #[error("{place} has no rows")]
    Empty { place: String },
    #[error("{place} is not a genesis: {source}")]
    Json { place: String, source: serde_json::Error },
    #[error("{place} is a genesis of `{found}`, not of `{asked}`")]
    System { place: String, found: String, asked: &'static str },
    #[error("{place}: {what}")]
    Derived { place: String, what: &'static str },
    #[error("{place} is not a genesis of a Cosmos chain: {fault}")]
    Foreign { place: String, fault: keyscape_sim::Fault },
    #[error("the state has no document for Cosmos: {fault}")]
    Unwritten { fault: keyscape_sim::Fault },
    #[error("`{system}` has no documents for Cosmos")]
    NoForm { system: &'static str },
    #[error("this is not a valid first state of `{system}`: {fault}")]
    Invalid { system: &'static str, fault: keyscape_sim::Fault },
}

impl GenesisError {
    /// Returns the `help:` line.
    pub(crate) fn help(&self) -> Option<String> {
        Some(match self {
            Self::Exists(_) => "choose another file; this one was not changed".to_owned(),
            Self::NoFile { path, system } => {
                format!("`keyscape sim {system} --db {}` creates one", path.display())
            }
            Self::Nothing { systems, .. } => match systems.as_slice() {
                [system] => {
                    format!("`keyscape sim {system} --db DB` creates a file with such rows")
                }
                _ => "name the system that the file contains; `chain` means all of them".to_owned(),
            },
            Self::NoDocument { .. } => {
                "export its systems one by one, for instance `keyscape genesis export paw DB`"
                    .to_owned()
            }
            Self::Json { .. } | Self::Empty { .. } => {
                "`keyscape genesis export` writes one".to_owned()
            }
            Self::System { found, .. } => format!("`keyscape genesis import {found} …`"),
            Self::Derived { .. } | Self::Invalid { .. } | Self::Foreign { .. } => {
                "nothing was written".to_owned()
            }
            Self::Unwritten { .. } => {
                "`keyscape genesis export` without `--as` writes every row".to_owned()
            }
            Self::NoForm { .. } => "only `bank` has such documents".to_owned(),
        })
    }

    /// Returns the exit status.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Derived { .. } | Self::Invalid { .. } => Exit::Refuted,
            Self::Exists(_)
            | Self::NoFile { .. }
            | Self::Nothing { .. }
            | Self::NoDocument { .. }
            | Self::Empty { .. }
            | Self::Json { .. }
            | Self::Foreign { .. }
            | Self::Unwritten { .. }
            | Self::NoForm { .. }
            | Self::System { .. } => Exit::Input,
        }
    }
}

/// Lists names: `` `a`, `b` and `c` ``.
fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        few => few.concat(),
    }
}

/// Converts the error of opening a system's file. `create` would be the wrong advice for a missing
/// file.
pub(crate) fn unopened(error: DatabaseError, system: &'static str) -> Failure {
    match error.missing_file() {
        Some(path) if missing_directory(path).is_none() => {
            GenesisError::NoFile { path: path.to_owned(), system }.into()
        }
        _ => match error {
            DatabaseError::Layout { path, source: LayoutError::NoCommonStore { .. } } => {
                GenesisError::Nothing { path, systems: vec![system] }.into()
            }
            error => error.into(),
        },
    }
}

/// Passes each row of a genesis document to `row`. Messages refer to the document as `place`.
pub(crate) fn read(
    input: impl io::Read,
    place: &str,
    system: &'static str,
    row: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut document = Document { system, row, stopped: None };
    let mut json = serde_json::Deserializer::from_reader(input);
    let read = document.deserialize(&mut json).and_then(|()| json.end());
    let place = place.to_owned();
    match (document.stopped, read) {
        (Some(Stopped::Row(failure)), _) => Err(*failure),
        (Some(Stopped::System(found)), _) => {
            Err(GenesisError::System { place, found, asked: system }.into())
        }
        (None, read) => Ok(read.map_err(|source| GenesisError::Json { place, source })?),
    }
}

/// The reason why reading ended early. serde can return only its own errors, so the reason is
/// stored here.
enum Stopped {
    Row(Box<Failure>),
    System(String),
}

struct Document<F> {
    system: &'static str,
    row: F,
    stopped: Option<Stopped>,
}

impl<F> Document<F> {
    fn stop<E: serde::de::Error>(&mut self, why: Stopped) -> E {
        self.stopped = Some(why);
        E::custom("stopped")
    }
}

impl<'de, F: FnMut(&[u8]) -> Result<(), Failure>> DeserializeSeed<'de> for &mut Document<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de, F: FnMut(&[u8]) -> Result<(), Failure>> Visitor<'de> for &mut Document<F> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "an object with `{SYSTEM}`, then `{ROWS}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        // The system must come first: the rows of another system would be rejected with misleading
        // errors.
        if map.next_key::<String>()?.as_deref() != Some(SYSTEM) {
            return Err(A::Error::custom(format_args!("`{SYSTEM}` must be its first member")));
        }
        let found: String = map.next_value()?;
        if found != self.system {
            return Err(self.stop(Stopped::System(found)));
        }
        if map.next_key::<String>()?.as_deref() != Some(ROWS) {
            return Err(A::Error::custom(format_args!("`{ROWS}` must follow `{SYSTEM}`")));
        }
        map.next_value_seed(Rows(self))?;
        if let Some(other) = map.next_key::<String>()? {
            map.next_value::<IgnoredAny>()?;
            return Err(A::Error::custom(format_args!("`{other}` is not allowed after `{ROWS}`")));
        }
        Ok(())
    }
}

struct Rows<'a, F>(&'a mut Document<F>);

impl<'de, F: FnMut(&[u8]) -> Result<(), Failure>> DeserializeSeed<'de> for Rows<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&[u8]) -> Result<(), Failure>> Visitor<'de> for Rows<'_, F> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("rows in the format of `export`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while let Some(row) = rows.next_element::<Box<RawValue>>()? {
            if let Err(failure) = (self.0.row)(row.get().as_bytes()) {
                return Err(self.0.stop(Stopped::Row(Box::new(failure))));
            }
        }
        Ok(())
    }
}
