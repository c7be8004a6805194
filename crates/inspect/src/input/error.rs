//! Errors in arguments and values.

use crate::plural;
use keyscape_diagnostics::suggestion;
use keyscape_layout::{EncodeError, EncodeReason};

/// An argument that does not fit the layout.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("`{given}` is not of the form `field=value`")]
    NotPair { given: String, example: String },
    #[error("the value of {what} is missing")]
    NoValue { what: String },
    #[error("{message}")]
    Other { message: String, help: Option<String> },
}

impl InputError {
    /// Returns an error with its `help:` line.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Other { message: message.into(), help: Some(help.into()) }
    }

    /// Returns an error without a `help:` line.
    pub fn without_help(message: impl Into<String>) -> Self {
        Self::Other { message: message.into(), help: None }
    }

    /// Returns the error of a name that does not exist. `known` are the names that do.
    pub fn unknown(what: &str, given: &str, known: &[String]) -> Self {
        let help = suggestion::help(given, &plural(what), known);
        Self::new(format!("there is no {what} `{given}`"), help)
    }

    /// Returns the error of a field that does not exist. `known` are the fields beside it.
    pub(crate) fn unknown_field(path: &str, known: &[String]) -> Self {
        let name = path.rsplit('.').next().unwrap_or(path);
        let help = suggestion::help(name, "fields", known);
        Self::new(format!("there is no field `{path}`"), help)
    }

    /// Returns the error of a row that cannot be encoded. `fields` are those that it may have.
    pub fn encode(source: &EncodeError, fields: &[String]) -> Self {
        let is_missing = source.reason == EncodeReason::Missing;
        let help = is_missing.then(|| format!("fields: {}", suggestion::list(fields)));
        Self::Other { message: source.to_string(), help }
    }

    /// Returns the error of a value that is not JSON.
    pub fn not_json(source: &serde_json::Error) -> Self {
        let message = format!("the value is not JSON: {source}");
        let is_deep = source.to_string().starts_with("recursion limit");
        Self::new(
            message,
            match is_deep {
                true => "nest JSON at most 127 deep",
                false => "put JSON text in double quotes",
            },
        )
    }

    /// Adds the path of the field to the error of its value.
    #[must_use]
    pub fn in_field(self, path: &str) -> Self {
        Self::Other { message: format!("field `{path}`: {self}"), help: self.help() }
    }

    /// Returns the `help:` line.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NotPair { example, .. } => Some(format!("for example `{example}`")),
            Self::NoValue { .. } => Some("put the value after `--`".to_owned()),
            Self::Other { help, .. } => help.clone(),
        }
    }
}
