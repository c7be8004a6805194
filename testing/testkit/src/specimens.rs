//! Sample values and words of a codec, for the laws.

use fastrand::Rng;
use keyscape_automata::{Budget, DEAD, Dfa};
use keyscape_codec::{Codec, IntRange, Kind, Language, Uint, Value};
use std::{ops::Range, sync::Arc};

/// The samples of one codec.
pub(crate) struct Specimens<'a> {
    pub(crate) codec: &'a dyn Codec,
    pub(crate) text: String,
    /// Accepts every encoding.
    pub(crate) over: Arc<Dfa>,
    /// Accepts encodings only.
    pub(crate) under: Arc<Dfa>,
    /// Values and their encodings.
    pub(crate) encoded: Vec<(Value, Vec<u8>)>,
    /// The shortest words of the language, complete up to some length.
    pub(crate) words: Vec<Vec<u8>>,
    /// Whether the codec claims that no encoding is a prefix of another.
    pub(crate) prefix_free: bool,
    random: Rng,
}

const WORDS: usize = 2000;
const WALKS: usize = 150;
const DRAWN: usize = 150;

impl<'a> Specimens<'a> {
    pub(crate) fn of(codec: &'a dyn Codec) -> Self {
        let text = codec.text();
        let language = codec.language(Budget::default());
        let language = language.unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut prefix_free = false;
        let (over, under) = match language {
            Language::Exact(dfa) => (Arc::clone(&dfa), dfa),
            Language::Between { over, under, prefix_free: known } => {
                prefix_free = known;
                (over, Arc::clone(&under))
            }
        };
        let words = under.words(WORDS);
        let random = Rng::with_seed(1);
        let encoded = Vec::new();
        prefix_free |= over.is_prefix_free();
        let mut this = Self { codec, text, over, under, encoded, words, prefix_free, random };
        let mut values = codec.samples();
        assert!(!values.is_empty(), "{}: there are no samples", this.text);
        assert!(values.len() <= 1200, "{}: {} samples", this.text, values.len());
        values.extend(this.drawn());
        for value in values {
            let mut bytes = Vec::new();
            codec
                .encode(&value, &mut bytes)
                .unwrap_or_else(|error| panic!("{}: {value:?}: {error}", this.text));
            this.encoded.push((value, bytes));
        }
        this
    }

    pub(crate) fn exact(&self) -> bool {
        Arc::ptr_eq(&self.over, &self.under)
    }

    /// Draws a random number of random bytes.
    pub(crate) fn noise(&mut self, count: Range<usize>) -> Vec<u8> {
        (0..self.random.usize(count)).map(|_| self.random.u8(..)).collect()
    }

    /// Draws random values of the domain: numbers from their range, others through their words.
    fn drawn(&mut self) -> Vec<Value> {
        (0..DRAWN)
            .filter_map(|_| match (self.codec.integers(), self.codec.kind()) {
                (Some(IntRange::Unsigned { low, high }), _) => {
                    let drawn = Uint::from_words(self.random.u128(..), self.random.u128(..));
                    let count = (high - low).checked_add(Uint::ONE);
                    Some(Value::Uint(count.map_or(drawn, |count| low + drawn % count)))
                }
                (Some(IntRange::Signed { low, high }), _) => {
                    Some(Value::Int(self.random.i128(low..=high)))
                }
                (None, Kind::Float) => {
                    let float = f64::from_bits(self.random.u64(..));
                    let allowed = !float.is_nan() && float.to_bits() != (-0.0_f64).to_bits();
                    allowed.then_some(Value::Float(float))
                }
                (None, _) => {
                    let word = self.walk();
                    self.codec.decode(&word).ok()
                }
            })
            .collect()
    }

    /// Draws random words of the lower automaton.
    pub(crate) fn walks(&mut self) -> Vec<Vec<u8>> {
        (0..WALKS).map(|_| self.walk()).collect()
    }

    fn walk(&mut self) -> Vec<u8> {
        let choices = self.noise(1..60);
        let dfa = &self.under;
        let mut word = Vec::new();
        let mut at = dfa.start();
        for choice in choices {
            if dfa.is_accepting(at) && choice % 8 == 7 {
                return word;
            }
            let wanted = (0..=255_u8).map(|step| choice.wrapping_add(step));
            let Some(byte) = wanted.into_iter().find(|&byte| dfa.step(at, byte) != DEAD) else {
                return word;
            };
            word.push(byte);
            at = dfa.step(at, byte);
        }
        word.extend(dfa.shortest_from(at));
        word
    }
}
