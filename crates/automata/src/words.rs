//! The shortest words of an automaton.

use crate::{Budget, ByteSet, DEAD, Dfa, OverBudget, StateId, budget::Meter, dfa::Parts};
use alloc::{
    collections::{BTreeSet, BinaryHeap},
    vec,
    vec::Vec,
};
use core::cmp::Reverse;

/// A prefix of a word: its state, its last byte, and the index of the shorter prefix.
struct Beginning {
    state: StateId,
    byte: u8,
    before: Option<usize>,
}

impl Dfa {
    /// Returns the number of words, up to `limit`.
    #[must_use]
    pub fn count_words(&self, limit: usize) -> usize {
        if self.is_empty() {
            return 0;
        }
        if self.longest().is_none() {
            return limit;
        }
        let mut sizes = [0_usize; 256];
        for &class in self.classes() {
            sizes[usize::from(class)] += 1;
        }
        // Backwards from the ends, so the counts of targets are known.
        let mut order: Vec<StateId> = self.states().collect();
        order.sort_unstable_by_key(|&state| self.farthest(state));
        let mut counts = vec![0_usize; self.len()];
        for state in order {
            let mut count = usize::from(self.is_accepting(state));
            for (&to, &size) in self.row(state).iter().zip(&sizes) {
                if to != DEAD {
                    count = count.saturating_add(size.saturating_mul(counts[to as usize]));
                }
            }
            counts[state as usize] = count;
        }
        counts[self.start() as usize].min(limit)
    }

    /// Returns all words, by length and then by bytes, if there are at most `limit`.
    #[must_use]
    pub fn few_words(&self, limit: usize) -> Option<Vec<Vec<u8>>> {
        let few = self.count_words(limit.saturating_add(1)) <= limit;
        few.then(|| self.words(limit))
    }

    /// Builds the automaton of a list of words.
    ///
    /// # Errors
    /// [`OverBudget`] if it needs more states than the budget allows.
    pub fn of_words(words: &[Vec<u8>], budget: Budget) -> Result<Self, OverBudget> {
        let mut meter = Meter::new(budget);
        let mut map = [0_u8; 256];
        let mut bytes = ByteSet::EMPTY;
        words.iter().flatten().for_each(|&byte| bytes.insert(byte));
        // Bytes that do not occur share a class.
        let width = bytes.len() + usize::from(bytes.len() < 256);
        for (class, byte) in bytes.iter().chain(bytes.complement().iter()).enumerate() {
            map[usize::from(byte)] = class.min(width - 1) as u8;
        }
        // A trie of the words.
        let mut table = vec![DEAD; width];
        let mut accepting = Vec::from([false]);
        for word in words {
            let mut at = 0;
            for &byte in word {
                let step = at * width + usize::from(map[usize::from(byte)]);
                if table[step] == DEAD {
                    table[step] = accepting.len() as StateId;
                    accepting.push(false);
                    meter.states(accepting.len())?;
                    meter.steps(width)?;
                    table.resize(accepting.len() * width, DEAD);
                }
                at = table[step] as usize;
            }
            accepting[at] = true;
        }
        Self::from_parts(Parts { map, width, table, accepting }, &mut meter)
    }

    /// Returns the shortest words, at most `limit`, by length and then by bytes. Words of the
    /// greatest returned length may be missing; shorter ones are complete.
    ///
    /// Prefixes are continued in the order of the shortest word that each can become. So every byte
    /// leads to a word, and a bounded language ends the search.
    #[must_use]
    pub fn words(&self, limit: usize) -> Vec<Vec<u8>> {
        let mut words = Vec::new();
        if self.is_empty() {
            return words;
        }
        let mut beginnings = Vec::from([Beginning { state: self.start(), byte: 0, before: None }]);
        // By length of the word, then deepest first, which keeps the number of open prefixes small.
        let mut open = BinaryHeap::from([(Reverse(self.nearest(self.start())), 0_u32, Reverse(0))]);
        // The current word length, and a lower bound of the open prefixes that become a word of
        // this length. If these suffice, longer words are not searched.
        let (mut length, mut certain) = (self.nearest(self.start()), 1);
        while words.len() < limit
            && let Some((Reverse(total), depth, Reverse(at))) = open.pop()
        {
            if total != length {
                let same = open.iter().filter(|(Reverse(other), ..)| *other == total);
                (length, certain) = (total, same.count() + 1);
            }
            certain -= 1;
            let state = beginnings[at].state;
            if total == depth {
                words.push(spelled(&beginnings, at));
            }
            for byte in self.next_bytes(state).iter() {
                let to = self.step(state, byte);
                debug_assert_ne!(to, DEAD);
                let total = (depth + 1).saturating_add(self.nearest(to));
                if total == length {
                    certain += 1;
                } else if words.len() + certain >= limit {
                    continue;
                }
                open.push((Reverse(total), depth + 1, Reverse(beginnings.len())));
                beginnings.push(Beginning { state: to, byte, before: Some(at) });
            }
        }
        words.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        words
    }

