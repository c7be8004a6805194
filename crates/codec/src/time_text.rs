//! `time_text`: a time in UTC as `2006-01-02T15:04:05.000000000`, always with nine fraction digits,
//! as the Cosmos SDK writes sortable times. Values are nanoseconds since 1970.

use crate::{
    Codec, Description, IntType, Language, Malformed, Order, Value, ValueError, Values,
    civil::{self, OutsideCalendar, SECOND},
    integers::{IntDomain, Number, values_of_integers},
    interval::between,
    order,
    sink::Sink,
};
use alloc::{format, sync::Arc, vec::Vec};
use keyscape_automata::{Budget, Dfa, Lang, OverBudget, regex};

pub use crate::civil::OutsideCalendar as Outside;

/// Writes a time, in nanoseconds since 1970.
///
/// # Errors
/// [`Outside`] before year 1 and after year 9999; nothing is written then.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::time_text::put(500_000_000, &mut key)?;
/// assert_eq!(key, b"1970-01-01T00:00:00.500000000");
/// # Ok::<(), keyscape_codec::time_text::Outside>(())
/// ```
#[inline]
pub fn put(nanoseconds: i128, sink: &mut impl Sink) -> Result<(), OutsideCalendar> {
    let (seconds, rest) = civil::parts(nanoseconds)?;
    civil::put(seconds, sink);
    sink.put(format!(".{rest:09}").as_bytes());
    Ok(())
}

/// Parses a time from all of `text`.
///
/// # Errors
/// [`Malformed`] if the form is wrong, or the time does not exist.
#[inline]
pub fn parse(text: &[u8]) -> Result<i128, Malformed> {
    let form = Malformed { reason: "a time needs nine fraction digits" };
    let (seconds, rest) = text.split_at_checked(19).ok_or(form)?;
    let [b'.', digits @ ..] = rest else { return Err(form) };
    let nanoseconds = crate::dec0::parse::<u32>(digits, 9).map_err(|_| form)?;
    Ok(civil::joined(civil::parse(seconds)?, nanoseconds))
}

const LENGTH: usize = 29;

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
#[derive(Clone, Debug)]
pub(crate) struct TimeText {
    pub(crate) domain: IntDomain,
}

impl Codec for TimeText {
    values_of_integers!();

    fn describe(&self) -> Description {
        describe("time_text", &self.domain)
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let time = self.domain.number(value)?.low_i128();
        put(time, out).map_err(|_| ValueError::Outside { allowed: self.allowed() })
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        self.domain.checked(Number::signed(parse(bytes)?))
    }

    /// Text sorts like time, so a range of times is the part of the calendar between two texts.
    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let digits = keyscape_automata::ByteSet::range(b'0', b'9');
        let fraction = [Lang::literal(b"."), Lang::bytes(digits, 9, Some(9))];
        let parts = [seconds(budget)?.into_lang()].into_iter().chain(fraction);
        let all = Dfa::from_lang(&Lang::Join(parts.collect()), budget)?;
        let mut ends = (Vec::new(), Vec::new());
        let _ = put(self.domain.low.low_i128(), &mut ends.0);
        let _ = put(self.domain.high.low_i128(), &mut ends.1);
        let held = Dfa::from_lang(&between(&ends.0, &ends.1, (0x00, 0xff)), budget)?;
        Ok(Language::Exact(Arc::new(all.intersect(&held, budget)?)))
    }

    fn order(&self) -> Order {
        order::ORDERED
    }

    fn longest(&self) -> Option<usize> {
        Some(LENGTH)
    }
}
