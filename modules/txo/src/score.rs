//! Scores of sorted sets.
//!
//! Confirmed outputs come first, by height and index; then unconfirmed ones, by the nanosecond of
//! their arrival. [`Score`] is exact for every height, index and nanosecond, including height 0.
//! The reference has a floating-point number instead, which [`Documented`] decodes.

use crate::layout::txo::{MerkleState, Score};
use std::fmt;

/// Returns the score of a position in a block.
#[must_use]
pub fn confirmed(height: u32, index: u64) -> Score {
    Score::Confirmed { at: MerkleState { height, index } }
}

/// Returns the score of an arrival time, in nanoseconds since 1970.
#[must_use]
pub fn seen(nanoseconds: u64) -> Score {
    Score::Unconfirmed { nanoseconds }
}

/// Returns the position in the chain, if the score is confirmed.
#[must_use]
pub fn position(score: Score) -> Option<MerkleState> {
    match score {
        Score::Confirmed { at } => Some(at),
        Score::Unconfirmed { .. } => None,
    }
}

/// Returns the lowest score of a block: the start of a range from this height.
#[must_use]
pub fn from_height(height: u32) -> Score {
    confirmed(height, 0)
}

/// Returns the highest score of a block: the end of a range to this height.
#[must_use]
pub fn to_height(height: u32) -> Score {
    confirmed(height, u64::MAX)
}

/// Returns the score that the reference documents: the height plus a billionth for each index, or
/// seconds. Different scores may become equal, and indexes from a billion on become those of the
/// next block: see [`Documented::read`].
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "the loss is what the reference documents")]
pub fn documented(score: Score) -> f64 {
    match score {
        Score::Confirmed { at } => f64::from(at.height) + at.index as f64 / 1e9,
        Score::Unconfirmed { nanoseconds } => nanoseconds as f64 / 1e9,
    }
}

/// The time of the first block, in seconds; no arrival is earlier. The document distinguishes times
/// from heights by their size; no chain has that many blocks.
const FIRST_BLOCK: f64 = 1_231_006_505.0;

/// The number of indexes of one block that the documented score distinguishes from the next block.
const INDEXES: u64 = 1_000_000_000;

/// The range of exact scores of a documented score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Documented {
    /// All positions from `first` to `last`, in the order of the chain; equal if the score is
    /// exact.
    Confirmed {
        /// The lowest position with this score.
        first: MerkleState,
        /// The highest position with this score.
        last: MerkleState,
    },
    /// All nanoseconds from `first` to `last`; equal if the score is exact.
    Seen {
        /// The earliest nanosecond with this score.
        first: u64,
        /// The latest nanosecond with this score.
        last: u64,
    },
}

impl fmt::Display for Documented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Documented::Confirmed { first, last } => write!(
                f,
                "every position from height {}, index {} to height {}, index {}",
                first.height, first.index, last.height, last.index
            ),
            Documented::Seen { first, last } => {
                write!(f, "every nanosecond from {first} to {last}")
            }
        }
    }
}

/// A documented score without a unique exact score.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BadScore {
    /// No height and no time has this score.
    #[error("{0} is not a documented score: expected a height from 1, or a time")]
    Nothing(f64),
    /// Several positions or nanoseconds have this score.
    #[error("the documented score belongs to {0}")]
    Ambiguous(Documented),
}

impl Documented {
    /// Decodes a documented score. Scores below the time of the first block are heights, except 0,
    /// which the document treats as unconfirmed.
    ///
    /// ```
    /// use keyscape_txo::score::{Documented, confirmed};
    ///
    /// let known = Documented::read(850000.000000123)?;
    /// assert_eq!(known.exact()?, confirmed(850_000, 123));
    /// // From height 8388608 on, indexes share scores.
    /// assert!(Documented::read(8388608.000000002)?.exact().is_err());
    /// # Ok::<(), keyscape_txo::score::BadScore>(())
    /// ```
    ///
    /// # Errors
    /// [`BadScore::Nothing`].
    pub fn read(score: f64) -> Result<Documented, BadScore> {
        let nothing = BadScore::Nothing(score);
        if !score.is_finite() || score < 1.0 {
            return Err(nothing);
        }
        if score >= FIRST_BLOCK {
            let value = |nanoseconds| documented(seen(nanoseconds));
            let (first, last) = range_of(score, 0, u64::MAX, value).ok_or(nothing)?;
            return Ok(Documented::Seen { first, last });
        }
        // Positions numbered consecutively in the order of the chain.
        let position = |at: u64| MerkleState {
            height: u32::try_from(at / INDEXES).unwrap_or(u32::MAX),
            index: at % INDEXES,
        };
        let value = |at| documented(Score::Confirmed { at: position(at) });
        let end = u64::from(u32::MAX) * INDEXES;
        let (first, last) = range_of(score, INDEXES, end, value).ok_or(nothing)?;
        Ok(Documented::Confirmed { first: position(first), last: position(last) })
    }

    /// Returns the exact score, if it is unique.
    ///
    /// # Errors
    /// [`BadScore::Ambiguous`].
    pub fn exact(self) -> Result<Score, BadScore> {
        match self {
            Documented::Confirmed { first, last } if first == last => {
                Ok(Score::Confirmed { at: first })
            }
            Documented::Seen { first, last } if first == last => Ok(seen(first)),
            ambiguous => Err(BadScore::Ambiguous(ambiguous)),
        }
    }
}

/// Returns the first and the last number from `low` to `high` whose value is `score`. Values do not
/// decrease.
fn range_of(score: f64, low: u64, high: u64, value: impl Fn(u64) -> f64) -> Option<(u64, u64)> {
    let first = first_where(low, high, |at| value(at) >= score);
    let first = first.filter(|at| value(*at) == score)?;
    let after = first_where(first, high, |at| value(at) > score);
    Some((first, after.map_or(high, |at| at - 1)))
}

/// Bisects for the first number of a range from which on a condition holds.
fn first_where(low: u64, high: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    holds(low).then_some(low)
}
