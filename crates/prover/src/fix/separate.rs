//! Separators: a byte behind a field that cannot occur in it.

use super::{
    change::Change,
    site::{Site, parting},
    view::View,
    written::literal_text,
};

/// Separators in the order in which they are tried, before all other bytes.
const USUAL: [u8; 4] = [0x00, b'/', b'|', b':'];

/// A separator behind the field in which two rows part.
pub(super) fn step(view: &View<'_>) -> Option<Vec<Change>> {
    let site = parting(view)?;
    let free = USUAL.into_iter().chain(0x01..=0xff).find(|&byte| !site.may_hold(byte))?;
    behind(&site, free)
}

/// A byte behind the field of a leaf.
pub(super) fn behind(site: &Site<'_>, byte: u8) -> Option<Vec<Change>> {
    let written = format!(" {}", literal_text(&[byte]));
    (!site.repeated).then(|| vec![Change::after(site.field.span, written)])
}
