//! The shape of the bytes of a part, from its automata.

use keyscape_automata::{ByteSet, DEAD, Dfa};
use keyscape_layout::model::{Leaf, Length, Segment, Type};

/// Facts about all encodings of a part, from which a decode plan finds the ends of parts. Sets may
/// contain bytes that do not occur.
#[derive(Clone, Debug)]
pub(crate) struct ByteShape {
    /// The bytes that an encoding can begin with.
    pub(crate) first: ByteSet,
    /// The bytes that an encoding can end with.
    pub(crate) last: ByteSet,
    /// The bytes that an encoding can contain.
    pub(crate) alphabet: ByteSet,
    pub(crate) length: Length,
    /// The common prefix of all encodings.
    pub(crate) lead: Vec<u8>,
}

impl ByteShape {
    /// Returns the shape of the empty part.
    pub(crate) fn empty() -> Self {
        Self {
            first: ByteSet::EMPTY,
            last: ByteSet::EMPTY,
            alphabet: ByteSet::EMPTY,
            length: Length::exactly(0),
            lead: Vec::new(),
        }
    }

    /// Returns the shape of any bytes.
    pub(crate) const fn anything() -> Self {
        let (any, length) = (ByteSet::ANY, Length { min: 0, max: None });
        Self { first: any, last: any, alphabet: any, length, lead: Vec::new() }
    }

    fn literal(bytes: &[u8]) -> Self {
        Self {
            first: bytes.first().map_or(ByteSet::EMPTY, |&byte| ByteSet::of(byte)),
            last: bytes.last().map_or(ByteSet::EMPTY, |&byte| ByteSet::of(byte)),
            alphabet: bytes.iter().copied().collect(),
            length: Length::exactly(bytes.len()),
            lead: bytes.to_vec(),
        }
    }

    fn leaf(leaf: &Leaf) -> Self {
        let dfa = leaf.language.over();
        let (alphabet, last) = bytes_of(dfa);
        Self {
            first: dfa.next_bytes(dfa.start()),
            last,
            alphabet,
            length: leaf.length(),
            lead: lead_of(dfa),
        }
    }

    /// Returns the shape of this part followed by another.
    pub(crate) fn then(self, next: &Self) -> Self {
        let is_literal = self.length.fixed() == Some(self.lead.len());
        let mut lead = self.lead;
        if is_literal {
            lead.extend_from_slice(&next.lead);
        }
        Self {
            first: if self.length.min == 0 { self.first.union(&next.first) } else { self.first },
            last: if next.length.min == 0 { self.last.union(&next.last) } else { next.last },
            alphabet: self.alphabet.union(&next.alphabet),
            length: self.length.then(next.length),
            lead,
        }
    }

    /// Returns the shape of this part or another one.
    fn or(self, other: &Self) -> Self {
        let common = self.lead.iter().zip(&other.lead).take_while(|(a, b)| a == b).count();
        Self {
            first: self.first.union(&other.first),
            last: self.last.union(&other.last),
            alphabet: self.alphabet.union(&other.alphabet),
            length: self.length.or(other.length),
            lead: self.lead[..common].to_vec(),
        }
    }

    /// Whether the first bytes distinguish this part from another, which may be empty.
    pub(crate) fn differs_at_start(&self, other: &Self) -> bool {
        let apart = !meets(&self.first, &other.first);
        let lead = self.lead.iter().zip(&other.lead).any(|(a, b)| a != b);
        self.length.min > 0 && (apart || lead)
    }
}

/// Whether two sets share a byte.
pub(crate) fn meets(a: &ByteSet, b: &ByteSet) -> bool {
    a.iter().any(|byte| b.contains(byte))
}

/// Returns the shape of a segment.
pub(crate) fn of_segment(segment: &Segment) -> ByteShape {
    match segment {
        Segment::Literal(literal) => ByteShape::literal(&literal.bytes),
        Segment::Field(field) => of_type(&field.ty),
        Segment::Derived(derived) => ByteShape::leaf(&derived.leaf),
        Segment::Option(option) => of_list(&option.segments).or(&ByteShape::empty()),
    }
}

/// Returns the shape of a list of segments.
fn of_list(segments: &[Segment]) -> ByteShape {
    segments.iter().fold(ByteShape::empty(), |shape, segment| shape.then(&of_segment(segment)))
}

/// Returns the shape of a type.
pub(crate) fn of_type(ty: &Type) -> ByteShape {
    match ty {
        Type::Leaf(leaf) => ByteShape::leaf(leaf),
        Type::Composite(segments) => of_list(segments),
        Type::Enum(of) => any(of.bytes.iter().map(|bytes| ByteShape::literal(bytes))),
        Type::Variant(arms) => any(arms.iter().map(|arm| of_list(&arm.segments))),
        Type::List(list) => {
            let mut shape = of_type(&list.element);
            if list.min == 0 || list.max > 1 {
                shape.lead.clear();
            }
            ByteShape { length: ty.length(), ..shape }
        }
    }
}

fn any(mut shapes: impl Iterator<Item = ByteShape>) -> ByteShape {
    let first = shapes.next().unwrap_or_else(ByteShape::empty);
    shapes.fold(first, |shape, next| shape.or(&next))
}

/// Returns all bytes of a language, and the bytes that its words end with. Bytes of one class lead
/// to the same states.
fn bytes_of(dfa: &Dfa) -> (ByteSet, ByteSet) {
    let class = |byte: u8| usize::from(dfa.classes()[usize::from(byte)]);
    let (mut occurs, mut ends) = ([false; 256], [false; 256]);
    for state in dfa.states() {
        for &byte in dfa.examples() {
            let target = dfa.step(state, byte);
            if target != DEAD {
                occurs[class(byte)] = true;
                ends[class(byte)] |= dfa.is_accepting(target);
            }
        }
    }
    let of = |classes: [bool; 256]| (0..=255).filter(|&byte| classes[class(byte)]).collect();
    (of(occurs), of(ends))
}

/// Returns the bytes that all words begin with.
fn lead_of(dfa: &Dfa) -> Vec<u8> {
    let mut lead = Vec::new();
    let mut state = dfa.start();
    while !dfa.is_accepting(state) && lead.len() < dfa.len() {
        let steps = dfa.steps(state);
        let [(bytes, next)] = steps.as_slice() else { break };
        let (Some(byte), 1) = (bytes.first(), bytes.len()) else { break };
        lead.push(byte);
        state = *next;
    }
    lead
}
