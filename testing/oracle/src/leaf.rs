//! The values of a leaf: all of them if they are few, otherwise a selection.

use keyscape_codec::{Codec, IntRange, Kind, Uint, Value, Values};
use std::{cmp::Ordering, collections::HashMap};

/// The bytes that generated layouts use in text and bytes.
const ALPHABET: [u8; 10] = [0x00, 0x01, b'-', b'0', b'1', b'a', b'b', 0x80, 0xfe, 0xff];
/// The length of the longest text or bytes, before wrapping.
const LONGEST: usize = 3;
/// The length of the longest text or bytes that repeat one byte, or two bytes alternately.
const LONGEST_RUN: usize = 9;
/// The highest number of integers to list for one leaf.
const MAX_INTEGERS: i128 = 256;
/// The largest integer of a pair.
const MAX_OF_PAIR: u8 = 31;
/// The number of values to try for a leaf that has too many to list: the words of up to three bytes
/// over two letters, and as many others.
const MAX_TRIED: usize = 15;
/// The highest number of candidates of a language over two letters.
const FEW_WORDS: usize = 40;
/// The number of values that the codec may choose.
const MAX_SAMPLES: usize = 6;
/// The cache is cleared above this size.
const MAX_CODECS: usize = 20_000;

/// A value with its encoding.
pub type Word = (Value, Vec<u8>);

/// The words of a leaf.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// Values with their encodings.
    pub words: Vec<Word>,
    /// Whether these are all values of the leaf.
    pub all: bool,
    /// Whether the logical order is the reverse of that of the values.
    pub descends: bool,
}

impl Listed {
    /// Adds the given values that the leaf can encode, unless all its values are listed.
    pub(crate) fn extend(&mut self, codec: &dyn Codec, values: &[Value]) {
        let missing = values.iter().filter(|_| !self.all);
        for word in missing.filter_map(|value| encode(codec, value)) {
            if !self.words.contains(&word) {
                self.words.push(word);
            }
        }
    }
}

/// A cache of the words of leaves, by the text of their codec.
#[derive(Debug, Default)]
pub struct Words(HashMap<String, Listed>);

impl Words {
    /// Returns the words of a leaf.
    pub fn of(&mut self, codec: &dyn Codec) -> &Listed {
        if self.0.len() > MAX_CODECS {
            self.0.clear();
        }
        self.0.entry(codec.text()).or_insert_with(|| list(codec))
    }
}

/// Encodes a value, if the leaf accepts it.
pub(crate) fn encode(codec: &dyn Codec, value: &Value) -> Option<Word> {
    let mut word = Vec::new();
    codec.encode(value, &mut word).is_ok().then(|| (value.clone(), word))
}

fn list(codec: &dyn Codec) -> Listed {
    let (candidates, all) = candidates(codec);
    let mut words: Vec<Word> = candidates.iter().filter_map(|v| encode(codec, v)).collect();
    // A sample that is not a candidate shows that the candidates are incomplete.
    let samples = codec.samples();
    let known = |value: &Value| words.iter().any(|(other, _)| other == value);
    if all && codec.longest().is_some() && samples.iter().all(known) {
        return Listed { words, all: true, descends: descends(codec) };
    }
    // All short words of a language over two letters, and a selection of the others.
    let short = if words.len() <= FEW_WORDS { words.len().min(MAX_TRIED) } else { 0 };
    let others = words.split_off(short);
    let step = others.len().div_ceil(MAX_TRIED).max(1);
    words.extend(others.into_iter().step_by(step));
    let mut listed = Listed { words, all: false, descends: descends(codec) };
    listed.extend(codec, &samples[..samples.len().min(MAX_SAMPLES)]);
    listed
}

/// Returns values to try, and whether the domain has no others.
fn candidates(codec: &dyn Codec) -> (Vec<Value>, bool) {
    match (codec.kind(), codec.integers()) {
        (_, Some(range)) => integers(&range),
        (Kind::Text, None) => {
            let texts = strings().into_iter().filter_map(|bytes| String::from_utf8(bytes).ok());
            (texts.map(Value::Text).collect(), true)
        }
        (Kind::Bool, None) => (vec![Value::Bool(false), Value::Bool(true)], true),
        (Kind::Pair, None) => {
            let pairs = (0..=MAX_OF_PAIR).flat_map(|a| (0..=MAX_OF_PAIR).map(move |b| (a, b)));
            (pairs.map(|(a, b)| Value::Pair(Uint::from(a), Uint::from(b))).collect(), true)
        }
        (Kind::Bytes, None) => (strings().into_iter().map(Value::Bytes).collect(), true),
        _ => (Vec::new(), false),
    }
}

/// Returns all integers of a small range. Of a large range, returns the ends, and integers at which
/// an encoding changes its length, its sign or a carry.
fn integers(range: &IntRange) -> (Vec<Value>, bool) {
    const TURNS: [u64; 6] = [0, 10, 128, 256, 1000, 65_536];
    match *range {
        IntRange::Unsigned { low, high } => {
            let few = high - low <= Uint::new(MAX_INTEGERS.unsigned_abs());
            if few {
                let all = (0..=(high - low).as_u64()).map(|n| Value::Uint(low + Uint::from(n)));
                return (all.collect(), true);
            }
            let mut tried = vec![low, low + Uint::ONE, high - Uint::ONE, high];
            let turns = TURNS.into_iter().flat_map(|turn| [turn.saturating_sub(1), turn]);
            tried.extend(turns.map(Uint::from).filter(|n| low <= *n && *n <= high));
            tried.sort();
            tried.dedup();
            (tried.into_iter().map(Value::Uint).collect(), false)
        }
        IntRange::Signed { low, high } => {
            if high.checked_sub(low).is_some_and(|count| count <= MAX_INTEGERS) {
                return ((low..=high).map(Value::Int).collect(), true);
            }
            let mut tried = vec![low, low + 1, high - 1, high];
            let turns = TURNS.into_iter().map(i128::from).flat_map(|n| [n - 1, n, -n, -n - 1]);
            tried.extend(turns.filter(|n| low <= *n && *n <= high));
            tried.sort_unstable();
            tried.dedup();
            (tried.into_iter().map(Value::Int).collect(), false)
        }
    }
}

/// Returns all byte strings of at most one byte, all longer ones over the alphabet up to
/// [`LONGEST`], and repetitions of one byte or of two.
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
        all.push(b"ab".iter().copied().cycle().take(count).collect());
    }
    all
}

/// Compares two values of one kind, by value or by bytes.
#[must_use]
pub(crate) fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Uint(a), Value::Uint(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Pair(a, b), Value::Pair(c, d)) => (a, b).cmp(&(c, d)),
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}

/// Whether a codec reverses the order of its values. Each `desc` reverses it once. A digest hides
/// the order of the hashed values, so codecs inside it do not count.
fn descends(codec: &dyn Codec) -> bool {
    let description = codec.describe();
    let mut descends = false;
    let mut inner = Some(&description);
    while let Some(codec) = inner.filter(|codec| !matches!(codec.values, Values::Digests(_))) {
        descends ^= codec.name == "desc";
        inner = codec.inner();
    }
    descends
}
