//! Options for opening a redb file.

use crate::{
    ENGINE, Redb,
    backend::Backend,
    database::{File, LIMITS},
    error::{NOT_A_FILE, NOT_REDB, catch, store_error},
    leftovers::Leftovers,
};
use keyscape_store::{Admission, ConflictLog, Limits, Spaces, StoreError, StoreErrorKind};
use redb::backends::FileBackend;
use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};
use tempfile::{NamedTempFile, TempPath};

/// Options for opening a redb file.
///
/// ```
/// use keyscape_store::{Db, ReadExt, Spaces, StoreId};
/// use keyscape_store_redb::Options;
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
///
/// let db = Db::new(Options::new().create(&file, Spaces::new(["shop"])?)?);
/// db.write(|tx| tx.put(SHOP, b"ink", b"3"))?; // on disk when it returns
/// drop(db);
///
/// let db = Db::new(Options::new().open_read_only(&file, Spaces::new(["shop"])?)?);
/// assert_eq!(db.read()?.get(SHOP, b"ink")?, Some(b"3".to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The maximum cache size in bytes.
    pub cache_bytes: usize,
    /// Whether a repair after a crash is fast. Durable commits are then slower, because each one
    /// saves the data for the repair. Without this option, a repair reads the whole file.
    pub quick_repair: bool,
    /// Whether [`Options::open`] reads the whole file first and compares its checksums, see
    /// [`verify`](crate::verify()).
    ///
    /// Without verification, a commit that writes next to damaged rows computes new checksums, and
    /// the damage can no longer be found. Turn it off for files that take too long to read at each
    /// start, and verify them at another time.
    pub verify: bool,
    /// Tighter limits than those of redb.
    pub limits: Limits,
    /// The approximate number of bytes for written keys that are kept in memory to detect
    /// conflicts.
    pub conflict_bytes: usize,
    /// The changes that opening the file with layouts may make to it.
    ///
    /// ```
    /// use keyscape_store::{Admission, Layout};
    /// use keyscape_store_redb::{Options, create, open_with};
    ///
    /// const BANK: Layout<'static> = Layout { spaces: &["bank"], ..Layout::named("bank") };
    /// const NOTES: Layout<'static> = Layout { spaces: &["notes"], ..Layout::named("notes") };
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("node.redb");
    /// drop(create(&file, &BANK)?);
    ///
    /// let admission = Admission::new().add_stores(true).build_indexes(true);
    /// let options = Options { admission, ..Options::new() };
    /// let db = open_with(&file, &[&BANK, &NOTES], &options)?;
    /// assert_eq!(db.spaces().iter().count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub admission: Admission,
}

impl Options {
    /// Returns the defaults: a cache of 1 GiB, full repair after a crash, verification before
    /// writing, and the limits of redb.
    #[must_use]
    pub fn new() -> Options {
        Options {
            cache_bytes: 1 << 30,
            quick_repair: false,
            verify: true,
            limits: LIMITS,
            conflict_bytes: ConflictLog::CAPACITY,
            admission: Admission::new(),
        }
    }

    /// Creates a file atomically: a program that is killed during the creation leaves no file of
    /// this name.
    ///
    /// # Errors
    /// If the file already exists, and errors of the file system.
    pub fn create(&self, path: impl AsRef<Path>, spaces: Spaces) -> Result<Redb, StoreError> {
        let path = path.as_ref();
        let _span =
            tracing::info_span!("create", engine = ENGINE, file = %path.display()).entered();
        let (redb, staged) = self.stage(path, spaces)?;
        staged.publish()?;
        Ok(redb)
    }

    /// Creates a database under a temporary name.
    pub(crate) fn stage(
        &self,
        path: &Path,
        spaces: Spaces,
    ) -> Result<(Redb, StagedFile), StoreError> {
        let staged = || {
            if path.symlink_metadata().is_ok() {
                return Err(store_error(io::Error::from(io::ErrorKind::AlreadyExists)));
            }
            let (file, temporary) = new_file(path).map_err(store_error)?.into_parts();
            let file = self.builder().create_file(file).map_err(store_error)?;
            let redb = Redb::new(File::writable(file), spaces, self)?;
            Ok((redb, StagedFile { temporary, path: path.to_owned() }))
        };
        staged().map_err(|error: StoreError| error.in_file(path))
    }

    /// Opens a file for reading and writing. Verifies the file first, see [`Options::verify`], and
    /// repairs a file that was not closed cleanly.
    ///
    /// # Errors
    /// [`Busy`](StoreErrorKind::Busy) if it is open elsewhere,
    /// [`NotADatabase`](StoreErrorKind::NotADatabase) if it is not a redb file,
    /// [`Corrupt`](StoreErrorKind::Corrupt) if it is damaged,
    /// [`ReadOnly`](StoreErrorKind::ReadOnly) if it may not be written.
    pub fn open(&self, path: impl AsRef<Path>, spaces: Spaces) -> Result<Redb, StoreError> {
        let path = path.as_ref();
        if self.verify {
            crate::verify(path)?;
        }
        self.open_writable(path)
            .and_then(|file| Redb::new(file, spaces, self))
            .map_err(|error| error.in_file(path))
    }

