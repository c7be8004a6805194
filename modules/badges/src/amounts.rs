//! Amounts over ranges of badge ids and ownership times.

use crate::{
    Error, Range, Ranges,
    error::check_limit,
    ranges::merge,
    values::{BadMessage, Balance, number, ranges, ranges_message},
};
use keyscape::U256;
use std::{cell::Cell, collections::BTreeMap, convert::Infallible, fmt};

/// The largest number of pieces of the amounts in an argument, each a range of ids and a range of
/// times.
const MAX_PIECES: usize = 4_096;
/// The number of additions, for each piece, within which the messages of an argument must be added
/// up. Disjoint messages need at most 12.
const ADDITIONS_PER_PIECE: usize = 64;

/// The amounts of one id by time.
type Times = Vec<(Range, U256)>;

/// An amount for every badge id and ownership time, 0 outside the listed ranges.
///
/// The representation is unique: ids and times are split only at changes of the amounts. Two values
/// are equal exactly if all their amounts are equal.
///
/// ```
/// use keyscape_badges::{Amounts, Range};
///
/// let ids = |start: u64, end: u64| Range::new(start, end);
/// let mut held = Amounts::of(5_u64, ids(1, 10)?, Range::ALL);
/// held = held.checked_sub(&Amounts::of(5_u64, ids(4, 6)?, Range::ALL))?;
/// held = held.checked_add(&Amounts::of(1_u64, ids(7, 10)?, Range::ALL))?;
/// assert_eq!(held.at(3_u64, 1_u64), 5_u128);
/// assert_eq!(held.at(4_u64, 1_u64), 0_u128);
/// assert_eq!(held.at(10_u64, 1_u64), 6_u128);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amounts(Vec<(Range, Times)>);

/// The reason why an operation on amounts is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AmountsError {
    /// The result would exceed 256 bits.
    #[error("the amount of a badge would exceed 2^256 - 1")]
    Overflow,
    /// The amount to subtract exceeds the existing amount.
    #[error("{asked} of a badge are needed, and {held} exist")]
    Short {
        /// The existing amount.
        held: U256,
        /// The amount to subtract.
        asked: U256,
    },
}

impl Amounts {
    /// Returns one amount for the given ids and times.
    #[must_use]
    pub fn of(
        amount: impl Into<U256>,
        ids: impl Into<Ranges>,
        times: impl Into<Ranges>,
    ) -> Amounts {
        let (amount, ids, times) = (amount.into(), ids.into(), times.into());
        if amount == U256::ZERO || times.is_empty() {
            return Amounts::default();
        }
        let times: Times = times.iter().map(|range| (range, amount)).collect();
        Amounts(ids.iter().map(|range| (range, times.clone())).collect())
    }

    /// Whether the amount is 0 everywhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the amount of one id at one time.
    #[must_use]
    pub fn at(&self, id: impl Into<U256>, time: impl Into<U256>) -> U256 {
        let (id, time) = (id.into(), time.into());
        let times = self.0.iter().find(|(range, _)| range.contains(id)).map(|(_, times)| times);
        let piece = times.and_then(|times| times.iter().find(|(range, _)| range.contains(time)));
        piece.map_or(U256::ZERO, |(_, amount)| *amount)
    }

