//! Opens files with layouts.

use crate::{Options, Redb, StagedFile};
use keyscape_store::{Db, Layout, LayoutError, saved_stores};
use std::{fmt, path::Path};

/// Creates a file for a layout.
///
/// ```
/// use keyscape_store::{KeyspaceInfo, Layout, ReadExt, StoreId};
///
/// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
///
/// let db = keyscape_store_redb::create(&file, &SHOP)?;
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// drop(db);
///
/// let db = keyscape_store_redb::open_read_only(&file, &SHOP)?;
/// assert!(db.read()?.contains(StoreId::of("shop"), b"ink")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Options::create`]. On an error, no file is left.
pub fn create(path: impl AsRef<Path>, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    create_with(path, &[layout], &Options::new())
}

/// Creates a file for several layouts.
///
/// ```
/// use keyscape_store::{Layout, Spaces};
/// use keyscape_store_redb::{Options, create_with};
///
/// const BANK: Layout<'static> = Layout { spaces: &["bank"], ..Layout::named("bank") };
/// const NOTES: Layout<'static> = Layout { spaces: &["notes"], ..Layout::named("notes") };
/// let folder = tempfile::tempdir()?;
/// let options = Options { cache_bytes: 64 << 20, ..Options::new() };
/// let db = create_with(folder.path().join("node.redb"), &[&BANK, &NOTES], &options)?;
/// assert_eq!(db.spaces().iter().count(), 3); // includes the metadata of layouts
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`create`].
pub fn create_with(
    path: impl AsRef<Path>,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    let (db, staged) = stage(path, layouts, options)?;
    staged.publish()?;
    Ok(db)
}