    /// Opens a file for reading. Checksums are not compared: call [`verify`](crate::verify()) for
    /// that.
    ///
    /// ```
    /// use keyscape_store::{Db, ReadExt, Spaces, StoreId};
    /// use keyscape_store_redb::Options;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("shop.redb");
    /// let shop = StoreId::of("shop");
    /// let db = Db::new(Options::new().create(&file, Spaces::new(["shop"])?)?);
    /// db.write(|tx| tx.put(shop, b"ink", b"3"))?;
    /// drop(db);
    /// let db = Db::new(Options::new().open_read_only(&file, Spaces::new(["shop"])?)?);
    /// assert!(db.read()?.contains(shop, b"ink")?);
    /// assert!(db.write(|tx| tx.delete(shop, b"ink")).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NeedsRepair`](StoreErrorKind::NeedsRepair) if it was not closed cleanly,
    /// [`Busy`](StoreErrorKind::Busy) if it is open elsewhere for writing, and as
    /// [`Options::open`].
    pub fn open_read_only(
        &self,
        path: impl AsRef<Path>,
        spaces: Spaces,
    ) -> Result<Redb, StoreError> {
        let path = path.as_ref();
        self.open_readable(path)
            .and_then(|file| Redb::new(file, spaces, self))
            .map_err(|error| error.in_file(path))
    }

    /// Opens a file for reading with all its spaces, for tools.
    ///
    /// # Errors
    /// As [`Options::open_read_only`].
    pub fn open_all_spaces(&self, path: impl AsRef<Path>) -> Result<Redb, StoreError> {
        let path = path.as_ref();
        let opened = self.open_readable(path).and_then(|file| {
            let spaces = Redb::spaces_of(&file)?;
            Redb::new(file, spaces, self)
        });
        opened.map_err(|error| error.in_file(path))
    }

    /// Creates a database on a storage backend of redb, such as its memory backend.
    ///
    /// # Errors
    /// Errors of redb.
    pub fn create_on(
        &self,
        backend: impl redb::StorageBackend,
        spaces: Spaces,
    ) -> Result<Redb, StoreError> {
        Redb::new(self.open_backend(Backend::new(backend))?, spaces, self)
    }

    pub(crate) fn open_writable(&self, path: &Path) -> Result<File, StoreError> {
        let _span = tracing::info_span!("open", engine = ENGINE, file = %path.display()).entered();
        check_magic(path)?;
        let file = fs::File::options().read(true).write(true).open(path).map_err(store_error)?;
        self.open_backend(Backend::existing(FileBackend::new(file).map_err(store_error)?))
    }

    fn open_backend(
        &self,
        backend: Backend<impl redb::StorageBackend>,
    ) -> Result<File, StoreError> {
        let builder = self.builder();
        catch(|| builder.create_with_backend(backend).map(File::writable).map_err(store_error))
    }

    fn open_readable(&self, path: &Path) -> Result<File, StoreError> {
        let span =
            tracing::info_span!("open", engine = ENGINE, file = %path.display(), read_only = true);
        let _entered = span.entered();
        check_magic(path)?;
        catch(|| self.builder().open_read_only(path).map(File::ReadOnly).map_err(store_error))
    }

    /// Whether the file was closed cleanly.
    pub(crate) fn is_clean(&self, path: &Path) -> Result<bool, StoreError> {
        match self.open_readable(path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == StoreErrorKind::NeedsRepair => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn builder(&self) -> redb::Builder {
        let mut builder = redb::Builder::new();
        builder.set_cache_size(self.cache_bytes);
        builder.set_repair_callback(|repair| {
            tracing::info!(progress = repair.progress(), "repair: the file was not closed cleanly");
        });
        builder
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}

/// A new file under a temporary name, see [`stage`](crate::stage()). Dropping the value removes the
/// file.
#[derive(Debug)]
pub struct StagedFile {
    temporary: TempPath,
    path: PathBuf,
}

impl StagedFile {
    /// Renames the file to its final name.
    ///
    /// # Errors
    /// If another file has this name by now, and errors of the file system.
    pub fn publish(self) -> Result<(), StoreError> {
        let StagedFile { temporary, path } = self;
        temporary.persist_noclobber(&path).map_err(|error| store_error(error.error).in_file(&path))
    }
}

/// The first bytes of every redb file.
const MAGIC: &[u8] = b"redb";

/// Rejects files that are not redb files. redb would treat an empty file as a new database.
pub(crate) fn check_magic(path: &Path) -> Result<(), StoreError> {
    let kind = fs::metadata(path).map_err(store_error)?;
    if kind.is_dir() {
        return Err(store_error(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    // Opening a named pipe would wait for its other end.
    if !kind.is_file() {
        return Err(NOT_A_FILE.into());
    }
    let mut start = Vec::new();
    let file = fs::File::open(path).map_err(store_error)?;
    file.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(store_error)?;
    if start == MAGIC { Ok(()) } else { Err(NOT_REDB.into()) }
}

/// Creates a temporary file in the directory of `path`, with the permissions of a new file.
fn new_file(path: &Path) -> io::Result<NamedTempFile> {
    let leftovers = Leftovers::new(path, ".new");
    leftovers.remove();
    let mut builder = tempfile::Builder::new();
    builder.prefix(&leftovers.prefix).suffix(leftovers.suffix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(leftovers.folder)
}
