//! Errors of commands on database files, each with the next step.

use crate::many;
use keyscape_automata::OverBudget;
use keyscape_diagnostics::file::{is_stdin, missing_directory, why};
use keyscape_layout::EncodeError;
use keyscape_runtime::ErrorKind;
use keyscape_store::{LayoutError, StoreError, StoreErrorKind};
use std::{
    error::Error,
    fmt, io,
    path::{Path, PathBuf},
};

/// An error of a command on a database file.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error("{}", describe_store(.0).0)]
    Store(#[from] StoreError),
    #[error("{}", describe_layout(path, source).0)]
    Layout { path: PathBuf, source: LayoutError },
    #[error("`{index}` is unique, and its entry {entry} belongs to another row: {owner}")]
    NotUnique { index: String, entry: String, owner: String },
    #[error("`{index}` takes `{field}` from {value} of `{map}`, which does not provide it: {why}")]
    Extract { index: String, field: String, map: String, value: SourceValue, why: String },
    #[error("the member of `{name}` is dead, and a push does not revive it")]
    Buried { name: String },
    #[error("the layout is not sound, so nothing is written")]
    Unsound { findings: String },
    #[error("the layout is too large for decoding: {0}")]
    TooLarge(#[from] OverBudget),
    #[error(
        "index entries or records of structures do not follow from the rows, so nothing is written"
    )]
    Derived,
    #[error("`{}` does not store the text of its layout", path.display())]
    NoLayout { path: PathBuf },
    #[error("index `{index}` is not built: its map has {}", many(*rows, "row"))]
    Unbuilt { path: PathBuf, index: String, rows: u64, layout: Option<PathBuf> },
    #[error(transparent)]
    Access(keyscape_runtime::Error),
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error("{message}")]
    Other { message: String, help: Option<String> },
}

/// A value from which an index cannot take a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceValue {
    /// The value that is written.
    New,
    /// The value of an existing row.
    Stored,
    /// The value of an existing row, in the older form after `reads`.
    Older,
}

impl fmt::Display for SourceValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::New => "a value",
            Self::Stored | Self::Older => "the stored value",
        })
    }
}

impl From<keyscape_runtime::Error> for DatabaseError {
    fn from(error: keyscape_runtime::Error) -> Self {
        match error.into_kind() {
            ErrorKind::Store(error) => Self::Store(error),
            kind => Self::Access(kind.into()),
        }
    }
}

