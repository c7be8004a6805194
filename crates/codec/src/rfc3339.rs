//! `rfc3339`: a time in UTC as `2006-01-02T15:04:05.9Z`, as Go's `RFC3339Nano` writes it: no
//! trailing zeros in the fraction, and no point without a fraction. It does not sort: `Z` is above
//! `.` and above every digit. Values are nanoseconds since 1970.

use crate::{
    Description, Malformed, Order, civil, dec0,
    integer_codec::IntegerForm,
    integers::{IntDomain, Number},
    interval::between,
    time_text,
};
use alloc::{format, vec::Vec};
use keyscape_automata::{Budget, ByteSet, Dfa, Lang, OverBudget};

/// Returns the fractions from `low` to `high` nanoseconds, without trailing zeros, and the `Z`.
fn fractions(low: u32, high: u32) -> Lang {
    let mut arms = Vec::new();
    if low == 0 {
        arms.push(Lang::empty_word());
    }
    for count in 1..=9_usize {
        let unit = 10_u32.pow(9 - count as u32);
        let (first, last) = (low.div_ceil(unit), high / unit);
        // The last digit is not 0: the numbers of a ten, with the first and the last ten cut.
        let tens = |ten: u32| (first.max(ten * 10 + 1), last.min(ten * 10 + 9));
        let (from, to) = (first / 10, last / 10);
        let word = |number: u32| format!("{number:0count$}").into_bytes();
        let mut push = |(first, last): (u32, u32)| {
            if first <= last {
                arms.push(Lang::Join(Vec::from([
                    Lang::literal(b"."),
                    between(&word(first), &word(last), (b'0', b'9')),
                ])));
            }
        };
        push(tens(from));
        if to > from {
            push(tens(to));
        }
        if to > from + 1 {
            let head = |ten: u32| format!("{ten:0width$}", width = count - 1).into_bytes();
            let heads = between(&head(from + 1), &head(to - 1), (b'0', b'9'));
            let last = Lang::Class(ByteSet::range(b'1', b'9'));
            arms.push(Lang::Join(Vec::from([Lang::literal(b"."), heads, last])));
        }
    }
    Lang::Join(Vec::from([Lang::Alt(arms), Lang::literal(b"Z")]))
}

const LAST: u32 = 999_999_999;

/// Returns the first and the last time of a domain, in seconds and nanoseconds.
fn ends(domain: &IntDomain) -> ((i64, u32), (i64, u32)) {
    (civil::parts(domain.low.low_i128()), civil::parts(domain.high.low_i128()))
}

/// `rfc3339`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rfc3339;

impl IntegerForm for Rfc3339 {
    fn describe(&self, name: &'static str, domain: &IntDomain) -> Description {
        time_text::describe(name, domain)
    }

    fn put(&self, number: Number, out: &mut Vec<u8>) {
        let (seconds, rest) = civil::parts(number.low_i128());
        civil::put(seconds, out);
        if rest > 0 {
            out.extend_from_slice(format!(".{rest:09}").trim_end_matches('0').as_bytes());
        }
        out.push(b'Z');
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        let form = Malformed { reason: "a time does not end in `Z`" };
        let (seconds, rest) = bytes.split_at_checked(19).ok_or(form)?;
        let [fraction @ .., b'Z'] = rest else { return Err(form) };
        let nanoseconds = match fraction {
            [] => 0,
            [b'.', digits @ .., b'1'..=b'9'] if digits.len() < 9 => {
                let mut padded = [b'0'; 9];
                let place = padded.get_mut(..digits.len() + 1).ok_or(form)?;
                place.copy_from_slice(fraction.get(1..).unwrap_or_default());
                dec0::parse(&padded, 9)?
            }
            _ => {
                return Err(Malformed {
                    reason: "the fraction of a second has trailing zeros or no digits",
                });
            }
        };
        Ok(Number::signed(civil::joined(civil::parse(seconds)?, nanoseconds)))
    }

    /// The first second from its first time on, the last second up to its last time, and all
    /// seconds between.
    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let ((first, from), (last, to)) = ends(domain);
        let second = |seconds: i64| {
            let mut text = Vec::new();
            civil::put(seconds, &mut text);
            text
        };
        let mut arms = Vec::new();
        let mut push = |low: i64, high: i64, fractions: Lang| {
            let seconds = between(&second(low), &second(high), (0x00, 0xff));
            arms.push(Lang::Join(Vec::from([seconds, fractions])));
        };
        if first == last {
            push(first, first, fractions(from, to));
        } else {
            push(first, first, fractions(from, LAST));
            push(last, last, fractions(0, to));
        }
        if last - first > 1 {
            push(first + 1, last - 1, fractions(0, LAST));
        }
        let held = Dfa::from_lang(&Lang::Alt(arms), budget)?;
        let parts = [time_text::seconds(budget)?.into_lang(), Lang::anything()];
        let calendar = Dfa::from_lang(&Lang::Join(parts.into()), budget)?;
        calendar.intersect(&held, budget)
    }

    /// At the `Z` of one text, a later time may continue with a smaller byte. Of all such pairs,
    /// the earlier time has the fewest digits that the domain allows, and the later one the fewest
    /// more.
    fn order(&self, domain: &IntDomain) -> Order {
        let (low, high) = (domain.low.low_i128(), domain.high.low_i128());
        let mut best: Option<(u32, i128, i128)> = None;
        let unit = |digits: u32| 10_i128.pow(9 - digits);
        for digits in 0..9 {
            let earlier = (low + unit(digits) - 1).div_euclid(unit(digits)) * unit(digits);
            let more = (digits + 1..=9).find(|&more| earlier + unit(more) <= high);
            if let Some(more) = more.filter(|_| earlier <= high) {
                let total = digits + u32::from(digits > 0) + more;
                if best.is_none_or(|(fewest, ..)| total < fewest) {
                    best = Some((total, earlier, earlier + unit(more)));
                }
            }
        }
        let best = best.map(|(_, lower, higher)| (Number::signed(lower), Number::signed(higher)));
        domain.order(best)
    }

    /// Two consecutive times always include one with all digits.
    fn longest(&self, domain: &IntDomain) -> usize {
        if domain.low == domain.high { self.word(domain.low).len() } else { 30 }
    }
}
