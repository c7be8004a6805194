//! The declared arguments of queries, and their values.

use crate::{Answer, QueryError};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    error::Error,
    num::{IntErrorKind, ParseIntError},
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

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
    /// A position that must be present.
    Required,
    /// A position that may be missing.
    Optional,
    /// All remaining positions, at least one.
    Repeated,
    /// An option with a value, which the help names.
    Option(&'static str),
    /// An option with a value that may be repeated.
    Options(&'static str),
    /// An option with one of these values; the first is the default.
    OneOf(&'static [&'static str]),
    /// An option without a value.
    Flag,
}

impl Argument {
    /// Creates an argument.
    #[must_use]
    pub const fn new(name: &'static str, form: Form, about: &'static str) -> Argument {
        Argument { name, about, form }
    }
}

/// The maximum number of rows of a page.
pub const LIMIT: Argument =
    Argument::new("limit", Form::Option("ROWS"), "The maximum number of rows; default: 100");
/// The cursor of a page.
pub const AFTER: Argument = Argument::new(
    "after",
    Form::Option("CURSOR"),
    "Start after this cursor, printed by the previous page",
);
/// The reversed order.
pub const REVERSE: Argument = Argument::new("reverse", Form::Flag, "Reverse the order");

/// The number of rows of a page without `--limit`.
const ROWS: usize = 100;

/// The values of arguments, by the names of the arguments.
#[derive(Clone, Debug, Default)]
pub struct Arguments(BTreeMap<String, Vec<String>>);

impl Arguments {
    /// Collects arguments. A flag is set if it has any value.
    pub fn new<N: Into<String>>(values: impl IntoIterator<Item = (N, Vec<String>)>) -> Arguments {
        Arguments(values.into_iter().map(|(name, values)| (name.into(), values)).collect())
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

    /// Whether a flag or an argument is present.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        !self.all(name).is_empty()
    }

    /// Parses an argument that must be present.
    ///
    /// # Errors
    /// [`QueryError::Argument`].
    pub fn parse<T: FromStr<Err: Error + 'static>>(
        &self,
        name: &'static str,
    ) -> Result<T, QueryError> {
        let text = self.text(name).unwrap_or_default();
        text.parse().map_err(|error: T::Err| {
            let cause: &(dyn Error + 'static) = &error;
            match cause.downcast_ref() {
                Some(error) => QueryError::argument(name, text, describe_integer(text, error)),
                None => QueryError::argument(name, text, error),
            }
        })
    }

    /// Parses an argument that may be missing.
    ///
    /// # Errors
    /// [`QueryError::Argument`].
    pub fn parse_optional<T: FromStr<Err: Error + 'static>>(
        &self,
        name: &'static str,
    ) -> Result<Option<T>, QueryError> {
        self.text(name).map(|_| self.parse(name)).transpose()
    }

    /// Returns the maximum number of rows, at least 1.
    ///
    /// # Errors
    /// [`QueryError::Argument`].
    pub fn limit(&self) -> Result<usize, QueryError> {
        match self.parse_optional(LIMIT.name)? {
            None => Ok(ROWS),
            Some(0) => Err(QueryError::argument(LIMIT.name, "0", "expected a number from 1")),
            Some(limit) => Ok(limit),
        }
    }

    /// Rejects the arguments of pages.
    ///
    /// # Errors
    /// [`QueryError::Usage`], which says that they do not apply to `what`.
    pub fn without_pages(&self, what: &str) -> Result<(), QueryError> {
        match [LIMIT, AFTER, REVERSE].iter().find(|argument| self.has(argument.name)) {
            Some(argument) => {
                Err(QueryError::Usage(format!("`--{}` does not apply to {what}", argument.name)))
            }
            None => Ok(()),
        }
    }

    /// Answers with one page of a listing. A cursor is the text that `cursor` returns for the last
    /// row of the previous page.
    ///
    /// # Errors
    /// [`QueryError::Argument`], and the first error of an item or a row.
    pub fn listing<T, E: Into<QueryError>>(
        &self,
        items: impl IntoIterator<Item = Result<T, E>>,
        cursor: impl Fn(&T) -> String,
        mut row: impl FnMut(T) -> Result<Vec<Value>, QueryError>,
    ) -> Result<Answer, QueryError> {
        let (limit, after) = (self.limit()?, self.text(AFTER.name));
        let mut items = items.into_iter();
        if let Some(after) = after {
            loop {
                let Some(item) = items.next() else {
                    let why = "this listing has no row with this cursor";
                    return Err(QueryError::argument(AFTER.name, after, why));
                };
                if cursor(&item.map_err(Into::into)?) == after {
                    break;
                }
            }
        }
        let (mut answer, mut last) = (Answer::default(), None);
        for item in items {
            let item = item.map_err(Into::into)?;
            if answer.rows.len() == limit {
                return Ok(answer.with_next(last));
            }
            last = Some(cursor(&item));
            answer.rows.push(row(item)?);
        }
        Ok(answer)
    }

    /// Returns a time in seconds since 1970; the current time if the argument is missing.
    ///
    /// # Errors
    /// [`QueryError::Argument`].
    pub fn seconds(&self, name: &'static str) -> Result<i64, QueryError> {
        let now = || i64::try_from(since_1970().as_secs()).unwrap_or(i64::MAX);
        Ok(self.parse_optional(name)?.unwrap_or_else(now))
    }

    /// Returns a time in nanoseconds since 1970; the current time if the argument is missing.
    ///
    /// # Errors
    /// [`QueryError::Argument`].
    pub fn nanoseconds(&self, name: &'static str) -> Result<u64, QueryError> {
        let now = || u64::try_from(since_1970().as_nanos()).unwrap_or(u64::MAX);
        Ok(self.parse_optional(name)?.unwrap_or_else(now))
    }
}

