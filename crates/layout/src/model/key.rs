//! The parts of keys: segments and types, with their fields and places.

use super::{Derived, FromValue, Keyspace, Leaf};
use crate::{
    Span,
    guard::Guard,
    traverse::{Item, ItemKind, join, traverse, traverse_from},
};
use keyscape_codec::WrapPart;
use std::{collections::BTreeMap, ops::Range, sync::Arc};

/// A literal, a field, an optional part, or derived bytes. A key is the concatenation of its
/// segments. A wrap is not a segment: the segments inside have the wrapped bytes, and the end of
/// the wrap follows as a literal.
#[derive(Clone, Debug)]
pub enum Segment {
    /// Fixed bytes.
    Literal(Literal),
    /// A typed part.
    Field(Field),
    /// A part that may be absent.
    Option(OptionSegment),
    /// Bytes that are computed from fields.
    Derived(Derived),
}

/// Fixed bytes.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The bytes, never empty.
    pub bytes: Vec<u8>,
    /// Whether it was written as text.
    pub is_text: bool,
    /// The call that it was computed from, such as `twox_128("System")`.
    pub call: Option<String>,
    /// The wrap that it ends.
    pub end_of: Option<&'static str>,
    /// The span of the declaration.
    pub span: Span,
}

impl Literal {
    pub(crate) const fn new(bytes: Vec<u8>, is_text: bool, span: Span) -> Self {
        Self { bytes, is_text, call: None, end_of: None, span }
    }
}

/// A named, typed part of a key.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its name in an older layout, if it was renamed. It changes no byte.
    pub was: Option<String>,
    /// Its type, including the wraps around it.
    pub ty: Arc<Type>,
    /// Its type without the wraps.
    pub declared: Arc<Type>,
    /// The wraps around it, innermost first.
    pub wraps: Vec<WrapPart>,
    /// For an index, its source in the map's value. `None` if it comes from the map's key.
    pub from_value: Option<FromValue>,
    /// The span of the declaration.
    pub span: Span,
    /// The span of its type, or `None` if the type is inherited from a field with the same name.
    pub ty_span: Option<Span>,
}

impl Field {
    /// Creates a field without wraps that is not in the text of a layout.
    #[must_use]
    pub fn new(name: &str, ty: Arc<Type>, span: Span) -> Self {
        let (name, declared) = (name.to_owned(), ty.clone());
        let (was, wraps) = (None, Vec::new());
        Self { name, was, ty, declared, wraps, from_value: None, span, ty_span: None }
    }
}

/// A part of a key that may be absent. It contains a direct field, whose value in a row decides the
/// presence.
#[derive(Clone, Debug)]
pub struct OptionSegment {
    /// The segments inside.
    pub segments: Vec<Segment>,
    /// The condition for its presence. Without a guard, every key may have it or not.
    pub guard: Option<Guard>,
    /// The span of the declaration.
    pub span: Span,
}

/// The type of a field.
#[derive(Clone, Debug)]
pub enum Type {
    /// The values of one codec.
    Leaf(Leaf),
    /// The concatenation of segments.
    Composite(Vec<Segment>),
    /// One of several texts, in logical order.
    Enum(Enum),
    /// One of several arms, in logical order.
    Variant(Vec<Arm>),
    /// Several consecutive values with non-empty encodings.
    List(List),
}

/// Texts, one of which is the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The texts, which are also the names of the values.
    pub texts: Vec<String>,
    /// The bytes of each text, including the wraps around it.
    pub bytes: Vec<Vec<u8>>,
}

impl Enum {
    /// Returns the bytes of a text.
    #[must_use]
    pub fn bytes_of(&self, text: &str) -> Option<&[u8]> {
        let index = self.texts.iter().position(|known| known == text)?;
        self.bytes.get(index).map(Vec::as_slice)
    }
}

/// Consecutive values of one type.
#[derive(Clone, Debug)]
pub struct List {
    /// The type of the elements.
    pub element: Arc<Type>,
    /// The minimal number of elements.
    pub min: u32,
    /// The maximal number of elements.
    pub max: u32,
}

/// A named alternative of a variant.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// Its segments, never empty.
    pub segments: Vec<Segment>,
    /// The span of the declaration.
    pub span: Span,
}

