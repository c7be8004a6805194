//! `varint_msb(u64)`: seven bits per byte, the highest first, and the eighth bit set if another
//! byte follows; each group before the last is reduced by one. Bitcoin Core writes integers in this
//! form (`VARINT`). Every number has one form.

use crate::{
    Malformed, Order,
    integer_codec::IntegerForm,
    integers::{self, IntDomain, Number},
    interval::between,
    sink::Sink,
};
use alloc::{vec, vec::Vec};
use keyscape_automata::{Budget, ByteSet, Dfa, Lang, OverBudget};

/// The length of `u128::MAX` in bytes.
const LONGEST: usize = 19;

/// Writes an integer.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::varint_msb::put(0x1234_u64, &mut key);
/// assert_eq!(key, [0xa3, 0x34]);
/// ```
#[inline]
pub fn put(value: impl Into<u128>, sink: &mut impl Sink) {
    let mut bytes = [0; LONGEST];
    let mut rest = value.into();
    let mut at = LONGEST - 1;
    bytes[at] = rest as u8 & 0x7f;
    while rest >= 0x80 && at > 0 {
        // Longer encodings begin where the shorter ones end, so no number has two forms.
        rest = (rest >> 7) - 1;
        at -= 1;
        bytes[at] = rest as u8 | 0x80;
    }
    sink.put(bytes.get(at..).unwrap_or_default());
}

/// Parses an integer from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes, or if the integer is outside the type; nothing is
/// consumed then.
#[inline]
pub fn take<T: TryFrom<u128>>(bytes: &mut &[u8]) -> Result<T, Malformed> {
    let (mut value, mut rest) = (0_u128, *bytes);
    loop {
        let (&byte, tail) = rest.split_first().ok_or(integers::TRUNCATED)?;
        rest = tail;
        value = value.checked_mul(0x80).ok_or(integers::OUTSIDE)? | u128::from(byte & 0x7f);
        if byte < 0x80 {
            return integers::narrowed(value, bytes, rest);
        }
        value = value.checked_add(1).ok_or(integers::OUTSIDE)?;
    }
}

/// Parses an integer from all of `bytes`.
///
/// # Errors
/// [`Malformed`] as for [`take`], or if bytes are left over.
#[inline]
pub fn parse<T: TryFrom<u128>>(bytes: &[u8]) -> Result<T, Malformed> {
    integers::all_of(bytes, take)
}

/// Returns the last integer of each length, the shortest first.
fn lasts() -> impl Iterator<Item = u128> {
    let next = |last: &u128| last.checked_add(1)?.checked_mul(0x80)?.checked_add(0x7f);
    core::iter::successors(Some(0x7f), next)
}

/// Returns the encodings of the integers from `low` to `high`, which have one length and sort like
/// their bytes.
fn of_one_length(low: u128, high: u128) -> Lang {
    let last =
        |from: u128, to: u128| Lang::Class(ByteSet::range(from as u8 & 0x7f, to as u8 & 0x7f));
    // All bytes except the last encode another number, each with the eighth bit set.
    let head = |number: u128| {
        let mut bytes = Vec::new();
        put(number, &mut bytes);
        if let Some(byte) = bytes.last_mut() {
            *byte |= 0x80;
        }
        bytes
    };
    let (Some(first), Some(end)) = ((low >> 7).checked_sub(1), (high >> 7).checked_sub(1)) else {
        return last(low, high);
    };
    if first == end {
        return Lang::Join(vec![Lang::literal(&head(first)), last(low, high)]);
    }
    let mut arms = vec![
        Lang::Join(vec![Lang::literal(&head(first)), last(low, 0x7f)]),
        Lang::Join(vec![Lang::literal(&head(end)), last(0, high)]),
    ];
    if first + 1 < end {
        let heads = between(&head(first + 1), &head(end - 1), (0x80, 0xff));
        arms.push(Lang::Join(vec![heads, last(0, 0x7f)]));
    }
    Lang::Alt(arms)
}

/// `varint_msb(u8)`, …, `varint_msb(u128)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarintMsb;

impl IntegerForm for VarintMsb {
    fn put(&self, number: Number, out: &mut Vec<u8>) {
        put(number.magnitude().as_u128(), out);
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        parse::<u128>(bytes).map(Number::positive)
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let (low, high) = domain.magnitudes();
        let (mut arms, mut first) = (Vec::new(), low);
        for last in lasts().chain([u128::MAX]).filter(|last| *last >= low) {
            arms.push(of_one_length(first, last.min(high)));
            if last >= high {
                break;
            }
            first = last + 1;
        }
        Dfa::from_lang(&Lang::Alt(arms), budget)
    }

    /// Numbers of one length sort, and single bytes come before all others. Of two longer lengths,
    /// the first number of the longer one sorts before the last number of the shorter one.
    fn order(&self, domain: &IntDomain) -> Order {
        let (low, high) = domain.magnitudes();
        let last = lasts().skip(1).find(|last| *last >= low);
        domain.order(last.filter(|last| *last < high).map(|last| (last, last + 1)))
    }
}
