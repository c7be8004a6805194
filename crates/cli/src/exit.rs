//! Exit statuses.

use std::process::ExitCode;

/// The exit status of a run. The worst of several statuses wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// 0: success.
    Fine,
    /// 1: a claim is not proved, a key is unknown, a row is missing or does not fit, or a file or a
    /// database is different.
    Refuted,
    /// 2: the command line or its input is wrong.
    Input,
    /// 3: a bug in Keyscape, or a damaged file on which the engine fails.
    Bug,
}

impl Exit {
    /// Returns the worse of two statuses.
    pub(crate) fn worst(self, other: Self) -> Self {
        self.max(other)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Refuted => 1,
            Exit::Input => 2,
            Exit::Bug => 3,
        })
    }
}
