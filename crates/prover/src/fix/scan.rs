//! Fixes of scans, and of keys that a scan cannot select.

use super::{
    change::Change, exclude, literal, retype, separate as separators, variant, view::View,
    written::literal_text,
};
use crate::verdict::{Fault, Row, ScanFault};
use keyscape_layout::{
    Record, Span,
    model::{Asked, Segment},
};

/// Removes `as` from the scan. The interval is then derived.
pub(super) fn derived(view: &View<'_>) -> Option<Vec<Change>> {
    let asked = view.scan()?.asked.as_ref()?;
    let before = view.layout.text().get(..asked.span.start as usize)?.trim_end();
    Some(vec![Change::remove(Span { start: before.len() as u32, ..asked.span })])
}

/// Extends the interval by the next literals of the key.
pub(super) fn extended(view: &View<'_>) -> Option<Vec<Change>> {
    let Asked { start, end: None, span } = view.scan()?.asked.as_ref()? else { return None };
    let Segment::Field(last) = start.last()? else { return None };
    let key = &view.keyspace().key;
    let at = key.iter().position(|s| matches!(s, Segment::Field(f) if f.name == last.name))?;
    let literals = key.get(at + 1..)?.iter().map_while(|segment| match segment {
        Segment::Literal(literal) => Some(format!(" {}", literal_text(&literal.bytes))),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    });
    let literals: String = literals.collect();
    (!literals.is_empty()).then(|| vec![Change::after(*span, literals)])
}

/// Adds the keyspace of the foreign row to `also`. If the two keyspaces share a key, their rows
/// cannot be distinguished, and `also` would hide the fault.
pub(super) fn also(view: &View<'_>) -> Option<Vec<Change>> {
    let Fault::ScanExact { fault: ScanFault::Foreign, row, .. } = view.fault else { return None };
    let scan = view.scan()?;
    let other = view.layout.keyspace(row.keyspace);
    if row.keyspace == view.subject.keyspace
        || scan.also.contains(&row.keyspace)
        || !view.is_disjoint
    {
        return None;
    }
    let lead = if scan.also.is_empty() { " also" } else { "," };
    Some(vec![Change::after(scan.span, format!("{lead} {}", other.name))])
}

/// Excludes a literal after the leading part from the leading part.
pub(super) fn following_literal(view: &View<'_>) -> Option<Vec<Change>> {
    derived(view).or_else(|| exclude::following_literal(view))
}

/// Excludes the first byte of a literal after the leading part from the leading part.
pub(super) fn following_byte(view: &View<'_>) -> Option<Vec<Change>> {
    derived(view).or_else(|| exclude::following_byte(view))
}

/// Excludes a literal of this key from a field of the keyspace of the foreign row.
pub(super) fn other_literal(view: &View<'_>) -> Option<Vec<Change>> {
    let Fault::ScanExact { row, .. } = view.fault else { return None };
    let own = view.subject.keyspace;
    if row.keyspace == own {
        return None;
    }
    let from = Row { key: Vec::new(), keyspace: own, fields: Record::default() };
    derived(view).or_else(|| exclude::literals_of(view, &from, row))
}

/// Adds a separator after the leading part.
pub(super) fn separate(view: &View<'_>) -> Option<Vec<Change>> {
    derived(view).or_else(|| separators::usual(view))
}

/// Adds another separator, in case the first one causes collisions.
pub(super) fn separate_otherwise(view: &View<'_>) -> Option<Vec<Change>> {
    derived(view).or_else(|| separators::next(view))
}

/// Adds a length prefix to the leading part.
pub(super) fn prefixed(view: &View<'_>) -> Option<Vec<Change>> {
    derived(view).or_else(|| retype::prefixed(view))
}

/// Adds a distinct byte before each arm of the leading part.
pub(super) fn tagged(view: &View<'_>) -> Option<Vec<Change>> {
    derived(view).or_else(|| variant::tagged(view))
}

/// Adds escapes and a terminator to the leading part.
pub(super) fn escaped(view: &View<'_>) -> Option<Vec<Change>> {
    derived(view).or_else(|| retype::escaped(view))
}

/// Adds escapes and a terminator to a leading part that may contain every separator.
pub(super) fn escaped_words(view: &View<'_>) -> Option<Vec<Change>> {
    derived(view).or_else(|| retype::escaped_words(view))
}

/// Adds a literal that the rows of the other keyspace do not have.
pub(super) fn distinguish(view: &View<'_>) -> Vec<Vec<Change>> {
    elsewhere(view, literal::distinguish)
}

/// Adds a free prefix to the key.
pub(super) fn free_before(view: &View<'_>) -> Vec<Vec<Change>> {
    elsewhere(view, literal::free_before)
}

/// Replaces the prefix, which the rows of another keyspace share, by a free one.
pub(super) fn free_instead(view: &View<'_>) -> Vec<Vec<Change>> {
    elsewhere(view, literal::free_instead)
}

/// Adds a literal to the other keyspace, if the foreign row belongs to one.
pub(super) fn distinguish_other(view: &View<'_>) -> Vec<Vec<Change>> {
    match view.fault {
        Fault::ScanExact { row, .. } if row.keyspace != view.subject.keyspace => {
            literal::distinguish_keyspace(view.layout.keyspace(row.keyspace))
        }
        _ => Vec::new(),
    }
}

/// Proposes other prefixes if the foreign row belongs to another keyspace. Also removes `as`, which
/// contains the old prefix.
fn elsewhere(view: &View<'_>, prefixes: fn(&View<'_>) -> Vec<Vec<Change>>) -> Vec<Vec<Change>> {
    match view.fault {
        Fault::ScanExact { row, .. } if row.keyspace != view.subject.keyspace => {}
        _ => return Vec::new(),
    }
    let derived = derived(view).unwrap_or_default();
    prefixes(view).into_iter().map(|changes| [changes, derived.clone()].concat()).collect()
}
