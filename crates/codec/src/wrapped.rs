//! Shared code of codecs that change the encoding of another codec and keep its values.

/// Delegates the value methods of [`Codec`](crate::Codec) to a field `inner`; `descending` reverses
/// the comparison.
macro_rules! values_of_inner {
    () => {
        crate::wrapped::values_of_inner!(but_not_order);

        fn compare(&self, a: &crate::Value, b: &crate::Value) -> core::cmp::Ordering {
            self.inner.compare(a, b)
        }
    };
    (descending) => {
        crate::wrapped::values_of_inner!(but_not_order);

        fn compare(&self, a: &crate::Value, b: &crate::Value) -> core::cmp::Ordering {
            self.inner.compare(b, a)
        }
    };
    (but_not_order) => {
        fn kind(&self) -> crate::Kind {
            self.inner.kind()
        }

        fn allowed(&self) -> alloc::string::String {
            self.inner.allowed()
        }

        fn lossless(&self) -> crate::Loss {
            self.inner.lossless()
        }

        fn samples(&self) -> alloc::vec::Vec<crate::Value> {
            self.inner.samples()
        }

        fn simplest(&self) -> Option<crate::Value> {
            self.inner.simplest()
        }

        fn integers(&self) -> Option<crate::IntRange> {
            self.inner.integers()
        }

        fn hashes(&self) -> Option<&'static str> {
            self.inner.hashes()
        }
    };
}

pub(crate) use values_of_inner;

use crate::{Codec, Language, Value, ValueError};
use alloc::{sync::Arc, vec::Vec};
use keyscape_automata::{Dfa, OverBudget};

/// Encodes `value` into a new vector, so nothing is written on an error.
pub(crate) fn encoded(inner: &dyn Codec, value: &Value) -> Result<Vec<u8>, ValueError> {
    let mut bytes = Vec::new();
    inner.encode(value, &mut bytes)?;
    Ok(bytes)
}

/// Maps both automata of a language, by a map that keeps the language prefix-free if it was.
pub(crate) fn map_language(
    language: Language,
    change: impl Fn(&Dfa) -> Result<Dfa, OverBudget>,
) -> Result<Language, OverBudget> {
    Ok(match language {
        Language::Exact(dfa) => Language::Exact(Arc::new(change(&dfa)?)),
        Language::Between { over, under, prefix_free } => {
            let (over, under) = (Arc::new(change(&over)?), Arc::new(change(&under)?).into());
            let prefix_free = prefix_free || over.is_prefix_free();
            Language::Between { over, under, prefix_free }
        }
    })
}

/// Marks a language as prefix-free.
pub(crate) fn prefix_free(language: Language) -> Language {
    match language {
        Language::Between { over, under, .. } => {
            Language::Between { over, under, prefix_free: true }
        }
        exact @ Language::Exact(_) => exact,
    }
}
