//! Parses numbers.

use keyscape_codec::Uint;

/// A character of an integer that is not a digit, with its position counted from one; `None` if the
/// text has no digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotDigits {
    pub what: Option<char>,
    pub position: usize,
}

/// Splits an integer into its sign and its digits.
fn digits(text: &str) -> Result<(bool, &str), NotDigits> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() {
        return Err(NotDigits { what: None, position: 1 });
    }
    match digits.chars().enumerate().find(|(_, char)| !char.is_ascii_digit()) {
        Some((at, char)) => {
            Err(NotDigits { what: Some(char), position: at + usize::from(negative) + 1 })
        }
        None => Ok((negative, digits)),
    }
}

/// Parses an unsigned integer; `None` if it is negative or too large for any field.
pub fn unsigned(text: &str) -> Result<Option<Uint>, NotDigits> {
    match digits(text)? {
        (true, _) => Ok(None),
        (false, digits) => Ok(Uint::from_str_radix(digits, 10).ok()),
    }
}

/// Parses a signed integer; `None` if it is too large for any field.
pub fn signed(text: &str) -> Result<Option<i128>, NotDigits> {
    digits(text)?;
    Ok(text.parse().ok())
}
