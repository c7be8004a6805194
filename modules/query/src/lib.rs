//! Queries of systems as data.
//!
//! A module states each of its queries once, as a [`Query`]: its name, its arguments, the columns
//! of its answer, and a function. A program that knows nothing else of the module parses the
//! arguments, runs the function and renders the answer, as a table or as JSON. Amounts and times
//! are texts, because they can exceed the integers that JSON programs represent.
//!
//! ```
//! use keyscape_query::{Answer, Argument, Arguments, Form, Query, QueryError, Run};
//! use keyscape::store::Read;
//!
//! fn double(_: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
//!     let number: u32 = arguments.parse("NUMBER")?;
//!     Ok(Answer::row([number.into(), (number * 2).into()]))
//! }
//!
//! const DOUBLE: Query = Query::read("double", "Double a number", double)
//!     .with_arguments(&[Argument::new("NUMBER", Form::Required, "The number")])
//!     .with_columns(&["number", "double"])
//!     .with_example("21");
//!
//! let arguments = Arguments::new([("NUMBER", vec!["21".to_owned()])]);
//! # let db = keyscape::store::Db::new(keyscape::store::Memory::new(
//! #     keyscape::store::Spaces::new(["x"])?,
//! # ));
//! let Run::Read(run) = DOUBLE.run else { return Err("it reads".into()) };
//! let answer = run(&db.read()?, &arguments)?;
//! assert_eq!(answer.rows, [[21, 42].map(serde_json::Value::from).to_vec()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;

pub use arguments::{AFTER, Argument, Arguments, Form, LIMIT, REVERSE};

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
    /// Whether the answer is a record: one row with many columns, whose values may be lists and
    /// objects. A table has one line for each value.
    pub is_record: bool,
    /// Arguments of an example, after the name of the file.
    pub example: &'static str,
    /// The function.
    pub run: Run,
}

impl Query {
    /// States a query that reads. Its answer is a table.
    #[must_use]
    pub const fn read(name: &'static str, about: &'static str, run: ReadFn) -> Query {
        Query::new(name, about, Run::Read(run))
    }

    /// States an operation that writes. Its answer is a table.
    #[must_use]
    pub const fn write(name: &'static str, about: &'static str, run: WriteFn) -> Query {
        Query::new(name, about, Run::Write(run))
    }

    const fn new(name: &'static str, about: &'static str, run: Run) -> Query {
        let is_record = false;
        Query { name, about, arguments: &[], columns: &[], is_record, example: "", run }
    }

    /// Sets the arguments.
    #[must_use]
    pub const fn with_arguments(self, arguments: &'static [Argument]) -> Query {
        Query { arguments, ..self }
    }

    /// Sets the columns of the answer.
    #[must_use]
    pub const fn with_columns(self, columns: &'static [&'static str]) -> Query {
        Query { columns, ..self }
    }

    /// Sets the arguments of an example, after the name of the file.
    #[must_use]
    pub const fn with_example(self, example: &'static str) -> Query {
        Query { example, ..self }
    }

    /// Makes the answer a record.
    #[must_use]
    pub const fn as_record(self) -> Query {
        Query { is_record: true, ..self }
    }
}

/// A function that reads a state.
pub type ReadFn = fn(&dyn Read, &Arguments) -> Result<Answer, QueryError>;
/// A function that writes in a transaction. An error leaves no trace.
pub type WriteFn = fn(&mut Tx<'_>, &Arguments) -> Result<Answer, QueryError>;

/// The function of a query.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Reads a state.
    Read(ReadFn),
    /// Writes in a transaction.
    Write(WriteFn),
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
        /// The text of the argument.
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

impl From<keyscape::Error> for QueryError {
    fn from(error: keyscape::Error) -> QueryError {
        QueryError::failed(error)
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
