//! The parts of a key: where each begins, how long it is, and what it may hold.

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
    #[serde(rename = "type")]
    kind: &'static str,
    /// Its path, with arms on the way, as decoding names it; empty for a literal or an option.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Its own name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(flatten)]
    pub shape: PartKind,
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
#[serde(untagged)]
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
    /// One of these texts.
    Enum { texts: Vec<String> },
    /// One of these arms.
    Variant { arms: Vec<ArmPart> },
    /// The element, some times in a row.
    List { min: u32, max: u32, element: Box<Part> },
    /// Parts, joined.
    Composite {
        #[serde(rename = "segments")]
        parts: Vec<Part>,
    },
    /// Parts that may be absent; with a guard, the condition under which they are there.
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

impl PartKind {
    const fn name(&self) -> &'static str {
        match self {
            Self::Literal { .. } => "literal",
            Self::Leaf { .. } => "leaf",
            Self::Enum { .. } => "enum",
            Self::Variant { .. } => "variant",
            Self::List { .. } => "list",
            Self::Composite { .. } => "composite",
            Self::Option { .. } => "option",
        }
    }
}

/// Returns the parts of a key. `example` returns the bytes that a path has in the example key.
pub(super) fn parts(key: &[Segment], example: &dyn Fn(&str) -> Option<Vec<u8>>) -> Vec<Part> {
    let mut cursor = Cursor { example, base: None, plus: 0, colour: 0, siblings: Vec::new() };
    cursor.list(key, key, "")
}

/// The offset of the next part and the colour of the next value.
#[derive(Clone)]
struct Cursor<'a> {
    example: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    base: Option<String>,
    plus: usize,
    colour: usize,
    /// The names and colours of the values in earlier arms of the same variant.
    siblings: Vec<(String, usize)>,
}

impl Cursor<'_> {
    fn start(&self) -> Start {
        match &self.base {
            None => Start::At(self.plus),
            Some(path) => Start::After { path: path.clone(), plus: self.plus },
        }
    }

    /// Moves from a start past a part. The colours stay.
    fn pass(&mut self, start: Self, name: &str, length: Length) {
        let (colour, siblings) = (self.colour, std::mem::take(&mut self.siblings));
        *self = start;
        (self.colour, self.siblings) = (colour, siblings);
        if length.is_fixed() {
            self.plus += length.least;
        } else {
            (self.base, self.plus) = (Some(name.to_owned()), 0);
        }
    }

    fn list(&mut self, list: &[Segment], scope: &[Segment], outer: &str) -> Vec<Part> {
        list.iter().map(|segment| self.segment(segment, scope, outer)).collect()
    }

    fn segment(&mut self, segment: &Segment, scope: &[Segment], outer: &str) -> Part {
        let before = self.clone();
        let length = segment.length();
        let part = |name: &str, colour: Option<usize>, shape: PartKind| Part {
            kind: shape.name(),
            path: name.to_owned(),
            name: name.to_owned(),
            shape,
            from_value: None,
            length,
            start: before.start(),
            sample: colour.and_then(|_| (before.example)(name)),
            colour,
        };
        match segment {
            Segment::Literal(literal) => {
                self.pass(before.clone(), "", length);
                let ends = || literal.end_of.map(|wrap| format!("end of {wrap}"));
                let text = String::from_utf8(literal.bytes.clone()).ok();
                let shape = PartKind::Literal {
                    bytes: literal.bytes.clone(),
                    text: text.filter(|_| literal.is_text),
                    made_from: literal.call.clone().or_else(ends),
                };
                part("", None, shape)
            }
            Segment::Derived(derived) => {
                self.pass(before.clone(), &derived.text(), length);
                let colour = Some(self.next_colour(&derived.text()));
                part(&derived.text(), colour, leaf_shape(&derived.leaf))
            }
            Segment::Field(field) => self.field(field, outer),
            Segment::Option(option) => {
                let guard = option.guard.as_ref().map(|guard| notation::guard_text(guard, scope));
                let parts = self.list(&option.segments, scope, outer);
                let named = parts.iter().rev().find(|part| !part.path.is_empty());
                let name = named.map_or("the option".to_owned(), |part| part.path.clone());
                self.pass(before.clone(), &name, length);
                part("", None, PartKind::Option { guard, parts })
            }
        }
    }

    fn field(&mut self, field: &Field, outer: &str) -> Part {
        let path = join(outer, &field.name);
        let mut part = self.typed(&field.ty, path, &field.name);
        part.from_value = field.from_value.clone();
        part
    }

    fn typed(&mut self, ty: &Type, path: String, name: &str) -> Part {
        let before = self.clone();
        let length = ty.length();
        let shape = match ty {
            Type::Leaf(leaf) => leaf_shape(leaf),
            Type::Enum(of) => PartKind::Enum { texts: of.texts.clone() },
            Type::Composite(segments) => {
                PartKind::Composite { parts: self.list(segments, segments, &path) }
            }
            Type::Variant(arms) => {
                let (mut after, mut siblings) = (self.colour, Vec::new());
                let arms = arms.iter().map(|arm| {
                    let mut inside = before.clone();
                    (inside.colour, inside.siblings) = (after, siblings.clone());
                    let outer = join(&path, &arm.name);
                    let parts = inside.list(&arm.segments, &arm.segments, &outer);
                    after = inside.colour;
                    coloured(&parts, &mut siblings);
                    ArmPart { name: arm.name.clone(), length: Length::of(&arm.segments), parts }
                });
                let arms = arms.collect();
                self.colour = after;
                PartKind::Variant { arms }
            }
            Type::List(list) => {
                let element = self.typed(&list.element, join(&path, "0"), "element");
                PartKind::List { element: Box::new(element), min: list.min, max: list.max }
            }
        };
        let holds_value = matches!(ty, Type::Leaf(_) | Type::Enum(_));
        let colour = holds_value.then(|| self.next_colour(name));
        let sample = colour.and_then(|_| (self.example)(&path).or_else(|| own_sample(name, ty)));
        let (kind, name, start) = (shape.name(), name.to_owned(), before.start());
        self.pass(before, &path, length);
        Part { kind, path, name, shape, from_value: None, length, start, sample, colour }
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

#[cfg(test)]
mod tests {
    use super::{Part, PartKind, parts};
    use keyscape_layout::{NoImports, read};

    fn colours(parts: &[Part]) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        super::coloured(parts, &mut found);
        found
    }

    #[test]
    fn a_field_keeps_its_colour_across_arms() {
        let text = "store s\ntype Place = | near 0x00 {owner: u8} {at: u8} | far 0x01 {zone: u16be} {owner: u8}\n\
                    map m = {id: u8} {place: Place} {owner: u8} -> empty";
        let layout = read("s.keys", text, &mut NoImports);
        let Ok(layout) = layout else { panic!("{layout:?}") };
        let parts = parts(&layout.keyspaces[0].key, &|_| None);
        let expected =
            [("id", 0), ("owner", 1), ("at", 2), ("zone", 3), ("owner", 1), ("owner", 4)];
        let expected = expected.map(|(name, colour)| (name.to_owned(), colour));
        assert_eq!(colours(&parts), expected);
        assert!(matches!(parts[1].shape, PartKind::Variant { .. }));
    }
}
