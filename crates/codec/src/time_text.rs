//! `time_text`: a time in UTC as `2006-01-02T15:04:05.000000000`, always with nine fraction digits,
//! as the Cosmos SDK writes sortable times. Values are nanoseconds since 1970.

use crate::{
    Description, IntType, Malformed, Values,
    civil::{self, SECOND},
    dec0,
    integer_codec::IntegerForm,
    integers::{IntDomain, Number},
    interval::between,
};
use alloc::{format, vec::Vec};
use keyscape_automata::{Budget, ByteSet, Dfa, Lang, OverBudget, regex};

/// Returns all times of the calendar.
pub(crate) fn calendar() -> IntDomain {
    let first = Number::signed(civil::FIRST as i128 * SECOND);
    let last = Number::signed(civil::LAST as i128 * SECOND + SECOND - 1);
    IntDomain { of: IntType { bits: 128, signed: true }, low: first, high: last }
}

/// Describes a codec of times.
pub(crate) fn describe(name: &'static str, domain: &IntDomain) -> Description {
    let mut described = Description::new(name, Values::Own);
    described.domain = (*domain != calendar()).then(|| domain.bounds());
    described
}

/// Returns the language of all seconds as text.
pub(crate) fn seconds(budget: Budget) -> Result<Dfa, OverBudget> {
    // The pattern is a constant, and a test parses it.
    let lang = regex::parse_text(&civil::pattern()).unwrap_or(Lang::nothing());
    Dfa::from_lang(&lang, budget)
}

/// `time_text`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeText;

impl IntegerForm for TimeText {
    fn describe(&self, name: &'static str, domain: &IntDomain) -> Description {
        describe(name, domain)
    }

    fn put(&self, number: Number, out: &mut Vec<u8>) {
        let (seconds, rest) = civil::parts(number.low_i128());
        civil::put(seconds, out);
        out.extend(format!(".{rest:09}").into_bytes());
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        let form = Malformed { reason: "a time needs nine fraction digits" };
        let (seconds, rest) = bytes.split_at_checked(19).ok_or(form)?;
        let [b'.', digits @ ..] = rest else { return Err(form) };
        let nanoseconds = dec0::parse(digits, 9).map_err(|_| form)?;
        Ok(Number::signed(civil::joined(civil::parse(seconds)?, nanoseconds)))
    }

    /// Text sorts like time, so a range of times is the part of the calendar between two texts.
    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let digits = Lang::bytes(ByteSet::range(b'0', b'9'), 9, Some(9));
        let parts = [seconds(budget)?.into_lang(), Lang::literal(b"."), digits];
        let all = Dfa::from_lang(&Lang::Join(parts.into()), budget)?;
        let (low, high) = (self.word(domain.low), self.word(domain.high));
        let held = Dfa::from_lang(&between(&low, &high, (0x00, 0xff)), budget)?;
        all.intersect(&held, budget)
    }
}
