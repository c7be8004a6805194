//! Layouts that databases store as text.

use keyscape_layout::Bundle;
use keyscape_store::SavedText;

/// Joins the texts of several layouts of one database.
pub fn joined(texts: &[SavedText]) -> Bundle {
    let bundles: Vec<Bundle> = texts.iter().map(|saved| Bundle::parse(&saved.text)).collect();
    Bundle::join(bundles.iter().zip(texts).map(|(bundle, saved)| (bundle, Some(&saved.stores[..]))))
}
