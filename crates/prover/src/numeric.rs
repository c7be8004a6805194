//! Text and bytes that look like numbers.
//!
//! KS004 and KS005 speak of bytes. Of decimal or hexadecimal digits of several lengths they are
//! proved where the numbers would refute them: `10` sorts before `9`, and `7` and `07` are two keys.

use crate::{context::Context, decide::Subject, verdict::Rule};
use keyscape_automata::{Budget, DEAD, Dfa, StateId};
use keyscape_codec::{Language, Values};
use keyscape_layout::model::{Leaf, Place};
use std::{collections::BTreeMap, sync::Arc};

/// A field whose text or bytes look like numbers, with two values for which a proved claim would
/// not hold if they were numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumericText {
    /// The path of the field, with the arms on the way.
    pub field: String,
    /// How the values look.
    pub notation: Notation,
    /// For KS004, the larger number, whose bytes come first, and a smaller one. For KS005, two
    /// texts of one number.
    pub values: [String; 2],
}

/// How text looks like numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Digits from 0 to 9.
    Decimal,
    /// Digits from 0 to f, in small or capital letters.
    Hexadecimal,
}

/// Lengths above this many bytes are not compared.
const MAX_LENGTH: usize = 64;
/// The most values that are looked at for two texts of one number.
const MAX_VALUES: usize = 64;
/// The most zeros that are put before a number.
const MAX_ZEROS: usize = 4;

/// Returns the fields of a proved claim for which it would not hold if their values were numbers.
pub(crate) fn warnings(context: &Context<'_>, subject: &Subject) -> Vec<NumericText> {
    let keyspace = context.layout.keyspace(subject.keyspace);
    let find = |leaf: &Leaf, path: String, values: fn(&Dfa) -> Option<[Vec<u8>; 2]>| {
        let words = words(leaf, context.budget())?;
        let notation = notation(&words)?;
        let values = values(&words)?.map(|value| String::from_utf8_lossy(&value).into_owned());
        Some(NumericText { field: path, notation, values })
    };
    match subject.rule {
        Rule::Ordered => {
            let Some(scan) = subject.scan.and_then(|scan| keyspace.scans.get(scan)) else {
                return Vec::new();
            };
            let places = (scan.end.0..scan.by_end.0).map(Place);
            let leaves = places.filter_map(|place| keyspace.leaf_at(place));
            leaves.filter_map(|(path, leaf)| find(leaf, path, misordered)).collect()
        }
        Rule::Lossless => {
            let fields = context.leaf_fields(subject.keyspace);
            let field = subject.field.and_then(|field| fields.get(field));
            let found = field.and_then(|field| find(&field.leaf, field.path.clone(), one_number));
            found.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the words of a leaf if they are text or bytes, without the codecs around them.
fn words(leaf: &Leaf, budget: Budget) -> Option<Arc<Dfa>> {
    let description = leaf.codec.describe();
    let base = description.base();
    if base.values != Values::Words {
        return None;
    }
    let language = match *base == description {
        true => leaf.language.clone(),
        false => base.build(budget).ok()?.language(budget).ok()?,
    };
    match language {
        Language::Exact(words) => Some(words),
        Language::Between { .. } => None,
    }
}

/// Returns how words look that consist of digits only.
fn notation(words: &Dfa) -> Option<Notation> {
    let may_hold = |test: fn(&u8) -> bool| {
        let has = |state| (0..=255).any(|byte| test(&byte) && words.step(state, byte) != DEAD);
        words.states().any(has)
    };
    if may_hold(|byte| !byte.is_ascii_hexdigit()) || !may_hold(u8::is_ascii_digit) {
        return None;
    }
    match may_hold(u8::is_ascii_alphabetic) {
        true => Some(Notation::Hexadecimal),
        false => Some(Notation::Decimal),
    }
}

/// Returns two words of which the longer one is the larger number and comes first.
fn misordered(words: &Dfa) -> Option<[Vec<u8>; 2]> {
    let mut largest = Level::from([(words.start(), Vec::new())]);
    let mut smallest = largest.clone();
    let mut shorter: Option<Vec<u8>> = None;
    for _ in 0..MAX_LENGTH {
        largest = next(words, &largest, |new, known| new > known);
        smallest = next(words, &smallest, |new, known| new < known);
        let ends = |level: &Level| -> Vec<Vec<u8>> {
            let ends = level.iter().filter(|(state, _)| words.is_accepting(**state));
            ends.map(|(_, word)| word.clone()).collect()
        };
        match &shorter {
            None => shorter = ends(&largest).into_iter().max(),
            Some(shorter) => {
                let longer = ends(&smallest).into_iter().min();
                if let Some(longer) = longer.filter(|longer| longer < shorter) {
                    return Some([longer, shorter.clone()]);
                }
            }
        }
    }
    None
}

/// One word for each state after the same number of bytes; none begins with a zero.
type Level = BTreeMap<StateId, Vec<u8>>;

/// Returns the words of one byte more, of those to one state the better one.
fn next(words: &Dfa, level: &Level, is_better: fn(&[u8], &[u8]) -> bool) -> Level {
    let mut next = Level::new();
    for (&state, word) in level {
        for byte in words.next_bytes(state).iter().filter(|&byte| !word.is_empty() || byte != b'0')
        {
            let longer = [&word[..], &[byte]].concat();
            let to = words.step(state, byte);
            if next.get(&to).is_none_or(|known| is_better(&longer, known)) {
                next.insert(to, longer);
            }
        }
    }
    next
}

/// Returns two words that are one number: with more zeros in front, or with other capitals.
fn one_number(words: &Dfa) -> Option<[Vec<u8>; 2]> {
    words.words(MAX_VALUES).into_iter().filter(|word| !word.is_empty()).find_map(|word| {
        let zeros = (1..=MAX_ZEROS).map(|zeros| [&b"0".repeat(zeros)[..], &word].concat());
        let capitals = [word.to_ascii_uppercase(), word.to_ascii_lowercase()];
        let other = zeros.chain(capitals).find(|other| *other != word && words.accepts(other))?;
        Some([word, other])
    })
}
