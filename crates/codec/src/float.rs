//! `f64`: IEEE bits, big-endian. The sign bit of positive numbers and all bits of negative ones are
//! inverted, so bytes sort like numbers. NaN has no order, and −0 would be a second zero;
//! the domain contains neither.

use crate::{
    Codec, Description, Kind, Language, Malformed, Order, Value, ValueError, Values,
    fixed::{self, interval},
    order,
    sink::Sink,
};
use alloc::{collections::BTreeSet, string::String, sync::Arc, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

const SIGN: u64 = 1 << 63;

/// A number is NaN or −0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {ALLOWED}")]
pub struct NotOrdered;

const ALLOWED: &str = "a number other than NaN and -0";

/// Returns bits that sort like numbers, for numbers of the domain.
#[inline]
pub(crate) const fn sortable(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

#[inline]
const fn number(bits: u64) -> f64 {
    f64::from_bits(if bits & SIGN == 0 { !bits } else { bits ^ SIGN })
}

#[inline]
const fn allowed(value: f64) -> bool {
    !value.is_nan() && value.to_bits() != SIGN
}

/// Writes a number.
///
/// # Errors
/// [`NotOrdered`] for NaN and −0; nothing is written then.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::float::put(1.0, &mut key)?;
/// assert_eq!(key, [0xbf, 0xf0, 0, 0, 0, 0, 0, 0]);
/// assert!(keyscape_codec::float::put(-0.0, &mut key).is_err());
/// # Ok::<(), keyscape_codec::float::NotOrdered>(())
/// ```
#[inline]
pub fn put(value: f64, sink: &mut impl Sink) -> Result<(), NotOrdered> {
    if !allowed(value) {
        return Err(NotOrdered);
    }
    fixed::put_be(sortable(value), sink);
    Ok(())
}

/// Parses a number from all of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are not eight bytes, or if they are those of NaN or −0.
#[inline]
pub fn parse(bytes: &[u8]) -> Result<f64, Malformed> {
    let value = number(fixed::parse_be(bytes)?);
    if allowed(value) { Ok(value) } else { Err(Malformed { reason: "a number is NaN or -0" }) }
}

/// `f64`.
#[derive(Clone, Debug)]
pub(crate) struct Float;

impl Codec for Float {
    fn describe(&self) -> Description {
        Description::new("f64", Values::Own)
    }

    fn kind(&self) -> Kind {
        Kind::Float
    }

    fn allowed(&self) -> String {
        ALLOWED.into()
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let Value::Float(value) = value else {
            return Err(ValueError::Kind { expected: ALLOWED.into() });
        };
        put(*value, out).map_err(|NotOrdered| ValueError::Outside { allowed: ALLOWED.into() })
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        parse(bytes).map(Value::Float)
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let between = |low: f64, high: f64| interval(sortable(low), sortable(high), u64::BITS);
        let below = between(f64::NEG_INFINITY, f64::from_bits(SIGN | 1));
        let above = between(0.0, f64::INFINITY);
        let lang = Lang::Alt(Vec::from([below, above]));
        Ok(Language::Exact(Arc::new(Dfa::from_lang(&lang, budget)?)))
    }

    fn order(&self) -> Order {
        order::ORDERED
    }

    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        match (a, b) {
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        }
    }

    fn longest(&self) -> Option<usize> {
        Some(8)
    }

    fn samples(&self) -> Vec<Value> {
        let mut numbers = Vec::from([0.0, 1.0, 2.0, 10.0, 0.5, 850_000.000_000_123]);
        numbers.extend([f64::MIN_POSITIVE, f64::from_bits(1), f64::MAX, f64::INFINITY]);
        numbers.extend((3_u32..=60).map(f64::from));
        // One number for every eighth exponent, and its upper neighbour.
        for exponent in (1..2046_u64).step_by(8) {
            numbers.extend([exponent << 52, (exponent << 52) + 1].map(f64::from_bits));
        }
        let mut known = BTreeSet::new();
        let both = numbers.into_iter().flat_map(|number| [number, -number]);
        both.filter(|number| allowed(*number) && known.insert(sortable(*number)))
            .map(Value::Float)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_scores_in_the_field() {
        for (value, bytes) in [
            (0.0, 0x8000_0000_0000_0000_u64),
            (1.0, 0xbff0_0000_0000_0000),
            (-1.0, 0x400f_ffff_ffff_ffff),
            (f64::INFINITY, 0xfff0_0000_0000_0000),
            (f64::NEG_INFINITY, 0x000f_ffff_ffff_ffff),
            (-0.5, 0x401f_ffff_ffff_ffff),
            (850_000.000_000_123, 0xc129_f0a0_0000_0421),
        ] {
            let mut key = Vec::new();
            put(value, &mut key).unwrap();
            assert_eq!(key, bytes.to_be_bytes(), "{value}");
            assert_eq!(parse(&key), Ok(value));
        }
    }

    #[test]
    fn nan_and_negative_zero_are_neither_written_nor_parsed() {
        let mut key = Vec::new();
        for value in [f64::NAN, -f64::NAN, -0.0] {
            assert_eq!(put(value, &mut key), Err(NotOrdered));
            assert!(parse(&sortable(value).to_be_bytes()).is_err());
        }
        assert!(key.is_empty() && parse(&[0; 8]).is_err());
    }
}
