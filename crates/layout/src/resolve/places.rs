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
    let mut at = place;
    while at < end_of(key) && is_literal(key, Place(0), at) {
        at = Place(at.0 + 1);
    }
    at
}

/// Whether a literal byte stands at a place.
fn is_literal(segments: &[Segment], start: Place, wanted: Place) -> bool {
    let mut place = start;
    for segment in segments {
        let after = Place(place.0 + segment.places());
        if (place..after).contains(&wanted) {
            return match segment {
                Segment::Literal(_) => true,
                Segment::Derived(_) => false,
                Segment::Option(option) => is_literal(&option.segments, Place(place.0 + 1), wanted),
                Segment::Field(field) => match &*field.ty {
                    Type::Composite(inner) => is_literal(inner, place, wanted),
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

/// The field that follows a place.
pub(super) struct NextField<'k> {
    /// The names of the composites around it, outermost first, and its own name.
    pub(super) path: Vec<&'k str>,
    pub(super) ty: &'k Type,
    /// Where it starts.
    pub(super) start: Place,
}

/// Returns the outermost field that starts at `wanted` or after it. Literal and derived bytes before
/// the field are skipped, but only in the list of segments that `wanted` lies in: a composite that
/// begins with a literal is still the next field.
pub(super) fn next_field(
    segments: &[Segment],
    start: Place,
    wanted: Place,
) -> Option<NextField<'_>> {
    let mut place = start;
    for segment in segments {
        let after = Place(place.0 + segment.places());
        let found = match segment {
            _ if wanted >= after => None,
            Segment::Literal(_) | Segment::Derived(_) => None,
            Segment::Option(option) => {
                let first = Place(place.0 + 1);
                next_field(&option.segments, first, wanted.max(first))
            }
            Segment::Field(field) if wanted <= place => {
                Some(NextField { path: vec![&field.name], ty: &field.ty, start: place })
            }
            Segment::Field(field) => match &*field.ty {
                Type::Composite(inner) => next_field(inner, place, wanted).map(|found| {
                    let path = [&[field.name.as_str()], found.path.as_slice()].concat();
                    NextField { path, ..found }
                }),
                Type::Leaf(_) | Type::Enum(_) | Type::Variant(_) | Type::List(_) => None,
            },
        };
        if found.is_some() {
            return found;
        }
        place = after;
    }
    None
}
