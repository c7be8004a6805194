//! The lengths of the paths from each state of an acyclic automaton to acceptance.
//!
//! If the table is small enough, it has one bit for every state and length. Sets of progressions
//! are the fallback, because intermediate sets can fragment even if the final set has few
//! progressions.

use crate::{DEAD, Dfa, Lengths, Meter, OverBudget, StateId, lengths::Progression};
use alloc::{vec, vec::Vec};

/// The maximum size of the table, in 64-bit words.
const MOST_WORDS: usize = 1 << 23;

/// The path lengths from each state to acceptance.
pub(crate) enum StateLengths {
    Bits(Bits),
    Sets(Vec<Lengths>),
}

/// A row of bits per state: the lengths below the cap.
pub(crate) struct Bits {
    cap: u64,
    /// Words per state.
    width: usize,
    words: Vec<u64>,
    /// For each state, the least length at or above the cap.
    reaching: Vec<Option<u64>>,
}

impl StateLengths {
    /// Computes the lengths of all states.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many progressions.
    pub(crate) fn new(dfa: &Dfa, cap: u64, meter: &mut Meter<'_>) -> Result<Self, OverBudget> {
        // Lengths above the longest word need no bits.
        let lengths = dfa.longest().map_or(u64::MAX, |longest| longest as u64 + 1).min(cap);
        let width = usize::try_from(lengths.div_ceil(64)).unwrap_or(usize::MAX);
        if width.saturating_mul(dfa.len()) > MOST_WORDS {
            return sets(dfa, cap, meter).map(Self::Sets);
        }
        let mut bits =
            Bits { cap, width, words: vec![0; width * dfa.len()], reaching: vec![None; dfa.len()] };
        let mut row = vec![0; width];
        bottom_up(dfa, |state, targets| {
            meter.steps((targets.len() + 2) * width)?;
            bits.find(dfa, state, targets, &mut row);
            Ok(())
        })?;
        Ok(Self::Bits(bits))
    }

    /// Whether a state has a path of this length, below the cap.
    pub(crate) fn contains(&self, state: StateId, length: u64) -> bool {
        match self {
            Self::Sets(sets) => sets[state as usize].contains(length),
            Self::Bits(bits) => {
                let word = usize::try_from(length / 64).unwrap_or(usize::MAX);
                let row = bits.row(state);
                row.get(word).is_some_and(|word| word >> (length % 64) & 1 == 1)
            }
        }
    }

    /// Returns the least path length from a state that is above `length` and below the cap.
    pub(crate) fn above(&self, state: StateId, length: u64) -> Option<u64> {
        let from = length.checked_add(1)?;
        match self {
            Self::Sets(sets) => {
                sets[state as usize].below.iter().filter_map(|some| some.from(from)).min()
            }
            Self::Bits(bits) => {
                let start = usize::try_from(from / 64).ok()?;
                let words = bits.row(state).iter().enumerate().skip(start);
                let mut ahead = words.map(|(at, &word)| {
                    let skipped = if at == start { from % 64 } else { 0 };
                    (at, word & u64::MAX << skipped)
                });
                let (at, word) = ahead.find(|(_, word)| *word != 0)?;
                Some(at as u64 * 64 + u64::from(word.trailing_zeros()))
            }
        }
    }

    /// Returns the lengths from one state.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many progressions.
    pub(crate) fn of(
        mut self,
        state: StateId,
        meter: &mut Meter<'_>,
    ) -> Result<Lengths, OverBudget> {
        let bits = match &mut self {
            Self::Sets(sets) => return Ok(sets.swap_remove(state as usize)),
            Self::Bits(bits) => bits,
        };
        let mut set = Lengths::none(bits.cap);
        for (index, &word) in bits.row(state).iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let length = index as u64 * 64 + u64::from(word.trailing_zeros());
                set.add(Progression::one(length));
                word &= word - 1;
            }
        }
        let reaching = bits.reaching[state as usize];
        set.reaching = set.reaching.into_iter().chain(reaching).min();
        set.tidy(meter)?;
        Ok(set)
    }
}

impl Bits {
    fn row(&self, state: StateId) -> &[u64] {
        let at = state as usize * self.width;
        &self.words[at..at + self.width]
    }