impl DatabaseError {
    /// Returns an error with the next step for the user.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Other { message: message.into(), help: Some(help.into()) }
    }

    /// Returns an error without advice.
    pub fn without_help(message: impl Into<String>) -> Self {
        Self::Other { message: message.into(), help: None }
    }

    /// Converts an error of creating a file.
    pub fn making(path: &Path, source: LayoutError) -> Self {
        if let LayoutError::Store(error) = &source
            && let Some(kind) = io_kind(error)
            && kind != io::ErrorKind::AlreadyExists
        {
            let reason = why(path, &kind.into());
            return Self::without_help(format!("cannot create `{}`: {reason}", path.display()));
        }
        Self::Layout { path: path.to_owned(), source }
    }

    /// Converts an error of building an index.
    pub fn building(error: LayoutError) -> Self {
        match error {
            LayoutError::Build { index, source } => match source.downcast::<Self>() {
                Ok(error) => *error,
                Err(source) => {
                    Self::without_help(format!("index `{index}` cannot be built: {source}"))
                }
            },
            LayoutError::Store(error) => Self::Store(error),
            source => Self::Layout { path: PathBuf::new(), source },
        }
    }

    /// Converts an error of a repair, which copies the file first. `is_readable` is whether rows of
    /// the file can be read, and `has_layout` whether the layout that it stores can be read.
    pub fn repairing(error: &StoreError, is_readable: bool, has_layout: bool) -> Self {
        let path = error.file().unwrap_or(Path::new("the database")).display();
        match (error.kind(), io_kind(error)) {
            (_, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)) => Self::new(
                format!("cannot repair `{path}`: there is no space for a copy beside it"),
                "free as much space as the file has, or repair a copy on another disk",
            ),
            (_, Some(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)) => {
                Self::without_help(format!(
                    "cannot repair `{path}`: it or its directory may not be read and written"
                ))
            }
            (StoreErrorKind::Corrupt { what }, _) => {
                let layout = if has_layout { "" } else { " --layout FILE" };
                let help = match is_readable {
                    true => format!(
                        "restore it from a backup, or copy the readable rows with `keyscape \
                         salvage {path} NEW{layout}`"
                    ),
                    false => "restore it from a backup; none of its commits can be read".to_owned(),
                };
                Self::new(format!("cannot repair `{path}`, and it was not changed: {what}"), help)
            }
            (kind, _) => {
                let (message, help) = describe_store(error);
                let help = match kind {
                    StoreErrorKind::NotADatabase { .. } => {
                        Some("restore it from a backup".to_owned())
                    }
                    StoreErrorKind::Busy => help,
                    _ => None,
                };
                Self::Other { message, help }
            }
        }
    }

    /// Returns the next step for the user.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::Store(error) => return describe_store(error).1,
            Self::Layout { path, source } => return describe_layout(path, source).1,
            Self::Unbuilt { path, index, layout, .. } => {
                return Some(build_help(path, index, layout.as_deref()));
            }
            Self::Other { help, .. } => return help.clone(),
            Self::Extract { value, .. } => match value {
                SourceValue::New => {
                    "correct the value, or the type or path of the field in the layout"
                }
                SourceValue::Stored => {
                    "replace the row with `keyscape import`, then build the index again with \
                     `keyscape index build`"
                }
                SourceValue::Older => "write or delete the row with the program",
            },
            Self::Buried { .. } => {
                "make it ready with `keyscape queue revive`, or `delete` it first"
            }
            Self::Unsound { .. } => "correct the layout; `keyscape check` prints the same claims",
            Self::Derived => {
                "correct them, or `import` the rows into a new file, which writes entries again"
            }
            Self::NoLayout { .. } => {
                "give it with `--layout FILE`; a command that writes stores it"
            }
            Self::NotUnique { .. } | Self::TooLarge(_) | Self::Access(_) | Self::Encode(_) => {
                return None;
            }
        };
        Some(help.to_owned())
    }

    /// Returns the file that cannot be used.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Store(error) => error.file(),
            Self::Layout { path, .. } | Self::NoLayout { path } | Self::Unbuilt { path, .. } => {
                Some(path)
            }
            _ => None,
        }
    }

    /// Returns the missing file, if the error is a missing file.
    pub fn missing_file(&self) -> Option<&Path> {
        match self {
            Self::Layout { path, source: LayoutError::Store(error) }
                if io_error(error).is_some_and(|error| error.kind() == io::ErrorKind::NotFound) =>
            {
                Some(path)
            }
            _ => None,
        }
    }
}

/// Returns the error of the file system that caused an error.
fn io_error(error: &StoreError) -> Option<&io::Error> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error);
        }
        source = error.source();
    }
    None
}

fn io_kind(error: &StoreError) -> Option<io::ErrorKind> {
    io_error(error).map(io::Error::kind)
}

