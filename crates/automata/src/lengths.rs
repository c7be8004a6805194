//! Sets of lengths.
//!
//! Lengths are stored as arithmetic progressions (from 2 to 510 by twos), so the size of a set
//! depends on the number of progressions, not on the number of lengths. Of the lengths at or above
//! a cap, only the least is stored.

use crate::{Meter, OverBudget};
use alloc::vec::Vec;
use core::ops::RangeInclusive;

/// The maximum number of progressions in a set.
const MAX_PROGRESSIONS: usize = 1 << 12;

/// The elementary steps of sorting and joining a progression.
const STEPS_PER_PROGRESSION: usize = 8;

/// The lengths `first`, `first + step`, …, `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Progression {
    pub(crate) first: u64,
    /// At least 1; 1 for a single length.
    pub(crate) step: u64,
    pub(crate) last: u64,
}

impl Progression {
    pub(crate) const fn one(length: u64) -> Self {
        Self { first: length, step: 1, last: length }
    }

    const fn count(&self) -> u64 {
        (self.last - self.first) / self.step + 1
    }

    const fn contains(&self, length: u64) -> bool {
        self.first <= length
            && length <= self.last
            && (length - self.first).is_multiple_of(self.step)
    }

    /// Returns the least length that is not below `least`.
    pub(crate) const fn from(&self, least: u64) -> Option<u64> {
        if least <= self.first {
            return Some(self.first);
        }
        let steps = (least - self.first).div_ceil(self.step);
        let length = self.first + steps * self.step;
        if length <= self.last { Some(length) } else { None }
    }

    const fn shifted(&self, by: u64) -> Self {
        Self { first: self.first + by, step: self.step, last: self.last + by }
    }

    /// Appends all sums of a length of `self` and a length of `other`, in few progressions.
    fn plus(self, other: Self, sums: &mut Vec<Self>) {
        let (fine, coarse) = if self.step <= other.step { (self, other) } else { (other, self) };
        let closes =
            coarse.step.is_multiple_of(fine.step) && fine.count() >= coarse.step / fine.step;
        if fine.step == coarse.step || closes && fine.count() > 1 {
            sums.push(Self {
                first: fine.first + coarse.first,
                step: fine.step,
                last: fine.last + coarse.last,
            });
            return;
        }
        let (few, many) = if self.count() <= other.count() { (self, other) } else { (other, self) };
        // A set cannot hold more progressions.
        for index in 0..few.count().min(MAX_PROGRESSIONS as u64 + 1) {
            sums.push(many.shifted(few.first + index * few.step));
        }
    }
}

/// A set of lengths. Of the lengths at or above the cap, only the least is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lengths {
    cap: u64,
    /// Lengths below the cap, sorted by their first length.
    pub(crate) below: Vec<Progression>,
    /// The least length at or above the cap.
    pub(crate) reaching: Option<u64>,
}

impl Lengths {
    /// Returns the empty set.
    #[must_use]
    pub const fn none(cap: u64) -> Self {
        Self { cap, below: Vec::new(), reaching: None }
    }

    /// Returns a set with one length.
    #[must_use]
    pub fn one(length: u64, cap: u64) -> Self {
        let mut set = Self::none(cap);
        set.add(Progression::one(length));
        set
    }

    /// Returns the least length at or above the cap.
    #[must_use]
    pub const fn reaching(&self) -> Option<u64> {
        self.reaching
    }

    /// Whether the set contains a length. At or above the cap, only the least length is known.
    #[must_use]
    pub fn contains(&self, length: u64) -> bool {
        self.reaching == Some(length) || self.below.iter().any(|some| some.contains(length))
    }

    /// Returns all progressions. The least length at or above the cap is a progression of its own.
    fn every(&self) -> Vec<Progression> {
        self.below.iter().copied().chain(self.reaching.map(Progression::one)).collect()
    }

    pub(crate) fn add(&mut self, some: Progression) {
        if let Some(reaching) = some.from(self.cap) {
            self.reaching = Some(self.reaching.map_or(reaching, |known| known.min(reaching)));
        }
        if some.first < self.cap {
            let last = some.last.min(self.cap - 1);
            let last = some.first + (last - some.first) / some.step * some.step;
            let step = if last == some.first { 1 } else { some.step };
            self.below.push(Progression { first: some.first, step, last });
        }
    }