    /// Returns each rectangle of ids and times with its amount, in order of id and time.
    pub fn iter(&self) -> impl Iterator<Item = (Range, Range, U256)> + '_ {
        self.0
            .iter()
            .flat_map(|(ids, times)| times.iter().map(|(times, amount)| (*ids, *times, *amount)))
    }

    /// Returns the ids with an amount above 0 at any time.
    #[must_use]
    pub fn ids(&self) -> Ranges {
        self.0.iter().map(|(range, _)| *range).collect()
    }

    /// Adds amounts.
    ///
    /// # Errors
    /// [`AmountsError::Overflow`].
    pub fn checked_add(&self, other: &Amounts) -> Result<Amounts, AmountsError> {
        self.combine(other, |a, b| a.checked_add(b).ok_or(AmountsError::Overflow))
    }

    /// Subtracts amounts.
    ///
    /// # Errors
    /// [`AmountsError::Short`].
    pub fn checked_sub(&self, other: &Amounts) -> Result<Amounts, AmountsError> {
        self.combine(other, |held, asked| {
            held.checked_sub(asked).ok_or(AmountsError::Short { held, asked })
        })
    }

    /// Subtracts amounts, with a minimum of 0.
    #[must_use]
    pub fn saturating_sub(&self, other: &Amounts) -> Amounts {
        self.map(other, U256::saturating_sub)
    }

    /// Returns the smaller of both amounts for each id and time.
    #[must_use]
    pub fn min(&self, other: &Amounts) -> Amounts {
        self.map(other, U256::min)
    }

    /// Whether no amount exceeds the amount of `other` for the same id and time.
    #[must_use]
    pub fn is_within(&self, other: &Amounts) -> bool {
        self.saturating_sub(other).is_empty()
    }

    /// Returns the amounts at the given ids and times.
    #[must_use]
    pub fn at_all(&self, ids: &Ranges, times: &Ranges) -> Amounts {
        self.min(&Amounts::of(U256::MAX, ids.clone(), times.clone()))
    }

    /// Moves all ids and all times up. Returns `None` if one would exceed 256 bits.
    #[must_use]
    pub fn shifted(&self, ids: U256, times: U256) -> Option<Amounts> {
        let pieces = self.0.iter().map(|(range, held)| {
            let held = held.iter().map(|(range, amount)| Some((range.shifted(times)?, *amount)));
            Some((range.shifted(ids)?, held.collect::<Option<Times>>()?))
        });
        Some(Amounts(pieces.collect::<Option<Vec<_>>>()?))
    }

    fn map(&self, other: &Amounts, f: impl Fn(U256, U256) -> U256) -> Amounts {
        match self.combine(other, |a, b| Ok::<_, Infallible>(f(a, b))) {
            Ok(amounts) => amounts,
            Err(never) => match never {},
        }
    }

    fn combine<E>(
        &self,
        other: &Amounts,
        f: impl Fn(U256, U256) -> Result<U256, E>,
    ) -> Result<Amounts, E> {
        let pieces = merge(&self.0, &other.0, |left, right| {
            let (left, right) =
                (left.map_or(&[][..], Vec::as_slice), right.map_or(&[][..], Vec::as_slice));
            let times = merge(left, right, |a, b| {
                let amount = f(a.copied().unwrap_or(U256::ZERO), b.copied().unwrap_or(U256::ZERO))?;
                Ok((amount != U256::ZERO).then_some(amount))
            })?;
            Ok((!times.is_empty()).then_some(times))
        })?;
        Ok(Amounts(pieces))
    }

    /// Returns the amounts as messages: one for each amount and set of times, with all ids that
    /// have this amount at these times. Equal values have equal messages.
    #[must_use]
    pub fn to_messages(&self) -> Vec<Balance> {
        let mut groups: BTreeMap<(U256, Ranges), Vec<Range>> = BTreeMap::new();
        for (ids, times) in &self.0 {
            let mut by_amount: BTreeMap<U256, Vec<Range>> = BTreeMap::new();
            for (range, amount) in times {
                by_amount.entry(*amount).or_default().push(*range);
            }
            for (amount, times) in by_amount {
                groups.entry((amount, times.into_iter().collect())).or_default().push(*ids);
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, ids)| ids.first().copied());
        let messages = groups.into_iter().map(|((amount, times), ids)| Balance {
            amount: amount.to_string(),
            ownership_times: ranges_message(&times),
            badge_ids: ranges_message(&ids.into_iter().collect()),
        });
        messages.collect()
    }

    /// Adds up messages. Ranges may touch, overlap and be in any order.
    ///
    /// # Errors
    /// [`BadMessage`] if a number or a range is malformed, or an amount exceeds 256 bits.
    pub fn from_messages(messages: &[Balance]) -> Result<Amounts, BadMessage> {
        add_up(messages, &|a: U256, b| a.checked_add(b).ok_or(BadMessage::Overflow))
    }

    /// Adds up messages of an argument. The messages and their sum have a limited number of pieces:
    /// the sum of overlapping rectangles can have the square of their number.
    pub(crate) fn from_new_messages(
        subject: &'static str,
        messages: &[Balance],
    ) -> Result<Amounts, Error> {
        let pieces = messages
            .iter()
            .map(|message| message.badge_ids.len().saturating_mul(message.ownership_times.len()));
        check_limit(subject, pieces.fold(0, usize::saturating_add), MAX_PIECES)?;
        let additions = Cell::new(0);
        let sum = add_up(messages, &|a: U256, b| {
            additions.set(additions.get() + 1);
            check_limit(subject, additions.get() / ADDITIONS_PER_PIECE, MAX_PIECES)?;
            a.checked_add(b).ok_or_else(|| Error::from(BadMessage::Overflow))
        })?;
        sum.check_size(subject)?;
        Ok(sum)
    }

    /// Rejects ids and times that have too many pieces together.
    pub(crate) fn check_pieces(
        subject: &'static str,
        ids: &Ranges,
        times: &Ranges,
    ) -> Result<(), Error> {
        let pieces = ids.iter().count().saturating_mul(times.iter().count());
        check_limit(subject, pieces, MAX_PIECES)
    }

    /// Rejects amounts of an argument that have too many pieces.
    pub(crate) fn check_size(&self, subject: &'static str) -> Result<(), Error> {
        check_limit(subject, self.iter().count(), MAX_PIECES)
    }
}

/// Adds up messages. Adding halves of equal size is cheaper than adding one message at a time.
fn add_up<E: From<BadMessage>>(
    messages: &[Balance],
    add: &impl Fn(U256, U256) -> Result<U256, E>,
) -> Result<Amounts, E> {
    match messages {
        [] => Ok(Amounts::default()),
        [message] => {
            let ids = ranges(&message.badge_ids)?;
            let times = ranges(&message.ownership_times)?;
            Ok(Amounts::of(number(&message.amount)?, ids, times))
        }
        _ => {
            let (left, right) = messages.split_at(messages.len() / 2);
            add_up(left, add)?.combine(&add_up(right, add)?, add)
        }
    }
}

impl fmt::Display for Amounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        for (index, (ids, times, amount)) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{amount} of {ids} at {times}")?;
        }
        Ok(())
    }
}
