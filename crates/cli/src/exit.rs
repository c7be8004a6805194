//! Exit statuses.

use crate::database::DatabaseError;
use keyscape_runtime::ErrorKind;
use keyscape_store::LayoutError;
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
    /// Returns the exit status of an error of a database.
    pub(crate) fn of(error: &DatabaseError) -> Self {
        match error {
            DatabaseError::Access(error) if matches!(error.kind(), ErrorKind::ClaimLost { .. }) => {
                Self::Refuted
            }
            DatabaseError::Layout {
                source:
                    LayoutError::Changed { .. }
                    | LayoutError::Missing { .. }
                    | LayoutError::NoCommonStore { .. }
                    | LayoutError::NewStore { .. }
                    | LayoutError::IndexNotBuilt { .. }
                    | LayoutError::Migrating { .. }
                    | LayoutError::Unfit { .. },
                ..
            }
            | DatabaseError::Unbuilt { .. }
            | DatabaseError::Derived
            | DatabaseError::NotUnique { .. }
            | DatabaseError::Buried { .. }
            | DatabaseError::Unsound { .. } => Self::Refuted,
            _ => Self::Input,
        }
    }

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
