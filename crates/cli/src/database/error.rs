//! What can go wrong with a database file, in words, with the next step.

use crate::exit::Exit;
use keyscape_codec::Malformed;
use keyscape_layout::EncodeError;
use keyscape_store::{LayoutError, StoreError, StoreErrorKind};
use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
};

/// A command on a database file cannot do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("{}", store_words(.0))]
    Store(#[from] StoreError),
    #[error("{}", repair_words(.0))]
    Repair(StoreError),
    #[error("cannot make `{}`: there is no such folder", .0.display())]
    NoFolder(PathBuf),
    #[error("{}", layout_words(source))]
    Layout { path: PathBuf, source: LayoutError },
    #[error("`{name}` is an index of `{map}`, and its entries follow from the rows of that map")]
    IndexEntry { name: String, map: String },
    #[error(
        "`{index}` takes `{field}` from the values of `{map}`, which only the program knows how to do"
    )]
    FromValue { index: String, field: String, map: String },
    #[error("what entries of `{index}` hold does not follow from the rows of `{map}`")]
    EntryValue { index: String, map: String },
    #[error("`{index}` is unique, and its entry {entry} belongs to another row: {owner}")]
    NotUnique { index: String, entry: String, owner: String },
    #[error("`{name}` is a queue: whether a member can be pushed or taken depends on its leases")]
    Queue { name: String },
    #[error("`{name}` is ranked: only the program keeps its rank records")]
    Ranked { name: String },
    #[error("`{name}` is a hash; its fields are written one by one")]
    WholeHash { name: String, fields: Vec<String> },
    #[error("the layout is not sound, so nothing is written")]
    Unsound,
    #[error("a record of `{keyspace}` cannot be read: {source}")]
    Record { keyspace: String, source: Malformed },
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl DatabaseError {
    /// What to do about it.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            Self::Store(error) => store_help(error),
            Self::Repair(error) => repair_help(error),
            Self::Layout { path, source } => layout_help(path, source),
            Self::IndexEntry { map, .. } => {
                Some(format!("write `{map}`; its indexes are kept in step"))
            }
            Self::EntryValue { index, .. } => Some(format!(
                "let `{index}` hold `empty` or `const`, or `bytes` if it is `unique`; or write by the program"
            )),
            Self::FromValue { .. } => Some(
                "write such rows by the program, or `import` rows and entries together".to_owned(),
            ),
            Self::Queue { .. } => {
                Some("write it by the program; it can be exported and imported".to_owned())
            }
            Self::Ranked { .. } => {
                Some("write it by the program; it can be exported and imported".to_owned())
            }
            Self::WholeHash { fields, .. } => {
                let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
                Some(format!("fields: {}", keyscape_report::suggestion::list(&fields)))
            }
            Self::Unsound => {
                Some("`keyscape check` shows the same; reading is possible".to_owned())
            }
            Self::NoFolder(_) | Self::NotUnique { .. } | Self::Record { .. } | Self::Encode(_) => {
                None
            }
        }
    }

    /// What the exit status says about it.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Layout {
                source:
                    LayoutError::Changed { .. }
                    | LayoutError::Missing { .. }
                    | LayoutError::Unfit { .. },
                ..
            }
            | Self::NotUnique { .. }
            | Self::Unsound => Exit::Refuted,
            _ => Exit::Input,
        }
    }
}

impl DatabaseError {
    /// What went wrong when a new file was to be made.
    pub(crate) fn making(path: &Path, source: LayoutError) -> Self {
        match &source {
            LayoutError::Store(error) if io_kind(error) == Some(io::ErrorKind::NotFound) => {
                Self::NoFolder(path.to_owned())
            }
            _ => Self::Layout { path: path.to_owned(), source },
        }
    }
}

/// The error of the file system below an error, if there is one.
fn io_kind(error: &StoreError) -> Option<io::ErrorKind> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        source = error.source();
    }
    None
}

fn store_words(error: &StoreError) -> String {
    let path = error.file().unwrap_or(Path::new("the database")).display();
    match (error.kind(), io_kind(error)) {
        (_, Some(io::ErrorKind::NotFound)) => {
            format!("cannot open `{path}`: there is no such file")
        }
        (_, Some(io::ErrorKind::IsADirectory)) => {
            format!("cannot open `{path}`: it is a directory")
        }
        (_, Some(io::ErrorKind::AlreadyExists)) => format!("`{path}` is there already"),
        (_, Some(io::ErrorKind::PermissionDenied)) => {
            format!("cannot open `{path}`: permission denied")
        }
        (StoreErrorKind::Busy, _) => format!("`{path}` is open in another process"),
        (StoreErrorKind::NeedsRepair, _) => {
            format!("`{path}` was not closed cleanly, or is cut off")
        }
        (StoreErrorKind::Corrupt { what }, _) if error.key().is_none() => {
            format!("`{path}` cannot be read: {what}")
        }
        _ => match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}

fn store_help(error: &StoreError) -> Option<String> {
    let path = error.file().unwrap_or(Path::new("DB")).display();
    Some(match (error.kind(), io_kind(error)) {
        (_, Some(io::ErrorKind::NotFound)) => format!("`keyscape create LAYOUT {path}` makes one"),
        (_, Some(io::ErrorKind::AlreadyExists)) => {
            "it is left as it is; name another file".to_owned()
        }
        (StoreErrorKind::Busy, _) => "end that process, or read a copy of the file".to_owned(),
        (StoreErrorKind::NeedsRepair, _) => {
            format!("`keyscape repair {path}` takes it to its last complete commit if it can")
        }
        (StoreErrorKind::Corrupt { .. }, _) => {
            format!("if it is a database of Keyscape, try `keyscape repair {path}`")
        }
        _ => return None,
    })
}

/// The same where a file was to be repaired, which needs a copy of it.
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
            format!("cannot repair `{path}`, and it is left as it was: {what}")
        }
        _ => store_words(error),
    }
}

fn repair_help(error: &StoreError) -> Option<String> {
    let path = error.file().unwrap_or(Path::new("DB")).display();
    match (error.kind(), io_kind(error)) {
        (_, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)) => {
            Some("make room for as much as the file has, or repair a copy elsewhere".to_owned())
        }
        (StoreErrorKind::Corrupt { .. }, _) => Some(format!(
            "restore a copy of it, or read what can be read: `keyscape export LAYOUT {path}`"
        )),
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

fn layout_help(path: &Path, error: &LayoutError) -> Option<String> {
    let path = path.display();
    match error {
        LayoutError::Store(error) => store_help(error),
        LayoutError::Changed { .. } => {
            Some("use the layout that it was written with; rows are not rewritten".to_owned())
        }
        LayoutError::Missing { .. } => {
            Some("keyspaces may be added to a layout, not left out".to_owned())
        }
        LayoutError::NotAdopted { .. } => {
            Some(format!("`keyscape adopt LAYOUT {path}` checks every row and saves the layout"))
        }
        _ => None,
    }
}
