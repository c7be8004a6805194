//! Errors of commands on database files, each with the next step.

use crate::many;
use keyscape_automata::OverBudget;
use keyscape_diagnostics::{
    file::{is_stdin, missing_directory, why},
    suggestion,
};
use keyscape_layout::EncodeError;
use keyscape_runtime::ErrorKind;
use keyscape_store::{LayoutError, StoreError, StoreErrorKind};
use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
};

/// An error of a command on a database file.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error("{}", store_words(.0))]
    Store(#[from] StoreError),
    #[error("{}", repair_words(source))]
    Repair {
        source: StoreError,
        /// Whether rows of the file can be read.
        is_readable: bool,
        /// Whether the layout that the file stores can be read.
        has_layout: bool,
    },
    #[error("cannot create `{}`: {}", path.display(), why(path, source))]
    Make { path: PathBuf, source: io::Error },
    #[error("`{}` contains {}, which no known system uses", path.display(), list(stores))]
    NotOfSystems { path: PathBuf, stores: Vec<String> },
    #[error("{}", layout_words(source))]
    Layout { path: PathBuf, source: LayoutError },
    #[error("`{name}` is an index of `{map}`, and its entries follow from the rows of that map")]
    IndexEntry { name: String, map: String },
    #[error(
        "`{index}` takes `{field}` from the values of `{map}`, which only the program can decode"
    )]
    FromValue { index: String, field: String, map: String },
    #[error("the values of `{index}` do not follow from the rows of `{map}`")]
    EntryValue { index: String, map: String },
    #[error("`{index}` is unique, and its entry {entry} belongs to another row: {owner}")]
    NotUnique { index: String, entry: String, owner: String },
    #[error(
        "a stored value of `{map}` does not contain the field `{field}` that an index takes from it"
    )]
    OldValue { map: String, field: String },
    #[error("`{index}` takes `{field}` from a value of `{map}`, which does not provide it: {why}")]
    Extract { index: String, field: String, map: String, why: String },
    #[error("the member of `{name}` is dead, and a push does not revive it")]
    Buried { name: String },
    #[error("`{name}` is a hash; its fields are written and deleted one by one")]
    WholeHash { name: String, fields: Vec<String> },
    #[error("the layout is not sound, so nothing is written")]
    Unsound { findings: String },
    #[error("the layout is too large for decoding: {0}")]
    TooLarge(#[from] OverBudget),
    #[error(
        "index entries or records of structures do not follow from the rows, so nothing is written"
    )]
    Derived,
    #[error("index `{index}` cannot be built: {source}")]
    Build { index: String, source: keyscape_store::BuildError },
    #[error("`{}` exists and is not an unfinished copy", path.display())]
    NotACopy { path: PathBuf },
    #[error("`{}` differs from the source, which has changed since the copy began", path.display())]
    CopyDiffers { path: PathBuf },
    #[error("`{}` is the address of a server, and the command works on files", path.display())]
    NotAFile { path: PathBuf },
    #[error("`{}` does not store the text of its layout", path.display())]
    NoLayout { path: PathBuf },
    #[error("index `{index}` is not built: its map has {}", many(*rows, "row"))]
    Unbuilt { path: PathBuf, index: String, rows: u64 },
    #[error("a record of `{keyspace}` cannot be read: {why}")]
    Record { keyspace: String, why: &'static str },
    #[error(transparent)]
    Access(keyscape_runtime::Error),
    #[error(transparent)]
    Encode(#[from] EncodeError),
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
    /// Returns the next step for the user.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Store(error) => store_help(error),
            Self::Repair { source, is_readable, has_layout } => {
                repair_help(source, *is_readable, *has_layout)
            }
            Self::Layout { path, source } => layout_help(path, source),
            Self::IndexEntry { map, .. } => {
                Some(format!("write `{map}`; the same commit updates its indexes"))
            }
            Self::EntryValue { index, .. } => Some(format!(
                "declare the value of `{index}` as `empty` or `const`, or as `bytes` if it is `unique`; or write the row with the program"
            )),
            Self::FromValue { .. } => Some(
                "write these rows with the program, or `import` rows and entries together"
                    .to_owned(),
            ),
            Self::OldValue { .. } => Some("write this row with the program".to_owned()),
            Self::Extract { .. } => {
                Some("correct the value, or the type or path of the field in the layout".to_owned())
            }
            Self::Buried { .. } => {
                Some("make it ready with `keyscape queue revive`, or `delete` it first".to_owned())
            }
            Self::WholeHash { fields, .. } => Some(format!("fields: {}", suggestion::list(fields))),
            Self::Unsound { .. } => {
                Some("correct the layout; `keyscape check` prints the same claims".to_owned())
            }
            Self::Derived => Some(
                "correct them, or `import` the rows into a new file, which writes entries again"
                    .to_owned(),
            ),
            Self::NoLayout { .. } => {
                Some("give it with `--layout FILE`; a command that writes stores it".to_owned())
            }
            Self::Unbuilt { path, index, .. } => Some(build_help(path, index, None)),
            Self::NotOfSystems { .. } => {
                Some("use a new file, or one that `keyscape sim` created".to_owned())
            }
            Self::NotACopy { .. } => Some("it is left as it is; name another database".to_owned()),
            Self::CopyDiffers { .. } => {
                Some("delete it, and copy again while nobody writes the source".to_owned())
            }
            Self::NotAFile { .. } => {
                Some("use the tools of the server, such as `pg_dump` and `pg_amcheck`".to_owned())
            }
            Self::Make { .. }
            | Self::NotUnique { .. }
            | Self::Record { .. }
            | Self::TooLarge(_)
            | Self::Build { .. }
            | Self::Access(_)
            | Self::Encode(_) => None,
        }
    }
}

