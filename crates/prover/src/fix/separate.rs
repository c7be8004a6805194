//! Fixes with separators: a byte after a field that the field cannot contain.

use super::{
    change::Change,
    site::{Site, other_parting, parting},
    view::View,
    written::literal_text,
};

/// Separators to try before all other bytes, in order.
pub(super) const USUAL: [u8; 4] = [0x00, b'/', b'|', b':'];

/// Adds a separator after the first differing field.
pub(super) fn usual(view: &View<'_>) -> Option<Vec<Change>> {
    nth_free(&parting(view)?, 0)
}

/// Adds the next separator, in case the first one causes collisions.
pub(super) fn next(view: &View<'_>) -> Option<Vec<Change>> {
    nth_free(&parting(view)?, 1)
}

/// Adds a separator after the first differing field of the other reading.
pub(super) fn other_reading(view: &View<'_>) -> Option<Vec<Change>> {
    nth_free(&other_parting(view)?, 0)
}

fn nth_free(site: &Site<'_>, nth: usize) -> Option<Vec<Change>> {
    byte_after(site, free(site).nth(nth)?)
}

/// Yields the separators that cannot occur in a leaf, the usual ones first. Keys of text stay valid
/// UTF-8.
pub(super) fn free(site: &Site<'_>) -> impl Iterator<Item = u8> {
    let described = site.leaf.codec.describe();
    let last = if described.name == "text" { 0x7f } else { 0xff };
    let others = (0x01..=last).filter(|byte| !USUAL.contains(byte));
    USUAL.into_iter().chain(others).filter(|&byte| !site.may_hold(byte))
}

/// Adds a byte after the field of a leaf.
pub(super) fn byte_after(site: &Site<'_>, byte: u8) -> Option<Vec<Change>> {
    let written = format!(" {}", literal_text(&[byte]));
    (!site.repeated).then(|| vec![Change::after(site.field.span, written)])
}
