//! `sign_i64(neg = 0x05, pos = 0x06)`: a byte for the sign, then eight bytes of two's complement,
//! big-endian. Negative numbers are not negated, and zero counts as positive.

use crate::{
    Arg, Codec, Description, IntType, Language, Malformed, Order, Value, ValueError,
    fixed::{self, interval},
    integers::{IntDomain, Number, values_of_integers},
    order,
    sink::Sink,
};
use alloc::{sync::Arc, vec::Vec};
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// The two sign bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signs {
    /// The byte before negative numbers.
    pub neg: u8,
    /// The byte before zero and positive numbers.
    pub pos: u8,
}

impl Signs {
    #[inline]
    const fn of(self, value: i64) -> u8 {
        if value < 0 { self.neg } else { self.pos }
    }
}

/// Writes an integer.
///
/// ```
/// use keyscape_codec::sign_i64::{Signs, put};
///
/// let mut key = Vec::new();
/// put(-1, Signs { neg: 0x05, pos: 0x06 }, &mut key);
/// assert_eq!(key, [0x05, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
/// ```
#[inline]
pub fn put(value: i64, signs: Signs, sink: &mut impl Sink) {
    sink.push(signs.of(value));
    fixed::put_be(value, sink);
}

/// Parses an integer from all of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are not nine bytes, or if the first byte is not the sign of the number.
#[inline]
pub fn parse(bytes: &[u8], signs: Signs) -> Result<i64, Malformed> {
    let (&sign, number) = bytes.split_first().ok_or(LENGTH)?;
    let value = fixed::parse_be(number)?;
    if sign == signs.of(value) {
        Ok(value)
    } else {
        Err(Malformed { reason: "the sign byte does not match the number" })
    }
}

const LENGTH: Malformed = Malformed { reason: "a number with a sign byte needs nine bytes" };

/// The type of the numbers.
pub(crate) const TYPE: IntType = IntType { bits: 64, signed: true };

/// `sign_i64(neg = …, pos = …)`.
#[derive(Clone, Debug)]
pub(crate) struct SignI64 {
    pub(crate) domain: IntDomain,
    // INVARIANT: the two bytes differ.
    pub(crate) signs: Signs,
}

impl Codec for SignI64 {
    values_of_integers!();

    fn describe(&self) -> Description {
        let mut described = self.domain.describe("sign_i64");
        let signs = [("neg", self.signs.neg), ("pos", self.signs.pos)];
        let sign = |(name, byte): (&str, u8)| Arg::Named(name.into(), Vec::from([byte]));
        described.args = signs.map(sign).into();
        described
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let bits = self.domain.number(value)?.bits();
        put(bits.as_i64(), self.signs, out);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        let number = Number::signed(parse(bytes, self.signs)?.into());
        if !self.domain.contains(number) {
            return Err(Malformed { reason: "an integer is outside its range" });
        }
        Ok(self.domain.value(number))
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let (below, above) = self.domain.halves();
        let arm = |half: IntDomain, sign: u8| {
            let numbers = interval(half.low.bits(), half.high.bits(), TYPE.bits);
            Lang::Join(Vec::from([Lang::literal(&[sign]), numbers]))
        };
        let below = below.map(|half| arm(half, self.signs.neg));
        let above = above.map(|half| arm(half, self.signs.pos));
        let lang = Lang::Alt(below.into_iter().chain(above).collect());
        Ok(Language::Exact(Arc::new(Dfa::from_lang(&lang, budget)?)))
    }

    fn order(&self) -> Order {
        match self.domain.halves() {
            (Some(_), Some(_)) if self.signs.neg > self.signs.pos => {
                Order::Misordered { lower: Value::Int(-1), higher: Value::Int(0), minimal: true }
            }
            _ => order::ORDERED,
        }
    }

    fn longest(&self) -> Option<usize> {
        Some(9)
    }
}
