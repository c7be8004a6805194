//! An algebra of languages.

use crate::{ByteSet, Dfa};
use alloc::{boxed::Box, sync::Arc, vec::Vec};

/// A regular language of byte strings, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lang {
    /// One byte of a set.
    Class(ByteSet),
    /// The concatenations of one word of each language.
    Join(Vec<Lang>),
    /// The words of any of the languages.
    Alt(Vec<Lang>),
    /// The concatenations of `min` to `max` words of `of`.
    Repeat {
        /// The repeated language.
        of: Box<Lang>,
        /// The minimum number of repetitions.
        min: u32,
        /// The maximum number of repetitions; `None` is unlimited.
        max: Option<u32>,
    },
    /// The language of an automaton.
    Built(Arc<Dfa>),
}

impl Lang {
    /// Returns the language without words.
    #[must_use]
    pub const fn nothing() -> Self {
        Self::Alt(Vec::new())
    }

    /// Returns the language whose only word is empty.
    #[must_use]
    pub const fn empty_word() -> Self {
        Self::Join(Vec::new())
    }

    /// Returns the language whose only word is `bytes`.
    #[must_use]
    pub fn literal(bytes: &[u8]) -> Self {
        Self::Join(bytes.iter().map(|&byte| Self::Class(ByteSet::of(byte))).collect())
    }

    /// Returns the concatenations of `min` to `max` words of `of`.
    ///
    /// Merges nested repetitions if the result is equal: `(a{0,9}){0,3}` is `a{0,27}`. Nested
    /// counts would multiply the number of simultaneous states.
    #[must_use]
    pub fn repeat(of: Self, min: u32, max: Option<u32>) -> Self {
        if let Self::Repeat { of: inner, min: inner_min, max: inner_max } = &of
            && let Some((min, max)) = multiplied((*inner_min, *inner_max), (min, max))
        {
            return Self::Repeat { of: inner.clone(), min, max };
        }
        Self::Repeat { of: Box::new(of), min, max }
    }

    /// Returns `min` to `max` bytes of `class`.
    #[must_use]
    pub fn bytes(class: ByteSet, min: u32, max: Option<u32>) -> Self {
        Self::Repeat { of: Box::new(Self::Class(class)), min, max }
    }

    /// Returns the language of all byte strings.
    #[must_use]
    pub fn anything() -> Self {
        Self::bytes(ByteSet::ANY, 0, None)
    }
}

/// A range of counts; the second number is the maximum, if any.
type Counts = (u32, Option<u32>);

/// Returns the counts of a nested repetition, if they have no gaps and do not overflow.
///
/// `k` outer rounds give every count from `k * inner_min` to `k * inner_max`. The next round begins
/// at `(k + 1) * inner_min`, so the widest gap follows the smallest number of rounds.
fn multiplied((inner_min, inner_max): Counts, (min, max): Counts) -> Option<Counts> {
    let first_rounds = max.is_none_or(|max| max > min);
    let closes = match inner_max {
        Some(inner_max) => {
            (u64::from(min) + 1) * u64::from(inner_min) <= u64::from(min) * u64::from(inner_max) + 1
        }
        None => min > 0 || inner_min <= 1,
    };
    if first_rounds && !closes {
        return None;
    }
    let end = match (inner_max, max) {
        (Some(0), _) | (_, Some(0)) => Some(0),
        (Some(inner_max), Some(max)) => Some(inner_max.checked_mul(max)?),
        _ => None,
    };
    Some((inner_min.checked_mul(min)?, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_counts_are_the_sums_of_all_rounds() {
        for inner_min in 0..4_u32 {
            for inner_max in inner_min..5 {
                for min in 0..4_u32 {
                    for max in min..5 {
                        let mut counts: Vec<u32> = Vec::new();
                        for rounds in min..=max {
                            counts.extend(rounds * inner_min..=rounds * inner_max);
                        }
                        counts.sort_unstable();
                        counts.dedup();
                        let (first, last) = (counts[0], counts[counts.len() - 1]);
                        let whole = counts.len() as u32 == last - first + 1;
                        let expected = whole.then_some((first, Some(last)));
                        let found = multiplied((inner_min, Some(inner_max)), (min, Some(max)));
                        assert_eq!(found, expected, "({inner_min},{inner_max}) ({min},{max})");
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
