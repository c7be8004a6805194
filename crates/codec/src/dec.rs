//! `dec(u64)`: integers as decimal text, without leading zeros, `+` or `-0`.

use crate::{
    Comparison, Malformed, Order, Uint,
    fixed::sealed,
    integer_codec::{IntegerForm, Integers},
    integers::{IntDomain, Number},
    order,
    sink::Sink,
};
use alloc::vec::Vec;
use core::cmp::Ordering;
use keyscape_automata::{Budget, ByteSet, Dfa, OverBudget};

/// An integer type with a decimal form.
pub trait Decimal: Copy + sealed::Sealed {
    /// Writes the integer without leading zeros.
    fn put(self, sink: &mut impl Sink);

    /// Parses an integer from all of `text`.
    ///
    /// # Errors
    /// [`Malformed`] unless `text` is the canonical decimal form of an integer of the type.
    fn parse(text: &[u8]) -> Result<Self, Malformed>;
}

macro_rules! decimal {
    ($($unsigned:ty, $signed:ty, $put:ident, $parse:ident;)*) => {$(
        impl Decimal for $unsigned {
            #[inline]
            fn put(self, sink: &mut impl Sink) {
                $put(self.into(), sink);
            }

            #[inline]
            fn parse(text: &[u8]) -> Result<Self, Malformed> {
                Self::try_from($parse(text)?).map_err(|_| RANGE)
            }
        }

        impl Decimal for $signed {
            #[inline]
            fn put(self, sink: &mut impl Sink) {
                if self < 0 {
                    sink.push(b'-');
                }
                self.unsigned_abs().put(sink);
            }

            #[inline]
            fn parse(text: &[u8]) -> Result<Self, Malformed> {
                match text {
                    [b'-', digits @ ..] => match <$unsigned>::parse(digits)? {
                        0 => Err(Malformed { reason: "zero has no sign" }),
                        magnitude => Self::checked_sub_unsigned(0, magnitude).ok_or(RANGE),
                    },
                    digits => Self::try_from(<$unsigned>::parse(digits)?).map_err(|_| RANGE),
                }
            }
        }
    )*};
}

decimal! {
    u8, i8, put_u64, parse_u64;
    u16, i16, put_u64, parse_u64;
    u32, i32, put_u64, parse_u64;
    u64, i64, put_u64, parse_u64;
    u128, i128, put_u128, parse_u128;
}

impl Decimal for Uint {
    fn put(self, sink: &mut impl Sink) {
        put_u256(self, sink);
    }

    fn parse(text: &[u8]) -> Result<Self, Malformed> {
        if text.len() <= SAFE {
            return parse_u64(text).map(Self::from);
        }
        let ten = Self::new(10);
        digits_of(text, Self::ZERO, |value, digit| {
            value.checked_mul(ten)?.checked_add(Self::from(digit))
        })
    }
}

/// A block contains the eight digits of a number below this one.
const BLOCK: u64 = 100_000_000;

/// Returns the digits of a number below [`BLOCK`], including leading zeros, the first in the lowest
/// byte. Splits one word into groups of four digits, then two, then one.
#[inline]
const fn block(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    // 10486 / 2^20 is 1 / 100 for numbers below 10,000, and 103 / 2^10 is 1 / 10 below 100.
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - tens * 10) << 8)
}

/// Eight characters `0`.
const ZEROS_OF_TEXT: u64 = u64::from_le_bytes([b'0'; 8]);

/// Converts digits to characters.
#[inline]
const fn characters(digits: u64) -> [u8; 8] {
    (digits | ZEROS_OF_TEXT).to_le_bytes()
}

/// This number of digits always fits 64 bits.
const SAFE: usize = 19;

#[inline]
fn put_u64(value: u64, sink: &mut impl Sink) {
    if value < BLOCK {
        put_first(value, sink);
        return;
    }
    let (high, low) = (value / BLOCK, value % BLOCK);
    if high < BLOCK {
        put_first(high, sink);
    } else {
        put_first(high / BLOCK, sink);
        sink.put(&characters(block(high % BLOCK)));
    }
    sink.put(&characters(block(low)));
}

/// Writes a number below [`BLOCK`] without leading zeros.
#[inline]
fn put_first(number: u64, sink: &mut impl Sink) {
    let digits = block(number);
    // A block of zeros keeps its last digit.
    let zeros = (digits.trailing_zeros() / 8).min(7);
    let text = (digits | ZEROS_OF_TEXT) >> (zeros * 8);
    sink.put(text.to_le_bytes().get(..8 - zeros as usize).unwrap_or_default());
}