/// Describes why a text is not an integer of its type.
fn describe_integer(text: &str, error: &ParseIntError) -> &'static str {
    match error.kind() {
        IntErrorKind::PosOverflow => "the number is too large",
        IntErrorKind::NegOverflow => "the number is too small",
        _ if text.starts_with('-') => "expected a number from 0",
        _ => "expected a whole number",
    }
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(pairs: &[(&str, &str)]) -> Arguments {
        Arguments::new(pairs.iter().map(|(name, value)| (*name, vec![(*value).to_owned()])))
    }

    fn page(arguments: &Arguments) -> Result<(Vec<u32>, Option<String>), QueryError> {
        let items = (1..=5_u32).map(Ok::<_, QueryError>);
        let answer = arguments.listing(items, u32::to_string, |item| Ok(vec![item.into()]))?;
        let rows = answer.rows.iter().map(|row| u32::try_from(row[0].as_u64().unwrap()).unwrap());
        Ok((rows.collect(), answer.next))
    }

    #[test]
    fn pages_of_a_listing_follow_one_another() {
        assert_eq!(page(&arguments(&[])).unwrap(), (vec![1, 2, 3, 4, 5], None));
        let first = page(&arguments(&[("limit", "2")])).unwrap();
        assert_eq!(first, (vec![1, 2], Some("2".to_owned())));
        let next = page(&arguments(&[("limit", "2"), ("after", "2")])).unwrap();
        assert_eq!(next, (vec![3, 4], Some("4".to_owned())));
        assert_eq!(page(&arguments(&[("limit", "2"), ("after", "4")])).unwrap(), (vec![5], None));
        let foreign = page(&arguments(&[("after", "9")])).unwrap_err();
        assert_eq!(
            foreign.to_string(),
            "`9` is not a valid `--after`: this listing has no row with this cursor"
        );
    }

    #[test]
    fn bad_numbers_are_described() {
        for (text, why) in [
            ("0", "expected a number from 1"),
            ("-1", "expected a number from 0"),
            ("abc", "expected a whole number"),
            ("99999999999999999999999", "the number is too large"),
        ] {
            let error = arguments(&[("limit", text)]).limit().unwrap_err().to_string();
            assert_eq!(error, format!("`{text}` is not a valid `--limit`: {why}"));
        }
    }
}
