//! `{= sha256(a, b)}`: bytes of a key that are computed from its fields.

use crate::{
    Codec, Description, Language, Value, Values,
    hash::{Function, any, values_of_digests},
    walk,
};
use alloc::{format, string::String, sync::Arc, vec::Vec};
use keyscape_automata::{Budget, Dfa, OverBudget};

/// The first bytes of a digest of some fields. The codec accepts every word of the right length;
/// only the key's decoder, which knows the fields, can verify it. So its language is never exact.
#[derive(Clone, Debug)]
struct Derived {
    function: Function,
    length: usize,
    of: Vec<String>,
}

/// Returns the codec of the first `length` bytes of the digest of the fields `of`, at most the
/// whole digest.
#[must_use]
pub fn derived(function: Function, length: usize, of: Vec<String>) -> Arc<dyn Codec> {
    Arc::new(Derived { function, length: length.min(function.length()), of })
}

impl Derived {
    const fn length(&self) -> usize {
        self.length
    }

    fn any(&self, budget: Budget) -> Result<Dfa, OverBudget> {
        Dfa::from_lang(&any(self.length), budget)
    }
}

impl Codec for Derived {
    values_of_digests!();

    fn describe(&self) -> Description {
        let described = Description::new(self.function.name(), Values::Computed(self.of.clone()));
        if self.length == self.function.length() { described } else { described.width(self.length) }
    }

    fn allowed(&self) -> String {
        format!("{} bytes, computed from {}", self.length, self.of.join(", "))
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let any = Arc::new(self.any(budget)?);
        Ok(Language::Between { over: Arc::clone(&any), under: any.into(), prefix_free: true })
    }

    fn samples(&self) -> Vec<Value> {
        let words = self.any(Budget::default()).map(|any| walk::words(&any)).unwrap_or_default();
        words.into_iter().map(Value::Bytes).collect()
    }
}
