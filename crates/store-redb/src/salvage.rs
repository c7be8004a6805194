//! Opens damaged files for reading, as far as redb can read them.
//!
//! redb rejects a file that was not closed cleanly, and a file whose header selects an unreadable
//! commit. A copy with other flags may be readable: marked as closed cleanly, or set to the other
//! of its two commits.

use crate::{
    ENGINE, Options, Redb,
    error::store_error,
    header::{self, Flags},
    options::check_magic,
};
use keyscape_store::{Db, StoreError};
use std::{fs, io, path::Path};
use tempfile::TempPath;

/// A damaged file that is open for reading.
#[derive(Debug)]
pub struct Damaged {
    db: Db,
    /// Deleted when dropped.
    _copy: Option<TempPath>,
}

impl Damaged {
    /// Returns the database with all its spaces. Any read may fail. Begin a new snapshot after an
    /// error.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.db
    }
}

/// Opens a file for reading, even if the file is damaged. The file is not changed. If the header
/// has to be changed, the function works on a copy in the temporary directory.
///
/// ```
/// use keyscape_store::{Db, ReadExt, Spaces, StoreId};
/// use keyscape_store_redb::{Options, open_damaged};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
/// let db = Db::new(Options::new().create(&file, Spaces::new(["shop"])?)?);
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// drop(db);
/// let mut bytes = std::fs::read(&file)?;
/// bytes[9] |= 2; // as if it had not been closed
/// std::fs::write(&file, bytes)?;
/// assert!(Options::new().open_all_spaces(&file).is_err());
///
/// let damaged = open_damaged(&file)?;
/// assert!(damaged.db().read()?.contains(StoreId::of("shop"), b"ink")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Corrupt`](keyscape_store::StoreErrorKind::Corrupt) if no commit can be read, and errors of the
/// file system.
pub fn open_damaged(path: impl AsRef<Path>) -> Result<Damaged, StoreError> {
    let path = path.as_ref();
    let _span = tracing::info_span!("salvage", engine = ENGINE, file = %path.display()).entered();
    open_any_commit(path).map_err(|error| error.in_file(path))
}

fn open_any_commit(path: &Path) -> Result<Damaged, StoreError> {
    check_magic(path)?;
    let first = match open_all(path) {
        Ok(db) => return Ok(Damaged { db, _copy: None }),
        Err(error) => error,
    };
    for flags in [Flags::Closed, Flags::OtherCommit] {
        let copy = copy_of(path).map_err(store_error)?;
        header::set(&copy, flags).map_err(store_error)?;
        if let Ok(db) = open_all(&copy) {
            return Ok(Damaged { db, _copy: Some(copy) });
        }
    }
    Err(first)
}

/// Opens a file with all its tables, and checks that a snapshot can begin.
fn open_all(path: &Path) -> Result<Db, StoreError> {
    let redb: Redb = Options::new().open_all_spaces(path)?;
    let db = Db::new(redb);
    db.read()?;
    Ok(db)
}

fn copy_of(path: &Path) -> io::Result<TempPath> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    let mut copy = tempfile::Builder::new().prefix(&name).suffix(".salvage").tempfile()?;
    io::copy(&mut fs::File::open(path)?, copy.as_file_mut())?;
    Ok(copy.into_temp_path())
}
