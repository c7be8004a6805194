//! `dec0(u64)[20]`: integers as decimal text of one length, with leading zeros, so text sorts like
//! numbers.

use crate::{
    BuildReason, Description, Malformed, Uint,
    dec::{self, Decimal},
    integer_codec::IntegerForm,
    integers::{IntDomain, Number},
    interval::between,
};
use alloc::{format, string::ToString, vec::Vec};
use keyscape_automata::{Budget, Dfa, OverBudget};

/// The maximum width: more than any integer needs.
const MAX_WIDTH: usize = 255;

/// Parses an integer of `width` digits from all of `text`.
pub(crate) fn parse<T: Decimal>(text: &[u8], width: usize) -> Result<T, Malformed> {
    if text.len() != width {
        return Err(Malformed { reason: "a decimal has the wrong number of digits" });
    }
    let zeros = text.iter().take_while(|&&byte| byte == b'0').count();
    match text.get(zeros..).unwrap_or_default() {
        [] if width > 0 => dec::parse(b"0"),
        [b'-', ..] => Err(Malformed { reason: "a decimal with leading zeros has a sign" }),
        digits => dec::parse(digits),
    }
}

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
        if width < largest.len() || width > MAX_WIDTH {
            return Err(BuildReason::width("dec0", width, &largest, MAX_WIDTH));
        }
        Ok(Self { width })
    }
}

impl IntegerForm for Dec0 {
    fn describe(&self, name: &'static str, domain: &IntDomain) -> Description {
        domain.describe(name).width(self.width)
    }

    fn put(&self, number: Number, out: &mut Vec<u8>) {
        let (magnitude, width) = (number.magnitude(), self.width);
        out.extend(format!("{magnitude:0width$}").into_bytes());
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        parse::<Uint>(bytes, self.width).map(Number::positive)
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let (low, high) = (self.word(domain.low), self.word(domain.high));
        Dfa::from_lang(&between(&low, &high, (b'0', b'9')), budget)
    }
}
