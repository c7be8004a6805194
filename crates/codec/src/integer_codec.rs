//! The codec of integers in any form.

use crate::{
    Codec, Comparison, Description, IntRange, Kind, Language, Loss, Malformed, Order, Value,
    ValueError,
    integers::{IntDomain, Number, OUTSIDE},
    order,
};
use alloc::{string::String, sync::Arc, vec::Vec};
use core::{cmp, fmt};
use keyscape_automata::{Budget, Dfa, OverBudget};

/// The bytes of integers. Every number that is passed is in the domain.
pub(crate) trait IntegerForm: Clone + fmt::Debug + Send + Sync + 'static {
    /// Describes the codec of a domain.
    fn describe(&self, name: &'static str, domain: &IntDomain) -> Description {
        domain.describe(name)
    }

    /// Writes a number.
    fn put(&self, number: Number, out: &mut Vec<u8>);

    /// Parses a number from all of `bytes`. It may be outside the domain, which the codec checks.
    fn parse(&self, bytes: &[u8], domain: &IntDomain) -> Result<Number, Malformed>;

    /// Returns exactly the encodings of a domain.
    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget>;

    /// Returns the order of the encodings of a domain.
    fn order(&self, domain: &IntDomain) -> Order {
        let _ = domain;
        order::ORDERED
    }

    /// Returns the order under another comparison.
    fn order_by(codec: &Integers<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        order::by(codec, comparison, budget)
    }

    /// Returns the loss of a domain.
    fn lossless(&self, domain: &IntDomain) -> Loss {
        let _ = domain;
        Loss::None
    }

    /// Returns the length of the longest encoding. By default, an end of the domain has it.
    fn longest(&self, domain: &IntDomain) -> usize {
        self.word(domain.low).len().max(self.word(domain.high).len())
    }

    /// Returns the encoding of a number.
    fn word(&self, number: Number) -> Vec<u8> {
        let mut word = Vec::new();
        self.put(number, &mut word);
        word
    }
}

/// The integers of a domain in one form.
#[derive(Clone, Debug)]
pub(crate) struct Integers<F> {
    pub(crate) name: &'static str,
    pub(crate) domain: IntDomain,
    pub(crate) form: F,
}

impl<F: IntegerForm> Codec for Integers<F> {
    fn describe(&self) -> Description {
        self.form.describe(self.name, &self.domain)
    }

    fn kind(&self) -> Kind {
        self.domain.kind()
    }

    fn allowed(&self) -> String {
        self.domain.allowed()
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        self.form.put(self.domain.number(value)?, out);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        let number = self.form.parse(bytes, &self.domain)?;
        if self.domain.contains(number) { Ok(self.domain.value(number)) } else { Err(OUTSIDE) }
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        Ok(Language::Exact(Arc::new(self.form.language(&self.domain, budget)?)))
    }

    fn order(&self) -> Order {
        self.form.order(&self.domain)
    }

    fn order_by(&self, comparison: Comparison, budget: Budget<'_>) -> Order {
        F::order_by(self, comparison, budget)
    }

    /// Compares two integers of one kind; values of other kinds are not ordered.
    fn compare(&self, a: &Value, b: &Value) -> cmp::Ordering {
        match (a, b) {
            (Value::Uint(a), Value::Uint(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            _ => cmp::Ordering::Equal,
        }
    }

    fn lossless(&self) -> Loss {
        self.form.lossless(&self.domain)
    }

    fn longest(&self) -> Option<usize> {
        Some(self.form.longest(&self.domain))
    }

    fn samples(&self) -> Vec<Value> {
        self.domain.samples()
    }

    fn simplest(&self) -> Option<Value> {
        Some(self.domain.simplest())
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        let (low, high) = range.ends();
        let domain = self.domain.narrowed(low, high)?;
        Some(Arc::new(Self { domain, ..self.clone() }))
    }

    fn integers(&self) -> Option<IntRange> {
        Some(self.domain.range())
    }
}
