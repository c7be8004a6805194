//! What codecs share that change the encoding of another one and leave its values as they are.

/// The parts of [`Codec`](crate::Codec) that a codec with a field `inner` passes on to it; with
/// `descending`, values compare the other way round.
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

/// The encoding of `value`, apart, so that nothing is written if there is none.
pub(crate) fn encoded(inner: &dyn Codec, value: &Value) -> Result<Vec<u8>, ValueError> {
    let mut bytes = Vec::new();
    inner.encode(value, &mut bytes)?;
    Ok(bytes)
}

/// The language with both of its ends changed, by a change that makes no encoding the beginning of
/// another where none was.
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

/// The same language, of which it is known that no word is the beginning of another.
pub(crate) fn prefix_free(language: Language) -> Language {
    match language {
        Language::Between { over, under, .. } => {
            Language::Between { over, under, prefix_free: true }
        }
        exact @ Language::Exact(_) => exact,
    }
}
