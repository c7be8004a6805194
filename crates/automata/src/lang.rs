//! A small algebra in which languages are stated.

use crate::{ByteSet, Dfa};
use alloc::{boxed::Box, sync::Arc, vec, vec::Vec};

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

    /// The strings of one length from `low` to `high` in byte order, both included, whose bytes
    /// all lie in `digits`, a range of bytes. `low` and `high` must be strings of that kind and of
    /// one length; the result is empty if `low > high`.
    #[must_use]
    pub fn between(low: &[u8], high: &[u8], digits: (u8, u8)) -> Self {
        debug_assert_eq!(low.len(), high.len());
        if low > high {
            return Self::nothing();
        }
        // The whole range of a length: without this, both arms below would double at every byte.
        if low.iter().all(|&b| b == digits.0) && high.iter().all(|&b| b == digits.1) {
            let length = u32::try_from(low.len()).unwrap_or(u32::MAX);
            return Self::bytes(ByteSet::range(digits.0, digits.1), length, Some(length));
        }
        let shared = low.iter().zip(high).take_while(|(a, b)| a == b).count();
        let mut parts = vec![Self::literal(&low[..shared])];
        if let (Some((&first, low_rest)), Some((&last, high_rest))) =
            (low[shared..].split_first(), high[shared..].split_first())
        {
            let mut arms = vec![Self::Join(vec![
                Self::literal(&[first]),
                Self::between(low_rest, &vec![digits.1; low_rest.len()], digits),
            ])];
            if first + 1 < last {
                let free = u32::try_from(low_rest.len()).unwrap_or(u32::MAX);
                arms.push(Self::Join(vec![
                    Self::Class(ByteSet::range(first + 1, last - 1)),
                    Self::bytes(ByteSet::range(digits.0, digits.1), free, Some(free)),
                ]));
            }
            arms.push(Self::Join(vec![
                Self::literal(&[last]),
                Self::between(&vec![digits.0; high_rest.len()], high_rest, digits),
            ]));
            parts.push(Self::Alt(arms));
        }
        Self::Join(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;

    #[test]
    fn between_holds_exactly_the_strings_of_the_range() {
        for (low, high) in [(0, 0xffff), (0x00fe, 0x0102), (0x1234, 0x1234), (0x10ff, 0x1300)] {
            let lang = Lang::between(&u16::to_be_bytes(low), &u16::to_be_bytes(high), (0x00, 0xff));
            let dfa = Dfa::from_lang(&lang, Budget::default()).unwrap();
            for n in 0..=u16::MAX {
                assert_eq!(dfa.accepts(&n.to_be_bytes()), (low..=high).contains(&n), "{n:x}");
            }
        }
    }
}
