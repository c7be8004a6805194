//! Numbers as text.

use super::FieldReason;

/// The sign and the digits of an integer.
fn digits(text: &str) -> Result<(bool, &str), FieldReason> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() {
        return Err(FieldReason::NoDigits);
    }
    let sign = usize::from(negative);
    match digits.chars().enumerate().find(|(_, char)| !char.is_ascii_digit()) {
        Some((at, char)) => {
            Err(FieldReason::Digit { what: char.to_string(), position: at + sign + 1 })
        }
        None => Ok((negative, digits)),
    }
}

/// An integer without a sign; `None` if it is negative or too large for any field.
pub(super) fn unsigned(text: &str) -> Result<Option<u128>, FieldReason> {
    match digits(text)? {
        (true, digits) if digits.bytes().all(|digit| digit == b'0') => Ok(Some(0)),
        (true, _) => Ok(None),
        (false, digits) => Ok(digits.parse().ok()),
    }
}

/// An integer with a sign; `None` if it is too large for any field.
pub(super) fn signed(text: &str) -> Result<Option<i128>, FieldReason> {
    digits(text)?;
    Ok(text.parse().ok())
}
