//! `{= sha256(a, b)}`: bytes of a key that are computed from its fields.

use crate::{
    Codec, Description, Kind, Language, Malformed, Order, Value, ValueError, Values,
    hash::{Function, any},
    order, walk,
};
use alloc::{format, string::String, sync::Arc, vec::Vec};
use core::cmp::Ordering;
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
    fn any(&self, budget: Budget) -> Result<Dfa, OverBudget> {
        Dfa::from_lang(&any(self.length), budget)
    }
}

impl Codec for Derived {
    fn describe(&self) -> Description {
        let described = Description::new(self.function.name(), Values::Computed(self.of.clone()));
        if self.length == self.function.length() { described } else { described.width(self.length) }
    }

    fn kind(&self) -> Kind {
        Kind::Bytes
    }

    fn allowed(&self) -> String {
        format!("{} bytes, computed from {}", self.length, self.of.join(", "))
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        match value {
            Value::Bytes(bytes) if bytes.len() == self.length => {
                out.extend_from_slice(bytes);
                Ok(())
            }
            Value::Bytes(_) => Err(ValueError::Outside { allowed: self.allowed() }),
            _ => Err(ValueError::Kind { expected: self.allowed() }),
        }
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        if bytes.len() == self.length {
            Ok(Value::Bytes(bytes.to_vec()))
        } else {
            Err(Malformed { reason: "a digest has the wrong number of bytes" })
        }
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let any = Arc::new(self.any(budget)?);
        Ok(Language::Between { over: Arc::clone(&any), under: any.into(), prefix_free: true })
    }

    fn order(&self) -> Order {
        order::ORDERED
    }

    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        match (a, b) {
            (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
            _ => Ordering::Equal,
        }
    }

    fn longest(&self) -> Option<usize> {
        Some(self.length)
    }

    fn samples(&self) -> Vec<Value> {
        let words = self.any(Budget::default()).map(|any| walk::words(&any)).unwrap_or_default();
        words.into_iter().map(Value::Bytes).collect()
    }
}
