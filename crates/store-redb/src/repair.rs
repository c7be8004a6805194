//! Repairs a file.
//!
//! redb writes to a file that it opens, even if it cannot repair the file. Therefore the repair
//! runs on a copy in the same directory, which replaces the file only if something was repaired. A
//! file that was closed cleanly and passes verification needs no copy.

use crate::{
    ENGINE, Options,
    database::File,
    error::{catch, store_error},
    header,
    leftovers::Leftovers,
    options::check_magic,
    verify,
};
use keyscape_store::{StoreError, StoreErrorKind};
use std::{
    fs::{self, OpenOptions, TryLockError},
    io,
    path::Path,
};
use tempfile::NamedTempFile;

/// The result of a repair.
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
    /// All checksums are right; nothing was changed.
    Sound,
    /// The file was not closed cleanly, or had damage that could be undone. It is now at its last
    /// complete commit.
    Restored,
}

/// The error for a file that cannot be repaired.
const BEYOND_REPAIR: StoreErrorKind =
    StoreErrorKind::Corrupt { what: "damaged: no complete commit in it has the right checksums" };

/// Repairs a file that was not closed cleanly and verifies all of it. Durable commits are never
/// lost, and no other commit is applied in part.
///
/// A damaged file, or one that was not closed cleanly, is repaired in a copy in the same directory.
/// The copy needs as much space as the file, and then replaces it. A file that is sound, or that
/// cannot be repaired, is not changed.
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
/// [`Corrupt`](keyscape_store::StoreErrorKind::Corrupt) if the file cannot be repaired, the errors
/// of [`Options::open`], and errors of the file system for the copy.
pub fn repair(path: impl AsRef<Path>) -> Result<Repaired, StoreError> {
    let path = path.as_ref();
    let _span = tracing::info_span!("repair", engine = ENGINE, file = %path.display()).entered();
    repair_by_copy(path).map_err(|error| error.in_file(path))
}

fn repair_by_copy(path: &Path) -> Result<Repaired, StoreError> {
    check_magic(path)?;
    // A sound file needs no copy. The work on the copy finds any other problem again.
    if Options::new().is_clean(path).unwrap_or(false) && verify(path).is_ok() {
        return Ok(Repaired::Sound);
    }
    // Follow a symbolic link and replace its target.
    let path = &fs::canonicalize(path).map_err(store_error)?;
    let original = OpenOptions::new().read(true).write(true).open(path).map_err(store_error)?;
    // This is the lock that redb itself uses. Hold it to the end, so no other process writes to the
    // file that is replaced.
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

/// Repairs a file that no other process uses, and verifies it.
fn repair_in_place(path: &Path) -> Result<(), StoreError> {
    let options = Options::new();
    if header::has_newer_commit(path).map_err(store_error)? {
        header::set(path, header::Flags::NotClosed).map_err(store_error)?;
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

/// Copies the file into its directory, with its permissions. The copy is removed when dropped.
fn copy_of(mut original: &fs::File, path: &Path) -> io::Result<NamedTempFile> {
    // The lock on the original excludes other repairs, so older copies are not in use.
    let leftovers = Leftovers::new(path, ".repair");
    leftovers.remove();
    let mut builder = tempfile::Builder::new();
    builder.prefix(&leftovers.prefix).suffix(leftovers.suffix);
    let mut copy = builder.tempfile_in(leftovers.folder)?;
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

/// Replaces the file by the copy. The replacement is on disk when the function returns.
fn replace(copy: NamedTempFile, path: &Path) -> io::Result<()> {
    copy.as_file().sync_all()?;
    copy.persist(path).map_err(|error| error.error)?;
    // Sync the directory, which contains the name. Only some systems can do that.
    #[cfg(unix)]
    fs::File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(())
}
