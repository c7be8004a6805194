//! Repairing a file.

use crate::{ENGINE, Options, database::File, error::store_error};
use keyscape_store::StoreError;
use std::path::Path;

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

/// Repairs a file that was not closed cleanly and checks all of it. Commits that were acknowledged
/// as durable stay; of others, none is there in part.
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
/// [`Corrupt`](keyscape_store::StoreErrorKind::Corrupt) if it cannot be repaired, and as
/// [`Options::open`].
pub fn repair(path: impl AsRef<Path>) -> Result<Repaired, StoreError> {
    let path = path.as_ref();
    let _span = tracing::info_span!("repair", engine = ENGINE, file = %path.display()).entered();
    // Whether it has to be repaired can only be found out by not doing it.
    let clean = Options::new().is_clean(path).map_err(|error| error.in_file(path))?;
    let file = Options::new().open_writable(path).map_err(|error| error.in_file(path))?;
    let File::Writable(mut file) = file else { return Ok(Repaired::Sound) };
    let intact = file.check_integrity().map_err(|error| store_error(error).in_file(path))?;
    Ok(if clean && intact { Repaired::Sound } else { Repaired::Restored })
}
