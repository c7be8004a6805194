//! The lengths of parts of keys.

use crate::model::{Leaf, Segment, Type};

/// The minimal and the maximal length of a part in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The minimal length.
    pub least: usize,
    /// The maximal length, or `None` if it is unbounded.
    pub most: Option<usize>,
}

impl Length {
    const fn exactly(bytes: usize) -> Self {
        Self { least: bytes, most: Some(bytes) }
    }

    /// Returns the total length of some segments.
    #[must_use]
    pub fn of(segments: &[Segment]) -> Self {
        segments.iter().map(Segment::length).fold(Self::exactly(0), Self::then)
    }

    /// Whether there is only one length.
    #[must_use]
    pub fn is_fixed(self) -> bool {
        self.fixed().is_some()
    }

    /// Returns the length, if there is only one.
    #[must_use]
    pub fn fixed(self) -> Option<usize> {
        self.most.filter(|most| *most == self.least)
    }

    fn then(self, next: Self) -> Self {
        let most = self.most.zip(next.most).map(|(a, b)| a.saturating_add(b));
        Self { least: self.least.saturating_add(next.least), most }
    }

    fn or(self, other: Self) -> Self {
        let most = self.most.zip(other.most).map(|(a, b)| a.max(b));
        Self { least: self.least.min(other.least), most }
    }

    fn times(self, min: u32, max: u32) -> Self {
        Self {
            least: self.least.saturating_mul(min as usize),
            most: self.most.map(|most| most.saturating_mul(max as usize)),
        }
    }
}

impl Segment {
    /// Returns the length of the segment.
    #[must_use]
    pub fn length(&self) -> Length {
        match self {
            Self::Literal(literal) => Length::exactly(literal.bytes.len()),
            Self::Field(field) => field.ty.length(),
            Self::Option(option) => Length { least: 0, ..Length::of(&option.segments) },
            Self::Derived(derived) => derived.leaf.length(),
        }
    }
}

impl Type {
    /// Returns the length of all encodings, if they have one length.
    #[must_use]
    pub fn fixed_length(&self) -> Option<usize> {
        self.length().fixed()
    }

    /// Returns the length of values of the type.
    #[must_use]
    pub fn length(&self) -> Length {
        let any = |lengths: Vec<Length>| {
            lengths.into_iter().reduce(Length::or).unwrap_or(Length::exactly(0))
        };
        match self {
            Self::Leaf(leaf) => leaf.length(),
            Self::Enum(of) => {
                any(of.bytes.iter().map(|text| Length::exactly(text.len())).collect())
            }
            Self::Composite(segments) => Length::of(segments),
            Self::Variant(arms) => any(arms.iter().map(|arm| Length::of(&arm.segments)).collect()),
            Self::List(list) => list.element.length().times(list.min, list.max),
        }
    }
}

impl Leaf {
    /// Returns the length of encodings.
    #[must_use]
    pub fn length(&self) -> Length {
        let dfa = self.language.over();
        let most = self.codec.longest().or(dfa.longest());
        Length { least: dfa.shortest().unwrap_or(0), most }
    }
}
