//! Text and bytes that look like numbers.
//!
//! KS004 and KS005 speak of bytes. Of decimal or hexadecimal digits of several lengths they are
//! proved where the numbers would refute them: `10` sorts before `9`, and `7` and `07` are two keys.

use crate::{context::Context, decide::Subject, verdict::Rule};
use hashbrown::HashMap;
use keyscape_automata::{Budget, ByteSet, DEAD, Dfa, Meter, OverBudget, StateId};
use keyscape_codec::{Language, Value, Values};
use keyscape_layout::model::{Leaf, Place};
use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

/// A field with text or bytes that look like numbers, with two values for which a proved claim would
/// not hold if they were numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumericText {
    /// The path of the field, with the arms on the way.
    pub field: String,
    /// The digits of the values.
    pub notation: Notation,
    /// For KS004, the larger number, whose bytes come first, and a smaller one. For KS005, two
    /// texts of one number.
    pub values: [String; 2],
}

/// A notation of numbers as text.
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

/// The examples of codecs, by rule and text of the codec.
#[derive(Default)]
pub(crate) struct Cache(RefCell<HashMap<(Rule, String), Option<Example>>>);

/// The notation of some words, and two of them for which a claim would not hold.
type Example = (Notation, [String; 2]);

/// Looks for two words. They are `None` if there are no such words, or if the search is too large.
type Find = fn(&Dfa, &mut Meter<'_>) -> Result<Option<[Vec<u8>; 2]>, OverBudget>;

/// Returns the fields of a proved claim for which it would not hold if their values were numbers.
pub(crate) fn warnings(context: &Context<'_>, subject: &Subject) -> Vec<NumericText> {
    let keyspace = context.layout.keyspace(subject.keyspace);
    let find = |leaf: &Leaf, path: String, values: Find| {
        let key = (subject.rule, leaf.codec.text());
        if let Some(known) = context.numeric.0.borrow().get(&key) {
            let (notation, values) = known.clone()?;
            return Some(NumericText { field: path, notation, values });
        }
        let found = words(leaf, context.budget())
            .and_then(|words| example(&words, values, context.budget()).ok().flatten());
        context.numeric.0.borrow_mut().insert(key, found.clone());
        let (notation, values) = found?;
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
        false => {
            // Most texts have a sample that is no number, and need no automaton of their own.
            Meter::new(budget).steps(STEPS_PER_SAMPLING).ok()?;
            if !leaf.codec.samples().iter().all(may_be_number) {
                return None;
            }
            base.build(budget).ok()?.language(budget).ok()?
        }
    };
    match language {
        Language::Exact(words) => Some(words),
        Language::Between { .. } => None,
    }
}

/// The elementary steps that it takes to list the samples of a codec.
const STEPS_PER_SAMPLING: usize = 1 << 14;

/// Whether a value consists of digits only, or is of no text or bytes.
fn may_be_number(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        Value::Bytes(bytes) => bytes.iter().all(u8::is_ascii_hexdigit),
        _ => true,
    }
}

/// Returns two words for which a claim would not hold if they were numbers.
fn example(words: &Dfa, find: Find, budget: Budget<'_>) -> Result<Option<Example>, OverBudget> {
    let meter = &mut Meter::new(budget);
    let Some(notation) = notation(words, meter)? else { return Ok(None) };
    let values = find(words, meter)?;
    let text = |value: Vec<u8>| String::from_utf8_lossy(&value).into_owned();
    Ok(values.map(|values| (notation, values.map(text))))
}

/// Returns the notation of words that consist of digits only.
fn notation(words: &Dfa, meter: &mut Meter<'_>) -> Result<Option<Notation>, OverBudget> {
    // All bytes of one class are used, or none is; one of each is looked at.
    let examples = words.examples();
    let mut used = ByteSet::EMPTY;
    for state in words.states() {
        meter.steps(examples.len())?;
        used = used
            .union(&examples.iter().copied().filter(|&b| words.step(state, b) != DEAD).collect());
    }
    let classes = words.classes();
    let is_used = |byte: u8| {
        let class = |byte: u8| classes.get(usize::from(byte));
        used.iter().any(|example| class(example) == class(byte))
    };
    let used: Vec<u8> = (0..=255).filter(|&byte| is_used(byte)).collect();
    if !used.iter().all(u8::is_ascii_hexdigit) || !used.iter().any(u8::is_ascii_digit) {
        return Ok(None);
    }
    Ok(Some(match used.iter().any(u8::is_ascii_alphabetic) {
        true => Notation::Hexadecimal,
        false => Notation::Decimal,
    }))
}

/// Returns two words of which the longer one is the larger number and comes first.
fn misordered(words: &Dfa, meter: &mut Meter<'_>) -> Result<Option<[Vec<u8>; 2]>, OverBudget> {
    let mut largest = Level::from([(words.start(), Vec::new())]);
    let mut smallest = largest.clone();
    let mut shorter: Option<Vec<u8>> = None;
    for _ in 0..MAX_LENGTH {
        largest = next(words, &largest, meter, |new, known| new > known)?;
        smallest = next(words, &smallest, meter, |new, known| new < known)?;
        let ends = |level: &Level| -> Vec<Vec<u8>> {
            let ends = level.iter().filter(|(state, _)| words.is_accepting(**state));
            ends.map(|(_, word)| word.clone()).collect()
        };
        match &shorter {
            None => shorter = ends(&largest).into_iter().max(),
            Some(shorter) => {
                let longer = ends(&smallest).into_iter().min();
                if let Some(longer) = longer.filter(|longer| longer < shorter) {
                    return Ok(Some([longer, shorter.clone()]));
                }
            }
        }
    }
    Ok(None)
}

/// One word for each state after the same number of bytes; none begins with a zero.
type Level = BTreeMap<StateId, Vec<u8>>;

/// The elementary steps that it takes to list the bytes of a state and to add one to each word.
const STEPS_PER_STATE: usize = 512;

/// Returns the words of one byte more, of those to one state the better one.
fn next(
    words: &Dfa,
    level: &Level,
    meter: &mut Meter<'_>,
    is_better: fn(&[u8], &[u8]) -> bool,
) -> Result<Level, OverBudget> {
    let mut next = Level::new();
    for (&state, word) in level {
        meter.steps(STEPS_PER_STATE)?;
        for byte in words.next_bytes(state).iter().filter(|&byte| !word.is_empty() || byte != b'0')
        {
            let longer = [&word[..], &[byte]].concat();
            let to = words.step(state, byte);
            if next.get(&to).is_none_or(|known| is_better(&longer, known)) {
                next.insert(to, longer);
            }
        }
    }
    Ok(next)
}

/// Returns two words that are one number: with more zeros in front, or with other capitals.
fn one_number(words: &Dfa, meter: &mut Meter<'_>) -> Result<Option<[Vec<u8>; 2]>, OverBudget> {
    meter.steps(MAX_VALUES * STEPS_PER_STATE)?;
    Ok(words.words(MAX_VALUES).into_iter().filter(|word| !word.is_empty()).find_map(|word| {
        let zeros = (1..=MAX_ZEROS).map(|zeros| [&b"0".repeat(zeros)[..], &word].concat());
        let capitals = [word.to_ascii_uppercase(), word.to_ascii_lowercase()];
        let other = zeros.chain(capitals).find(|other| *other != word && words.accepts(other))?;
        Some([word, other])
    }))
}