impl DatabaseError {
    /// Converts an error of creating a file.
    pub fn making(path: &Path, source: LayoutError) -> Self {
        let path = path.to_owned();
        match &source {
            // The file exists, so nothing was created.
            LayoutError::Store(error) => match io_error(error).map(io::Error::kind) {
                None | Some(io::ErrorKind::AlreadyExists) => Self::Layout { path, source },
                Some(kind) => Self::Make { path, source: kind.into() },
            },
            _ => Self::Layout { path, source },
        }
    }

    /// Converts an error of building an index.
    pub fn building(error: LayoutError) -> Self {
        match error {
            LayoutError::Build { index, source } => match source.downcast::<Self>() {
                Ok(error) => *error,
                Err(source) => Self::Build { index: index.into(), source },
            },
            LayoutError::Store(error) => Self::Store(error),
            source => Self::Layout { path: PathBuf::new(), source },
        }
    }

    /// Returns the file that cannot be used.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Store(error) | Self::Repair { source: error, .. } => error.file(),
            Self::Make { path, .. }
            | Self::NotOfSystems { path, .. }
            | Self::Layout { path, .. }
            | Self::NoLayout { path }
            | Self::NotACopy { path }
            | Self::CopyDiffers { path }
            | Self::NotAFile { path }
            | Self::Unbuilt { path, .. } => Some(path),
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

fn list(stores: &[String]) -> String {
    let word = if stores.len() == 1 { "store" } else { "stores" };
    format!("{word} {}", suggestion::list(stores))
}

fn store_words(error: &StoreError) -> String {
    let path = error.file().unwrap_or(Path::new("the database")).display();
    use io::ErrorKind as Io;
    match (error.kind(), io_kind(error)) {
        (_, Some(Io::AlreadyExists)) => format!("`{path}` already exists"),
        (_, Some(Io::NotFound | Io::IsADirectory | Io::PermissionDenied | Io::NotADirectory)) => {
            format!("cannot open `{path}`: {}", io_words(error))
        }
        (_, Some(Io::StorageFull | Io::QuotaExceeded | Io::ReadOnlyFilesystem)) => {
            format!("cannot write `{path}`: {}", io_words(error))
        }
        (StoreErrorKind::NotADatabase { engine, .. }, _) => {
            format!("`{path}` is not a {engine} database")
        }
        (StoreErrorKind::Busy, _) if error.source().is_none() => {
            format!("`{path}` is open in another process")
        }
        (StoreErrorKind::NeedsRepair, _) => {
            format!("`{path}` was not closed cleanly, or is cut off")
        }
        (StoreErrorKind::Corrupt { what }, _) if error.key().is_none() => {
            format!("`{path}` cannot be read: {what}")
        }
        _ => error.to_string(),
    }
}

/// Describes an error of the file system.
fn io_words(error: &StoreError) -> String {
    let path = error.file().unwrap_or(Path::new(""));
    io_error(error).map_or_else(String::new, |error| why(path, error))
}

fn store_help(error: &StoreError) -> Option<String> {
    let file = error.file().unwrap_or(Path::new("DB"));
    let path = file.display();
    Some(match (error.kind(), io_kind(error)) {
        (_, Some(io::ErrorKind::NotFound)) if missing_directory(file).is_none() => {
            format!("check the path; `keyscape create {path} --layout FILE` creates a database")
        }
        (StoreErrorKind::CommitUnknown, Some(io::ErrorKind::StorageFull)) => format!(
            "free some space, then restore the last complete commit with `keyscape repair {path}`"
        ),
        (_, Some(io::ErrorKind::StorageFull)) => "nothing was written; free some space".to_owned(),
        (StoreErrorKind::NotADatabase { .. }, _) => {
            "use a file that `keyscape create` or a program with Keyscape created".to_owned()
        }
        (_, Some(io::ErrorKind::AlreadyExists)) => "choose another name".to_owned(),
        (StoreErrorKind::Busy, _) if error.source().is_none() => {
            "end that process, or read a copy of the file".to_owned()
        }
        (StoreErrorKind::NeedsRepair, _) => {
            format!("restore its last complete commit with `keyscape repair {path}`")
        }
        (StoreErrorKind::Corrupt { .. }, _) => {
            format!(
                "try `keyscape repair {path}`, or copy the readable rows with `keyscape salvage \
                 {path} NEW`"
            )
        }
        _ => return None,
    })
}

/// Describes an error of a repair. A repair copies the file first.
fn repair_words(error: &StoreError) -> String {
    let path = error.file().unwrap_or(Path::new("the database")).display();
    match (error.kind(), io_kind(error)) {
        (_, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)) => {
            format!("cannot repair `{path}`: there is no space for a copy beside it")
        }
        (_, Some(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)) => {
            format!("cannot repair `{path}`: it or its directory may not be read and written")
        }
        (StoreErrorKind::Corrupt { what }, _) => {
            format!("cannot repair `{path}`, and it was not changed: {what}")
        }
        _ => store_words(error),
    }
}