    /// Returns the fewest bytes of a word and a longer word that begins with it, in total; `None`
    /// if no word is a prefix of another.
    #[must_use]
    pub fn shortest_nested(&self) -> Option<usize> {
        let mut seen = BTreeSet::from([self.start()]);
        let mut layer = Vec::from([self.start()]);
        let mut best: Option<usize> = None;
        for depth in 0_usize.. {
            if layer.is_empty() || best.is_some_and(|best| best <= 2 * depth) {
                break;
            }
            let mut next = Vec::new();
            for &state in &layer {
                for (_, to) in self.steps(state) {
                    if self.is_accepting(state) {
                        let total = 2 * depth + 1 + self.nearest(to) as usize;
                        best = Some(best.map_or(total, |known| known.min(total)));
                    }
                    if seen.insert(to) {
                        next.push(to);
                    }
                }
            }
            layer = next;
        }
        best
    }
}

fn spelled(beginnings: &[Beginning], end: usize) -> Vec<u8> {
    let mut word = Vec::new();
    let mut at = &beginnings[end];
    while let Some(before) = at.before {
        word.push(at.byte);
        at = &beginnings[before];
    }
    word.reverse();
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lang, regex::parse_bytes};

    fn dfa(pattern: &str) -> Dfa {
        Dfa::from_lang(&parse_bytes(pattern).unwrap(), Budget::default()).unwrap()
    }

    #[test]
    fn words_come_shortest_first() {
        assert_eq!(dfa("b|a|ab").words(10), [&b"a"[..], b"b", b"ab"]);
        assert_eq!(dfa("x*").words(3), [&b""[..], b"x", b"xx"]);
        assert!(dfa("[a&&b]").words(3).is_empty() && dfa("a").words(0).is_empty());
    }

    #[test]
    fn words_that_are_listed_are_the_language() {
        let of = |words: &[&[u8]]| {
            let words: Vec<Vec<u8>> = words.iter().map(|word| word.to_vec()).collect();
            Dfa::of_words(&words, Budget::default()).unwrap()
        };
        assert_eq!(of(&[b"ab", b"", b"abc", b"b", b"ab"]), dfa("|ab|abc|b"));
        assert_eq!((of(&[]), of(&[b""])), (dfa("[a&&b]"), dfa("")));
        let all: Vec<Vec<u8>> = (0..=255).map(|byte| Vec::from([byte])).collect();
        assert_eq!(Dfa::of_words(&all, Budget::default()), Ok(dfa("(?s).")));
        let small = Budget { states: 3, ..Budget::default() };
        assert!(Dfa::of_words(&[Vec::from(*b"abc")], small).is_err());
    }

    #[test]
    fn the_shortest_word_within_another_is_found() {
        for (pattern, expected) in [
            ("b|a|ab", Some(3)),
            ("x*", Some(1)),
            ("abcd?|(xy)+", Some(6)),
            ("a|b", None),
            ("[a&&b]", None),
        ] {
            assert_eq!(dfa(pattern).shortest_nested(), expected, "{pattern}");
        }
    }

    #[test]
    fn words_are_found_if_most_bytes_lead_back_to_one_state() {
        for pattern in ["(?s).*b", "(?s).{3}|.*b"] {
            let lengths: Vec<usize> = dfa(pattern).words(258).iter().map(Vec::len).collect();
            assert_eq!((lengths[0], lengths[1], lengths[256], lengths[257]), (1, 2, 2, 3));
        }
    }

    #[test]
    fn no_shorter_word_is_missing() {
        let dfa = dfa("[ab]{0,3}c?|[x-z]{2}");
        let all = dfa.words(1000);
        for limit in 0..all.len() {
            let some = dfa.words(limit);
            let longest = some.iter().map(Vec::len).max().unwrap_or(0);
            let shorter = |words: &[Vec<u8>]| words.iter().filter(|w| w.len() < longest).count();
            assert_eq!((some.len(), shorter(&some)), (limit, shorter(&all)));
        }
    }

    #[test]
    fn long_words_are_counted_at_once() {
        let lang = Lang::bytes(ByteSet::ANY, 4000, Some(5000));
        let dfa = Dfa::from_lang(&lang, Budget::default()).unwrap();
        assert_eq!(dfa.count_words(257), 257);
        assert_eq!(dfa.few_words(256), None);
    }

    #[test]
    fn words_are_counted_as_they_are_listed() {
        for pattern in ["", "a", "[ab]{0,3}c?|[x-z]{2}", "a(b|cd?)[0-9]", "a|ab|abc", "[a&&b]"] {
            let dfa = dfa(pattern);
            let all = dfa.words(1000);
            for limit in [0, 1, 2, all.len(), all.len() + 1, 1000] {
                assert_eq!(dfa.count_words(limit), all.len().min(limit), "{pattern}");
            }
            assert_eq!(dfa.few_words(all.len()).as_ref(), Some(&all), "{pattern}");
            let fewer = all.len().checked_sub(1).and_then(|fewer| dfa.few_words(fewer));
            assert_eq!(fewer, None, "{pattern}");
        }
        assert_eq!((dfa("x*").count_words(9), dfa("x*").few_words(9)), (9, None));
    }
}
