//! Codecs that read the same bytes as the same value.

use hashbrown::HashMap;
use keyscape_automata::Budget;
use keyscape_codec::{Arg, Codec, Description, Loss, Values};
use keyscape_layout::model::Leaf;

/// The relation of the values that two codecs read from the words of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Both are one codec.
    Same,
    /// Every common word has one value.
    Alike,
    /// No common word has one value.
    Never,
    /// The word has two values. If `shortest` is set, no shorter common word has.
    Differ { word: Vec<u8>, shortest: bool },
    /// The common words that were tried have one value each.
    Unclear,
}

/// The highest number of common words to compare one by one.
const MAX_WORDS: usize = 4096;
/// The number of common words to try if there are more.
const TRIED: usize = 512;

/// Relations that have been found, by the texts of the codecs.
#[derive(Default)]
pub(crate) struct Relations(HashMap<(String, String), Relation>);

impl Relations {
    /// Returns the relation of two leaves.
    pub(crate) fn of(&mut self, a: &Leaf, b: &Leaf, budget: Budget<'_>) -> Relation {
        let key = (a.codec.text(), b.codec.text());
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        let relation = find(a, b, budget);
        self.0.insert(key, relation.clone());
        relation
    }
}

/// Whether the codecs of two leaves certainly give every value of both the same bytes, because they
/// differ in their domains only.
pub(crate) fn have_same_bytes(a: &Leaf, b: &Leaf) -> bool {
    let is_lossless = |leaf: &Leaf| leaf.codec.lossless() == Loss::None;
    a.has_codec_of(b)
        || a.codec.kind() == b.codec.kind()
            && is_lossless(a)
            && is_lossless(b)
            && have_one_reading(&a.codec.describe(), &b.codec.describe())
}

fn find(a: &Leaf, b: &Leaf, budget: Budget<'_>) -> Relation {
    if a.has_codec_of(b) {
        return Relation::Same;
    }
    if a.codec.kind() != b.codec.kind() {
        return Relation::Never;
    }
    if have_same_bytes(a, b) {
        return Relation::Alike;
    }
    let x = a.language.over();
    let y = b.language.over();
    let Ok(common) = x.intersect(y, budget) else { return Relation::Unclear };
    let differs = |word: &Vec<u8>| match (a.codec.decode(word), b.codec.decode(word)) {
        (Ok(a), Ok(b)) => a != b,
        _ => false,
    };
    if let Some(words) = common.few_words(MAX_WORDS) {
        return match words.into_iter().find(differs) {
            Some(word) => Relation::Differ { word, shortest: true },
            None => Relation::Alike,
        };
    }
    if let Some(word) = common.words(TRIED).into_iter().find(differs) {
        return Relation::Differ { word, shortest: true };
    }
    let samples = [&a.codec, &b.codec].into_iter().flat_map(|codec| encodings(&**codec));
    let mut words: Vec<Vec<u8>> = samples.filter(differs).collect();
    words.sort_by_key(Vec::len);
    match words.into_iter().next() {
        // Words of one length have no shorter ones.
        Some(word) => {
            let shortest = common.shortest() == Some(word.len());
            Relation::Differ { word, shortest }
        }
        None => Relation::Unclear,
    }
}

fn encodings(codec: &dyn Codec) -> Vec<Vec<u8>> {
    let encode = |value| {
        let mut word = Vec::new();
        codec.encode(&value, &mut word).ok().map(|()| word)
    };
    codec.samples().into_iter().filter_map(encode).collect()
}

/// Whether two lossless codecs with values of one kind differ in their domains only, so that a word
/// of both has one value: decoding does not depend on the domain.
fn have_one_reading(a: &Description, b: &Description) -> bool {
    if a.is_plain() && b.is_plain() {
        return true;
    }
    let same_arg = |(a, b): (&Arg<Box<Description>>, &Arg<Box<Description>>)| match (a, b) {
        (Arg::Codec(a), Arg::Codec(b)) => have_one_reading(a, b),
        // All integers of one kind are one type of value.
        (Arg::Int(a) | Arg::IntIn(a, _), Arg::Int(b) | Arg::IntIn(b, _)) => a.signed == b.signed,
        (a, b) => a == b,
    };
    let same_values = match (&a.values, &b.values) {
        (Values::Integers(a), Values::Integers(b)) => a.signed == b.signed,
        (a, b) => a == b,
    };
    a.name == b.name
        && a.within == b.within
        && same_values
        && a.args.len() == b.args.len()
        && a.args.iter().zip(&b.args).all(same_arg)
}
