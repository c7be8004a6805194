//! `bool`: 00 or 01, and `fdb_bool`, the same as an element of a FoundationDB tuple.

use crate::{
    Codec, Description, Kind, Language, Malformed, Order, Value, ValueError, Values, order,
    sink::Sink,
};
use alloc::{string::String, sync::Arc, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::{Budget, ByteSet, Dfa, Lang, OverBudget};

/// Writes a boolean.
#[inline]
pub fn put(value: bool, sink: &mut impl Sink) {
    sink.push(value.into());
}

/// Parses a boolean from all of `bytes`.
///
/// # Errors
/// [`Malformed`] unless `bytes` is one byte, 00 or 01.
///
/// ```
/// assert_eq!(keyscape_codec::boolean::parse(&[0x01]), Ok(true));
/// assert!(keyscape_codec::boolean::parse(&[0x02]).is_err());
/// ```
#[inline]
pub const fn parse(bytes: &[u8]) -> Result<bool, Malformed> {
    match bytes {
        [0x00] => Ok(false),
        [0x01] => Ok(true),
        _ => Err(NEITHER),
    }
}

const NEITHER: Malformed = Malformed { reason: "a boolean is not one byte, 00 or 01" };
const ALLOWED: &str = "false or true";

/// `bool` and `fdb_bool`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bool {
    pub(crate) name: &'static str,
    /// The byte for false; the byte for true is the next one.
    pub(crate) base: u8,
}

impl Bool {
    pub(crate) const PLAIN: Self = Self { name: "bool", base: 0x00 };
    pub(crate) const TUPLE: Self = Self { name: "fdb_bool", base: 0x26 };
}

impl Codec for Bool {
    fn describe(&self) -> Description {
        Description::new(self.name, Values::Own)
    }

    fn kind(&self) -> Kind {
        Kind::Bool
    }

    fn allowed(&self) -> String {
        ALLOWED.into()
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let Value::Bool(value) = value else {
            return Err(ValueError::Kind { expected: ALLOWED.into() });
        };
        out.push(self.base + u8::from(*value));
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        match bytes {
            [byte] => parse(&[byte.wrapping_sub(self.base)]).map(Value::Bool),
            _ => Err(NEITHER),
        }
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let either = Lang::Class(ByteSet::range(self.base, self.base + 1));
        Ok(Language::Exact(Arc::new(Dfa::from_lang(&either, budget)?)))
    }

    fn order(&self) -> Order {
        order::ORDERED
    }

    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        match (a, b) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            _ => Ordering::Equal,
        }
    }

    fn longest(&self) -> Option<usize> {
        Some(1)
    }

    fn samples(&self) -> Vec<Value> {
        Vec::from([Value::Bool(false), Value::Bool(true)])
    }
}
