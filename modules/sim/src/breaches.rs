//! Reports of violated invariants.

use keyscape::{IndexFault, IndexReport};
use std::fmt;

/// The maximum number of violations of an invariant that are reported one by one.
pub const SHOWN: usize = 100;

/// An entry of a report for violations that are not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unlisted {
    /// An invariant that could not be checked completely, because a row that it needs is corrupt.
    /// Its earlier findings are not reported.
    Unchecked {
        /// The invariant.
        invariant: &'static str,
        /// The error that stopped the check.
        why: String,
    },
    /// Further violations of the same invariant.
    More {
        /// The invariant.
        invariant: &'static str,
        /// The number of further violations.
        count: u64,
    },
}

impl fmt::Display for Unlisted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unlisted::Unchecked { invariant, why } => write!(f, "{invariant}: not checked: {why}"),
            Unlisted::More { invariant, count } => write!(f, "{invariant}: {count} more"),
        }
    }
}

/// The violations of one invariant: the first [`SHOWN`], and the number of further ones.
#[derive(Debug)]
pub struct Breaches<B> {
    invariant: &'static str,
    first: Vec<B>,
    more: u64,
}

impl<B: From<Unlisted>> Breaches<B> {
    /// Starts a report without violations.
    #[must_use]
    pub fn of(invariant: &'static str) -> Breaches<B> {
        Breaches { invariant, first: Vec::new(), more: 0 }
    }

    /// Adds a violation.
    pub fn add(&mut self, broken: B) {
        self.add_with(|_| broken);
    }

    /// Adds a violation, which is made from the name of the invariant if it is listed.
    pub fn add_with(&mut self, broken: impl FnOnce(&'static str) -> B) {
        if self.first.len() < SHOWN {
            self.first.push(broken(self.invariant));
        } else {
            self.more += 1;
        }
    }

    /// Adds the faults of an index.
    pub fn add_index(&mut self, report: IndexReport, broken: impl Fn(IndexFault) -> B) {
        self.more += report.faults.saturating_sub(report.first.len() as u64);
        report.first.into_iter().for_each(|fault| self.add(broken(fault)));
    }

    /// Returns the violations.
    #[must_use]
    pub fn reported(mut self) -> Vec<B> {
        if self.more > 0 {
            let (invariant, count) = (self.invariant, self.more);
            self.first.push(Unlisted::More { invariant, count }.into());
        }
        self.first
    }
}

/// Joins the reports of invariants. An invariant with an error that `is_corrupt` accepts is
/// reported as unchecked.
///
/// # Errors
/// The first other error.
pub fn joined<B: From<Unlisted>, E: fmt::Display>(
    reports: impl IntoIterator<Item = (&'static str, Result<Vec<B>, E>)>,
    is_corrupt: impl Fn(&E) -> bool,
) -> Result<Vec<B>, E> {
    let mut broken = Vec::new();
    for (invariant, found) in reports {
        match found {
            Ok(found) => broken.extend(found),
            Err(error) if is_corrupt(&error) => {
                broken.push(Unlisted::Unchecked { invariant, why: error.to_string() }.into());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(broken)
}