/// Writes an integer.
///
/// ```
/// use keyscape_codec::{KeyBuf, dec};
///
/// let mut key = KeyBuf::<40>::new();
/// dec::put(-17_i32, &mut key);
/// assert_eq!(key.bytes(), Ok(&b"-17"[..]));
/// ```
#[inline]
pub fn put<T: Decimal>(value: T, sink: &mut impl Sink) {
    value.put(sink);
}

#[inline]
fn put_u128(value: u128, sink: &mut impl Sink) {
    match u64::try_from(value) {
        Ok(small) => put_u64(small, sink),
        Err(_) => put_u256(value.into(), sink),
    }
}

/// Writes an integer above 64 bits in groups of nineteen digits.
fn put_u256(value: Uint, sink: &mut impl Sink) {
    /// The first number with twenty digits.
    const NINETEEN: u64 = 10_000_000_000_000_000_000;
    match u64::try_from(value) {
        Ok(small) => put_u64(small, sink),
        Err(_) => {
            put_u256(value / Uint::from(NINETEEN), sink);
            let rest = (value % Uint::from(NINETEEN)).as_u64();
            let (high, low) = (rest / BLOCK, rest % BLOCK);
            sink.put(characters(block(high / BLOCK)).get(5..).unwrap_or_default());
            sink.put(&characters(block(high % BLOCK)));
            sink.put(&characters(block(low)));
        }
    }
}

const FORM: Malformed = Malformed { reason: "a decimal has a character that is not a digit" };
const ZEROS: Malformed = Malformed { reason: "a decimal has a leading zero" };
const RANGE: Malformed = Malformed { reason: "a decimal is outside its range" };

/// Parses an integer from all of `text`.
///
/// # Errors
/// [`Malformed`] unless `text` is the canonical decimal form of an integer of the type.
#[inline]
pub fn parse<T: Decimal>(text: &[u8]) -> Result<T, Malformed> {
    T::parse(text)
}

#[inline]
fn parse_u64(text: &[u8]) -> Result<u64, Malformed> {
    match text {
        [] => return Err(FORM),
        [b'0', _, ..] => return Err(ZEROS),
        _ => {}
    }
    if text.len() > SAFE {
        return digits_of(text, 0, |value: u64, digit| {
            value.checked_mul(10)?.checked_add(digit.into())
        });
    }
    let mut value = 0_u64;
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(FORM);
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
    }
    Ok(value)
}

fn parse_u128(text: &[u8]) -> Result<u128, Malformed> {
    if text.len() <= SAFE {
        return parse_u64(text).map(u128::from);
    }
    digits_of(text, 0, |value, digit| value.checked_mul(10)?.checked_add(digit.into()))
}

/// Returns the number of some digits, the first of which is not zero.
fn digits_of<T>(digits: &[u8], zero: T, add: impl Fn(T, u8) -> Option<T>) -> Result<T, Malformed> {
    if digits.first() == Some(&b'0') {
        return Err(ZEROS);
    }
    digits.iter().try_fold(zero, |value, &byte| match byte.wrapping_sub(b'0') {
        digit @ 0..=9 => add(value, digit).ok_or(RANGE),
        _ => Err(FORM),
    })
}

/// `dec(u8)`, …, `dec(u256)`, `dec(i8)`, …, `dec(i128)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dec;

const TEN: Uint = Uint::new(10);

fn digits(magnitude: Uint) -> u32 {
    let (mut count, mut rest) = (1, magnitude);
    while rest >= TEN {
        rest /= TEN;
        count += 1;
    }
    count
}

/// Returns two numbers from `low` to `high`, of which the larger has one digit more and is smaller
/// as text. With one number of digits no such pair exists, because equal lengths sort like values.
fn across_lengths(low: Uint, high: Uint) -> Option<(Uint, Uint)> {
    let shorter = digits(low);
    if shorter == digits(high) {
        return None;
    }
    // 10…0 is the smallest number with one digit more, and its only prefix of that length is 10…0.
    let beginning = TEN.pow(shorter - 1);
    Some((low.max(beginning + Uint::ONE), beginning.saturating_mul(TEN)))
}

/// Returns two magnitudes of negative numbers from `low` to `high`, the larger (the smaller number)
/// with the larger text. Any two of equal length will do. With different lengths only a single 9…9
/// could matter, and only its own continuations sort above it.
fn below_zero(low: Uint, high: Uint) -> Option<(Uint, Uint)> {
    let next = low.checked_add(Uint::ONE).filter(|next| *next <= high)?;
    if digits(low) == digits(next) {
        return Some((low, next));
    }
    let after = next.checked_add(Uint::ONE).filter(|after| *after <= high)?;
    Some((next, after))
}

impl IntegerForm for Dec {
    fn put(&self, number: Number, out: &mut Vec<u8>) {
        if number.is_negative() {
            out.push(b'-');
        }
        put_u256(number.magnitude(), out);
    }

