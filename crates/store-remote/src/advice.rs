//! Errors that name a remedy.

use keyscape_store::StoreError;
use std::{error::Error, fmt, io};

/// A problem of an engine, and its remedy.
///
/// ```
/// use keyscape_store::{StoreError, StoreErrorKind};
/// use keyscape_store_remote::Advice;
///
/// let advice = Advice::new("tikv", "no store answers", "start the stores");
/// assert_eq!(advice.to_string(), "no store answers; start the stores");
/// assert_eq!(StoreError::from(advice).kind(), StoreErrorKind::Backend { engine: "tikv" });
/// ```
#[derive(Debug)]
pub struct Advice {
    engine: &'static str,
    problem: String,
    remedy: &'static str,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Advice {
    /// Creates an error of an engine.
    pub fn new(engine: &'static str, problem: impl Into<String>, remedy: &'static str) -> Advice {
        Advice { engine, problem: problem.into(), remedy, source: None }
    }

    /// Sets the cause: the error of the client.
    #[must_use]
    pub fn because(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Advice {
        Advice { source: Some(source.into()), ..self }
    }

    /// Replaces the problem and the remedy. The cause stays.
    #[must_use]
    pub fn replaced(self, problem: String, remedy: &'static str) -> Advice {
        Advice { problem, remedy, ..self }
    }

    /// Returns the problem, without its remedy.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// Returns the remedy.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        self.remedy
    }

    /// Returns the error for a call inside an asynchronous runtime that could not start a thread.
    #[must_use]
    pub fn no_thread(engine: &'static str, error: io::Error) -> Advice {
        Advice::new(
            engine,
            format!("cannot start a thread: {error}"),
            "raise the limit of threads, or use the database outside the asynchronous runtime",
        )
        .because(error)
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem, self.remedy)
    }
}

impl Error for Advice {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl From<Advice> for StoreError {
    fn from(advice: Advice) -> StoreError {
        StoreError::backend(advice.engine, advice)
    }
}
