//! Cursors of pages.

use super::Hit;
use crate::layout::txo::{Outpoint, Score};
use keyscape::store::Hex;
use keyscape::traits::Field;
use std::{fmt, str::FromStr};

/// A position in the order of scores and outpoints, a direction, and the remaining limit of the
/// query. A cursor grants no access: with another query, it skips the hits before the position,
/// and all returned hits are hits of that query. Its text is `>` or `<` and hexadecimal digits, and
/// with a limit `+` and the remaining number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub(super) last: Hit,
    pub(super) reverse: bool,
    pub(super) left: Option<u64>,
}

/// A text that is not a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a cursor: expected `>` or `<`, an outpoint and a score in hexadecimal, and maybe `+` and a number"
)]
pub struct BadCursor;

impl Cursor {
    /// Creates the cursor of the page after a hit.
    pub(super) fn after(last: Hit, reverse: bool, left: Option<u64>) -> Cursor {
        Cursor { last, reverse, left }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.reverse { "<" } else { ">" })?;
        let mut bytes = Vec::new();
        Outpoint::encode(&self.last.outpoint, &mut bytes).map_err(|_| fmt::Error)?;
        Score::encode(&self.last.score, &mut bytes).map_err(|_| fmt::Error)?;
        Hex(&bytes).fmt(f)?;
        self.left.map_or(Ok(()), |left| write!(f, "+{left}"))
    }
}

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let (reverse, digits) = match text.split_at_checked(1).ok_or(BadCursor)? {
            (">", digits) => (false, digits),
            ("<", digits) => (true, digits),
            _ => return Err(BadCursor),
        };
        let (digits, left) = match digits.split_once('+') {
            Some((digits, left)) => (digits, Some(number(left).ok_or(BadCursor)?)),
            None => (digits, None),
        };
        let digits = digits.as_bytes().chunks(2);
        let bytes: Option<Vec<u8>> = digits.map(byte).collect();
        let bytes = bytes.ok_or(BadCursor)?;
        let (outpoint, score) = bytes.split_at_checked(36).ok_or(BadCursor)?;
        let outpoint = Outpoint::decode(outpoint).map_err(|_| BadCursor)?;
        let score = Score::decode(score).map_err(|_| BadCursor)?;
        Ok(Cursor { last: Hit { outpoint, score }, reverse, left })
    }
}

/// Parses a number in its canonical form.
fn number(digits: &str) -> Option<u64> {
    digits.parse().ok().filter(|number: &u64| number.to_string() == digits)
}

/// Parses two lower-case hexadecimal digits.
fn byte(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| match *digits.get(at)? {
        digit @ b'0'..=b'9' => Some(digit - b'0'),
        digit @ b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    Some(digit(0)? << 4 | digit(1)?)
}
