//! Rows that begin with the bytes of a scan but divide them differently.

use super::key_parts::Piece;
use std::ops::Range;

/// The difference between a row and the requested values.
#[derive(Debug)]
pub(super) enum Shift {
    /// The field of the row is longer than the requested value.
    Longer { path: String, bytes: Range<usize> },
    /// The field of the row is shorter than the requested value.
    Shorter { path: String, bytes: Range<usize>, next: Option<String> },
    /// The field of the row has other bytes, or another arm.
    Other { path: String, bytes: Range<usize> },
}

/// Compares the requested values with a row, field by field. `differing` contains the leading
/// fields whose values differ.
pub(super) fn shift(asked: &[Piece], row: &[Piece], differing: &[String]) -> Shift {
    let is_field = |piece: &&Piece| piece.path.is_some();
    let pairs = asked.iter().filter(is_field).zip(row.iter().filter(is_field));
    for (a, b) in pairs {
        let Some(path) = a.path.clone() else { continue };
        if a.path != b.path || a.bytes.start != b.bytes.start {
            break;
        }
        if b.bytes.end > a.bytes.end {
            return Shift::Longer { path, bytes: a.bytes.end..b.bytes.end };
        }
        if b.bytes.end < a.bytes.end {
            // A field without bytes can begin at the same place.
            let next = row.iter().find(|piece| piece.bytes.contains(&b.bytes.end));
            let next = next.and_then(|piece| piece.path.clone());
            return Shift::Shorter { path, bytes: b.bytes.end..a.bytes.end, next };
        }
    }
    let path = differing.first().cloned().unwrap_or_default();
    let inside = |piece: &&Piece| {
        piece.path.as_ref().is_some_and(|p| *p == path || p.starts_with(&format!("{path}.")))
    };
    let mut found = row.iter().filter(inside);
    let start = found.next().map_or(0, |piece| piece.bytes.start);
    let end = row.iter().filter(inside).map(|piece| piece.bytes.end).max().unwrap_or(start + 1);
    Shift::Other { path, bytes: start..end }
}

impl Shift {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Longer { path, .. } | Self::Shorter { path, .. } | Self::Other { path, .. } => {
                path
            }
        }
    }

    /// Returns the bytes of the row to mark.
    pub(super) fn bytes(&self) -> Range<usize> {
        match self {
            Self::Longer { bytes, .. }
            | Self::Shorter { bytes, .. }
            | Self::Other { bytes, .. } => bytes.clone(),
        }
    }

    /// Describes the marked bytes.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Longer { path, .. } => format!("still `{path}`"),
            Self::Shorter { next: Some(next), .. } => format!("already `{next}`"),
            Self::Shorter { path, next: None, .. } => format!("`{path}` has ended"),
            Self::Other { path, .. } => format!("another `{path}`"),
        }
    }

    /// Describes the cause in the layout.
    pub(super) fn cause(&self) -> String {
        match self {
            Self::Longer { path, .. } => format!("a longer `{path}` can begin with the same bytes"),
            Self::Shorter { path, .. } => {
                format!("a shorter `{path}` and what follows can begin with the same bytes")
            }
            Self::Other { path, .. } => format!("another `{path}` can be inside the scan"),
        }
    }
}
