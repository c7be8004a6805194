//! Where the fields that a scan names stand in a key.

use super::keyspaces::end_of;
use crate::model::{Place, Segment, Type};

/// Where a field stands in a list, options included, and its type.
pub(super) fn find<'k>(
    segments: &'k [Segment],
    start: Place,
    name: &str,
) -> Option<(Place, &'k Type)> {
    let mut place = start;
    for segment in segments {
        match segment {
            Segment::Field(field) if field.name == name => return Some((place, &field.ty)),
            Segment::Option(option) => {
                let inside = find(&option.segments, Place(place.0 + 1), name);
                if inside.is_some() {
                    return inside;
                }
            }
            Segment::Field(_) | Segment::Literal(_) | Segment::Derived(_) => {}
        }
        place = Place(place.0 + segment.places());
    }
    None
}

/// The place after `place` and all literal bytes that follow directly.
pub(super) fn skip_literals(key: &[Segment], place: Place) -> Place {
    skip(key, place, false)
}

/// The place after `place` and all literal and derived bytes that follow directly.
pub(super) fn skip_fixed(key: &[Segment], place: Place) -> Place {
    skip(key, place, true)
}

fn skip(key: &[Segment], place: Place, derived: bool) -> Place {
    let mut at = place;
    while at < end_of(key) && is_literal(key, Place(0), at, derived) {
        at = Place(at.0 + 1);
    }
    at
}

/// Whether a literal byte stands at a place, or something derived, if that counts.
fn is_literal(segments: &[Segment], start: Place, wanted: Place, derived: bool) -> bool {
    let mut place = start;
    for segment in segments {
        let after = Place(place.0 + segment.places());
        if (place..after).contains(&wanted) {
            return match segment {
                Segment::Literal(_) => true,
                Segment::Derived(_) => derived,
                Segment::Option(option) => {
                    is_literal(&option.segments, Place(place.0 + 1), wanted, derived)
                }
                Segment::Field(field) => match &*field.ty {
                    Type::Composite(inner) => is_literal(inner, place, wanted, derived),
                    Type::Leaf(_) | Type::Enum(_) | Type::Variant(_) | Type::List(_) => false,
                },
            };
        }
        place = after;
    }
    false
}

/// Whether a place lies inside an option: a key without that part never gets there.
pub(super) fn inside_option(segments: &[Segment], start: Place, wanted: Place) -> bool {
    let mut place = start;
    for segment in segments {
        let after = Place(place.0 + segment.places());
        if place < wanted && wanted < after {
            return match segment {
                Segment::Option(_) => true,
                Segment::Field(field) => match &*field.ty {
                    Type::Composite(inner) => inside_option(inner, place, wanted),
                    Type::Leaf(_) | Type::Enum(_) | Type::Variant(_) | Type::List(_) => false,
                },
                Segment::Literal(_) | Segment::Derived(_) => false,
            };
        }
        place = after;
    }
    false
}

/// The field or option that starts exactly at a place, and the place after it; the outermost one.
pub(super) fn segment_at(
    segments: &[Segment],
    start: Place,
    wanted: Place,
) -> Option<(&Segment, Place)> {
    let mut place = start;
    for segment in segments {
        let after = Place(place.0 + segment.places());
        if place == wanted && !matches!(segment, Segment::Literal(_)) {
            return Some((segment, after));
        }
        if (place..after).contains(&wanted) {
            return match segment {
                Segment::Field(field) => match &*field.ty {
                    Type::Composite(inner) => segment_at(inner, place, wanted),
                    _ => None,
                },
                Segment::Option(option) => segment_at(&option.segments, Place(place.0 + 1), wanted),
                Segment::Literal(_) | Segment::Derived(_) => None,
            };
        }
        place = after;
    }
    None
}
