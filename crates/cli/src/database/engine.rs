//! Chooses the engine of a database by its name: a redb file, or the address of a server.

use super::DatabaseError;
use keyscape_store::{Admission, Db, Layout, LayoutError, Spaces};
use keyscape_store_redb as redb;
use std::path::{Path, PathBuf};

/// The engine of a database.
enum Engine<'p> {
    File,
    Postgres(&'p str),
    Tikv(&'p str),
}

impl Engine<'_> {
    fn of(path: &Path) -> Engine<'_> {
        match path.to_str().and_then(|name| Some((name, name.split_once("://")?.0))) {
            Some((address, "postgres" | "postgresql")) => Engine::Postgres(address),
            Some((address, "tikv")) => Engine::Tikv(address),
            _ => Engine::File,
        }
    }
}

/// Evaluates an expression for the engine of a path: for a file, or with the crate and the address
/// of a server. The crates have functions of the same names.
macro_rules! on_engine {
    ($path:expr, $file:expr, |$server:ident, $address:ident| $on_server:expr) => {
        match Engine::of($path) {
            Engine::File => $file,
            Engine::Postgres($address) => {
                use keyscape_store_postgres as $server;
                $on_server
            }
            #[cfg(feature = "tikv")]
            Engine::Tikv($address) => {
                use keyscape_store_tikv as $server;
                $on_server
            }
            #[cfg(not(feature = "tikv"))]
            Engine::Tikv(_) => Err(keyscape_store::StoreError::backend(
                "tikv",
                "this program was built without TiKV; build it with `--features tikv`",
            )),
        }
    };
}

/// Returns the address, if a database is named by the address of a server.
pub(crate) fn server(path: &Path) -> Option<&str> {
    match Engine::of(path) {
        Engine::File => None,
        Engine::Postgres(address) | Engine::Tikv(address) => Some(address),
    }
}

/// Returns the name of a database for messages, without the password of an address.
pub(crate) fn without_password(path: &Path) -> PathBuf {
    let Some(address) = server(path) else { return path.to_owned() };
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let (place, options) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
    // A password may contain any character, although some should be escaped.
    let login =
        place.rsplit_once('@').and_then(|(login, host)| Some((login.split_once(':')?.0, host)));
    let place = match login {
        Some((user, host)) => format!("{user}:{HIDDEN}@{host}"),
        None => place.to_owned(),
    };
    let hide = |option: &str| match option.split_once('=') {
        Some((name, _)) if name.trim_start_matches('?').contains("password") => {
            format!("{name}={HIDDEN}")
        }
        _ => option.to_owned(),
    };
    let options: Vec<String> = options.split('&').map(hide).collect();
    format!("{scheme}://{place}{}", options.join("&")).into()
}

/// The text that [`without_password`] writes instead of a password.
pub(crate) const HIDDEN: &str = "***";

/// Returns the error of a database that cannot be used.
pub(crate) fn failed(path: &Path, source: impl Into<LayoutError>) -> DatabaseError {
    DatabaseError::Layout { path: without_password(path), source: source.into() }
}

/// Returns the error of a database that cannot be created.
fn not_created(path: &Path, source: impl Into<LayoutError>) -> DatabaseError {
    match server(path) {
        Some(_) => failed(path, source),
        None => DatabaseError::making(path, source.into()),
    }
}

/// Whether a database exists.
///
/// # Errors
/// If the server cannot be reached.
pub(crate) fn exists(path: &Path) -> Result<bool, DatabaseError> {
    on_engine!(path, Ok(path.exists()), |server, address| server::Options::new().exists(address))
        .map_err(|error| failed(path, error))
}

/// Returns the spaces with the given names.
pub(crate) fn spaces<N: AsRef<str>>(
    path: &Path,
    names: impl IntoIterator<Item = N>,
) -> Result<Spaces, DatabaseError> {
    Spaces::new(names).map_err(|error| failed(path, error))
}

/// Opens all spaces of a database for reading.
pub(crate) fn open_all_spaces(path: &Path) -> Result<Db, DatabaseError> {
    on_engine!(path, redb::Options::new().open_all_spaces(path).map(Db::new), |server, address| {
        server::Options::new().open_all_spaces(address).map(Db::new)
    })
    .map_err(|error| failed(path, error))
}

/// Opens some spaces of a database for writing, without verification.
pub(crate) fn open_spaces(path: &Path, spaces: Spaces) -> Result<Db, DatabaseError> {
    let file = redb::Options { verify: false, ..redb::Options::new() };
    on_engine!(path, file.open(path, spaces).map(Db::new), |server, address| {
        server::Options::new().open(address, spaces).map(Db::new)
    })
    .map_err(|error| failed(path, error))
}

/// Opens some spaces of a database for reading.
pub(crate) fn open_spaces_read_only(path: &Path, spaces: Spaces) -> Result<Db, DatabaseError> {
    let file = redb::Options::new();
    on_engine!(path, file.open_read_only(path, spaces).map(Db::new), |server, address| {
        server::Options::new().open_read_only(address, spaces).map(Db::new)
    })
    .map_err(|error| failed(path, error))
}

/// Creates a database with spaces, and without a layout. It must not exist.
pub(crate) fn create_spaces(path: &Path, spaces: Spaces) -> Result<Db, DatabaseError> {
    on_engine!(path, redb::Options::new().create(path, spaces).map(Db::new), |server, address| {
        server::Options::new().create(address, spaces).map(Db::new)
    })
    .map_err(|error| not_created(path, error))
}

/// Creates a database for layouts. It must not exist.
pub(crate) fn create(path: &Path, layouts: &[&Layout<'_>]) -> Result<Db, DatabaseError> {
    if server(path).is_none() {
        return redb::create_with(path, layouts, &redb::Options::new())
            .map_err(|error| not_created(path, error));
    }
    let spaces = Layout::spaces_of(layouts).map_err(|error| failed(path, error))?;
    let db = create_spaces(path, spaces)?;
    db.admit(layouts).map_err(|error| failed(path, error))?;
    Ok(db)
}

/// Opens a database with layouts for writing, without verification.
pub(crate) fn open(
    path: &Path,
    layouts: &[&Layout<'_>],
    admission: Admission,
) -> Result<Db, DatabaseError> {
    if server(path).is_none() {
        let options = redb::Options { verify: false, admission, ..redb::Options::new() };
        return redb::open_with(path, layouts, &options).map_err(|error| failed(path, error));
    }
    let spaces = Layout::spaces_of(layouts).map_err(|error| failed(path, error))?;
    let db = open_spaces(path, spaces)?;
    db.admit_with(layouts, admission).map_err(|error| failed(path, error))?;
    Ok(db)
}

/// Opens a database with layouts for reading.
pub(crate) fn open_read_only(path: &Path, layouts: &[&Layout<'_>]) -> Result<Db, DatabaseError> {
    if server(path).is_none() {
        return redb::open_read_only_with(path, layouts, &redb::Options::new())
            .map_err(|error| failed(path, error));
    }
    let spaces = Layout::spaces_of(layouts).map_err(|error| failed(path, error))?;
    let db = open_spaces_read_only(path, spaces)?;
    db.admit(layouts).map_err(|error| failed(path, error))?;
    Ok(db)
}