/// Creates a file for several layouts under a temporary name, to be filled before
/// [`StagedFile::publish`] gives it its final name. A process that is killed meanwhile leaves no
/// file of the final name.
///
/// ```
/// use keyscape_store::{Layout, StoreId};
/// use keyscape_store_redb::{Options, open, stage};
///
/// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
///
/// let (db, staged) = stage(&file, &[&SHOP], &Options::new())?;
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// drop(db);
/// assert!(!file.exists());
/// staged.publish()?;
/// assert!(open(&file, &SHOP).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`create`].
pub fn stage(
    path: impl AsRef<Path>,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<(Db, StagedFile), LayoutError> {
    let (redb, staged) = options.stage(path.as_ref(), Layout::spaces_of(layouts)?)?;
    let db = Db::new(redb);
    db.admit(layouts)?;
    Ok((db, staged))
}

/// Opens a file for reading and writing. The layout must match the one that the file was written
/// with; it may add keyspaces.
///
/// ```
/// use keyscape_store::{KeyspaceInfo, Layout, LayoutError};
/// use keyscape_store_redb::{create, open};
///
/// const ORDERS: KeyspaceInfo<'static> = KeyspaceInfo {
///     space: "shop",
///     name: "orders",
///     kind: "map",
///     text: "map \"o\" {id: u64be} -> text",
///     fingerprint: [1; 32],
///     version: 1,
/// };
/// const SHOP: Layout<'static> =
///     Layout { spaces: &["shop"], keyspaces: &[ORDERS], ..Layout::named("shop") };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
/// drop(create(&file, &SHOP)?);
///
/// drop(open(&file, &SHOP)?);
/// // Opening with a layout that would change stored bytes fails.
/// let changed = KeyspaceInfo { fingerprint: [2; 32], ..ORDERS };
/// let refused = open(&file, &Layout { keyspaces: &[changed], ..SHOP });
/// assert!(matches!(refused, Err(LayoutError::Changed { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Options::open`] and [`Db::admit`].
pub fn open(path: impl AsRef<Path>, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    open_with(path, &[layout], &Options::new())
}

/// Opens a file for reading and writing, or creates it if it does not exist.
///
/// ```
/// use keyscape_store::{Layout, ReadExt, StoreId};
/// use keyscape_store_redb::open_or_create;
///
/// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
/// let db = open_or_create(&file, &SHOP)?;
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// drop(db);
/// assert!(open_or_create(&file, &SHOP)?.read()?.contains(StoreId::of("shop"), b"ink")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`open`] and [`create`].
pub fn open_or_create(path: impl AsRef<Path>, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    open_or_create_with(path, &[layout], &Options::new())
}

/// Opens or creates a file with several layouts.
///
/// # Errors
/// As [`open_or_create`].
pub fn open_or_create_with(
    path: impl AsRef<Path>,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    let path = path.as_ref();
    // A dangling link exists: creating a file would replace it.
    if path.symlink_metadata().is_ok() {
        return open_with(path, layouts, options);
    }
    match create_with(path, layouts, options) {
        // Another program created the file in the meantime.
        Err(_) if path.symlink_metadata().is_ok() => open_with(path, layouts, options),
        created => created,
    }
}

/// Opens a file with several layouts.
///
/// ```
/// use keyscape_store::Layout;
/// use keyscape_store_redb::{Options, create, open_with};
///
/// const BANK: Layout<'static> = Layout { spaces: &["bank"], ..Layout::named("bank") };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("node.redb");
/// drop(create(&file, &BANK)?);
///
/// let options = Options { cache_bytes: 64 << 20, ..Options::new() };
/// let db = open_with(&file, &[&BANK], &options)?;
/// assert_eq!(db.spaces().iter().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Options::admission`] adds stores and builds indexes.
///
/// # Errors
/// As [`open`].
pub fn open_with(
    path: impl AsRef<Path>,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    admitted(options.open(path, Layout::spaces_of(layouts)?)?, layouts, options)
}

/// Opens a file for reading.
///
/// ```
/// use keyscape_store::{Layout, StoreError, StoreErrorKind, StoreId};
/// use keyscape_store_redb::{create, open_read_only};
///
/// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
/// drop(create(&file, &SHOP)?);
///
/// let db = open_read_only(&file, &SHOP)?;
/// let also = open_read_only(&file, &SHOP)?; // any number of readers
/// let refused = db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"));
/// assert_eq!(refused.map_err(|error: StoreError| error.kind()), Err(StoreErrorKind::ReadOnly));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Options::open_read_only`] and [`Db::admit`].
pub fn open_read_only(path: impl AsRef<Path>, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    open_read_only_with(path, &[layout], &Options::new())
}

/// Opens a file for reading with several layouts.
///
/// ```
/// use keyscape_store::Layout;
/// use keyscape_store_redb::{Options, create_with, open_read_only_with};
///
/// const BANK: Layout<'static> = Layout { spaces: &["bank"], ..Layout::named("bank") };
/// const NOTES: Layout<'static> = Layout { spaces: &["notes"], ..Layout::named("notes") };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("node.redb");
/// drop(create_with(&file, &[&BANK, &NOTES], &Options::new())?);
///
/// let db = open_read_only_with(&file, &[&BANK], &Options::new())?;
/// assert_eq!(db.spaces().iter().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`open_read_only`].
pub fn open_read_only_with(
    path: impl AsRef<Path>,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    admitted(options.open_read_only(path, Layout::spaces_of(layouts)?)?, layouts, options)
}

/// Compares the layouts with those of the file. The file may contain tables of another program.
fn admitted(file: Redb, layouts: &[&Layout<'_>], options: &Options) -> Result<Db, LayoutError> {
    let tables = Redb::spaces_of(&file.file)?;
    let is_ours = |space: &str| layouts.iter().any(|layout| layout.spaces.contains(&space));
    let tables: Vec<&str> = tables.iter().skip(1).map(|(_, name)| name).collect();
    let is_foreign = !tables.is_empty() && !tables.iter().any(|table| is_ours(table));
    let db = Db::new(file);
    if is_foreign && !options.admission.adds_stores() && saved_stores(&db.read()?)?.is_empty() {
        let stores = tables.into_iter().map(Into::into).collect();
        return Err(LayoutError::NoCommonStore { stores });
    }
    db.admit_with(layouts, options.admission)?;
    Ok(db)
}

/// Opens a file that was written without a layout: passes every row to `check`, and stores the
/// layouts if every row fits.
///
/// ```
/// use keyscape_store::{Db, Layout, LayoutError, Spaces, StoreId};
/// use keyscape_store_redb::{Options, adopt};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("old.redb");
/// let old = Db::new(Options::new().create(&file, Spaces::new(["shop"])?)?);
/// old.write(|tx| tx.put(StoreId::of("shop"), b"o7", b"ink"))?;
/// drop(old);
///
/// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
/// let check = |_: &str, key: &[u8], _: &[u8]| match key {
///     [b'o', ..] => Ok(()),
///     _ => Err("no key of an order"),
/// };
/// drop(adopt(&file, &[&SHOP], &Options::new(), check)?);
/// assert!(keyscape_store_redb::open(&file, &SHOP).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
