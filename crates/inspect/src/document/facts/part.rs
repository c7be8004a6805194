//! The parts of a key: their offsets, lengths and allowed values.

use super::{json, notation};
use keyscape_layout::{
    Length, encode_type,
    model::{Field, FromValue, Leaf, Segment, Type},
    traverse::join,
};
use serde::Serialize;

/// A part of a key.
#[derive(Debug, Serialize)]
pub struct Part {
    #[serde(flatten)]
    pub shape: PartKind,
    /// Its path, with arms on the way, as decoding names it; empty for a literal or an option.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Its own name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// For an index, its source in the map's value.
    #[serde(flatten, serialize_with = "json::from_value")]
    pub from_value: Option<FromValue>,
    #[serde(flatten, serialize_with = "json::length")]
    pub length: Length,
    #[serde(flatten)]
    pub start: Start,
    /// Bytes that a value may have: those of the example key if it contains the part.
    #[serde(
        rename = "example",
        skip_serializing_if = "Option::is_none",
        serialize_with = "json::some_hex"
    )]
    sample: Option<Vec<u8>>,
    /// The number of its colour, for parts that hold a value. The same name has the same colour in
    /// all arms of a variant.
    #[serde(skip)]
    pub colour: Option<usize>,
}

/// The kind of a part.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum PartKind {
    /// Fixed bytes.
    Literal {
        #[serde(serialize_with = "json::hex_text")]
        bytes: Vec<u8>,
        /// The bytes as text, if they were written so.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Its origin, or the wrap that it ends.
        #[serde(skip_serializing_if = "Option::is_none")]
        made_from: Option<String>,
    },
    /// A value of a codec.
    Leaf {
        /// The codec as layouts write it.
        codec: String,
        /// The allowed values, in words.
        allowed: String,
        /// The display form.
        #[serde(skip_serializing_if = "Option::is_none")]
        shown_as: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        integers: Option<Integers>,
    },
    Enum {
        texts: Vec<String>,
    },
    Variant {
        arms: Vec<ArmPart>,
    },
    /// A repeated element.
    List {
        min: u32,
        max: u32,
        element: Box<Part>,
    },
    /// Parts, joined.
    Composite {
        #[serde(rename = "segments")]
        parts: Vec<Part>,
    },
    /// Parts that may be absent. A guard is the condition under which they are present.
    Option {
        #[serde(skip_serializing_if = "Option::is_none")]
        guard: Option<String>,
        #[serde(rename = "segments")]
        parts: Vec<Part>,
    },
}

/// The smallest and the largest integer, as texts: readers of JSON do not agree above 2^53.
#[derive(Debug, Serialize)]
pub struct Integers {
    low: String,
    high: String,
}

/// An alternative of a variant.
#[derive(Debug, Serialize)]
pub struct ArmPart {
    pub name: String,
    #[serde(rename = "segments")]
    pub parts: Vec<Part>,
    #[serde(skip)]
    pub length: Length,
}

/// The offset at which a part begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// At this byte of the key.
    At(usize),
    /// `plus` bytes after the end of the part at `path`, whose length varies.
    After { path: String, plus: usize },
}

impl Start {
    /// Returns the offset after a part that begins here. `path` is its path, if its length varies.
    fn after(&self, length: Length, path: &str) -> Self {
        match (length.fixed(), self) {
            (Some(length), Self::At(offset)) => Self::At(offset + length),
            (Some(length), Self::After { path, plus }) => {
                Self::After { path: path.clone(), plus: plus + length }
            }
            (None, _) => Self::After { path: path.to_owned(), plus: 0 },
        }
    }
}

/// Returns the parts of a key. `example` returns the bytes that a path has in the example key.
pub(super) fn parts(key: &[Segment], example: &dyn Fn(&str) -> Option<Vec<u8>>) -> Vec<Part> {
    let mut cursor = Cursor { example, start: Start::At(0), colour: 0, siblings: Vec::new() };
    cursor.list(key, key, "")
}

/// The offset of the next part and the colour of the next value.
struct Cursor<'a> {
    example: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    start: Start,
    colour: usize,
    /// The names and colours of the values in earlier arms of the same variant.
    siblings: Vec<(String, usize)>,
}

