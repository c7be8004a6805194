//! `dec0(u64)[20]`: integers as decimal text of one length, with leading zeros, so text sorts like
//! numbers.

use crate::{
    BuildReason, Description, Malformed, Uint,
    dec::{self, Decimal},
    integer_codec::IntegerForm,
    integers::{IntDomain, Number},
    interval::between,
    sink::{KeyBuf, Overflow, Sink},
};
use alloc::{string::ToString, vec::Vec};
use keyscape_automata::{Budget, Dfa, OverBudget};

/// The maximum width: more than any integer needs.
pub const MOST: usize = 255;

/// An integer with more digits than the width, or a negative one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an integer does not fit {width} decimal digits")]
pub struct TooWide {
    /// The maximum number of digits.
    pub width: usize,
}

/// Writes an integer with exactly `width` digits.
///
/// # Errors
/// [`TooWide`] if it has more digits or is negative; nothing is written then.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::dec0::put(42_u64, 5, &mut key)?;
/// assert_eq!(key, b"00042");
/// # Ok::<(), keyscape_codec::dec0::TooWide>(())
/// ```
#[inline]
pub fn put<T: Decimal>(value: T, width: usize, sink: &mut impl Sink) -> Result<(), TooWide> {
    let mut digits = KeyBuf::<40>::new();
    dec::put(value, &mut digits);
    put_digits(digits.bytes(), width, sink)
}

/// Writes an integer of 256 bits with exactly `width` digits.
///
/// # Errors
/// [`TooWide`] if it has more; nothing is written then.
pub fn put_u256(value: Uint, width: usize, sink: &mut impl Sink) -> Result<(), TooWide> {
    let mut digits = KeyBuf::<78>::new();
    dec::put_u256(value, &mut digits);
    put_digits(digits.bytes(), width, sink)
}

fn put_digits(
    digits: Result<&[u8], Overflow>,
    width: usize,
    sink: &mut impl Sink,
) -> Result<(), TooWide> {
    const ZEROS: [u8; 16] = [b'0'; 16];
    let too_wide = TooWide { width };
    let digits = digits.map_err(|_| too_wide)?;
    let mut missing = width.checked_sub(digits.len()).ok_or(too_wide)?;
    if digits.first() == Some(&b'-') {
        return Err(too_wide);
    }
    while missing > 0 {
        let zeros = ZEROS.get(..missing).unwrap_or(&ZEROS);
        sink.put(zeros);
        missing -= zeros.len();
    }
    sink.put(digits);
    Ok(())
}

/// Parses an integer of `width` digits from all of `text`.
///
/// # Errors
/// [`Malformed`] unless `text` is the canonical form of an integer of the type.
#[inline]
pub fn parse<T: Decimal>(text: &[u8], width: usize) -> Result<T, Malformed> {
    dec::parse(digits(text, width)?)
}

/// Parses an integer of 256 bits with `width` digits from all of `text`.
///
/// # Errors
/// [`Malformed`] unless `text` is the canonical form of an integer of the type.
pub fn parse_u256(text: &[u8], width: usize) -> Result<Uint, Malformed> {
    dec::parse_u256(digits(text, width)?)
}

/// Returns the digits without leading zeros.
#[inline]
fn digits(text: &[u8], width: usize) -> Result<&[u8], Malformed> {
    if text.len() != width {
        return Err(LENGTH);
    }
    let zeros = text.iter().take_while(|&&byte| byte == b'0').count();
    match text.get(zeros..) {
        Some([]) if width > 0 => Ok(b"0"),
        Some([b'-', ..]) => Err(Malformed { reason: "a decimal with leading zeros has a sign" }),
        Some(digits) => Ok(digits),
        None => Err(LENGTH),
    }
}

const LENGTH: Malformed = Malformed { reason: "a decimal has the wrong number of digits" };

/// `dec0(u8)[…]`, …, `dec0(u256)[…]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dec0 {
    // INVARIANT: no integer of the domain has more digits.
    width: usize,
}

impl Dec0 {
    /// Checks that all integers of an unsigned domain have at most `width` digits.
    pub(crate) fn new(domain: &IntDomain, width: usize) -> Result<Self, BuildReason> {
        let largest = domain.high.magnitude().to_string();
        if width < largest.len() || width > MOST {
            return Err(BuildReason::Width { name: "dec0", width, largest, most: MOST });
        }
        Ok(Self { width })
    }
}

impl IntegerForm for Dec0 {
    fn describe(&self, name: &'static str, domain: &IntDomain) -> Description {
        domain.describe(name).width(self.width)
    }

    fn put(&self, number: Number, out: &mut Vec<u8>) {
        // Every integer of the domain fits the width.
        let _ = put_u256(number.magnitude(), self.width, out);
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        parse_u256(bytes, self.width).map(Number::positive)
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let (low, high) = (self.word(domain.low), self.word(domain.high));
        Dfa::from_lang(&between(&low, &high, (b'0', b'9')), budget)
    }
}
