//! A small algebra in which languages are stated.

use crate::{ByteSet, Dfa};
use alloc::{boxed::Box, sync::Arc, vec::Vec};

/// A regular language of byte strings, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lang {
    /// One byte out of a set.
    Class(ByteSet),
    /// One word of each, joined.
    Join(Vec<Lang>),
    /// A word of any of them.
    Alt(Vec<Lang>),
    /// At least `min` and at most `max` words of `of`, joined.
    Repeat {
        /// What is repeated.
        of: Box<Lang>,
        /// The fewest repetitions.
        min: u32,
        /// The most repetitions; `None` is without limit.
        max: Option<u32>,
    },
    /// A language that has been built already.
    Built(Arc<Dfa>),
}

impl Lang {
    /// The language without any word.
    #[must_use]
    pub const fn nothing() -> Self {
        Self::Alt(Vec::new())
    }

    /// The language whose only word is empty.
    #[must_use]
    pub const fn empty_word() -> Self {
        Self::Join(Vec::new())
    }

    /// The language whose only word is `bytes`.
    #[must_use]
    pub fn literal(bytes: &[u8]) -> Self {
        Self::Join(bytes.iter().map(|&byte| Self::Class(ByteSet::of(byte))).collect())
    }

    /// From `min` to `max` bytes of `class`.
    #[must_use]
    pub fn bytes(class: ByteSet, min: u32, max: Option<u32>) -> Self {
        Self::Repeat { of: Box::new(Self::Class(class)), min, max }
    }

    /// All strings of bytes.
    #[must_use]
    pub fn anything() -> Self {
        Self::bytes(ByteSet::ANY, 0, None)
    }
}
