//! Queries of systems as data.
//!
//! A module states each of its queries once, as a [`Query`]: its name, its arguments, the columns
//! of its answer, and a function. A program that knows nothing else of the module parses the
//! arguments, runs the function and renders the answer, as a table or as JSON. Amounts and times
//! are texts, because they can exceed the integers that JSON programs represent.
//!
//! ```
//! use keyscape_query::{Answer, Argument, Arguments, Query, QueryError, Run, Shape};
//! use keyscape::store::Read;
//!
//! fn double(_: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
//!     let number: u32 = given.integer("NUMBER")?;
//!     Ok(Answer::row([number.into(), (number * 2).into()]))
//! }
//!
//! const DOUBLE: Query = Query {
//!     name: "double",
//!     about: "Double a number",
//!     arguments: &[Argument::required("NUMBER", "The number")],
//!     columns: &["number", "double"],
//!     shape: Shape::Table,
//!     example: "21",
//!     run: Run::Read(double),
//! };
//!
//! let given = Arguments::new([("NUMBER", vec!["21".to_owned()])]);
//! # let db = keyscape::store::Db::new(keyscape::store::Memory::new(
//! #     keyscape::store::Spaces::new(["x"])?,
//! # ));
//! let Run::Read(run) = DOUBLE.run else { return Err("it reads".into()) };
//! assert_eq!(run(&db.read()?, &given)?.rows, [[21, 42].map(serde_json::Value::from).to_vec()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod argument;
mod arguments;

pub use argument::{AFTER, Argument, Form, LIMIT, REVERSE};
pub use arguments::Arguments;

use keyscape::store::{Read, Tx};
use serde_json::Value;
use std::fmt;

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
    /// The form of the answer.
    pub shape: Shape,
    /// Arguments of an example, after the name of the file.
    pub example: &'static str,
    /// The function.
    pub run: Run,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Any number of rows.
    Table,
    /// One row with many columns, whose values may be lists and objects. A table has one line for
    /// each value.
    Record,
}

/// The function of a query.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Reads a state.
    Read(fn(&dyn Read, &Arguments) -> Result<Answer, QueryError>),
    /// Writes in a transaction. An error leaves no trace.
    Write(fn(&mut Tx<'_>, &Arguments) -> Result<Answer, QueryError>),
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
    #[error("`{text}` is not a valid {}: {why}", Named(.name))]
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
    Usage(String),
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

/// The name of an argument in messages: `NAME` for a position, `` `--name` `` for an option.
struct Named<'n>(&'n str);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.contains(|letter: char| letter.is_ascii_lowercase()) {
            true => write!(f, "`--{}`", self.0),
            false => f.write_str(self.0),
        }
    }
}
