//! What codecs share that change the encoding of another one and leave its values as they are.

/// The parts of [`Codec`](crate::Codec) that a codec with a field `inner` passes on to it.
macro_rules! values_of_inner {
    () => {
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

        fn integers(&self) -> Option<crate::IntRange> {
            self.inner.integers()
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

/// The language with both of its ends changed.
pub(crate) fn map_language(
    language: Language,
    change: impl Fn(&Dfa) -> Result<Dfa, OverBudget>,
) -> Result<Language, OverBudget> {
    Ok(match language {
        Language::Exact(dfa) => Language::Exact(Arc::new(change(&dfa)?)),
        Language::Between { over, under } => {
            Language::Between { over: Arc::new(change(&over)?), under: Arc::new(change(&under)?) }
        }
    })
}
