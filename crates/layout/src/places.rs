//! Places: where things stand in a key, and what stands at a place.

use crate::{
    Span,
    model::{Keyspace, Leaf, Place, Segment, Type},
};
use std::sync::Arc;

impl Segment {
    /// How many places the segment takes: one per literal byte, leaf and choice.
    #[must_use]
    pub fn places(&self) -> u32 {
        match self {
            Self::Literal(literal) => literal.bytes.len() as u32,
            Self::Field(field) => field.ty.places(),
            Self::Option(option) => 1 + places(&option.segments),
            Self::Derived(_) => 1,
        }
    }

    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Literal(literal) => literal.span,
            Self::Field(field) => field.span,
            Self::Option(option) => option.span,
            Self::Derived(derived) => derived.span,
        }
    }
}

impl Type {
    /// Whether two types have the same values with the same bytes, by the same names.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Leaf(a), Self::Leaf(b)) => a.has_codec_of(b),
            (Self::Enum(a), Self::Enum(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                (a.min, a.max) == (b.min, b.max) && a.element.is_same(&b.element)
            }
            (Self::Composite(a), Self::Composite(b)) => same_segments(a, b),
            (Self::Variant(a), Self::Variant(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(a, b)| a.name == b.name && same_segments(&a.segments, &b.segments))
            }
            _ => false,
        }
    }

    /// How many places a field of this type takes.
    #[must_use]
    pub fn places(&self) -> u32 {
        match self {
            Self::Leaf(_) | Self::Enum(_) => 1,
            Self::Composite(segments) => places(segments),
            Self::Variant(arms) => 1 + arms.iter().map(|arm| places(&arm.segments)).sum::<u32>(),
            // All elements share the places of one.
            Self::List(list) => 1 + list.element.places(),
        }
    }
}

impl Keyspace {
    /// Where a field, or a part of a composite field, starts in the key.
    #[must_use]
    pub fn place_of(&self, path: &[String]) -> Option<Place> {
        find(&self.key, Place(0), path).map(|(place, _)| place)
    }

    /// The type of a field, or of a part of a composite field.
    #[must_use]
    pub fn type_of(&self, path: &[String]) -> Option<&Arc<Type>> {
        find(&self.key, Place(0), path).map(|(_, ty)| ty)
    }
}

impl Keyspace {
    /// The leaf at a place of the key, and its path, with the arms on the way.
    #[must_use]
    pub fn leaf_at(&self, place: Place) -> Option<(String, &Leaf)> {
        let mut path = String::new();
        let leaf = leaf_at(&self.key, place.0, &mut path)?;
        Some((path, leaf))
    }
}

/// The leaf at a place counted from the start of the list.
fn leaf_at<'a>(segments: &'a [Segment], place: u32, path: &mut String) -> Option<&'a Leaf> {
    let mut at = 0;
    for segment in segments {
        let after = at + segment.places();
        if (at..after).contains(&place) {
            return match segment {
                Segment::Literal(_) => None,
                Segment::Derived(derived) => {
                    path.push_str(&derived.text());
                    Some(&derived.leaf)
                }
                // The choice itself takes one place.
                Segment::Option(option) => {
                    leaf_at(&option.segments, (place - at).checked_sub(1)?, path)
                }
                Segment::Field(field) => {
                    path.push_str(&field.name);
                    leaf_of(&field.ty, place - at, path)
                }
            };
        }
        at = after;
    }
    None
}

fn leaf_of<'a>(ty: &'a Type, place: u32, path: &mut String) -> Option<&'a Leaf> {
    match ty {
        Type::Leaf(leaf) => Some(leaf),
        Type::Enum(_) => None,
        Type::List(list) => leaf_of(&list.element, place.checked_sub(1)?, path),
        Type::Composite(segments) => {
            path.push('.');
            leaf_at(segments, place, path)
        }
        Type::Variant(arms) => {
            let mut inside = place.checked_sub(1)?;
            for arm in arms {
                let size = places(&arm.segments);
                if inside < size {
                    path.extend([".", &arm.name, "."]);
                    return leaf_at(&arm.segments, inside, path);
                }
                inside -= size;
            }
            None
        }
    }
}

/// Where a path leads: the place, and the type of what is there.
fn find<'a>(
    segments: &'a [Segment],
    start: Place,
    path: &[String],
) -> Option<(Place, &'a Arc<Type>)> {
    let (name, rest) = path.split_first()?;
    let mut place = start;
    for segment in segments {
        let found = match segment {
            Segment::Field(field) if field.name == *name => match &*field.ty {
                _ if rest.is_empty() => Some((place, &field.ty)),
                Type::Composite(inner) => find(inner, place, rest),
                _ => None,
            },
            Segment::Option(option) => find(&option.segments, Place(place.0 + 1), path),
            Segment::Field(_) | Segment::Literal(_) | Segment::Derived(_) => None,
        };
        if found.is_some() {
            return found;
        }
        place = Place(place.0 + segment.places());
    }
    None
}

/// Whether two lists of segments have the same values with the same bytes, by the same names.
#[must_use]
pub fn same_segments(a: &[Segment], b: &[Segment]) -> bool {
    let same = |(a, b): (&Segment, &Segment)| match (a, b) {
        (Segment::Literal(a), Segment::Literal(b)) => a.bytes == b.bytes,
        (Segment::Field(a), Segment::Field(b)) => a.name == b.name && a.ty.is_same(&b.ty),
        (Segment::Option(a), Segment::Option(b)) => {
            a.guard == b.guard && same_segments(&a.segments, &b.segments)
        }
        (Segment::Derived(a), Segment::Derived(b)) => a.is_same(b),
        _ => false,
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// How many places a list of segments takes.
#[must_use]
pub fn places(segments: &[Segment]) -> u32 {
    segments.iter().map(Segment::places).sum()
}
