//! The parts of a key: where each begins, how long it is, and what it may hold.

use super::{example, pattern};
use keyscape_layout::{
    Length, encode_type,
    model::{Field, Leaf, Segment, Type},
};

/// A part of a key.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its path, with arms on the way, as decoding names it; empty for a literal or an option.
    pub(crate) path: String,
    /// Its own name.
    pub(crate) name: String,
    pub(crate) start: Start,
    pub(crate) length: Length,
    /// Its colour, for parts that hold a value: the same that `explain` uses, counted from zero.
    pub(crate) colour: Option<usize>,
    /// Whether an index takes it from the map's value.
    pub(crate) from_value: bool,
    /// Bytes that it may have: those of the example key where it is in there.
    pub(crate) sample: Option<Vec<u8>>,
    pub(crate) shape: Shape,
}

/// What a part is.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Fixed bytes.
    Literal {
        bytes: Vec<u8>,
        is_text: bool,
        /// What it is made from, or what it ends.
        note: Option<String>,
    },
    /// A value of a codec.
    Leaf {
        /// The codec as layouts write it.
        codec: String,
        /// Which values are allowed, in words.
        allowed: String,
        /// The form of display.
        shown: Option<String>,
        /// The smallest and the largest integer.
        integers: Option<(String, String)>,
    },
    /// One of these texts.
    Enum { texts: Vec<String> },
    /// Parts, joined.
    Composite { parts: Vec<Part> },
    /// One of these arms.
    Variant { arms: Vec<ArmPart> },
    /// The element, some times in a row.
    List { element: Box<Part>, min: u32, max: u32 },
    /// Parts that may be absent; with a guard, the condition under which they are there.
    Option { guard: Option<String>, parts: Vec<Part> },
}

/// An alternative of a variant.
#[derive(Debug)]
pub(crate) struct ArmPart {
    pub(crate) name: String,
    pub(crate) length: Length,
    pub(crate) parts: Vec<Part>,
}

/// Where a part begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At this byte of the key.
    At(usize),
    /// So many bytes after the end of this part, whose length varies.
    After { path: String, plus: usize },
}

/// The parts of a key.
pub(super) fn parts(key: &[Segment]) -> Vec<Part> {
    let mut cursor = Cursor { base: None, plus: 0, colour: 0 };
    cursor.list(key, key, "")
}

/// Where the next part begins, and which colour the next value has.
#[derive(Clone)]
struct Cursor {
    base: Option<String>,
    plus: usize,
    colour: usize,
}

impl Cursor {
    fn start(&self) -> Start {
        match &self.base {
            None => Start::At(self.plus),
            Some(path) => Start::After { path: path.clone(), plus: self.plus },
        }
    }

    fn pass(&mut self, start: Self, name: &str, length: Length) {
        let colour = self.colour;
        *self = start;
        self.colour = colour;
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
        let part = |path: String, name: &str, colour, shape| Part {
            path,
            name: name.to_owned(),
            start: before.start(),
            length,
            colour,
            from_value: false,
            sample: None,
            shape,
        };
        match segment {
            Segment::Literal(literal) => {
                self.pass(before.clone(), "", length);
                let (bytes, is_text) = (literal.bytes.clone(), literal.is_text);
                let sample = Some(bytes.clone());
                let ends = || literal.end_of.map(|wrap| format!("end of {wrap}"));
                let note = literal.call.clone().or_else(ends);
                let shape = Shape::Literal { bytes, is_text, note };
                Part { sample, ..part(String::new(), "", None, shape) }
            }
            Segment::Derived(derived) => {
                self.pass(before.clone(), &derived.text(), length);
                let colour = Some(self.next_colour());
                let text = derived.text();
                part(text.clone(), &text, colour, leaf_shape(&derived.leaf))
            }
            Segment::Field(field) => self.field(field, outer),
            Segment::Option(option) => {
                let guard = option.guard.as_ref().map(|guard| pattern::guard_text(guard, scope));
                let parts = self.list(&option.segments, scope, outer);
                let named = parts.iter().rev().find(|part| !part.path.is_empty());
                let name = named.map_or("the option".to_owned(), |part| part.path.clone());
                self.pass(before.clone(), &name, length);
                part(String::new(), "", None, Shape::Option { guard, parts })
            }
        }
    }

