//! Verifies a file without changing it.
//!
//! redb compares checksums only in `Database::check_integrity`. That function needs a writable
//! file, because it repairs damage. Therefore redb opens the file through an overlay that holds all
//! writes in memory.

use crate::{
    Options,
    error::{catch, store_error},
    header,
    options::check_magic,
};
use keyscape_store::{StoreError, StoreErrorKind};
use redb::{BackendError, StorageBackend, backends::FileBackend};
use std::{
    collections::BTreeMap,
    fs, io,
    ops::Bound,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The error for a file whose checksums do not match.
const WRONG_CHECKSUMS: StoreErrorKind =
    StoreErrorKind::Corrupt { what: "damaged: its checksums do not match" };

/// The error for a file whose header selects the older commit.
const OLD_COMMIT: StoreErrorKind = StoreErrorKind::Corrupt {
    what: "damaged: its header names a commit that is not the last one; run `keyscape repair`",
};

/// The cache size in bytes during verification. Every page is read a few times in succession, so a
/// larger cache would not help.
const CACHE_BYTES: usize = 16 << 20;

/// Reads a whole file and compares all checksums. The file is not changed.
///
/// A verified file contains the committed bytes: rows, keys, and the pages that lead to them.
/// During verification, other processes may read the file but not write it. If the file was not
/// closed cleanly, the function verifies the commit that a repair would restore.
///
/// Reading a file does not compare checksums, and [`Options::open_read_only`] does not call this
/// function. [`Options::open`] does, unless [`Options::verify`] is off.
///
/// ```
/// use keyscape_store::{Db, Spaces, StoreId};
/// use keyscape_store_redb::{Options, verify};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
/// let db = Db::new(Options::new().create(&file, Spaces::new(["shop"])?)?);
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"three bottles"))?;
/// drop(db);
/// verify(&file)?;
///
/// let mut bytes = std::fs::read(&file)?;
/// for at in 0..bytes.len() - 5 {
///     if bytes[at..].starts_with(b"three") {
///         bytes[at] = b'T';
///     }
/// }
/// std::fs::write(&file, bytes)?;
/// assert!(verify(&file).is_err());
/// assert!(Options::new().open(&file, Spaces::new(["shop"])?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Corrupt`](StoreErrorKind::Corrupt) if a checksum does not match,
/// [`NotADatabase`](StoreErrorKind::NotADatabase) if the file is not a redb file,
/// [`Busy`](StoreErrorKind::Busy) if another process writes it, and errors of the file system.
pub fn verify(path: impl AsRef<Path>) -> Result<(), StoreError> {
    let path = path.as_ref();
    let _span = tracing::info_span!("verify", file = %path.display()).entered();
    verify_file(path).map_err(|error| error.in_file(path))
}

fn verify_file(path: &Path) -> Result<(), StoreError> {
    check_magic(path)?;
    let overlay = Overlay::over(fs::File::open(path).map_err(store_error)?)?;
    if header::has_newer_commit(path).map_err(store_error)? {
        return Err(OLD_COMMIT.into());
    }
    let builder = Options { cache_bytes: CACHE_BYTES, ..Options::new() }.builder();
    let mut file = catch(|| builder.create_with_backend(overlay).map_err(store_error))?;
    let intact = catch(|| file.check_integrity().map_err(store_error));
    // Close the file separately from the check: a second panic during the first one would abort the
    // process. Closing writes to the overlay, so its outcome does not matter.
    let _ = catch(|| {
        drop(file);
        Ok(())
    });
    match intact {
        Ok(true) => Ok(()),
        Ok(false) => Err(WRONG_CHECKSUMS.into()),
        Err(error) => match error.kind() {
            StoreErrorKind::Corrupt { .. } => Err(StoreError::new(WRONG_CHECKSUMS).because(error)),
            _ => Err(error),
        },
    }
}

/// A file that is only read, with an overlay of writes in memory.
#[derive(Debug)]
struct Overlay {
    file: FileBackend,
    /// The length of the file when it was opened.
    file_bytes: u64,
    written: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    bytes: u64,
    /// Whole blocks by their number.
    blocks: BTreeMap<u64, Box<[u8; BLOCK]>>,
}

const BLOCK: usize = 4096;

impl Overlay {
    fn over(file: fs::File) -> Result<Overlay, StoreError> {
        let file = FileBackend::new(file).map_err(store_error)?;
        let file_bytes = file.len().map_err(store_error)?;
        let written = Mutex::new(Written { bytes: file_bytes, blocks: BTreeMap::new() });
        Ok(Overlay { file, file_bytes, written })
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the file. Bytes after its end are zero.
    fn read_file(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let inside = self.file_bytes.saturating_sub(offset).min(out.len() as u64) as usize;
        let (inside, beyond) = out.split_at_mut(inside);
        beyond.fill(0);
        if inside.is_empty() { Ok(()) } else { self.file.read(offset, inside) }
    }
}

/// Calls `visit` for each block that a range of bytes touches. The arguments are the number of the
/// block, and the overlap as ranges in the block and in the bytes.
fn each_block(
    offset: u64,
    length: usize,
    mut visit: impl FnMut(u64, std::ops::Range<usize>, std::ops::Range<usize>) -> io::Result<()>,
) -> io::Result<()> {
    let mut done = 0;
    while done < length {
        let at = offset + done as u64;
        let start = (at % BLOCK as u64) as usize;
        let count = (BLOCK - start).min(length - done);
        visit(at / BLOCK as u64, start..start + count, done..done + count)?;
        done += count;
    }
    Ok(())
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.written().bytes)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > written.bytes) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_file(offset, out)?;
        if written.blocks.is_empty() {
            return Ok(());
        }
        each_block(offset, out.len(), |number, inside, range| {
            if let Some(block) = written.blocks.get(&number) {
                out[range].copy_from_slice(&block[inside]);
            }
            Ok(())
        })
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.written().bytes = bytes;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written();
        each_block(offset, data.len(), |number, inside, range| {
            let block = match written.blocks.entry(number) {
                std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    let mut block = Box::new([0; BLOCK]);
                    self.read_file(number * BLOCK as u64, &mut block[..])?;
                    entry.insert(block)
                }
            };
            block[inside].copy_from_slice(&data[range]);
            Ok(())
        })
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    // Take a shared lock: other processes may read the file, but not write it.

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }
}
