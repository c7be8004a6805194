//! Text and bytes that look like numbers.
//!
//! KS004 and KS005 are claims about bytes. They can be proved for text that, read as numbers, would
//! refute them: `10` sorts before `9`, `-1` before `-2`, and `7` and `07` are two keys. A warning
//! needs two such words, so unsigned numbers of one length cause none.

use crate::{
    check::Subject,
    context::Context,
    memo::Memo,
    number::{Notation, Number},
    verdict::Rule,
};
use keyscape_automata::{Budget, Dfa, Meter, OverBudget, StateId};
use keyscape_codec::{Direction, Value, Values};
use keyscape_layout::{
    Layout, fields,
    model::{Field, Keyspace, Leaf},
};
use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
    sync::Arc,
};

/// A field with text or bytes that look like numbers. The two values would refute a proved claim if
/// they were numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumericText {
    /// The path of the field, including arms.
    pub field: String,
    /// The notation of the values.
    pub notation: Notation,
    /// For KS004, two values in the order of their keys, which differs from the order of the
    /// numbers. For KS005, two texts of one number.
    pub values: [String; 2],
}

/// The highest number of short words, and the greatest length of other words.
const MAX_SHORT: usize = 64;
const MAX_LENGTH: usize = 64;
/// The highest number of words to compare.
const MAX_WORDS: usize = 256;

/// A cache of examples by rule and text of the codec.
pub(crate) type Examples = Memo<(Rule, String), Option<Example>>;

/// The notation of some words, and two of them that would refute a claim as numbers.
type Example = (Notation, [String; 2]);

/// Returns the fields whose values, read as numbers, would refute a proved claim.
pub(crate) fn warnings(context: &Context<'_>, subject: &Subject) -> Vec<NumericText> {
    let keyspace = context.layout.keyspace(subject.keyspace);
    let find = |leaf: &Leaf, path: String| {
        let key = (subject.rule, leaf.codec.text());
        let found = context.examples.get_or(key, || example(leaf, subject.rule, context.budget()));
        found.map(|(notation, values)| NumericText { field: path, notation, values })
    };
    match subject.rule {
        Rule::Ordered => {
            let Some(scan) = subject.scan.and_then(|scan| keyspace.scans.get(scan)) else {
                return Vec::new();
            };
            let leaves = keyspace.leaves(scan.end..scan.by_end);
            leaves.filter_map(|(path, leaf)| find(leaf, path)).collect()
        }
        Rule::Lossless => {
            let leaves = context.leaf_fields(subject.keyspace);
            let field = subject.field.and_then(|field| leaves.get(field));
            // A field that an index takes over from its map has the warning there.
            let field = field.filter(|field| !is_of_map(context.layout, keyspace, &field.path));
            let found = field.and_then(|field| find(&field.leaf, field.path.clone()));
            found.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a path begins with a field that an index takes over from the key of its map.
fn is_of_map(layout: &Layout, index: &Keyspace, path: &str) -> bool {
    let name = path.split('.').next().unwrap_or(path);
    let is_own = |field: &&Field| field.name == name;
    let of_map = index.of.map_or_else(Vec::new, |map| fields(&layout.keyspace(map).key));
    let own = fields(&index.key).into_iter().find(is_own);
    own.is_some_and(|own| {
        !own.is_from_value()
            && of_map.iter().any(|field| is_own(field) && field.ty.is_same(&own.ty))
    })
}

/// Returns the words of a leaf of text or bytes, without its outer codecs.
fn words(leaf: &Leaf, budget: Budget) -> Option<Arc<Dfa>> {
    let description = leaf.codec.describe();
    let base = description.base();
    if base.values != Values::Words {
        return None;
    }
    let language = match *base == description {
        true => leaf.language.clone(),
        false => {
            // Most texts have a sample that is not a number, which saves building an automaton.
            Meter::new(budget).steps(STEPS_PER_SAMPLING).ok()?;
            if !leaf.codec.samples().iter().all(may_be_number) {
                return None;
            }
            base.build(budget).ok()?.language(budget).ok()?
        }
    };
    language.exact().cloned()
}

/// The elementary steps to list the samples of a codec.
const STEPS_PER_SAMPLING: usize = 1 << 14;

/// Whether a value consists of the characters of numbers, or is neither text nor bytes.
fn may_be_number(value: &Value) -> bool {
    let is_used = |byte: &u8| byte.is_ascii_hexdigit() || b"+-.xX".contains(byte);
    match value {
        Value::Text(text) => text.as_bytes().iter().all(is_used),
        Value::Bytes(bytes) => bytes.iter().all(is_used),
        _ => true,
    }
}

/// Returns two values of a leaf that would refute a claim as numbers, in the order of their keys.
fn example(leaf: &Leaf, rule: Rule, budget: Budget<'_>) -> Option<Example> {
    let words = words(leaf, budget)?;
    let (notation, mut values) = two_words(&words, rule, budget).ok()??;
    if rule == Rule::Ordered && leaf.codec.describe().direction() == Direction::Descending {
        values.reverse();
    }
    Some((notation, values))
}

/// Returns two words that would refute a claim as numbers. For KS004, the first word is the larger
/// number. For KS005, both words are the same number.
fn two_words(words: &Dfa, rule: Rule, budget: Budget<'_>) -> Result<Option<Example>, OverBudget> {
    let Some(notation) = Notation::of(words, budget)? else { return Ok(None) };
    let meter = &mut Meter::new(budget);
    let mut some = candidates(words, meter)?;
    some.sort_unstable();
    some.dedup();
    let numbers: Vec<(Vec<u8>, Number)> = some
        .into_iter()
        .filter_map(|word| Number::of(&word, notation).map(|number| (word, number)))
        .collect();
    meter.steps(numbers.len() * numbers.len())?;
    let order = match rule {
        Rule::Ordered => Ordering::Greater,
        _ => Ordering::Equal,
    };
    let mut best: Option<[&[u8]; 2]> = None;
    for (index, (first, one)) in numbers.iter().enumerate() {
        for (second, other) in numbers.iter().skip(index + 1) {
            let pair = [first.as_slice(), second];
            if best.is_none_or(|best| rank(rule, pair) < rank(rule, best))
                && one.cmp(other) == order
            {
                best = Some(pair);
            }
        }
    }
    let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
    Ok(best.map(|pair| (notation, pair.map(text))))
}

/// Returns the rank of an example: few bytes, then few leading zeros in the first word, then a
/// small first and a large second word (`10` and `9`). KS005 does not count zeros, because they are
/// its subject.
fn rank<'w>(rule: Rule, [first, second]: [&'w [u8]; 2]) -> impl Ord + use<'w> {
    let zeros = if rule == Rule::Ordered { leading_zeros(first) } else { 0 };
    (first.len() + second.len(), zeros, first, Reverse(second))
}