/// A place in a key: the number of literal bytes, leaves and choices before it in source order. See
/// [`Segment::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub u32);

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

    /// Returns the span of the segment.
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

    /// Returns the values of one codec, if the type has no parts and is not an enum.
    #[must_use]
    pub const fn leaf(&self) -> Option<&Leaf> {
        match self {
            Self::Leaf(leaf) => Some(leaf),
            Self::Enum(_) | Self::Composite(_) | Self::Variant(_) | Self::List(_) => None,
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
    /// Returns the literal prefix of every key, including literals of leading composites.
    #[must_use]
    pub fn literal_prefix(&self) -> Vec<u8> {
        literal_prefix(&self.key)
    }

    /// Returns the first place of a field, or of a part of a composite field.
    #[must_use]
    pub fn place_of(&self, path: &[String]) -> Option<Place> {
        find_field(&self.key, Place(0), path).map(|item| item.place)
    }

    /// Returns the leaf at a place of the key, with its path.
    #[must_use]
    pub fn leaf_at(&self, place: Place) -> Option<(String, &Leaf)> {
        self.leaves(place..Place(place.0 + 1)).next()
    }

    /// Returns the leaves at some places of the key, with their paths, in order. The cases of a
    /// guard share their places; the leaf of the first case is returned.
    pub fn leaves(&self, places: Range<Place>) -> impl Iterator<Item = (String, &Leaf)> {
        let mut leaves = BTreeMap::new();
        for item in traverse(&self.key).filter(|item| places.contains(&item.place)) {
            let leaf = match item.kind {
                ItemKind::Leaf(leaf) => (item.path.text(), leaf),
                ItemKind::Derived(derived) => {
                    (join(&item.path.text(), &derived.text()), &derived.leaf)
                }
                _ => continue,
            };
            leaves.entry(item.place).or_insert(leaf);
        }
        leaves.into_values()
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

/// Returns the literal prefix of some segments.
#[must_use]
pub fn literal_prefix(segments: &[Segment]) -> Vec<u8> {
    let literals = traverse(segments).map_while(|item| match item.kind {
        ItemKind::Literal { literal, .. } => Some(literal.bytes.as_slice()),
        ItemKind::Field(_) => Some(&[]),
        _ => None,
    });
    literals.flatten().copied().collect()
}

/// Returns the fields of a list of segments, including those of its options.
#[must_use]
pub fn fields(segments: &[Segment]) -> Vec<&Field> {
    let mut found = Vec::new();
    for segment in segments {
        match segment {
            Segment::Literal(_) | Segment::Derived(_) => {}
            Segment::Field(field) => found.push(field),
            Segment::Option(option) => found.extend(fields(&option.segments)),
        }
    }
    found
}

/// Returns a field of a list of segments, which may be inside an option.
#[must_use]
pub fn field<'a>(segments: &'a [Segment], name: &str) -> Option<&'a Field> {
    segments.iter().find_map(|segment| match segment {
        Segment::Literal(_) | Segment::Derived(_) => None,
        Segment::Field(field) => Some(field).filter(|field| field.name == name),
        Segment::Option(option) => field(&option.segments, name),
    })
}

/// Returns a direct field of a list of segments, outside any option.
#[must_use]
pub fn direct_field<'a>(segments: &'a [Segment], name: &str) -> Option<&'a Field> {
    segments.iter().find_map(|segment| match segment {
        Segment::Field(field) => Some(field).filter(|field| field.name == name),
        Segment::Literal(_) | Segment::Derived(_) | Segment::Option(_) => None,
    })
}

/// Returns the type of a part of a key. A step into a variant names an arm, and the next one a
/// field of the arm.
#[must_use]
pub fn type_at<'t>(segments: &'t [Segment], path: &[impl AsRef<str>]) -> Option<&'t Arc<Type>> {
    let (name, rest) = path.split_first()?;
    field(segments, name.as_ref())?.ty.type_at(rest)
}

impl Type {
    /// Returns the type of a part of this type, or this type if the path is empty. A path that ends
    /// at an arm has no type.
    #[must_use]
    pub fn type_at(self: &Arc<Self>, path: &[impl AsRef<str>]) -> Option<&Arc<Self>> {
        let Some((name, rest)) = path.split_first() else { return Some(self) };
        match &**self {
            Self::Composite(segments) => type_at(segments, path),
            Self::Variant(arms) => {
                let arm = arms.iter().find(|arm| arm.name == name.as_ref())?;
                type_at(&arm.segments, rest)
            }
            Self::Leaf(_) | Self::Enum(_) | Self::List(_) => None,
        }
    }
}