fn repair_help(error: &StoreError, is_readable: bool, has_layout: bool) -> Option<String> {
    let file = error.file().unwrap_or(Path::new("DB"));
    let path = file.display();
    match (error.kind(), io_kind(error)) {
        (_, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)) => {
            Some("free as much space as the file has, or repair a copy on another disk".to_owned())
        }
        (StoreErrorKind::NotADatabase { .. }, _) => Some("restore it from a backup".to_owned()),
        (StoreErrorKind::Corrupt { .. }, _) if !is_readable => {
            Some("restore it from a backup; none of its commits can be read".to_owned())
        }
        (StoreErrorKind::Corrupt { .. }, _) => {
            let layout = if has_layout { "" } else { " --layout FILE" };
            Some(format!(
                "restore it from a backup, or copy the readable rows with `keyscape salvage {path} \
                 NEW{layout}`"
            ))
        }
        (StoreErrorKind::Busy, _) => store_help(error),
        _ => None,
    }
}

fn layout_words(error: &LayoutError) -> String {
    match error {
        LayoutError::Store(error) => store_words(error),
        LayoutError::NotAdopted { space } => {
            format!("store `{space}` has rows, and no layout was ever saved for it")
        }
        LayoutError::Unfit { total, .. } => {
            let rows = if *total == 1 { "row does" } else { "rows do" };
            format!("{total} {rows} not fit the layout, so nothing is written")
        }
        error => error.to_string(),
    }
}

/// Returns the command that builds an index. `layout` is the one of the command line; a path to
/// stdin cannot be repeated.
pub fn build_help(path: &Path, index: &str, layout: Option<&Path>) -> String {
    let layout = match layout {
        Some(path) if is_stdin(path) => " --layout FILE".to_owned(),
        Some(path) => format!(" --layout {}", path.display()),
        None => String::new(),
    };
    format!("build it with `keyscape index build {} {index}{layout}`", path.display())
}

fn layout_help(file: &Path, error: &LayoutError) -> Option<String> {
    let path = file.display();
    match error {
        LayoutError::Store(error) => store_help(error),
        LayoutError::Changed { .. } => Some(
            "use the layout that it was written with, or move its rows with `keyscape migrate`"
                .to_owned(),
        ),
        LayoutError::Missing { .. } => {
            Some("keyspaces may be added to a layout, not left out".to_owned())
        }
        LayoutError::NotAdopted { .. } => Some(format!(
            "`keyscape adopt {path} --layout FILE` checks every row and saves the layout"
        )),
        LayoutError::NewStore { .. } => Some("add it with `--add-store`".to_owned()),
        LayoutError::NoCommonStore { .. } => {
            Some("use the layout of this database; `keyscape layout` prints it".to_owned())
        }
        LayoutError::IndexNotBuilt { index, .. } => Some(build_help(file, index, None)),
        _ => None,
    }
}
