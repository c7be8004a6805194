//! Elements of FoundationDB tuples: a type code, then the value, so elements of one type sort by
//! value. This file contains `fdb_int(i64)`, and `fdb_f64` and `fdb_uuid`, whose bodies have a form
//! of their own. `fdb_text(c)` and `fdb_bytes(c)` are [escaped](crate::escaped) after their codes,
//! and `fdb_bool` is only a code.

use crate::{
    Codec, Comparison, Description, IntRange, Language, Malformed, Order, Stretch, Value,
    ValueError, Values,
    integers::{self, IntDomain, Number, values_of_integers},
    interval::between,
    order,
    sink::Sink,
    wrapped::{encoded, map_language, values_of_inner},
};
use alloc::{sync::Arc, vec::Vec};
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// The type code of zero. The code of another integer is this plus or minus its number of bytes.
const ZERO: u8 = 0x14;

/// The type codes of other elements.
pub(crate) const BYTES: u8 = 0x01;
pub(crate) const TEXT: u8 = 0x02;
pub(crate) const F64: u8 = 0x21;
pub(crate) const UUID: u8 = 0x30;

/// Returns the number of bytes of a magnitude.
const fn width(magnitude: u64) -> u8 {
    (u64::BITS - magnitude.leading_zeros()).div_ceil(8) as u8
}

fn put_parts(negative: bool, magnitude: u64, sink: &mut impl Sink) {
    let width = width(magnitude);
    let (code, bits) =
        if negative { (ZERO - width, !magnitude) } else { (ZERO + width, magnitude) };
    sink.push(code);
    sink.put(bits.to_be_bytes().get(8 - usize::from(width)..).unwrap_or_default());
}

/// Parses an integer of up to eight bytes from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes, if the type code is not that of an integer, or if the
/// integer has leading zeros; nothing is consumed then.
fn take(bytes: &mut &[u8]) -> Result<i128, Malformed> {
    const CUT: Malformed = Malformed { reason: "a tuple element is truncated" };
    let (&code, rest) = bytes.split_first().ok_or(CUT)?;
    let width = code.abs_diff(ZERO);
    if width > 8 {
        return Err(CODE);
    }
    let (body, rest) = rest.split_at_checked(width.into()).ok_or(CUT)?;
    let number = body.iter().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
    let unused = u64::MAX.checked_shl(8 * u32::from(width)).unwrap_or(0);
    let magnitude = if code < ZERO { !(number | unused) } else { number };
    if self::width(magnitude) != width {
        return Err(Malformed { reason: "an integer is not in its shortest form" });
    }
    *bytes = rest;
    Ok(if code < ZERO { -i128::from(magnitude) } else { magnitude.into() })
}

const CODE: Malformed = Malformed { reason: "a tuple element has the type code of another" };

/// `fdb_int(u8)`, …, `fdb_int(i64)`.
#[derive(Clone, Debug)]
pub(crate) struct FdbInt {
    // INVARIANT: the type has at most 64 bits.
    pub(crate) domain: IntDomain,
}

impl FdbInt {
    fn put(number: Number, out: &mut Vec<u8>) {
        put_parts(number.is_negative(), number.low_u64(), out);
    }
}

impl Codec for FdbInt {
    values_of_integers!();

    fn describe(&self) -> Description {
        self.domain.describe("fdb_int")
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        Self::put(self.domain.number(value)?, out);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        self.domain.checked(Number::signed(integers::all_of(bytes, take)?))
    }

    /// One interval per number of bytes, on each side of zero.
    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let word = |number: Number| {
            let mut bytes = Vec::new();
            Self::put(number, &mut bytes);
            bytes
        };
        let mut arms = Vec::new();
        for width in 0..=8_u32 {
            let least = if width == 0 { 0 } else { 1_u128 << (8 * (width - 1)) };
            let most = (1_u128 << (8 * width)) - 1;
            let above = (Number::positive(least), Number::positive(most));
            let below = (Number::negative(most), Number::negative(least));
            for (low, high) in [above, below] {
                if let Some(part) = self.domain.narrowed(low, high) {
                    arms.push(between(&word(part.low), &word(part.high), (0x00, 0xff)));
                }
            }
        }
        Ok(Language::Exact(Arc::new(Dfa::from_lang(&Lang::Alt(arms), budget)?)))
    }

    fn order(&self) -> Order {
        order::ORDERED
    }

    fn longest(&self) -> Option<usize> {
        let length = |number: Number| usize::from(width(number.low_u64())) + 1;
        Some(length(self.domain.low).max(length(self.domain.high)))
    }
}

/// `fdb_f64` and `fdb_uuid`: another codec after a type code.
#[derive(Clone, Debug)]
pub(crate) struct Coded {
    pub(crate) name: &'static str,
    pub(crate) code: u8,
    pub(crate) inner: Arc<dyn Codec>,
}

impl Codec for Coded {
    values_of_inner!();

    fn shows_shortest_loss(&self) -> bool {
        false
    }

    fn describe(&self) -> Description {
        Description::new(self.name, Values::Own)
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let body = encoded(&*self.inner, value)?;
        out.push(self.code);
        out.extend_from_slice(&body);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        self.inner.decode(bytes.strip_prefix(&[self.code]).ok_or(CODE)?)
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        map_language(self.inner.language(budget)?, |dfa| {
            let parts = [Lang::literal(&[self.code]), dfa.clone().into_lang()];
            Dfa::from_lang(&Lang::Join(parts.into()), budget)
        })
    }

    // A constant first byte changes no comparison, from either side.
    fn order(&self) -> Order {
        self.inner.order()
    }

    fn order_by(&self, comparison: Comparison, budget: Budget<'_>) -> Order {
        self.inner.order_by(comparison, budget)
    }

    fn longest(&self) -> Option<usize> {
        self.inner.longest().map(|longest| longest + 1)
    }

    fn stretch(&self) -> Option<(&dyn Codec, Stretch)> {
        Some((&*self.inner, Stretch::by(1)))
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(Self { inner: self.inner.restrict(range)?, ..self.clone() }))
    }
}
