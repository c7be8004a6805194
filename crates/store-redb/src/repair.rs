//! Repairing a file.
//!
//! redb writes to a file that it opens, even if it then finds that it cannot repair it. So the work
//! is done on a copy beside the file, which takes its place only if something was repaired. A file
//! that was closed cleanly and can be verified needs no copy.

use crate::{
    ENGINE, Options,
    database::File,
    error::{catch, store_error},
    header,
    options::check_magic,
    verify,
};
use keyscape_store::{StoreError, StoreErrorKind};
use std::{
    ffi::OsString,
    fs::{self, OpenOptions, TryLockError},
    io,
    path::Path,
};
use tempfile::NamedTempFile;

/// What a repair found.
///
/// ```
/// use keyscape_store::Spaces;
/// use keyscape_store_redb::{Options, Repaired, repair};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
/// drop(Options::new().create(&file, Spaces::new(["shop"])?)?);
/// assert_eq!(repair(&file)?, Repaired::Sound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repaired {
    /// All checksums are right and nothing had to be done.
    Sound,
    /// The file was not closed cleanly, or had damage that could be undone. It is at its last
    /// complete commit.
    Restored,
}

/// What is wrong with a file that cannot be repaired.
const BEYOND_REPAIR: StoreErrorKind =
    StoreErrorKind::Corrupt { what: "damaged: no complete commit in it has the right checksums" };

/// Repairs a file that was not closed cleanly and checks all of it. Commits that were acknowledged
/// as durable stay; of others, none is there in part.
///
/// A file that is not sound is repaired on a copy in the same directory, which needs as much space
/// as the file. A file that is sound, and one that cannot be repaired, is not changed; a repaired
/// copy takes the place of the file.
///
/// ```
/// use keyscape_store::Spaces;
/// use keyscape_store_redb::{Options, Repaired, repair};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
/// drop(Options::new().create(&file, Spaces::new(["shop"])?)?);
/// assert_eq!(repair(&file)?, Repaired::Sound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Corrupt`](keyscape_store::StoreErrorKind::Corrupt) if it cannot be repaired, as
/// [`Options::open`], and what the file system reports about the copy.
pub fn repair(path: impl AsRef<Path>) -> Result<Repaired, StoreError> {
    let path = path.as_ref();
    let _span = tracing::info_span!("repair", engine = ENGINE, file = %path.display()).entered();
    repair_by_copy(path).map_err(|error| error.in_file(path))
}

fn repair_by_copy(path: &Path) -> Result<Repaired, StoreError> {
    check_magic(path)?;
    // A sound file needs no copy. Whatever else is wrong is found again on the copy.
    if Options::new().is_clean(path).unwrap_or(false) && verify(path).is_ok() {
        return Ok(Repaired::Sound);
    }
    // A link stays a link: the file that it leads to is replaced.
    let path = &fs::canonicalize(path).map_err(store_error)?;
    let original = OpenOptions::new().read(true).write(true).open(path).map_err(store_error)?;
    // The lock is redb's own. It is held to the end, so that nobody writes what would be replaced.
    original.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => StoreErrorKind::Busy.into(),
        TryLockError::Error(error) => store_error(error),
    })?;
    let copy = copy_of(&original, path).map_err(store_error)?;
    repair_in_place(copy.path()).map_err(|error| match error.kind() {
        StoreErrorKind::Corrupt { .. } => StoreError::new(BEYOND_REPAIR).because(error),
        _ => error,
    })?;
    replace(copy, path).map_err(store_error)?;
    Ok(Repaired::Restored)
}

/// Repairs a file that nobody else needs. It is verified after that.
fn repair_in_place(path: &Path) -> Result<(), StoreError> {
    let options = Options::new();
    if header::has_newer_commit(path).map_err(store_error)? {
        header::reselect(path).map_err(store_error)?;
    }
    let File::Writable(mut file) = options.open_writable(path)? else {
        return Err(BEYOND_REPAIR.into());
    };
    catch(|| file.file_mut()?.check_integrity().map_err(store_error))?;
    drop(file);
    if !options.is_clean(path)? {
        return Err(BEYOND_REPAIR.into());
    }
    verify(path)
}

/// A copy beside the file, with its rights. It is removed when it is dropped.
fn copy_of(mut original: &fs::File, path: &Path) -> io::Result<NamedTempFile> {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(".");
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut copy = tempfile::Builder::new().prefix(&name).suffix(".repair").tempfile_in(folder)?;
    io::copy(&mut original, copy.as_file_mut())?;
    let rights = original.metadata()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let own = copy.as_file().metadata()?;
        if (own.uid(), own.gid()) != (rights.uid(), rights.gid()) {
            fchown(copy.as_file(), Some(rights.uid()), Some(rights.gid()))?;
        }
    }
    copy.as_file().set_permissions(rights.permissions())?;
    Ok(copy)
}

/// Puts the copy in the place of the file, on disk when it returns.
fn replace(copy: NamedTempFile, path: &Path) -> io::Result<()> {
    copy.as_file().sync_all()?;
    copy.persist(path).map_err(|error| error.error)?;
    // The name is in the directory, which only some systems can sync.
    #[cfg(unix)]
    fs::File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(())
}
