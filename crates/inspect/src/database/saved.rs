//! Layouts that databases store as text.

use super::{DatabaseError, engine};
use keyscape_layout::Bundle;
use keyscape_store::{SavedText, saved_texts};
use std::path::Path;

/// Returns all files of the layout that a database stores, as one text.
///
/// # Errors
/// [`DatabaseError::NoLayout`] if the database stores none.
pub fn saved_bundle(path: &Path) -> Result<Bundle, DatabaseError> {
    let failed = |source| DatabaseError::Layout { path: engine::shown(path), source };
    let opened = engine::open_all_spaces(path).map_err(|error| failed(error.into()))?;
    let texts = opened.read().and_then(|state| saved_texts(&state));
    let texts = texts.map_err(|error| failed(error.in_file(path).into()))?;
    if texts.is_empty() {
        return Err(DatabaseError::NoLayout { path: engine::shown(path) });
    }
    Ok(joined(&texts))
}

/// Joins the texts of several layouts of one database.
pub fn joined(texts: &[SavedText]) -> Bundle {
    let bundles: Vec<Bundle> = texts.iter().map(|saved| Bundle::parse(&saved.text)).collect();
    Bundle::join(bundles.iter().zip(texts).map(|(bundle, saved)| (bundle, Some(&saved.stores[..]))))
}
