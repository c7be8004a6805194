//! Words in groups of a fixed size. A marker byte with the fill level follows each group.

use crate::{Budget, ByteSet, Dfa, OverBudget, nfa::Nfa};
use alloc::vec::Vec;

impl Dfa {
    /// Splits the words into groups of `size` bytes. FF follows each full group that is not the
    /// last. The last group is padded with 00, and followed by FF minus the number of padding
    /// bytes. A word whose length is a multiple of `size` ends with a group that contains only
    /// padding.
    ///
    /// The words can be parts of longer words: `before` bytes of the first group are already used
    /// (fewer than `size`). The last group is padded and marked only if `last` is set. Without
    /// `last`, FF still follows a group that becomes full.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn within_groups(
        &self,
        size: u8,
        before: u8,
        last: bool,
        budget: Budget,
    ) -> Result<Self, OverBudget> {
        let mut nfa = Nfa::new(budget);
        let end = nfa.add()?;
        nfa.states[end].accepting = true;
        // The padding and marker after a word, by the number of missing bytes in its group.
        let mut endings = Vec::new();
        for missing in 1..=size {
            let mut at = nfa.add()?;
            nfa.states[at].steps.push((ByteSet::of(0xff - missing), end));
            for _ in 0..missing {
                let before = nfa.add()?;
                nfa.states[before].steps.push((ByteSet::of(0), at));
                at = before;
            }
            endings.push(at);
        }
        endings.reverse();
        // A state is a state of the word and the fill level of the group. In a full group, only its
        // FF can follow.
        let places = usize::from(size) + 1;
        let base = nfa.states.len();
        for _ in 0..self.len().saturating_mul(places) {
            nfa.add()?;
        }
        let id = |state: u32, place: usize| base + state as usize * places + place;
        for state in self.states() {
            let steps = self.steps(state);
            nfa.meter.steps(256 + places * steps.len())?;
            for (place, &ending) in endings.iter().enumerate() {
                let node = &mut nfa.states[id(state, place)];
                if self.is_accepting(state) {
                    node.silent.push(if last { ending } else { end });
                }
                node.steps.extend(steps.iter().map(|(set, to)| (*set, id(*to, place + 1))));
            }
            let next = id(state, 0);
            let full = &mut nfa.states[id(state, usize::from(size))];
            full.steps.push((ByteSet::of(0xff), next));
        }
        nfa.start = id(self.start(), usize::from(before));
        Self::from_nfa(nfa)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regex::{parse_bytes, parse_text};

    fn grouped(pattern: &str) -> Dfa {
        let dfa = Dfa::from_lang(&parse_text(pattern).unwrap(), Budget::default()).unwrap();
        dfa.within_groups(2, 0, true, Budget::default()).unwrap()
    }

    #[test]
    fn every_word_ends_in_a_group_that_is_not_full() {
        let expected = r"\x00\x00\xfd|a\x00\xfe|aa\xff\x00\x00\xfd|aa\xffa\x00\xfe";
        let expected = Dfa::from_lang(&parse_bytes(expected).unwrap(), Budget::default());
        assert_eq!(grouped("a{0,3}"), expected.unwrap());
    }

    #[test]
    fn a_part_continues_a_group() {
        let dfa = Dfa::from_lang(&parse_text("a{0,3}").unwrap(), Budget::default()).unwrap();
        for (last, expected) in [
            (false, r"|a\xff|a\xffa|a\xffaa\xff"),
            (true, r"\x00\xfe|a\xff\x00\x00\xfd|a\xffa\x00\xfe|a\xffaa\xff\x00\x00\xfd"),
        ] {
            let expected = Dfa::from_lang(&parse_bytes(expected).unwrap(), Budget::default());
            assert_eq!(dfa.within_groups(2, 1, last, Budget::default()), expected);
        }
    }

    #[test]
    fn no_word_in_groups_is_a_prefix_of_another() {
        for pattern in ["a*", "[ab]{0,9}", r"(\x00|a)*"] {
            assert!(grouped(pattern).is_prefix_free(), "{pattern}");
        }
    }
}
