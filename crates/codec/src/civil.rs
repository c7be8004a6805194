//! Days and dates of the Gregorian calendar, for times as text.

use crate::{Malformed, sink::Sink};
use alloc::{format, string::String};
use core::fmt::Write;

/// The nanoseconds in a second.
pub(crate) const SECOND: i128 = 1_000_000_000;

const DAY: i64 = 86_400;

/// The first and the last second of the years 1 to 9999, which have four digits.
pub(crate) const FIRST: i64 = -62_135_596_800;
pub(crate) const LAST: i64 = 253_402_300_799;

/// Splits a time of the calendar in nanoseconds into seconds since 1970 and the remaining
/// nanoseconds.
pub(crate) const fn parts(nanoseconds: i128) -> (i64, u32) {
    (nanoseconds.div_euclid(SECOND) as i64, nanoseconds.rem_euclid(SECOND) as u32)
}

/// Joins seconds and nanoseconds to a time.
pub(crate) const fn joined(seconds: i64, nanoseconds: u32) -> i128 {
    seconds as i128 * SECOND + nanoseconds as i128
}

/// Writes a second as `2006-01-02T15:04:05`.
pub(crate) fn put(seconds: i64, sink: &mut impl Sink) {
    let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = date(days);
    let mut text = String::with_capacity(19);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    // Writing to a string does not fail.
    let _ = write!(text, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    sink.put(text.as_bytes());
}

/// Parses a second from all of `text`.
pub(crate) fn parse(text: &[u8]) -> Result<i64, Malformed> {
    const FORM: Malformed = Malformed { reason: "a time is not of the form 2006-01-02T15:04:05" };
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1, b'T', h0, h1, b':', n0, n1, b':', s0, s1] =
        *text
    else {
        return Err(FORM);
    };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_i64, |number, digit| match digit {
            b'0'..=b'9' => Ok(number * 10 + i64::from(digit - b'0')),
            _ => Err(FORM),
        })
    };
    let (year, month, day) = (number(&[y0, y1, y2, y3])?, number(&[m0, m1])?, number(&[d0, d1])?);
    let (hour, minute, second) = (number(&[h0, h1])?, number(&[n0, n1])?, number(&[s0, s1])?);
    let seconds = days(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
    let mut again = alloc::vec::Vec::with_capacity(text.len());
    put(seconds, &mut again);
    // A day or an hour that does not exist would be formatted as another one.
    if again == text && (FIRST..=LAST).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(Malformed { reason: "the time does not exist" })
    }
}

/// Returns the days since 1970-01-01. Years are counted from March, so leap days come last, in
/// spans of 400 years, after which the calendar repeats.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (span, of_span) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_span = of_span * 365 + of_span / 4 - of_span / 100 + day_of_year;
    span * 146_097 + day_of_span - 719_468
}

/// Returns the date of a number of days since 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    let from_zero = days + 719_468;
    let (span, day) = (from_zero.div_euclid(146_097), from_zero.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + span * 400 + i64::from(month <= 2), month, day)
}

/// Returns a regular expression for all seconds as text.
pub(crate) fn pattern() -> String {
    const YEAR: &str = "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})";
    // Every fourth year; of the centuries, only every fourth.
    const FOURTH: &str = "(0[48]|[2468][048]|[13579][26])";
    const LONG: &str = "(01|03|05|07|08|10|12)-(0[1-9]|[12][0-9]|3[01])";
    const SHORT: &str = "(04|06|09|11)-(0[1-9]|[12][0-9]|30)";
    const FEBRUARY: &str = "02-(0[1-9]|1[0-9]|2[0-8])";
    format!(
        "({YEAR}-({LONG}|{SHORT}|{FEBRUARY})|([0-9]{{2}}{FOURTH}|{FOURTH}00)-02-29)\
         T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn dates_and_days_agree_over_all_years() {
        let mut expected = days(1, 1, 1);
        for year in 1..=9999_i64 {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(lengths) {
                for day in [1, 2, length] {
                    let number = expected + day - 1;
                    assert_eq!(
                        (days(year, month, day), date(number)),
                        (number, (year, month, day))
                    );
                }
                expected += length;
            }
        }
        assert_eq!((days(1, 1, 1) * DAY, expected * DAY - 1), (FIRST, LAST));
    }

    #[test]
    fn seconds_round_trip_and_others_are_rejected() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00"),
            (FIRST, "0001-01-01T00:00:00"),
            (LAST, "9999-12-31T23:59:59"),
            (951_782_400, "2000-02-29T00:00:00"),
            // `date -u -d @1234567890`
            (1_234_567_890, "2009-02-13T23:31:30"),
        ] {
            let mut out = Vec::new();
            put(seconds, &mut out);
            assert_eq!((out.as_slice(), parse(text.as_bytes())), (text.as_bytes(), Ok(seconds)));
        }
        for text in ["2001-02-29T00:00:00", "1900-02-29T00:00:00", "2000-01-01T24:00:00"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse(b"0000-12-31T00:00:00").is_err() && parse(b"2000-01-01 00:00:00").is_err());
    }
}
