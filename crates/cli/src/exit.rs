//! What the exit status says.

use std::process::ExitCode;

/// How a run ended. The worst of several counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// 0: all is well.
    Fine,
    /// 1: a claim is not proved, a key is unknown, a row is not there or does not fit, or a file or a
    /// database is different.
    Refuted,
    /// 2: the command line or what it names is wrong.
    Input,
    /// 3: a bug in Keyscape, or a damaged file that its engine stumbled over.
    Bug,
}

impl Exit {
    /// The worse of two.
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
