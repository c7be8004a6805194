//! The logical order of rows.

use crate::{
    leaf,
    rows::{Row, Step, What},
};
use keyscape_layout::model::{Keyspace, Scan, Segment, Type};
use std::{cmp::Ordering, ops::Range};

/// Returns the places from the end of the leading part of a scan to the end of its last `by` field,
/// found by the names of these fields. A name selects a whole field, and a path a part of it.
#[must_use]
pub(crate) fn by_places(keyspace: &Keyspace, scan: &Scan) -> Range<u32> {
    let end_of = |path: &[&str]| places_of(&keyspace.key, 0, path).map(|places| places.end);
    let leading: Vec<&str> = scan.leading.iter().flatten().map(String::as_str).collect();
    let last = scan.leading.last().map_or(0, Vec::len);
    let start = end_of(&leading[leading.len() - last..]).unwrap_or(0);
    let by: Vec<&str> = scan.by.last().map(|path| path.split('.').collect()).unwrap_or_default();
    start..end_of(&by).unwrap_or(scan.by_end.0)
}

/// Returns the places of the field at a path.
fn places_of(segments: &[Segment], start: u32, path: &[&str]) -> Option<Range<u32>> {
    let (name, rest) = path.split_first()?;
    let mut place = start;
    for segment in segments {
        let after = place + segment.places();
        match segment {
            Segment::Field(field) if field.name == *name => {
                return match (&*field.ty, rest) {
                    (_, []) => Some(place..after),
                    (Type::Composite(inner), _) => places_of(inner, place, rest),
                    _ => None,
                };
            }
            Segment::Option(option) => {
                if let Some(found) = places_of(&option.segments, place + 1, path) {
                    return Some(found);
                }
            }
            Segment::Field(_) | Segment::Literal(_) | Segment::Derived(_) => {}
        }
        place = after;
    }
    None
}

/// Compares two rows by the fields at some places. The first differing leaf or choice decides.
/// Composites sort lexicographically, texts and arms in the order of their declaration, and absent
/// parts before present ones.
#[must_use]
pub(crate) fn by(places: &Range<u32>, a: &Row, b: &Row) -> Ordering {
    let is_by = |step: &&Step| places.contains(&step.place);
    for (x, y) in a.steps.iter().filter(is_by).zip(b.steps.iter().filter(is_by)) {
        // Up to the first difference, both rows have made the same choices.
        debug_assert_eq!(x.place, y.place);
        let order = match (&x.what, &y.what) {
            (What::Leaf { value: v, descends, .. }, What::Leaf { value: w, .. }) => {
                let order = leaf::compare(v, w);
                if *descends { order.reverse() } else { order }
            }
            (What::Choice(i), What::Choice(j)) => i.cmp(j),
            (What::Option(p), What::Option(q)) => p.cmp(q),
            _ => Ordering::Equal,
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}