    fn field(&mut self, field: &Field, outer: &str) -> Part {
        let path = join(outer, &field.name);
        let mut part = self.typed(&field.ty, path, &field.name);
        part.from_value = field.from_value;
        part
    }

    fn typed(&mut self, ty: &Type, path: String, name: &str) -> Part {
        let before = self.clone();
        let length = ty.length();
        let mut colour = None;
        let shape = match ty {
            Type::Leaf(leaf) => {
                colour = Some(self.next_colour());
                leaf_shape(leaf)
            }
            Type::Enum(of) => {
                colour = Some(self.next_colour());
                Shape::Enum { texts: of.texts.clone() }
            }
            Type::Composite(segments) => {
                Shape::Composite { parts: self.list(segments, segments, &path) }
            }
            Type::Variant(arms) => {
                let mut after = self.colour;
                let arms = arms.iter().map(|arm| {
                    let mut inside = before.clone();
                    let outer = join(&path, &arm.name);
                    let parts = inside.list(&arm.segments, &arm.segments, &outer);
                    after = after.max(inside.colour);
                    ArmPart { name: arm.name.clone(), length: Length::of(&arm.segments), parts }
                });
                let arms = arms.collect();
                self.colour = after;
                Shape::Variant { arms }
            }
            Type::List(list) => {
                let element = self.typed(&list.element, join(&path, "0"), "element");
                Shape::List { element: Box::new(element), min: list.min, max: list.max }
            }
        };
        let start = before.start();
        self.pass(before, &path, length);
        let sample = colour.and_then(|_| own_sample(ty));
        let name = name.to_owned();
        Part { path, name, start, length, colour, from_value: false, sample, shape }
    }

    fn next_colour(&mut self) -> usize {
        self.colour += 1;
        self.colour - 1
    }
}

fn leaf_shape(leaf: &Leaf) -> Shape {
    let (allowed, described) = (leaf.codec.allowed(), leaf.codec.describe());
    Shape::Leaf {
        codec: described.written().to_string(),
        allowed: match described.stands_in() {
            Some(whole) => format!("{allowed}, {whole}"),
            None => allowed,
        },
        shown: leaf.shown.as_ref().map(pattern::shown_text),
        integers: leaf.codec.integers().as_ref().map(pattern::bounds),
    }
}

/// A path one step further.
fn join(outer: &str, name: &str) -> String {
    if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") }
}

impl Part {
    /// The parts directly inside, whatever arm they are of.
    pub(crate) fn inside_mut(&mut self) -> Vec<&mut Part> {
        match &mut self.shape {
            Shape::Literal { .. } | Shape::Leaf { .. } | Shape::Enum { .. } => Vec::new(),
            Shape::Composite { parts } | Shape::Option { parts, .. } => parts.iter_mut().collect(),
            Shape::Variant { arms } => arms.iter_mut().flat_map(|arm| &mut arm.parts).collect(),
            Shape::List { element, .. } => vec![element],
        }
    }
}

/// Gives each part that is in `known` by its path the bytes that it has there.
pub(super) fn fill(parts: Vec<&mut Part>, known: &dyn Fn(&str) -> Option<Vec<u8>>) {
    for part in parts {
        if part.colour.is_some()
            && let Some(bytes) = known(&part.path)
        {
            part.sample = Some(bytes);
        }
        fill(part.inside_mut(), known);
    }
}

/// Bytes that a type may have.
fn own_sample(ty: &Type) -> Option<Vec<u8>> {
    let datum = example::datum(ty, &mut example::Choice::default())?;
    let mut bytes = Vec::new();
    encode_type(ty, "", &datum, &mut bytes).ok()?;
    Some(bytes)
}