/// Returns the shortest words, and for each length the smallest word, the largest, and the smallest
/// with the fewest leading zeros. These words suffice to show disorder of numbers with several
/// lengths, signs or mixed case.
fn candidates(words: &Dfa, meter: &mut Meter<'_>) -> Result<Vec<Vec<u8>>, OverBudget> {
    meter.steps(MAX_SHORT * STEPS_PER_STATE)?;
    let mut found = words.words(MAX_SHORT);
    let kinds: [IsBetter; 3] = [
        |new, known| new < known,
        |new, known| new > known,
        |new, known| (leading_zeros(new), new) < (leading_zeros(known), known),
    ];
    let mut levels = kinds.map(|_| Level::from([(words.start(), Vec::new())]));
    for _ in 0..MAX_LENGTH {
        for (level, is_better) in levels.iter_mut().zip(kinds) {
            *level = next(words, level, meter, is_better)?;
            let ends = level.iter().filter(|(state, _)| words.is_accepting(**state));
            found.extend(ends.map(|(_, word)| word.clone()));
        }
        if found.len() > MAX_WORDS {
            break;
        }
    }
    found.truncate(MAX_WORDS);
    Ok(found)
}

/// Returns the number of zeros before the first other digit.
fn leading_zeros(word: &[u8]) -> usize {
    let digits = word.iter().filter(|byte| byte.is_ascii_hexdigit());
    digits.take_while(|byte| **byte == b'0').count()
}

/// Whether a word is better than another word of the same length that leads to the same state. It
/// stays better if both continue with the same bytes.
type IsBetter = fn(&[u8], &[u8]) -> bool;

/// One word for each state after the same number of bytes.
type Level = BTreeMap<StateId, Vec<u8>>;

/// The elementary steps to list the bytes of a state and to extend each word.
const STEPS_PER_STATE: usize = 512;

/// Extends the words by one byte, and retains the best word for each state.
fn next(
    words: &Dfa,
    level: &Level,
    meter: &mut Meter<'_>,
    is_better: IsBetter,
) -> Result<Level, OverBudget> {
    let mut next = Level::new();
    for (&state, word) in level {
        meter.steps(STEPS_PER_STATE)?;
        for byte in words.next_bytes(state).iter() {
            let longer = [&word[..], &[byte]].concat();
            let to = words.step(state, byte);
            if next.get(&to).is_none_or(|known| is_better(&longer, known)) {
                next.insert(to, longer);
            }
        }
    }
    Ok(next)
}
