//! Reports of violated invariants.

use crate::OperationError;
use keyscape::IndexReport;
use std::fmt;

/// The maximum number of violations of an invariant that are reported one by one.
pub const MAX_LISTED: usize = 100;

/// A violation of an invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{invariant}: {what}")]
pub struct Broken {
    /// The name of the invariant.
    pub invariant: &'static str,
    /// The violation: the row or value, and the difference from the expected state.
    pub what: String,
}

/// The violations of one invariant: the first [`MAX_LISTED`], and the number of further ones.
#[derive(Debug)]
pub struct Breaches {
    invariant: &'static str,
    listed: Vec<Broken>,
    more: u64,
}

impl Breaches {
    /// Starts a report without violations.
    #[must_use]
    pub fn of(invariant: &'static str) -> Breaches {
        Breaches { invariant, listed: Vec::new(), more: 0 }
    }

    /// Adds a violation. Its text is formatted only if the violation is listed.
    pub fn add(&mut self, what: impl fmt::Display) {
        self.add_with(|| what.to_string());
    }

    /// Adds a violation. Its text is computed only if the violation is listed.
    pub fn add_with(&mut self, what: impl FnOnce() -> String) {
        if self.listed.len() < MAX_LISTED {
            self.listed.push(Broken { invariant: self.invariant, what: what() });
        } else {
            self.more += 1;
        }
    }

    /// Adds a violation unless the condition holds. Its text is computed only if it is listed.
    pub fn unless(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.add_with(what);
        }
    }

    /// Adds a violation if a stored value differs from the expected one. `of` names the value.
    pub fn compare<T: PartialEq + fmt::Display>(
        &mut self,
        of: impl FnOnce() -> String,
        stored: &T,
        expected: &T,
    ) {
        self.unless(stored == expected, || format!("{} is {stored}, expected {expected}", of()));
    }

    /// Returns a result, or adds its error as a violation. `of` names the row or value.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn take<T, E: OperationError>(
        &mut self,
        result: Result<T, E>,
        of: impl FnOnce() -> String,
    ) -> Result<Option<T>, E> {
        match result {
            Ok(result) => Ok(Some(result)),
            Err(error) if error.is_failure() => Err(error),
            Err(error) => {
                self.add_with(|| format!("{}: {error}", of()));
                Ok(None)
            }
        }
    }

    /// Adds the faults of an index.
    pub fn add_index(&mut self, index: &str, report: &IndexReport) {
        self.more += report.faults.saturating_sub(report.first.len() as u64);
        report.first.iter().for_each(|fault| self.add(format_args!("`{index}`: {fault}")));
    }

    /// Returns the violations. The last one states the number of violations that are not listed.
    #[must_use]
    pub fn reported(mut self) -> Vec<Broken> {
        if self.more > 0 {
            let what = format!("{} more", self.more);
            self.listed.push(Broken { invariant: self.invariant, what });
        }
        self.listed
    }
}

/// Returns a result, or `None` if a row is corrupt.
///
/// # Errors
/// A failure of the database.
pub fn readable<T, E: OperationError>(result: Result<T, E>) -> Result<Option<T>, E> {
    match result {
        Ok(result) => Ok(Some(result)),
        Err(error) if error.is_failure() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Joins the reports of invariants. An invariant that could not be checked completely, because a
/// row that it needs is corrupt, is reported as one violation.
///
/// # Errors
/// The first failure of the database.
pub fn joined<E: OperationError>(
    reports: impl IntoIterator<Item = (&'static str, Result<Vec<Broken>, E>)>,
) -> Result<Vec<Broken>, E> {
    let mut broken = Vec::new();
    for (invariant, report) in reports {
        match report {
            Ok(report) => broken.extend(report),
            Err(error) if error.is_failure() => return Err(error),
            Err(error) => broken.push(Broken { invariant, what: format!("not checked: {error}") }),
        }
    }
    Ok(broken)
}
