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

    /// At least `min` and at most `max` words of `of`, joined.
    ///
    /// A repetition of a repetition becomes one if it means the same: `(a{0,9}){0,3}` is `a{0,27}`.
    /// Nested counts would multiply the states that a word can be in at once.
    #[must_use]
    pub fn repeat(of: Self, min: u32, max: Option<u32>) -> Self {
        if let Self::Repeat { of: inner, min: least, max: most } = &of
            && let Some((min, max)) = multiplied((*least, *most), (min, max))
        {
            return Self::Repeat { of: inner.clone(), min, max };
        }
        Self::Repeat { of: Box::new(of), min, max }
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

/// Counts from the first to the second number, or without end.
type Counts = (u32, Option<u32>);

/// Returns the counts of a repetition of a repetition, if they have no gaps and fit.
///
/// `k` outer rounds give every count from `k * least` to `k * most`. The next round begins at
/// `(k + 1) * least`, so that a gap is widest after the fewest rounds.
fn multiplied((least, most): Counts, (min, max): Counts) -> Option<Counts> {
    let first_rounds = max.is_none_or(|max| max > min);
    let closes = match most {
        Some(most) => {
            (u64::from(min) + 1) * u64::from(least) <= u64::from(min) * u64::from(most) + 1
        }
        None => min > 0 || least <= 1,
    };
    if first_rounds && !closes {
        return None;
    }
    let end = match (most, max) {
        (Some(0), _) | (_, Some(0)) => Some(0),
        (Some(most), Some(max)) => Some(most.checked_mul(max)?),
        _ => None,
    };
    Some((least.checked_mul(min)?, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_counts_are_those_that_rounds_add_up_to() {
        for least in 0..4_u32 {
            for most in least..5 {
                for min in 0..4_u32 {
                    for max in min..5 {
                        let mut counts: Vec<u32> = Vec::new();
                        for rounds in min..=max {
                            counts.extend(rounds * least..=rounds * most);
                        }
                        counts.sort_unstable();
                        counts.dedup();
                        let (first, last) = (counts[0], counts[counts.len() - 1]);
                        let whole = counts.len() as u32 == last - first + 1;
                        let expected = whole.then_some((first, Some(last)));
                        let found = multiplied((least, Some(most)), (min, Some(max)));
                        assert_eq!(found, expected, "({least},{most}) ({min},{max})");
                    }
                }
            }
        }
        assert_eq!(multiplied((1, None), (0, Some(3))), Some((0, None)));
        assert_eq!(multiplied((2, None), (0, Some(3))), None);
        assert_eq!(multiplied((2, None), (1, None)), Some((2, None)));
        assert_eq!(multiplied((0, Some(1)), (0, None)), Some((0, None)));
        assert_eq!(multiplied((2, Some(2)), (0, None)), None);
        assert_eq!(multiplied((1, Some(1 << 20)), (1, Some(1 << 20))), None);
    }
}
