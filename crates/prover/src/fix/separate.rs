//! Separators: a byte behind a field that cannot occur in it.

use super::{
    change::Change,
    site::{Site, other_parting, parting},
    view::View,
    written::literal_text,
};

/// Separators in the order in which they are tried, before all other bytes.
pub(super) const USUAL: [u8; 4] = [0x00, b'/', b'|', b':'];

/// A separator behind the field in which two rows part.
pub(super) fn usual(view: &View<'_>) -> Option<Vec<Change>> {
    nth_free(&parting(view)?, 0)
}

/// The next one, in case the first meets other keys.
pub(super) fn next(view: &View<'_>) -> Option<Vec<Change>> {
    nth_free(&parting(view)?, 1)
}

/// A separator behind the field that the other reading has there.
pub(super) fn other_reading(view: &View<'_>) -> Option<Vec<Change>> {
    nth_free(&other_parting(view)?, 0)
}

fn nth_free(site: &Site<'_>, nth: usize) -> Option<Vec<Change>> {
    behind(site, free(site).nth(nth)?)
}

/// Yields the separators that cannot occur in a leaf, the usual ones first. Keys of text stay valid
/// UTF-8.
pub(super) fn free(site: &Site<'_>) -> impl Iterator<Item = u8> {
    let described = site.leaf.codec.describe();
    let last = if described.name == "text" { 0x7f } else { 0xff };
    let others = (0x01..=last).filter(|byte| !USUAL.contains(byte));
    USUAL.into_iter().chain(others).filter(|&byte| !site.may_hold(byte))
}

/// A byte behind the field of a leaf.
pub(super) fn behind(site: &Site<'_>, byte: u8) -> Option<Vec<Change>> {
    let written = format!(" {}", literal_text(&[byte]));
    (!site.repeated).then(|| vec![Change::after(site.field.span, written)])
}