    /// Computes the lengths of a state: the lengths of its targets plus one. `row` is scratch
    /// space.
    fn find(&mut self, dfa: &Dfa, state: StateId, targets: &[StateId], row: &mut [u64]) {
        row.fill(0);
        let mut reaching: Option<u64> = None;
        for &target in targets {
            let mut carry = 0;
            for (sum, &word) in row.iter_mut().zip(self.row(target)) {
                *sum |= word << 1 | carry;
                carry = word >> 63;
            }
            // A path of the last length below the cap reaches the cap with one more step.
            if self.has_last(target) {
                reaching = reaching.into_iter().chain([self.cap]).min();
            }
            let further = self.reaching[target as usize].map(|length| length + 1);
            reaching = reaching.into_iter().chain(further).min();
        }
        if dfa.is_accepting(state) {
            match row.first_mut().filter(|_| self.cap > 0) {
                Some(first) => *first |= 1,
                None => reaching = Some(0),
            }
        }
        // Lengths at or above the cap have no bit.
        let over = (self.width as u64 * 64).saturating_sub(self.cap);
        if let Some(last) = row.last_mut().filter(|_| over > 0) {
            *last &= u64::MAX >> over;
        }
        let at = state as usize * self.width;
        self.words[at..at + self.width].copy_from_slice(row);
        self.reaching[state as usize] = reaching;
    }

    fn has_last(&self, state: StateId) -> bool {
        let Some(last) = self.cap.checked_sub(1) else { return false };
        let word = usize::try_from(last / 64).ok().and_then(|word| self.row(state).get(word));
        word.is_some_and(|word| word >> (last % 64) & 1 == 1)
    }
}

/// Computes the lengths as sets of progressions.
fn sets(dfa: &Dfa, cap: u64, meter: &mut Meter<'_>) -> Result<Vec<Lengths>, OverBudget> {
    let one = Lengths::one(1, cap);
    let mut sets = vec![Lengths::none(cap); dfa.len()];
    bottom_up(dfa, |state, targets| {
        let mut joined = Lengths::none(cap);
        for &target in targets {
            let set = &sets[target as usize];
            joined.below.extend(&set.below);
            joined.reaching = joined.reaching.into_iter().chain(set.reaching).min();
        }
        joined.tidy(meter)?;
        let mut set = joined.plus(&one, meter)?;
        if dfa.is_accepting(state) {
            set = set.union(&Lengths::one(0, cap), meter)?;
        }
        sets[state as usize] = set;
        Ok(())
    })?;
    Ok(sets)
}

/// Visits every state after its targets. Passes the targets without duplicates.
fn bottom_up(
    dfa: &Dfa,
    mut visit: impl FnMut(StateId, &[StateId]) -> Result<(), OverBudget>,
) -> Result<(), OverBudget> {
    let mut done = vec![false; dfa.len()];
    let mut stack = vec![dfa.start()];
    let mut targets: Vec<StateId> = Vec::new();
    while let Some(&state) = stack.last() {
        targets.clear();
        targets.extend(dfa.row(state).iter().filter(|&&target| target != DEAD));
        if let Some(&open) = targets.iter().find(|&&target| !done[target as usize]) {
            stack.push(open);
            continue;
        }
        stack.pop();
        targets.sort_unstable();
        targets.dedup();
        visit(state, &targets)?;
        done[state as usize] = true;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, regex::parse_text};

    #[test]
    fn bits_and_sets_are_the_same() {
        for pattern in
            ["", "a{3}", "[ab]{2,7}", "a{1,3}|b{9}|c{11,13}", "(ab){1,70}", "a{63,66}|b{130}"]
        {
            let dfa = Dfa::from_lang(&parse_text(pattern).unwrap(), Budget::default()).unwrap();
            let meter = &mut Meter::new(Budget::default());
            for cap in [1, 2, 7, 63, 64, 65, 128, 200] {
                let bits = StateLengths::new(&dfa, cap, meter).unwrap();
                assert!(matches!(bits, StateLengths::Bits(_)));
                let sets = StateLengths::Sets(sets(&dfa, cap, meter).unwrap());
                for state in dfa.states() {
                    for length in 0..cap {
                        let (one, other) =
                            (bits.contains(state, length), sets.contains(state, length));
                        assert_eq!(one, other, "{pattern} {cap}: {length}");
                        let next = (length + 1..cap).find(|&next| bits.contains(state, next));
                        let above = (bits.above(state, length), sets.above(state, length));
                        assert_eq!(above, (next, next), "{pattern} {cap}: above {length}");
                    }
                }
                let (one, other) = (bits.of(0, meter).unwrap(), sets.of(0, meter).unwrap());
                assert_eq!(one.reaching(), other.reaching(), "{pattern} {cap}");
                for length in 0..cap {
                    assert_eq!(one.contains(length), other.contains(length), "{pattern} {cap}");
                }
            }
        }
    }
}
