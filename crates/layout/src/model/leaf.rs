//! Leaves: the values of one codec, and the lengths of parts of keys.

use super::{Segment, Type};
use crate::Span;
use keyscape_automata::Budget;
use keyscape_codec::{Codec, Kind, Language, Loss, Shown, Values};
use std::sync::Arc;

/// The highest number of values to try one by one.
const MAX_TRIED: usize = 64;

/// The values of one codec.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The codec, with its domain.
    pub codec: Arc<dyn Codec>,
    /// Its byte language.
    pub language: Language,
    /// The form in which values are displayed and parsed.
    pub shown: Option<Shown>,
    /// The span of the codec, in the key or in the declaration of its type.
    pub span: Span,
}

impl Leaf {
    /// Whether both leaves have the same values with the same bytes.
    #[must_use]
    pub fn has_codec_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.codec, &other.codec) || self.codec.describe() == other.codec.describe()
    }

    /// Whether the values are bytes that are stored unchanged.
    #[must_use]
    pub fn is_bytes(&self) -> bool {
        self.codec.kind() == Kind::Bytes && self.codec.describe().values == Values::Words
    }

    /// Whether the values are digests.
    #[must_use]
    pub fn is_digest(&self) -> bool {
        matches!(self.codec.describe().base().values, Values::Digests(_))
    }

    /// Whether it is certain that the codec encodes every value of another leaf.
    #[must_use]
    pub fn takes_all_of(&self, other: &Self) -> bool {
        if self.codec.kind() != other.codec.kind() {
            return false;
        }
        match (self.codec.integers(), other.codec.integers()) {
            (Some(own), Some(values)) => own.contains(&values),
            _ if self.codec.describe().base() == other.codec.describe().base() => true,
            _ => {
                let own = self.words().and_then(|words| Some((words, other.words()?)));
                let within = own.is_some_and(|(own, values)| {
                    let rest = values.over().without(own.under(), Budget::default());
                    rest.is_ok_and(|rest| rest.is_empty())
                });
                within || other.few_values_pass(|is_taken| is_taken, self)
            }
        }
    }

    /// Whether it is certain that the codec encodes no value of another leaf.
    #[must_use]
    pub fn takes_none_of(&self, other: &Self) -> bool {
        if self.codec.kind() != other.codec.kind() {
            return true;
        }
        match (self.codec.integers(), other.codec.integers()) {
            (Some(own), Some(values)) => !own.overlaps(&values),
            _ => {
                let own = self.words().and_then(|words| Some((words, other.words()?)));
                let apart = own.is_some_and(|(own, values)| {
                    let both = values.over().intersect(own.over(), Budget::default());
                    both.is_ok_and(|both| both.is_empty())
                });
                apart
                    || other.few_values_pass(|is_taken| !is_taken, self)
                    || self.few_values_pass(|is_taken| !is_taken, other)
            }
        }
    }

    /// Returns the values as a language, if the innermost codec stores text or bytes unchanged.
    #[must_use]
    pub fn words(&self) -> Option<Language> {
        let described = self.codec.describe();
        let base = described.base();
        if !base.is_plain() {
            return None;
        }
        base.build(Budget::default()).ok()?.language(Budget::default()).ok()
    }

    /// Returns the length of encodings.
    #[must_use]
    pub fn length(&self) -> Length {
        let dfa = self.language.over();
        let max = self.codec.longest().or(dfa.longest());
        Length { min: dfa.shortest().unwrap_or(0), max }
    }

    /// Whether there are few values, and `passes` holds for each. Its argument is whether `other`
    /// encodes the value.
    fn few_values_pass(&self, passes: impl Fn(bool) -> bool, other: &Self) -> bool {
        let Some(words) = self.language.exact() else { return false };
        // Decoding returns one value per encoding, so the codec must be lossless.
        if !matches!(self.codec.lossless(), Loss::None) {
            return false;
        }
        words.few_words(MAX_TRIED).is_some_and(|words| {
            words.iter().all(|word| {
                let value = self.codec.decode(word);
                value.is_ok_and(|value| passes(other.codec.encoding(&value).is_ok()))
            })
        })
    }
}

/// The minimal and the maximal length of a part in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The minimal length.
    pub min: usize,
    /// The maximal length, or `None` if it is unbounded.
    pub max: Option<usize>,
}

impl Length {
    /// Returns a length that is always the same.
    #[must_use]
    pub const fn exactly(bytes: usize) -> Self {
        Self { min: bytes, max: Some(bytes) }
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
        self.max.filter(|max| *max == self.min)
    }

    /// Returns the length of a part followed by another.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let max = self.max.zip(next.max).map(|(a, b)| a.saturating_add(b));
        Self { min: self.min.saturating_add(next.min), max }
    }

    /// Returns the length of a part or of another.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let max = self.max.zip(other.max).map(|(a, b)| a.max(b));
        Self { min: self.min.min(other.min), max }
    }
}

impl Segment {
    /// Returns the length of the segment.
    #[must_use]
    pub fn length(&self) -> Length {
        match self {
            Self::Literal(literal) => Length::exactly(literal.bytes.len()),
            Self::Field(field) => field.ty.length(),
            Self::Option(option) => Length { min: 0, ..Length::of(&option.segments) },
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
            Self::List(list) => {
                let element = list.element.length();
                Length {
                    min: element.min.saturating_mul(list.min as usize),
                    max: element.max.map(|max| max.saturating_mul(list.max as usize)),
                }
            }
        }
    }
}
