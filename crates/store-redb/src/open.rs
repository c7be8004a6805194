//! Files with the layouts that they hold.

use crate::Options;
use keyscape_store::{Db, Layout, LayoutError};
use std::{fmt, fs, path::Path};

/// Makes a new file for a layout.
///
/// ```
/// use keyscape_store::{KeyspaceInfo, Layout, ReadExt, StoreId};
///
/// const SHOP: Layout<'static> = Layout { name: "shop", spaces: &["shop"], keyspaces: &[] };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
///
/// let db = keyscape_store_redb::create(&file, &SHOP)?;
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// drop(db);
///
/// let db = keyscape_store_redb::open_read_only(&file, &Layout { keyspaces: &[], ..SHOP })?;
/// assert!(db.read()?.contains(StoreId::of("shop"), b"ink")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Options::create`]. If it fails, there is no file.
pub fn create(path: impl AsRef<Path>, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    create_with(path, &[layout], &Options::new())
}

/// Makes a new file for several layouts.
///
/// # Errors
/// As [`create`].
pub fn create_with(
    path: impl AsRef<Path>,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    let path = path.as_ref();
    let db = Db::new(options.create(path, Layout::spaces_of(layouts)?)?);
    if let Err(error) = db.admit(layouts) {
        drop(db);
        // What could not be made is taken away; that it cannot be is the smaller problem.
        let _ = fs::remove_file(path);
        return Err(error);
    }
    Ok(db)
}

/// Opens a file to read and write. The layout must be the one that the file was written with;
/// keyspaces may have been added.
///
/// # Errors
/// As [`Options::open`] and [`Db::admit`].
pub fn open(path: impl AsRef<Path>, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    open_with(path, &[layout], &Options::new())
}

/// Opens a file with several layouts.
///
/// # Errors
/// As [`open`].
pub fn open_with(
    path: impl AsRef<Path>,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    let db = Db::new(options.open(path, Layout::spaces_of(layouts)?)?);
    db.admit(layouts)?;
    Ok(db)
}

/// Opens a file to read.
///
/// # Errors
/// As [`Options::open_read_only`] and [`Db::admit`].
pub fn open_read_only(path: impl AsRef<Path>, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    open_read_only_with(path, &[layout], &Options::new())
}

/// Opens a file to read with several layouts.
///
/// # Errors
/// As [`open_read_only`].
pub fn open_read_only_with(
    path: impl AsRef<Path>,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    let db = Db::new(options.open_read_only(path, Layout::spaces_of(layouts)?)?);
    db.admit(layouts)?;
    Ok(db)
}

/// Opens a file that was written without a layout: gives every row to `check`, and saves the layouts
/// if each one fits.
///
/// # Errors
/// As [`Options::open`] and [`Db::adopt`].
pub fn adopt<R: fmt::Display>(
    path: impl AsRef<Path>,
    layouts: &[&Layout<'_>],
    options: &Options,
    check: impl FnMut(&str, &[u8], &[u8]) -> Result<(), R>,
) -> Result<Db, LayoutError> {
    let db = Db::new(options.open(path, Layout::spaces_of(layouts)?)?);
    db.adopt(layouts, check)?;
    Ok(db)
}