    fn parse(&self, bytes: &[u8], domain: &IntDomain) -> Result<Number, Malformed> {
        let number = match bytes {
            [b'-', ..] => Number::signed(parse(bytes)?),
            _ => Number::positive(parse::<Uint>(bytes)?),
        };
        if domain.contains(number) { Ok(number) } else { Err(RANGE) }
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let ends = |half: IntDomain| (half.low.magnitude(), half.high.magnitude());
        let (below, above) = domain.halves();
        // A negative number is larger the nearer it is to zero.
        let below = below.map(ends).map(|(far, near)| Digits::new(near, far));
        let above = above.map(ends).map(|(low, high)| Digits::new(low, high));
        let mut alphabet = ByteSet::range(b'0', b'9');
        alphabet.insert(b'-');
        let step = |&(negative, read): &(bool, Read), byte: u8| {
            if byte == b'-' {
                let first = !negative && read == Read::default();
                return (first && below.is_some()).then_some((true, read));
            }
            let digits = if negative { &below } else { &above };
            Some((negative, digits.as_ref()?.step(read, byte)?))
        };
        let accepts = |&(negative, read): &(bool, Read)| {
            let digits = if negative { &below } else { &above };
            digits.as_ref().is_some_and(|digits| digits.holds(read))
        };
        let start = (false, Read::default());
        Dfa::from_steps(start, &alphabet, step, accepts, budget)
    }

    fn order(&self, domain: &IntDomain) -> Order {
        let (below, above) = domain.halves();
        let above =
            above.and_then(|half| across_lengths(half.low.magnitude(), half.high.magnitude()));
        let below = below.and_then(|half| below_zero(half.high.magnitude(), half.low.magnitude()));
        // Negative numbers sort before others, because `-` sorts before every digit.
        let below = below.filter(|(near, far)| {
            let total = digits(*near) + digits(*far) + 2;
            above.is_none_or(|(low, high)| total < digits(low) + digits(high))
        });
        let below = below.map(|(near, far)| (Number::negative(far), Number::negative(near)));
        let above = above.map(|(low, high)| (Number::positive(low), Number::positive(high)));
        domain.order(below.or(above))
    }

    fn order_by(codec: &Integers<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        if comparison == Comparison::FromTheRight {
            return order::by(codec, comparison, budget);
        }
        // For positive numbers, more digits mean a larger number; for negative ones, a smaller
        // number.
        codec.domain.order(match codec.domain.halves() {
            (None, _) => None,
            (Some(_), Some(_)) => Some((Number::signed(-1), Number::ZERO)),
            (Some(half), None) => (half.low < half.high).then(|| (half.high.previous(), half.high)),
        })
    }
}

/// The decimal forms of the numbers between two ends, both included.
struct Digits {
    low: Vec<u8>,
    high: Vec<u8>,
}

/// The number of digits read, and their comparison with the same number of digits of both ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Read {
    count: usize,
    low: Ordering,
    high: Ordering,
    /// Zero has one digit, and no other number begins with it.
    is_zero: bool,
}

impl Default for Read {
    fn default() -> Self {
        Self { count: 0, low: Ordering::Equal, high: Ordering::Equal, is_zero: false }
    }
}

impl Digits {
    fn new(low: Uint, high: Uint) -> Self {
        let mut ends = Self { low: Vec::new(), high: Vec::new() };
        put_u256(low, &mut ends.low);
        put_u256(high, &mut ends.high);
        ends
    }

    fn step(&self, read: Read, digit: u8) -> Option<Read> {
        if read.is_zero || read.count == self.high.len() {
            return None;
        }
        // A number with more digits than the lower end is above it.
        let against = |end: &[u8]| end.get(read.count).map_or(Ordering::Equal, |d| digit.cmp(d));
        Some(Read {
            count: read.count + 1,
            low: read.low.then_with(|| against(&self.low)),
            high: read.high.then_with(|| against(&self.high)),
            is_zero: read.count == 0 && digit == b'0',
        })
    }

    fn holds(&self, read: Read) -> bool {
        let reaches_low = read.count > self.low.len()
            || read.count == self.low.len() && read.low != Ordering::Less;
        let keeps_high = read.count < self.high.len() || read.high != Ordering::Greater;
        read.count > 0 && reaches_low && keeps_high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn check(n: u64) {
        let mut text = Vec::new();
        put_u64(n, &mut text);
        assert_eq!(text, format!("{n}").into_bytes());
    }

    #[test]
    fn decimals_of_every_length_are_written() {
        let mut power = 1_u64;
        for _ in 0..20 {
            for n in [power - 1, power, power + 1, power.wrapping_mul(7), power / 3 * 2, !power] {
                check(n);
            }
            power = power.wrapping_mul(10);
        }
        (0..100_000).for_each(|n| check(n * 1_009));
    }
}
