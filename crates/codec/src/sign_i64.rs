//! `sign_i64(neg = 0x05, pos = 0x06)`: a byte for the sign, then eight bytes of two's complement,
//! big-endian. Negative numbers are not negated, and zero counts as positive.

use crate::{
    Arg, Description, IntType, Malformed, Order,
    fixed::{self, interval},
    integer_codec::IntegerForm,
    integers::{IntDomain, Number},
    sink::Sink,
};
use alloc::vec::Vec;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// The two sign bytes, which differ in a codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signs {
    /// The byte before negative numbers.
    pub neg: u8,
    /// The byte before zero and positive numbers.
    pub pos: u8,
}

const LENGTH: Malformed = Malformed { reason: "a number with a sign byte needs nine bytes" };

impl Signs {
    #[inline]
    const fn of(self, value: i64) -> u8 {
        if value < 0 { self.neg } else { self.pos }
    }

    /// Writes an integer.
    ///
    /// ```
    /// use keyscape_codec::sign_i64::Signs;
    ///
    /// let mut key = Vec::new();
    /// Signs { neg: 0x05, pos: 0x06 }.put(-1, &mut key);
    /// assert_eq!(key, [0x05, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    /// ```
    #[inline]
    pub fn put(self, value: i64, sink: &mut impl Sink) {
        sink.push(self.of(value));
        fixed::put_be(value, sink);
    }

    /// Parses an integer from all of `bytes`.
    ///
    /// # Errors
    /// [`Malformed`] if there are not nine bytes, or if the first byte is not the sign of the
    /// number.
    #[inline]
    pub fn parse(self, bytes: &[u8]) -> Result<i64, Malformed> {
        let (&sign, number) = bytes.split_first().ok_or(LENGTH)?;
        let value = fixed::parse_be(number)?;
        if sign == self.of(value) {
            Ok(value)
        } else {
            Err(Malformed { reason: "the sign byte does not match the number" })
        }
    }
}

/// The type of the numbers.
pub(crate) const TYPE: IntType = IntType { bits: 64, signed: true };

/// `sign_i64(neg = …, pos = …)`.
impl IntegerForm for Signs {
    fn describe(&self, name: &'static str, domain: &IntDomain) -> Description {
        let mut described = domain.describe(name);
        let sign = |(name, byte): (&str, u8)| Arg::Named(name.into(), Vec::from([byte]));
        described.args = [("neg", self.neg), ("pos", self.pos)].map(sign).into();
        described
    }

    fn put(&self, number: Number, out: &mut Vec<u8>) {
        Self::put(*self, number.bits().as_i64(), out);
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        Self::parse(*self, bytes).map(|number| Number::signed(number.into()))
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let (below, above) = domain.halves();
        let arm = |half: IntDomain, sign: u8| {
            let numbers = interval(half.low.bits(), half.high.bits(), TYPE.bits);
            Lang::Join(Vec::from([Lang::literal(&[sign]), numbers]))
        };
        let below = below.map(|half| arm(half, self.neg));
        let above = above.map(|half| arm(half, self.pos));
        Dfa::from_lang(&Lang::Alt(below.into_iter().chain(above).collect()), budget)
    }

    fn order(&self, domain: &IntDomain) -> Order {
        let (below, above) = domain.halves();
        let is_misordered = self.neg > self.pos && below.is_some() && above.is_some();
        domain.order(is_misordered.then_some((Number::signed(-1), Number::ZERO)))
    }
}