impl Cursor<'_> {
    fn list(&mut self, list: &[Segment], scope: &[Segment], outer: &str) -> Vec<Part> {
        list.iter().map(|segment| self.segment(segment, scope, outer)).collect()
    }

    fn segment(&mut self, segment: &Segment, scope: &[Segment], outer: &str) -> Part {
        let (start, length) = (self.start.clone(), segment.length());
        let (path, colour, shape) = match segment {
            Segment::Literal(literal) => {
                let ends = || literal.end_of.map(|wrap| format!("end of {wrap}"));
                let text = String::from_utf8(literal.bytes.clone()).ok();
                let shape = PartKind::Literal {
                    bytes: literal.bytes.clone(),
                    text: text.filter(|_| literal.is_text),
                    made_from: literal.call.clone().or_else(ends),
                };
                (String::new(), None, shape)
            }
            Segment::Derived(derived) => {
                let text = derived.text();
                let colour = self.next_colour(&text);
                (text, Some(colour), leaf_shape(&derived.leaf))
            }
            Segment::Field(field) => return self.field(field, outer),
            Segment::Option(option) => {
                let guard = option.guard.as_ref().map(|guard| notation::guard_text(guard, scope));
                let parts = self.list(&option.segments, scope, outer);
                (String::new(), None, PartKind::Option { guard, parts })
            }
        };
        self.start = match &shape {
            PartKind::Option { parts, .. } => {
                let named = parts.iter().rev().find(|part| !part.path.is_empty());
                start.after(length, named.map_or("the option", |part| &part.path))
            }
            _ => start.after(length, &path),
        };
        let sample = colour.and_then(|_| (self.example)(&path));
        let name = path.clone();
        Part { shape, path, name, from_value: None, length, start, sample, colour }
    }

    fn field(&mut self, field: &Field, outer: &str) -> Part {
        let path = join(outer, &field.name);
        let mut part = self.typed(&field.ty, path, &field.name);
        part.from_value = field.from_value.clone();
        part
    }

    fn typed(&mut self, ty: &Type, path: String, name: &str) -> Part {
        let (start, length) = (self.start.clone(), ty.length());
        let shape = match ty {
            Type::Leaf(leaf) => leaf_shape(leaf),
            Type::Enum(of) => PartKind::Enum { texts: of.texts.clone() },
            Type::Composite(segments) => {
                PartKind::Composite { parts: self.list(segments, segments, &path) }
            }
            Type::Variant(arms) => {
                let mut siblings = Vec::new();
                let arms = arms.iter().map(|arm| {
                    let (example, colour) = (self.example, self.colour);
                    let mut inside = Cursor {
                        example,
                        start: start.clone(),
                        colour,
                        siblings: siblings.clone(),
                    };
                    let outer = join(&path, &arm.name);
                    let parts = inside.list(&arm.segments, &arm.segments, &outer);
                    self.colour = inside.colour;
                    coloured(&parts, &mut siblings);
                    ArmPart { name: arm.name.clone(), length: Length::of(&arm.segments), parts }
                });
                PartKind::Variant { arms: arms.collect() }
            }
            Type::List(list) => {
                let element = self.typed(&list.element, join(&path, "0"), "element");
                PartKind::List { element: Box::new(element), min: list.min, max: list.max }
            }
        };
        let holds_value = matches!(ty, Type::Leaf(_) | Type::Enum(_));
        let colour = holds_value.then(|| self.next_colour(name));
        let sample = colour.and_then(|_| (self.example)(&path).or_else(|| own_sample(name, ty)));
        let name = name.to_owned();
        self.start = start.after(length, &path);
        Part { shape, path, name, from_value: None, length, start, sample, colour }
    }

    /// Returns the colour of a value. A name keeps its colour in all arms of a variant.
    fn next_colour(&mut self, name: &str) -> usize {
        if let Some((_, colour)) = self.siblings.iter().find(|(known, _)| known == name) {
            return *colour;
        }
        self.colour += 1;
        self.colour - 1
    }
}

/// Adds the names and colours of values.
fn coloured(parts: &[Part], out: &mut Vec<(String, usize)>) {
    for part in parts {
        out.extend(part.colour.map(|colour| (part.name.clone(), colour)));
        part.inside().into_iter().for_each(|inner| coloured(std::slice::from_ref(inner), out));
    }
}

fn leaf_shape(leaf: &Leaf) -> PartKind {
    let (allowed, described) = (leaf.codec.allowed(), leaf.codec.describe());
    PartKind::Leaf {
        codec: described.written().to_string(),
        allowed: match described.wrap_form() {
            Some(whole) => format!("{allowed}, {whole}"),
            None => allowed,
        },
        shown_as: leaf.shown.as_ref().map(notation::shown_text),
        integers: leaf.codec.integers().map(|range| {
            let (low, high) = range.ends();
            Integers { low: low.to_string(), high: high.to_string() }
        }),
    }
}

impl Part {
    /// Returns bytes that the part may have.
    pub fn sample(&self) -> Option<&[u8]> {
        match &self.shape {
            PartKind::Literal { bytes, .. } => Some(bytes),
            _ => self.sample.as_deref(),
        }
    }

    /// Returns the parts directly inside, of all arms.
    pub fn inside(&self) -> Vec<&Part> {
        match &self.shape {
            PartKind::Literal { .. } | PartKind::Leaf { .. } | PartKind::Enum { .. } => Vec::new(),
            PartKind::Composite { parts } | PartKind::Option { parts, .. } => {
                parts.iter().collect()
            }
            PartKind::Variant { arms } => arms.iter().flat_map(|arm| &arm.parts).collect(),
            PartKind::List { element, .. } => vec![element],
        }
    }
}

/// Returns bytes that a field with this name may have.
fn own_sample(name: &str, ty: &Type) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    encode_type(ty, "", &ty.example_of(name)?, &mut bytes).ok()?;
    Some(bytes)
}
