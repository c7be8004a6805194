//! Codecs and keys that read the same bytes as the same value.

use crate::correspondence::{ELEMENT, Fields, last_name};
use hashbrown::HashMap;
use keyscape_automata::Budget;
use keyscape_codec::{Arg, Codec, Description, Loss, Values};
use keyscape_layout::{
    guard::guarded_fields,
    model::{Arm, Leaf, Segment, Type, same_except_fields},
    traverse::join,
};

/// The relation between two codecs: whether they read the words that both accept as the same
/// values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Both codecs read every common word as the same value.
    Alike,
    /// The codecs read every common word as different values.
    Never,
    /// The codecs read this word as different values.
    Differ(Vec<u8>),
    /// Both codecs read each common word that was tried as the same value. Other words were not
    /// tried.
    Unclear,
}

/// If two codecs have at most this number of common words, all of them are compared.
const MAX_WORDS: usize = 4096;
/// The number of common words to try if there are more than [`MAX_WORDS`].
const TRIED: usize = 512;

/// A cache of relations, by the texts of the codecs.
#[derive(Default)]
pub(crate) struct Relations(HashMap<(String, String), Relation>);

impl Relations {
    /// Returns the relation of two leaves.
    pub(crate) fn of(&mut self, a: &Leaf, b: &Leaf, budget: Budget<'_>) -> Relation {
        let key = (a.codec.text(), b.codec.text());
        self.0.entry(key).or_insert_with(|| find(a, b, budget)).clone()
    }
}

/// Whether rows of two keys have the same bytes in both, because corresponding fields are in the
/// same order and differ in their domains only.
pub(crate) fn same_bytes(old: &[Segment], new: &[Segment], fields: &Fields) -> bool {
    same_list(old, new, fields, "")
}

fn same_list(old: &[Segment], new: &[Segment], fields: &Fields, at: &str) -> bool {
    // Guards and derived bytes are compared by the names of the fields that they depend on.
    !dependencies(old).iter().any(|name| fields.renames(name))
        && same_except_fields(old, new, &|old, new| {
            let path = join(at, &old.name);
            fields.new_path(&path).map(last_name) == Some(&new.name)
                && same_type(&old.ty, &new.ty, fields, &path)
        })
}

/// Returns the names of the fields that the guards and derived bytes of a list depend on.
fn dependencies(segments: &[Segment]) -> Vec<&str> {
    let mut names = guarded_fields(segments);
    for segment in segments {
        match segment {
            Segment::Derived(derived) => {
                names.extend(derived.inputs.iter().map(|input| input.name.as_str()));
            }
            Segment::Option(option) => names.extend(dependencies(&option.segments)),
            Segment::Literal(_) | Segment::Field(_) => {}
        }
    }
    names
}

fn same_type(old: &Type, new: &Type, fields: &Fields, at: &str) -> bool {
    match (old, new) {
        (Type::Leaf(old), Type::Leaf(new)) => have_same_bytes(old, new),
        (Type::Composite(old), Type::Composite(new)) => same_list(old, new, fields, at),
        (Type::Variant(olds), Type::Variant(news)) => {
            let same_arm = |(old, new): (&Arm, &Arm)| {
                let at = join(at, &old.name);
                old.name == new.name && same_list(&old.segments, &new.segments, fields, &at)
            };
            olds.len() == news.len() && olds.iter().zip(news).all(same_arm)
        }
        (Type::List(old), Type::List(new)) => {
            same_type(&old.element, &new.element, fields, &join(at, ELEMENT))
        }
        (old, new) => old.is_same(new),
    }
}

/// Whether two codecs certainly encode each common value to the same bytes, because they differ
/// only in their domains.
fn have_same_bytes(a: &Leaf, b: &Leaf) -> bool {
    let is_lossless = |leaf: &Leaf| leaf.codec.lossless() == Loss::None;
    a.has_codec_of(b)
        || a.codec.kind() == b.codec.kind()
            && is_lossless(a)
            && is_lossless(b)
            && have_one_reading(&a.codec.describe(), &b.codec.describe())
}

fn find(a: &Leaf, b: &Leaf, budget: Budget<'_>) -> Relation {
    if a.codec.kind() != b.codec.kind() {
        return Relation::Never;
    }
    if have_same_bytes(a, b) {
        return Relation::Alike;
    }
    let Ok(common) = a.language.over().intersect(b.language.over(), budget) else {
        return Relation::Unclear;
    };
    let differs = |word: &Vec<u8>| match (a.codec.decode(word), b.codec.decode(word)) {
        (Ok(a), Ok(b)) => a != b,
        _ => false,
    };
    if let Some(words) = common.few_words(MAX_WORDS) {
        return words.into_iter().find(differs).map_or(Relation::Alike, Relation::Differ);
    }
    let found = common.words(TRIED).into_iter().find(differs).or_else(|| {
        let samples = [&a.codec, &b.codec].into_iter().flat_map(|codec| encodings(&**codec));
        samples.filter(differs).min_by_key(Vec::len)
    });
    found.map_or(Relation::Unclear, Relation::Differ)
}

fn encodings(codec: &dyn Codec) -> Vec<Vec<u8>> {
    let encode = |value| {
        let mut word = Vec::new();
        codec.encode(&value, &mut word).ok().map(|()| word)
    };
    codec.samples().into_iter().filter_map(encode).collect()
}

/// Whether two lossless codecs with values of one kind differ only in their domains. Decoding does
/// not depend on the domain, so both then read a common word as the same value.
fn have_one_reading(a: &Description, b: &Description) -> bool {
    if a.is_plain() && b.is_plain() {
        return true;
    }
    let same_arg = |(a, b): (&Arg<Box<Description>>, &Arg<Box<Description>>)| match (a, b) {
        (Arg::Codec(a), Arg::Codec(b)) => have_one_reading(a, b),
        // Integers of the same signedness of any width have the same type of value.
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
