//! Sample words of a language.

use alloc::{collections::BTreeSet, vec::Vec};
use keyscape_automata::{DEAD, Dfa, StateId, preferred_bytes};

/// Returns short words first, then words from seeded random walks through the automaton.
pub(crate) fn sample_words(dfa: &Dfa) -> Vec<Vec<u8>> {
    let mut known = BTreeSet::new();
    let mut words = Vec::new();
    let mut add = |word: Vec<u8>| {
        if dfa.accepts(&word) && known.insert(word.clone()) {
            words.push(word);
        }
    };
    add(dfa.shortest_from(dfa.start()));
    dfa.words(SHORT).into_iter().for_each(&mut add);
    let mut seed = Seed(0x9e37_79b9_7f4a_7c15);
    for _ in 0..WALKS {
        add(walk(dfa, &mut seed));
    }
    words
}

const SHORT: usize = 96;
const WALKS: usize = 160;
/// After this many steps, a walk takes the shortest path to acceptance.
const STEPS: usize = 48;

struct Seed(u64);

impl Seed {
    /// Returns the next xorshift number. The words only need to be diverse and reproducible.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn walk(dfa: &Dfa, seed: &mut Seed) -> Vec<u8> {
    let mut word = Vec::new();
    let mut at = dfa.start();
    for _ in 0..STEPS {
        if dfa.is_accepting(at) && seed.next().is_multiple_of(6) {
            return word;
        }
        let Some(byte) = some_byte(dfa, at, seed) else { return word };
        word.push(byte);
        at = dfa.step(at, byte);
    }
    word.extend(dfa.shortest_from(at));
    word
}

/// Returns a byte that continues a word; every other time a readable one.
fn some_byte(dfa: &Dfa, at: StateId, seed: &mut Seed) -> Option<u8> {
    let choice = seed.next();
    let from =
        if choice.is_multiple_of(2) { (choice >> 8) as usize % 36 } else { (choice >> 8) as usize };
    let bytes = preferred_bytes().iter().cycle().skip(from % 256).take(256);
    bytes.copied().find(|&byte| dfa.step(at, byte) != DEAD)
}

/// Returns the bytes that continue words from a state, with their target states, the most readable
/// first.
pub(crate) fn choices(dfa: &Dfa, at: StateId) -> impl Iterator<Item = (u8, StateId)> {
    let steps = preferred_bytes().iter().map(move |&byte| (byte, dfa.step(at, byte)));
    steps.filter(|(_, target)| *target != DEAD)
}
