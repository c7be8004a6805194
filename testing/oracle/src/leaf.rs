//! All values of a leaf, by trying every candidate.

use keyscape_codec::{Codec, IntRange, Kind, Uint, Value};
use std::{cmp::Ordering, collections::HashMap};

/// The bytes that generated layouts use in text and bytes.
const ALPHABET: [u8; 10] = [0x00, 0x01, b'-', b'0', b'1', b'a', b'b', 0x80, 0xfe, 0xff];
/// The longest text or bytes, before they are wrapped.
const LONGEST: usize = 3;
/// The longest text or bytes that repeat one byte.
const LONGEST_RUN: usize = 9;
/// The most integers of one leaf.
const MOST_INTEGERS: i128 = 256;

/// The largest integer of a pair.
const MOST_OF_PAIR: u8 = 31;

/// A value with its encoding.
pub type Word = (Value, Vec<u8>);

/// The words of the leaves that have been met, by the text of their codec.
#[derive(Debug, Default)]
pub struct Words(HashMap<String, Option<Vec<Word>>>);

impl Words {
    /// All words of a leaf; `None` if it cannot be enumerated.
    pub fn of(&mut self, codec: &dyn Codec) -> Option<&[Word]> {
        let entry = self.0.entry(codec.text());
        entry.or_insert_with(|| enumerate(codec)).as_deref()
    }
}

fn enumerate(codec: &dyn Codec) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    for value in candidates(codec)? {
        let mut word = Vec::new();
        if codec.encode(&value, &mut word).is_ok() {
            words.push((value, word));
        }
    }
    // What the codec itself offers must be among them, or the candidates were not enough.
    let known = |value: &Value| words.iter().any(|(other, _)| other == value);
    codec.samples().iter().all(known).then_some(words)
}

fn candidates(codec: &dyn Codec) -> Option<Vec<Value>> {
    match (codec.kind(), codec.integers()) {
        (_, Some(IntRange::Unsigned { low, high })) => {
            let count = high - low;
            let few = count <= Uint::new(MOST_INTEGERS.unsigned_abs());
            few.then(|| (0..=count.as_u64()).map(|n| Value::Uint(low + Uint::from(n))).collect())
        }
        (_, Some(IntRange::Signed { low, high })) => {
            (high - low <= MOST_INTEGERS).then(|| (low..=high).map(Value::Int).collect())
        }
        (Kind::Text, None) => {
            let texts = strings().into_iter().filter_map(|bytes| String::from_utf8(bytes).ok());
            Some(texts.map(Value::Text).collect())
        }
        (Kind::Bool, None) => Some(vec![Value::Bool(false), Value::Bool(true)]),
        (Kind::Pair, None) => {
            let pairs = (0..=MOST_OF_PAIR).flat_map(|a| (0..=MOST_OF_PAIR).map(move |b| (a, b)));
            Some(pairs.map(|(a, b)| Value::Pair(Uint::from(a), Uint::from(b))).collect())
        }
        (Kind::Bytes, None) => Some(strings().into_iter().map(Value::Bytes).collect()),
        _ => None,
    }
}

/// All byte strings of at most one byte, all longer ones over the alphabet, up to the longest, and
/// then one byte over and over again.
fn strings() -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    all.extend((0..=255).map(|byte| vec![byte]));
    let mut longest: Vec<Vec<u8>> = ALPHABET.map(|byte| vec![byte]).to_vec();
    for _ in 1..LONGEST {
        let mut longer = Vec::new();
        for string in &longest {
            for byte in ALPHABET {
                longer.push([string.as_slice(), &[byte]].concat());
            }
        }
        all.extend(longer.iter().cloned());
        longest = longer;
    }
    for count in LONGEST + 1..=LONGEST_RUN {
        all.extend(ALPHABET.map(|byte| vec![byte; count]));
    }
    all
}

/// The logical order of two values of a leaf: by value or by bytes, turned round by each `desc`.
#[must_use]
pub(crate) fn compare(codec: &dyn Codec, a: &Value, b: &Value) -> Ordering {
    let order = match (a, b) {
        (Value::Uint(a), Value::Uint(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Pair(a, b), Value::Pair(c, d)) => (a, b).cmp(&(c, d)),
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        _ => Ordering::Equal,
    };
    let turns = codec.text().matches("desc(").count();
    if turns % 2 == 1 { order.reverse() } else { order }
}