/// Describes an error of a store, with the next step for the user.
fn describe_store(error: &StoreError) -> (String, Option<String>) {
    use io::ErrorKind as Io;
    let path = error.file().unwrap_or(Path::new("the database")).display();
    let argument = error.file().unwrap_or(Path::new("DB")).display();
    let cannot = |verb: &str| {
        let reason = io_error(error).map(|io| why(error.file().unwrap_or(Path::new("")), io));
        format!("cannot {verb} `{path}`: {}", reason.unwrap_or_default())
    };
    let salvage = || {
        format!(
            "try `keyscape repair {argument}`, or copy the readable rows with `keyscape salvage \
             {argument} NEW`"
        )
    };
    let (message, help) = match (error.kind(), io_kind(error)) {
        (_, Some(Io::AlreadyExists)) => {
            (format!("`{path}` already exists"), "choose another name".to_owned())
        }
        (_, Some(Io::NotFound)) if error.file().is_none_or(|f| missing_directory(f).is_none()) => (
            cannot("open"),
            format!(
                "check the path; `keyscape create {argument} --layout FILE` creates a database"
            ),
        ),
        (_, Some(Io::NotFound | Io::IsADirectory | Io::PermissionDenied | Io::NotADirectory)) => {
            return (cannot("open"), None);
        }
        (StoreErrorKind::CommitUnknown, Some(Io::StorageFull)) => (
            cannot("write"),
            format!(
                "free some space, then restore the last complete commit with `keyscape repair \
                 {argument}`"
            ),
        ),
        (_, Some(Io::StorageFull)) => {
            (cannot("write"), "nothing was written; free some space".to_owned())
        }
        (_, Some(Io::QuotaExceeded | Io::ReadOnlyFilesystem)) => return (cannot("write"), None),
        (StoreErrorKind::NotADatabase { engine, .. }, _) => (
            format!("`{path}` is not a {engine} database"),
            "use a file that `keyscape create` or a program with Keyscape created".to_owned(),
        ),
        (StoreErrorKind::Busy, _) if error.source().is_none() => (
            format!("`{path}` is open in another process"),
            "end that process, or read a copy of the file".to_owned(),
        ),
        (StoreErrorKind::NeedsRepair, _) => (
            format!("`{path}` was not closed cleanly, or is cut off"),
            format!("restore its last complete commit with `keyscape repair {argument}`"),
        ),
        (StoreErrorKind::Corrupt { what }, _) if error.key().is_none() => {
            (format!("`{path}` cannot be read: {what}"), salvage())
        }
        (StoreErrorKind::Corrupt { .. }, _) => (error.to_string(), salvage()),
        _ => return (error.to_string(), None),
    };
    (message, Some(help))
}

/// Returns the command that builds an index. `layout` is the one of the command line; a path to
/// stdin cannot be repeated.
pub(super) fn build_help(path: &Path, index: &str, layout: Option<&Path>) -> String {
    let layout = match layout {
        Some(path) if is_stdin(path) => " --layout FILE".to_owned(),
        Some(path) => format!(" --layout {}", path.display()),
        None => String::new(),
    };
    format!("build it with `keyscape index build {} {index}{layout}`", path.display())
}

/// Describes an error of the layout of a database, with the next step for the user.
fn describe_layout(file: &Path, error: &LayoutError) -> (String, Option<String>) {
    let message = match error {
        LayoutError::Store(error) => return describe_store(error),
        LayoutError::NotAdopted { space } => {
            format!("store `{space}` has rows, and no layout was ever saved for it")
        }
        LayoutError::Unfit { total, .. } => {
            let rows = if *total == 1 { "row does" } else { "rows do" };
            format!("{total} {rows} not fit the layout, so nothing is written")
        }
        error => error.to_string(),
    };
    let help = match error {
        LayoutError::Changed { .. } => {
            "use the layout that it was written with, or move its rows with `keyscape migrate`"
        }
        LayoutError::Missing { .. } => "keyspaces may be added to a layout, not left out",
        LayoutError::NotAdopted { .. } => {
            let path = file.display();
            let adopt = format!("`keyscape adopt {path} --layout FILE`");
            return (message, Some(format!("{adopt} checks every row and saves the layout")));
        }
        LayoutError::NewStore { .. } => "add it with `--add-store`",
        LayoutError::NoCommonStore { .. } => {
            "use the layout of this database; `keyscape layout` prints it"
        }
        LayoutError::IndexNotBuilt { index, .. } => {
            return (message, Some(build_help(file, index, None)));
        }
        _ => return (message, None),
    };
    (message, Some(help.to_owned()))
}
