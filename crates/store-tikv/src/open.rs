//! Opens databases with layouts.

use crate::Options;
use keyscape_store::{Db, Layout, LayoutError};
use std::fmt;

/// Creates a database for a layout.
///
/// ```no_run
/// use keyscape_store::Layout;
///
/// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
/// let db = keyscape_store_tikv::create("tikv://127.0.0.1:2379/shop", &SHOP)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Options::create`].
pub fn create(address: &str, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    create_with(address, &[layout], &Options::new())
}

/// Creates a database for several layouts.
///
/// # Errors
/// As [`create`].
pub fn create_with(
    address: &str,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    let db = Db::new(options.create(address, Layout::spaces_of(layouts)?)?);
    db.admit(layouts)?;
    Ok(db)
}

/// Opens a database for reading and writing. The layout must match the one that the database was
/// written with; it may add keyspaces.
///
/// ```no_run
/// use keyscape_store::Layout;
///
/// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
/// let db = keyscape_store_tikv::open("tikv://127.0.0.1:2379/shop", &SHOP)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Options::open`] and [`Db::admit`].
pub fn open(address: &str, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    open_with(address, &[layout], &Options::new())
}

/// Opens a database with several layouts. [`Options::admission`] adds stores and builds indexes.
///
/// # Errors
/// As [`open`].
pub fn open_with(
    address: &str,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    let db = Db::new(options.open(address, Layout::spaces_of(layouts)?)?);
    db.admit_with(layouts, options.admission)?;
    Ok(db)
}

/// Opens a database for reading.
///
/// # Errors
/// As [`Options::open_read_only`] and [`Db::admit`].
pub fn open_read_only(address: &str, layout: &Layout<'_>) -> Result<Db, LayoutError> {
    open_read_only_with(address, &[layout], &Options::new())
}

/// Opens a database for reading with several layouts.
///
/// # Errors
/// As [`open_read_only`].
pub fn open_read_only_with(
    address: &str,
    layouts: &[&Layout<'_>],
    options: &Options,
) -> Result<Db, LayoutError> {
    let db = Db::new(options.open_read_only(address, Layout::spaces_of(layouts)?)?);
    db.admit_with(layouts, options.admission)?;
    Ok(db)
}

/// Opens a database that was written without a layout: passes every row to `check`, and stores the
/// layouts if every row fits.
///
/// # Errors
/// As [`Options::open`] and [`Db::adopt`].
pub fn adopt<R: fmt::Display>(
    address: &str,
    layouts: &[&Layout<'_>],
    options: &Options,
    check: impl FnMut(&str, &[u8], &[u8]) -> Result<(), R>,
) -> Result<Db, LayoutError> {
    let db = Db::new(options.open(address, Layout::spaces_of(layouts)?)?);
    db.adopt(layouts, check)?;
    Ok(db)
}
