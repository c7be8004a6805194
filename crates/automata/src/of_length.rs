//! The lengths of words, and words of a given length.

use crate::{
    Budget, DEAD, Dfa, Lengths, Meter, OverBudget, StateId, lengths::Progression, preferred_bytes,
    rows::Rows, state_lengths::StateLengths,
};
use alloc::{vec, vec::Vec};
use hashbrown::HashMap;

/// The states that words of each length reach, until the layers repeat or are empty.
struct Layers {
    layers: Vec<Vec<StateId>>,
    /// The index of the layer that equals the one after the last, if the layers repeat.
    back: Option<usize>,
}

impl Layers {
    /// Computes at most `max + 1` layers.
    fn new(dfa: &Dfa, max: u64, meter: &mut Meter<'_>) -> Result<Self, OverBudget> {
        let mut known: HashMap<Vec<StateId>, usize> = HashMap::new();
        let mut layers = Vec::new();
        let mut layer = vec![dfa.start()];
        loop {
            if let Some(&back) = known.get(&layer) {
                return Ok(Self { layers, back: Some(back) });
            }
            if layer.is_empty() || layers.len() as u64 > max {
                return Ok(Self { layers, back: None });
            }
            let mut next: Vec<StateId> = Vec::new();
            for &state in &layer {
                meter.steps(dfa.row(state).len())?;
                next.extend(dfa.targets(state));
            }
            meter.steps(4 * (layer.len() + next.len()))?;
            next.sort_unstable();
            next.dedup();
            known.insert(layer.clone(), layers.len());
            layers.push(core::mem::replace(&mut layer, next));
        }
    }

    /// Returns the index of the layer for a length.
    const fn index(&self, length: usize) -> usize {
        match self.back {
            Some(back) if length >= self.layers.len() => {
                back + (length - back) % (self.layers.len() - back)
            }
            _ => length,
        }
    }

    fn at(&self, length: usize) -> &[StateId] {
        self.layers.get(self.index(length)).map_or(&[], Vec::as_slice)
    }
}

impl Dfa {
    /// Returns the lengths of the words of at most `max` bytes.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many progressions.
    pub fn lengths(
        &self,
        max: Option<u64>,
        cap: u64,
        budget: Budget,
    ) -> Result<Lengths, OverBudget> {
        let max = max.unwrap_or(u64::MAX);
        let meter = &mut Meter::new(budget);
        if self.longest().is_some() {
            return Ok(StateLengths::new(self, cap, meter)?.of(self.start(), meter)?.within(max));
        }
        let mut set = Lengths::none(cap);
        let Layers { layers, back } = Layers::new(self, max.min(cap), meter)?;
        let period = back.map(|back| (back, (layers.len() - back) as u64));
        // Below the cap and one period above it; longer lengths do not matter.
        let end = max.min(cap.saturating_add(layers.len() as u64));
        for (length, layer) in layers.iter().enumerate() {
            let at = length as u64;
            if at > max || !layer.iter().any(|&state| self.is_accepting(state)) {
                continue;
            }
            set.add(match period {
                Some((back, step)) if length >= back => {
                    Progression { first: at, step, last: at + end.saturating_sub(at) / step * step }
                }
                _ => Progression::one(at),
            });
        }
        // Without a period, layers end after the cap, and the least length above it may be further
        // on.
        if back.is_none() && layers.len() as u64 > cap && set.reaching.is_none() {
            let further = self.least_length_from(&layers, max);
            set.reaching = further.filter(|&length| length <= max);
        }
        set.tidy(meter)?;
        Ok(set)
    }

    /// Returns the least length above that of all layers.
    fn least_length_from(&self, layers: &[Vec<StateId>], max: u64) -> Option<u64> {
        let last = layers.last()?;
        let nearest = last.iter().map(|&state| u64::from(self.nearest(state))).min()?;
        let length = (layers.len() as u64 - 1).checked_add(nearest)?;
        (length <= max).then_some(length)
    }

    /// Returns a word of exactly `length` bytes, with the most readable bytes.
    ///
    /// # Errors
    /// [`OverBudget`] if the search takes too much work.
    pub fn word_of_length(
        &self,
        length: usize,
        budget: Budget,
    ) -> Result<Option<Vec<u8>>, OverBudget> {
        let meter = &mut Meter::new(budget);
        if self.longest().is_some() {
            let lengths = StateLengths::new(self, length as u64 + 1, meter)?;
            let may =
                |state: StateId, left: usize| state != DEAD && lengths.contains(state, left as u64);
            return Ok(self.spelled(self.start(), length, &may));
        }
        let forward = Layers::new(self, length as u64, meter)?;
        // For each number of remaining bytes, from the end: the states of the layer that reach an
        // accepting state after that many bytes. Layers repeat, and so do these sets.
        let accepting = |state: &&StateId| self.is_accepting(**state);
        let ends: Vec<StateId> = forward.at(length).iter().filter(accepting).copied().collect();
        let mut sets = Rows::default();
        let mut left = Vec::from([sets.id(&ends)]);
        let mut known: HashMap<(usize, u32), u32> = HashMap::new();
        for at in (0..length).rev() {
            meter.steps(2)?;
            let next = left[left.len() - 1];
            let key = (forward.index(at), next);
            let id = match known.get(&key) {
                Some(&id) => id,
                None => {
                    let (layer, goals) = (forward.at(at), sets.get(next));
                    meter.steps(layer.len() * self.row(self.start()).len() * (goals.len() + 1))?;
                    let leads = |&&state: &&StateId| {
                        self.targets(state).any(|target| goals.contains(&target))
                    };
                    let kept: Vec<StateId> = layer.iter().filter(leads).copied().collect();
                    *known.entry(key).or_insert(sets.id(&kept))
                }
            };
            if sets.get(id).is_empty() {
                return Ok(None);
            }
            left.push(id);
        }
        let may = |state: StateId, bytes: usize| sets.get(left[bytes]).contains(&state);
        Ok(self.spelled(self.start(), length, &may))
    }

