//! The places of the parts of a key.

use crate::{
    Span,
    model::{Field, Keyspace, Leaf, Place, Segment, Type},
    traverse::{Item, ItemKind, join, traverse, traverse_from},
};
use std::sync::Arc;

impl Segment {
    /// Returns the number of places of the segment: one per literal byte, leaf and choice.
    #[must_use]
    pub fn places(&self) -> u32 {
        match self {
            Self::Literal(literal) => literal.bytes.len() as u32,
            Self::Field(field) => field.ty.places(),
            Self::Option(option) => 1 + places(&option.segments),
            Self::Derived(_) => 1,
        }
    }

    /// Returns the source of the segment.
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
    /// Whether two types have the same values, bytes and names.
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

    /// Returns the number of places of a field of this type.
    #[must_use]
    pub fn places(&self) -> u32 {
        match self {
            Self::Leaf(_) | Self::Enum(_) => 1,
            Self::Composite(segments) => places(segments),
            Self::Variant(arms) => 1 + arms.iter().map(|arm| places(&arm.segments)).sum::<u32>(),
            // All elements share the places of one element.
            Self::List(list) => 1 + list.element.places(),
        }
    }

    /// Returns the names of the texts of an enum or of the arms of a variant.
    #[must_use]
    pub fn choices(&self) -> Option<Vec<&str>> {
        match self {
            Self::Enum(of) => Some(of.texts.iter().map(String::as_str).collect()),
            Self::Variant(arms) => Some(arms.iter().map(|arm| arm.name.as_str()).collect()),
            Self::Leaf(_) | Self::Composite(_) | Self::List(_) => None,
        }
    }
}

impl Keyspace {
    /// Returns the first place of a field, or of a part of a composite field.
    #[must_use]
    pub fn place_of(&self, path: &[String]) -> Option<Place> {
        find_field(&self.key, Place(0), path).map(|item| item.place)
    }

    /// Returns the type of a field, or of a part of a composite field.
    #[must_use]
    pub fn type_of(&self, path: &[String]) -> Option<&Arc<Type>> {
        match find_field(&self.key, Place(0), path)?.kind {
            ItemKind::Field(field) => Some(&field.ty),
            _ => None,
        }
    }

    /// Returns the leaf at a place of the key, with its path.
    #[must_use]
    pub fn leaf_at(&self, place: Place) -> Option<(String, &Leaf)> {
        let mut items = traverse(&self.key);
        while let Some(item) = items.next() {
            match item.kind {
                ItemKind::Field(_) if item.end() <= place => items.skip_contents(&item),
                ItemKind::Leaf(leaf) if item.place == place => {
                    return Some((item.path.text(), leaf));
                }
                ItemKind::Derived(derived) if item.place == place => {
                    return Some((join(&item.path.text(), &derived.text()), &derived.leaf));
                }
                _ if item.place > place => return None,
                _ => {}
            }
        }
        None
    }
}

/// Finds a field, or a part of a composite field, in segments that start at a place.
pub(crate) fn find_field<'a>(
    segments: &'a [Segment],
    start: Place,
    path: &[impl AsRef<str>],
) -> Option<Item<'a>> {
    traverse_from(segments, start)
        .find(|item| matches!(item.kind, ItemKind::Field(_)) && item.path.is(path))
}

/// Whether two lists of segments have the same values, bytes and names.
#[must_use]
pub fn same_segments(a: &[Segment], b: &[Segment]) -> bool {
    same_except_fields(a, b, &|a, b| a.name == b.name && a.ty.is_same(&b.ty))
}

/// Whether two lists of segments have the same literals, guards and derived bytes, and fields that
/// are the same by a comparison.
#[must_use]
pub fn same_except_fields(
    a: &[Segment],
    b: &[Segment],
    same: &impl Fn(&Field, &Field) -> bool,
) -> bool {
    let is_same = |(a, b): (&Segment, &Segment)| match (a, b) {
        (Segment::Literal(a), Segment::Literal(b)) => a.bytes == b.bytes,
        (Segment::Field(a), Segment::Field(b)) => same(a, b),
        (Segment::Option(a), Segment::Option(b)) => {
            a.guard == b.guard && same_except_fields(&a.segments, &b.segments, same)
        }
        (Segment::Derived(a), Segment::Derived(b)) => a.is_same(b),
        _ => false,
    };
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

/// Returns the number of places of a list of segments.
#[must_use]
pub fn places(segments: &[Segment]) -> u32 {
    segments.iter().map(Segment::places).sum()
}
