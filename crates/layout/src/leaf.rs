//! Properties of the codecs of leaves.

use crate::model::Leaf;
use keyscape_automata::Budget;
use keyscape_codec::{Kind, Language, Loss, Values};
use std::sync::Arc;

/// The highest number of values to try one by one.
const MAX_TRIED: usize = 64;

impl Leaf {
    /// Whether both leaves have the same values with the same bytes.
    #[must_use]
    pub fn has_codec_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.codec, &other.codec) || self.codec.describe() == other.codec.describe()
    }

    /// Whether the values are bytes that are stored unchanged.
    #[must_use]
    pub fn is_bytes(&self) -> bool {
        self.codec.kind() == Kind::Bytes && self.codec.describe().values == Values::Words
    }

    /// Whether the values are digests.
    #[must_use]
    pub fn is_digest(&self) -> bool {
        matches!(self.codec.describe().base().values, Values::Digests(_))
    }

    /// Whether it is certain that the codec encodes every value of another leaf.
    #[must_use]
    pub fn takes_all_of(&self, other: &Self) -> bool {
        if self.codec.kind() != other.codec.kind() {
            return false;
        }
        match (self.codec.integers(), other.codec.integers()) {
            (Some(own), Some(values)) => own.contains(&values),
            _ if self.codec.describe().base() == other.codec.describe().base() => true,
            _ => {
                let own = self.words().and_then(|words| Some((words, other.words()?)));
                let within = own.is_some_and(|(own, values)| {
                    let rest = values.over().without(own.under(), Budget::default());
                    rest.is_ok_and(|rest| rest.is_empty())
                });
                within || other.few_values_pass(|is_taken| is_taken, self)
            }
        }
    }

    /// Whether it is certain that the codec encodes no value of another leaf.
    #[must_use]
    pub fn takes_none_of(&self, other: &Self) -> bool {
        if self.codec.kind() != other.codec.kind() {
            return true;
        }
        match (self.codec.integers(), other.codec.integers()) {
            (Some(own), Some(values)) => !own.overlaps(&values),
            _ => {
                let own = self.words().and_then(|words| Some((words, other.words()?)));
                let apart = own.is_some_and(|(own, values)| {
                    let both = values.over().intersect(own.over(), Budget::default());
                    both.is_ok_and(|both| both.is_empty())
                });
                apart
                    || other.few_values_pass(|is_taken| !is_taken, self)
                    || self.few_values_pass(|is_taken| !is_taken, other)
            }
        }
    }

    /// Returns the values as a language, if the innermost codec stores text or bytes unchanged.
    #[must_use]
    pub fn words(&self) -> Option<Language> {
        let described = self.codec.describe();
        let base = described.base();
        if !base.is_plain() {
            return None;
        }
        base.build(Budget::default()).ok()?.language(Budget::default()).ok()
    }

    /// Whether there are few values, and `passes` holds for each. Its argument is whether `other`
    /// encodes the value.
    fn few_values_pass(&self, passes: impl Fn(bool) -> bool, other: &Self) -> bool {
        let Some(words) = self.language.exact() else { return false };
        // Decoding returns one value per encoding, so the codec must be lossless.
        if !matches!(self.codec.lossless(), Loss::None) {
            return false;
        }
        words.few_words(MAX_TRIED).is_some_and(|words| {
            words.iter().all(|word| {
                let value = self.codec.decode(word);
                value.is_ok_and(|value| passes(other.codec.encode(&value, &mut Vec::new()).is_ok()))
            })
        })
    }
}
