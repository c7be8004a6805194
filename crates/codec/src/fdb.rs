//! Elements of FoundationDB tuples: a type code, then the value, so elements of one type sort by
//! value. This file contains `fdb_int(i64)`, and `fdb_f64` and `fdb_uuid`, whose bodies have a form
//! of their own. `fdb_text(c)` and `fdb_bytes(c)` are [escaped](crate::escaped) after their codes,
//! and `fdb_bool` is only a code.

use crate::{
    Codec, Comparison, Description, Language, Malformed, Order, Stretch, Values,
    changed::{Change, Changed, Inner},
    integer_codec::IntegerForm,
    integers::{self, IntDomain, Number},
    interval::between,
    sink::Sink,
};
use alloc::{borrow::Cow, vec::Vec};
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
        return Err(integers::NOT_SHORTEST);
    }
    *bytes = rest;
    Ok(if code < ZERO { -i128::from(magnitude) } else { magnitude.into() })
}

const CODE: Malformed = Malformed { reason: "a tuple element has the type code of another" };

/// `fdb_int(u8)`, …, `fdb_int(i64)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FdbInt;

impl IntegerForm for FdbInt {
    fn put(&self, number: Number, out: &mut Vec<u8>) {
        let magnitude = number.low_u64();
        let width = width(magnitude);
        let (code, bits) = match number.is_negative() {
            true => (ZERO - width, !magnitude),
            false => (ZERO + width, magnitude),
        };
        out.push(code);
        out.put(bits.to_be_bytes().get(8 - usize::from(width)..).unwrap_or_default());
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        integers::all_of(bytes, take).map(Number::signed)
    }

    /// One interval per number of bytes, on each side of zero.
    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let mut arms = Vec::new();
        for width in 0..=8_u32 {
            let min = if width == 0 { 0 } else { 1_u128 << (8 * (width - 1)) };
            let max = (1_u128 << (8 * width)) - 1;
            let above = (Number::positive(min), Number::positive(max));
            let below = (Number::negative(max), Number::negative(min));
            for (low, high) in [above, below] {
                if let Some(part) = domain.narrowed(low, high) {
                    let (low, high) = (self.word(part.low), self.word(part.high));
                    arms.push(between(&low, &high, (0x00, 0xff)));
                }
            }
        }
        Dfa::from_lang(&Lang::Alt(arms), budget)
    }
}

/// `fdb_f64` and `fdb_uuid`: another codec after a type code. A constant first byte changes no
/// comparison, from either side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coded {
    pub(crate) name: &'static str,
    pub(crate) code: u8,
}

impl Change for Coded {
    fn describe(&self, _: &dyn Codec) -> Description {
        Description::new(self.name, Values::Own)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        out.push(self.code);
        out.put(encoding);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        bytes.strip_prefix(&[self.code]).map(Cow::from).ok_or(CODE)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.map(|dfa| {
            let parts = [Lang::literal(&[self.code]), dfa.clone().into_lang()];
            Dfa::from_lang(&Lang::Join(parts.into()), of.budget)
        })
    }

    fn order_by(changed: &Changed<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        changed.inner.order_by(comparison, budget)
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::by(1))
    }
}
