//! Chooses the engine of a database by its name: a redb file, or the address of a server.

use keyscape_store::{Admission, Db, Layout, LayoutError, Spaces, StoreError};
use keyscape_store_postgres as postgres;
use keyscape_store_redb as redb;
use std::{
    fmt,
    path::{Path, PathBuf},
};

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Returns the address, if a database is named by the address of a server.
#[must_use]
pub fn server(path: &Path) -> Option<&str> {
    path.to_str().filter(|name| SCHEMES.iter().any(|scheme| name.starts_with(scheme)))
}

/// Returns the name of a database for messages, without the password of an address.
#[must_use]
pub fn shown(path: &Path) -> PathBuf {
    let Some(address) = server(path) else { return path.to_owned() };
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match host.rsplit_once('@').and_then(|(user, host)| Some((user.split_once(':')?.0, host))) {
        Some((user, host)) => format!("{scheme}://{user}:***@{host}{path}").into(),
        None => address.into(),
    }
}

/// Whether a database exists.
///
/// # Errors
/// If the server cannot be reached.
pub fn exists(path: &Path) -> Result<bool, StoreError> {
    match server(path) {
        Some(address) => postgres::Options::new().exists(address),
        None => Ok(path.exists()),
    }
}

/// Verifies the checksums of a file. A server verifies its own.
///
/// # Errors
/// If the file is damaged.
pub fn verify(path: &Path) -> Result<(), StoreError> {
    if server(path).is_some() { Ok(()) } else { redb::verify(path) }
}

/// Opens all spaces of a database for reading.
///
/// # Errors
/// Errors of the engine.
pub fn open_all_spaces(path: &Path) -> Result<Db, StoreError> {
    match server(path) {
        Some(address) => postgres::Options::new().open_all_spaces(address).map(Db::new),
        None => redb::Options::new().open_all_spaces(path).map(Db::new),
    }
}

/// Opens some spaces of a database for writing, without verification.
///
/// # Errors
/// Errors of the engine.
pub fn open_spaces(path: &Path, spaces: Spaces) -> Result<Db, StoreError> {
    match server(path) {
        Some(address) => postgres::Options::new().open(address, spaces).map(Db::new),
        None => redb::Options::new().verify(false).open(path, spaces).map(Db::new),
    }
}

/// Opens some spaces of a database for reading.
///
/// # Errors
/// Errors of the engine.
pub fn open_spaces_read_only(path: &Path, spaces: Spaces) -> Result<Db, StoreError> {
    match server(path) {
        Some(address) => postgres::Options::new().open_read_only(address, spaces).map(Db::new),
        None => redb::Options::new().open_read_only(path, spaces).map(Db::new),
    }
}

/// Creates a database with spaces, and without a layout.
///
/// # Errors
/// If it exists, and errors of the engine.
pub fn create_spaces(path: &Path, spaces: Spaces) -> Result<Db, StoreError> {
    match server(path) {
        Some(address) => postgres::Options::new().create(address, spaces).map(Db::new),
        None => redb::Options::new().create(path, spaces).map(Db::new),
    }
}

/// Creates a database for layouts.
///
/// # Errors
/// If it exists, and errors of the engine.
pub fn create(path: &Path, layouts: &[&Layout<'_>]) -> Result<Db, LayoutError> {
    match server(path) {
        Some(address) => postgres::create_with(address, layouts, &postgres::Options::new()),
        None => redb::create_with(path, layouts, &redb::Options::new().verify(false)),
    }
}

/// Opens a database with layouts for writing, without verification.
///
/// # Errors
/// If the layouts do not fit, and errors of the engine.
pub fn open(path: &Path, layouts: &[&Layout<'_>], admission: Admission) -> Result<Db, LayoutError> {
    match server(path) {
        Some(address) => {
            postgres::open_with(address, layouts, &postgres::Options::new().admission(admission))
        }
        None => {
            let options = redb::Options::new().verify(false).admission(admission);
            redb::open_with(path, layouts, &options)
        }
    }
}

/// Opens a database with layouts for reading.
///
/// # Errors
/// As [`open`].
pub fn open_read_only(path: &Path, layouts: &[&Layout<'_>]) -> Result<Db, LayoutError> {
    match server(path) {
        Some(address) => postgres::open_read_only_with(address, layouts, &postgres::Options::new()),
        None => redb::open_read_only_with(path, layouts, &redb::Options::new()),
    }
}

/// Opens a database that was written without a layout, and stores the layouts if every row fits.
///
/// # Errors
/// As [`open`].
pub fn adopt<R: fmt::Display>(
    path: &Path,
    layouts: &[&Layout<'_>],
    check: impl FnMut(&str, &[u8], &[u8]) -> Result<(), R>,
) -> Result<Db, LayoutError> {
    match server(path) {
        Some(address) => postgres::adopt(address, layouts, &postgres::Options::new(), check),
        None => redb::adopt(path, layouts, &redb::Options::new().verify(false), check),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let shown = |path: &str| shown(Path::new(path)).display().to_string();
        assert_eq!(shown("a:b@c.redb"), "a:b@c.redb");
        assert_eq!(shown("postgres://u@h/d"), "postgres://u@h/d");
        assert_eq!(shown("postgres://u:p@h:5/d?schema=s"), "postgres://u:***@h:5/d?schema=s");
        assert_eq!(shown("postgresql://u:p@a:x@h"), "postgresql://u:***@h");
    }
}
