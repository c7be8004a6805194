//! Queries of systems as data.
//!
//! A module states each of its queries once, as a [`Query`]: its name, its arguments, the columns of
//! its answer, and a function. A program that knows nothing else of the module parses the arguments,
//! runs the function and renders the answer, as a table or as JSON.
//!
//! ```
//! use keyscape_query::{Answer, Argument, Given, Query, QueryError, Run};
//! use keyscape::store::Read;
//!
//! fn double(_: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
//!     let number: u32 = given.parse("NUMBER")?;
//!     Ok(Answer::row([number.into(), (number * 2).into()]))
//! }
//!
//! const DOUBLE: Query = Query {
//!     name: "double",
//!     about: "Double a number",
//!     arguments: &[Argument::required("NUMBER", "The number")],
//!     columns: &["number", "double"],
//!     example: "21",
//!     run: Run::Read(double),
//! };
//!
//! let given = Given::new([("NUMBER", vec!["21".to_owned()])]);
//! # let db = keyscape::store::Db::new(keyscape::store::Memory::new(
//! #     keyscape::store::Spaces::new(["x"])?,
//! # ));
//! let Run::Read(run) = DOUBLE.run else { return Err("it reads".into()) };
//! assert_eq!(run(&db.read()?, &given)?.rows, [[21, 42].map(serde_json::Value::from).to_vec()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use keyscape::store::{Read, Tx};
use serde_json::Value;
use std::{collections::BTreeMap, fmt, str::FromStr};

/// A query or an operation of a system.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// The name, in lower case.
    pub name: &'static str,
    /// One line that begins with an imperative.
    pub about: &'static str,
    /// The arguments, in their order.
    pub arguments: &'static [Argument],
    /// The columns of the answer.
    pub columns: &'static [&'static str],
    /// Arguments of an example, after the name of the file.
    pub example: &'static str,
    /// The function.
    pub run: Run,
}

/// The function of a query.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Reads a state.
    Read(fn(&dyn Read, &Given) -> Result<Answer, QueryError>),
    /// Writes in a transaction. An error leaves no trace.
    Write(fn(&mut Tx<'_>, &Given) -> Result<Answer, QueryError>),
}

/// An argument of a query.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// The name: in upper case for a position, in lower case for an option.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// The number of values that it takes.
    pub form: Form,
}

/// The number of values that an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A position that must be given.
    Required,
    /// A position that may be missing.
    Optional,
    /// All remaining positions, at least one.
    Repeated,
    /// An option with a value, and its default.
    Option(Option<&'static str>),
    /// An option without a value.
    Flag,
}

impl Argument {
    /// States a position that must be given.
    #[must_use]
    pub const fn required(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Required }
    }

    /// States a position that may be missing.
    #[must_use]
    pub const fn optional(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Optional }
    }

    /// States all remaining positions.
    #[must_use]
    pub const fn repeated(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Repeated }
    }

    /// States an option with a value.
    #[must_use]
    pub const fn option(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Option(None) }
    }

    /// States an option without a value.
    #[must_use]
    pub const fn flag(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Flag }
    }
}

/// The maximum number of rows of a page.
pub const LIMIT: Argument = Argument {
    name: "limit",
    about: "The maximum number of rows",
    form: Form::Option(Some("100")),
};
/// The cursor of a page.
pub const AFTER: Argument =
    Argument::option("after", "Start after this cursor, printed by the previous page");
/// The reversed order.
pub const REVERSE: Argument = Argument::flag("reverse", "Reverse the order");

/// The given arguments.
#[derive(Clone, Debug, Default)]
pub struct Given(BTreeMap<String, Vec<String>>);

impl Given {
    /// Collects arguments. A flag is given with any value.
    pub fn new<N: Into<String>>(given: impl IntoIterator<Item = (N, Vec<String>)>) -> Given {
        Given(given.into_iter().map(|(name, values)| (name.into(), values)).collect())
    }

    /// Returns an argument as text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// Returns all values of a repeated argument.
    #[must_use]
    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a flag or an argument is given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        !self.all(name).is_empty()
    }

    /// Parses an argument that must be given.
    ///
    /// # Errors
    /// [`QueryError::Argument`].
    pub fn parse<T: FromStr<Err: fmt::Display>>(
        &self,
        name: &'static str,
    ) -> Result<T, QueryError> {
        let text = self.text(name).unwrap_or_default();
        text.parse().map_err(|why| QueryError::argument(name, text, why))
    }

    /// Parses an argument that may be missing.
    ///
    /// # Errors
    /// [`QueryError::Argument`].
    pub fn parse_optional<T: FromStr<Err: fmt::Display>>(
        &self,
        name: &'static str,
    ) -> Result<Option<T>, QueryError> {
        self.text(name).map(|_| self.parse(name)).transpose()
    }
}

/// The answer of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The rows, with one value for each column.
    pub rows: Vec<Vec<Value>>,
    /// The cursor of the next page.
    pub next: Option<String>,
}

impl Answer {
    /// Answers with rows.
    pub fn rows(rows: impl IntoIterator<Item = Vec<Value>>) -> Answer {
        Answer { rows: rows.into_iter().collect(), next: None }
    }

    /// Answers with one row.
    pub fn row(row: impl Into<Vec<Value>>) -> Answer {
        Answer { rows: vec![row.into()], next: None }
    }

    /// Adds the cursor of the next page.
    #[must_use]
    pub fn with_next(self, next: Option<impl ToString>) -> Answer {
        Answer { next: next.map(|next| next.to_string()), ..self }
    }
}

/// Converts a value to a cell of text.
#[expect(clippy::needless_pass_by_value, reason = "callers pass temporaries and references")]
pub fn text(value: impl ToString) -> Value {
    Value::String(value.to_string())
}

/// A query that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// An argument that cannot be parsed.
    #[error("`{text}` is not a valid {name}: {why}")]
    Argument {
        /// The name of the argument.
        name: &'static str,
        /// The given text.
        text: String,
        /// The reason.
        why: String,
    },
    /// Arguments that do not go together.
    #[error("{0}")]
    Usage(&'static str),
    /// Nothing was found.
    #[error("{0}")]
    Missing(String),
    /// The module rejected the operation, or the store failed.
    #[error("{0}")]
    Failed(Box<dyn std::error::Error + Send + Sync>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] keyscape::store::StoreError),
}

impl QueryError {
    /// Makes an error of an argument.
    pub fn argument(name: &'static str, text: &str, why: impl fmt::Display) -> QueryError {
        QueryError::Argument { name, text: text.to_owned(), why: why.to_string() }
    }

    /// Makes an error of a module.
    pub fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> QueryError {
        QueryError::Failed(error.into())
    }
}