    /// Multiplies each length of a range by `times` and adds `added`. Returns a set with the new
    /// cap. The least length at or above the old cap must become the least length at or above the
    /// new cap.
    #[must_use]
    pub fn stretched(&self, range: RangeInclusive<u64>, times: u64, added: u64, cap: u64) -> Self {
        let mut set = Self::none(cap);
        let after = |length: u64| length.saturating_mul(times).saturating_add(added);
        for some in self.every() {
            let Some(first) = some.from(*range.start()).filter(|first| first <= range.end()) else {
                continue;
            };
            let last = first + (some.last.min(*range.end()) - first) / some.step * some.step;
            let step = if first == last { 1 } else { some.step.saturating_mul(times) };
            set.add(Progression { first: after(first), step, last: after(last) });
        }
        set
    }

    /// Returns the lengths up to `max`.
    pub(crate) fn within(self, max: u64) -> Self {
        let mut kept = Self::none(self.cap);
        for some in self.below.iter().filter(|some| some.first <= max) {
            let last = some.first + (some.last.min(max) - some.first) / some.step * some.step;
            kept.add(Progression { last, ..*some });
        }
        kept.reaching = self.reaching.filter(|&reaching| reaching <= max);
        kept
    }

    /// Joins progressions that continue each other.
    pub(crate) fn tidy(&mut self, meter: &mut Meter<'_>) -> Result<(), OverBudget> {
        meter.steps(STEPS_PER_PROGRESSION * self.below.len())?;
        self.below.sort_unstable();
        self.below.dedup();
        let mut joined: Vec<Progression> = Vec::new();
        for &next in &self.below {
            match joined.last_mut() {
                Some(last)
                    if last.contains(next.first) && last.contains(next.last) && {
                        next.count() == 1 || next.step.is_multiple_of(last.step)
                    } => {}
                Some(last)
                    if last.step == next.step
                        && (next.first - last.first).is_multiple_of(last.step)
                        && next.first <= last.last + last.step =>
                {
                    last.last = last.last.max(next.last);
                }
                // Two single lengths form a progression. After several lengths, the next one can
                // continue the progression.
                Some(last) if next.count() == 1 && last.count() == 1 => {
                    *last =
                        Progression { step: next.first - last.first, last: next.first, ..*last };
                }
                Some(last) if next.count() == 1 && next.first == last.last + last.step => {
                    last.last = next.first;
                }
                _ => joined.push(next),
            }
        }
        self.below = joined;
        match self.below.len() {
            0..=MAX_PROGRESSIONS => Ok(()),
            _ => Err(OverBudget { what: "kinds of key lengths", limit: MAX_PROGRESSIONS }),
        }
    }

    /// Returns the union of both sets.
    ///
    /// # Errors
    /// [`OverBudget`] if the result has too many progressions.
    pub fn union(mut self, other: &Self, meter: &mut Meter<'_>) -> Result<Self, OverBudget> {
        self.below.extend(&other.below);
        self.reaching = self.reaching.into_iter().chain(other.reaching).min();
        self.tidy(meter)?;
        Ok(self)
    }

    /// Returns all sums of a length of this set and a length of `other`.
    ///
    /// # Errors
    /// [`OverBudget`] if the result has too many progressions.
    pub fn plus(&self, other: &Self, meter: &mut Meter<'_>) -> Result<Self, OverBudget> {
        let mut sums = Self::none(self.cap);
        let others = other.every();
        for a in self.every() {
            let mut found = Vec::new();
            others.iter().for_each(|&b| a.plus(b, &mut found));
            meter.steps(others.len() + found.len())?;
            found.into_iter().for_each(|some| sums.add(some));
            if sums.below.len() > 4 * MAX_PROGRESSIONS {
                sums.tidy(meter)?;
            }
        }
        sums.tidy(meter)?;
        Ok(sums)
    }

    /// Returns the longest length of this set that together with a length of the other set makes
    /// `total`.
    ///
    /// # Errors
    /// [`OverBudget`] if the search takes too much work.
    pub fn longest_part(
        &self,
        total: u64,
        others: &Self,
        meter: &mut Meter<'_>,
    ) -> Result<Option<u64>, OverBudget> {
        let mut best = None;
        for rest in others.every() {
            for part in self.every() {
                // The shortest rest gives the longest part. Remainders repeat, so only as many
                // rests are tried as there are remainders.
                let mut at = rest.from(total.saturating_sub(part.last));
                meter.steps(1)?;
                for _ in 0..part.step {
                    meter.steps(1)?;
                    let Some(rest_length) = at.filter(|&length| length <= total) else { break };
                    if part.contains(total - rest_length) {
                        best = best.max(Some(total - rest_length));
                        break;
                    }
                    at = rest.from(rest_length + 1);
                }
            }
        }
        Ok(best)
    }
}