    /// Returns the word of `length` bytes from a state, with the most readable bytes, whose states
    /// satisfy `may` with the number of remaining bytes.
    pub(crate) fn spelled(
        &self,
        from: StateId,
        length: usize,
        may: &dyn Fn(StateId, usize) -> bool,
    ) -> Option<Vec<u8>> {
        let mut word = Vec::with_capacity(length);
        let mut state = from;
        if !may(state, length) {
            return None;
        }
        for left in (0..length).rev() {
            let goes_on = |&&byte: &&u8| may(self.step(state, byte), left);
            let byte = *preferred_bytes().iter().find(goes_on)?;
            word.push(byte);
            state = self.step(state, byte);
        }
        Some(word)
    }

    /// Returns the targets of a state; they may repeat.
    fn targets(&self, state: StateId) -> impl Iterator<Item = StateId> + '_ {
        self.row(state).iter().copied().filter(|&target| target != DEAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_dfa as dfa;

    const CAP: u64 = 40;

    fn lengths(dfa: &Dfa) -> Lengths {
        dfa.lengths(None, CAP, Budget::default()).unwrap()
    }

    const PATTERNS: [&str; 10] = [
        "",
        "a{3}",
        "[ab]{2,7}",
        "(aa)*",
        "(aaa)+|b{2,5}",
        "a{1,3}|b{9}|c{11,13}",
        "(a{7})*b{2}",
        "(ab){1,4}",
        "a{45,50}|b{2}",
        "(a{6}|b{10}|c{15})*",
    ];

    /// Enumerates all lengths one by one.
    fn counted(dfa: &Dfa) -> Vec<u64> {
        let mut layer = vec![dfa.start()];
        let mut found = Vec::new();
        for length in 0..200 {
            if layer.iter().any(|&state| dfa.is_accepting(state)) {
                found.push(length);
            }
            let mut next: Vec<StateId> = layer.iter().flat_map(|&s| dfa.targets(s)).collect();
            next.sort_unstable();
            next.dedup();
            layer = next;
        }
        found
    }

    fn assert_same(set: &Lengths, counted: &[u64], what: &str) {
        for length in 0..CAP {
            assert_eq!(set.contains(length), counted.contains(&length), "{what}: {length}");
        }
        let reaching = counted.iter().copied().filter(|&length| length >= CAP).min();
        assert_eq!(set.reaching(), reaching, "{what}");
    }

    #[test]
    fn sets_of_lengths_agree_with_counting() {
        for a in PATTERNS {
            let one = dfa(a);
            let meter = &mut Meter::new(Budget::default());
            assert_same(&lengths(&one), &counted(&one), a);
            for b in PATTERNS {
                let (x, y) = (counted(&one), counted(&dfa(b)));
                let sums = lengths(&one).plus(&lengths(&dfa(b)), meter).unwrap();
                let mut both: Vec<u64> = Vec::new();
                for &i in &x {
                    both.extend(y.iter().map(|j| i + j));
                }
                assert_same(&sums, &both, &alloc::format!("{a} and {b}"));
                let all = lengths(&one).union(&lengths(&dfa(b)), meter).unwrap();
                let either: Vec<u64> = x.iter().chain(&y).copied().collect();
                assert_same(&all, &either, &alloc::format!("{a} or {b}"));
                for total in 0..CAP {
                    let parts = x.iter().filter(|&&i| i <= total && y.contains(&(total - i)));
                    let found = lengths(&one).longest_part(total, &lengths(&dfa(b)), meter);
                    assert_eq!(found, Ok(parts.max().copied()), "{a} and {b}: {total}");
                }
            }
        }
    }

    #[test]
    fn words_have_the_requested_length() {
        for pattern in PATTERNS {
            let dfa = dfa(pattern);
            for length in 0..60 {
                let word = dfa.word_of_length(length, Budget::default()).unwrap();
                assert_eq!(word.is_some(), counted(&dfa).contains(&(length as u64)), "{pattern}");
                assert!(word.is_none_or(|w| w.len() == length && dfa.accepts(&w)), "{pattern}");
            }
        }
        let word = dfa("[a-z]*").word_of_length(100_000, Budget::default()).unwrap();
        assert_eq!(word.map(|word| word.len()), Some(100_000));
    }

    #[test]
    fn lengths_end_at_the_maximum() {
        let set = dfa("(ab)*").lengths(Some(41), CAP, Budget::default()).unwrap();
        assert_eq!((set.contains(38), set.reaching()), (true, Some(40)));
        let set = dfa("(ab)*").lengths(Some(39), CAP, Budget::default()).unwrap();
        assert_eq!((set.contains(38), set.reaching()), (true, None));
    }
}
