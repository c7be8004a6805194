//! Keys and bytes as text.

use base64::{DecodeError, Engine, engine::general_purpose::STANDARD};

/// Text that is not a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("an odd number of hexadecimal digits ({digits}); a byte has two")]
    Odd { digits: usize },
    #[error("`{group}` has an odd number of hexadecimal digits; a byte has two")]
    OddGroup { group: String },
    #[error("`{what}` at position {position} is not a hexadecimal digit")]
    Digit { what: String, position: usize },
    #[error("`{what}` at position {position} is not a base64 character")]
    Base64 { what: String, position: usize },
    #[error("invalid base64: wrong length or padding")]
    Base64End,
}

/// Appends the bytes of base64 with padding.
pub fn read_base64(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    STANDARD.decode_vec(text, out).map_err(|error| match error {
        DecodeError::InvalidByte(at, _) => {
            let what = character(text, at);
            KeyError::Base64 { what, position: position(text, at) }
        }
        _ => KeyError::Base64End,
    })
}

/// The value of each hexadecimal digit; 255 for all other bytes.
const VALUES: [u8; 256] = {
    let mut values = [255; 256];
    let mut digit = 0;
    while digit < 16 {
        values[b"0123456789abcdef"[digit] as usize] = digit as u8;
        values[b"0123456789ABCDEF"[digit] as usize] = digit as u8;
        digit += 1;
    }
    values
};

/// Appends the bytes of hexadecimal digits, with an optional `0x`. Spaces or colons may separate
/// bytes or groups of bytes.
pub fn read_hex(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    if text.iter().any(|&byte| is_separator(byte)) {
        return read_groups(text, out);
    }
    read_digits(text, out)
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b':')
}

/// Appends the bytes of groups of digits: `6f 2f`, `6f:2f`, `0x6f 0x2f`, `6f2f 312f`.
#[cold]
fn read_groups(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    if text.iter().all(|&byte| is_separator(byte)) {
        return Err(wrong_digit(text, 0));
    }
    let mut start = 0;
    for group in text.split(|&byte| is_separator(byte)) {
        read_digits(group, out).map_err(|error| match error {
            KeyError::Digit { what, position: at } => {
                KeyError::Digit { what, position: position(text, start) + at - 1 }
            }
            KeyError::Odd { .. } => {
                KeyError::OddGroup { group: String::from_utf8_lossy(group).into_owned() }
            }
            error => error,
        })?;
        start += group.len() + 1;
    }
    Ok(())
}

/// Appends the bytes of digits without separators.
fn read_digits(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    let (pairs, rest) = digits.as_chunks::<2>();
    out.reserve(pairs.len());
    let mut seen = 0;
    for &[high, low] in pairs {
        let (high, low) = (VALUES[high as usize], VALUES[low as usize]);
        seen |= high | low;
        out.push(high << 4 | low & 15);
    }
    // Every digit is below 16, so the upper bits of any value show a wrong digit.
    let last_is_wrong = rest.first().is_some_and(|&digit| VALUES[digit as usize] > 15);
    if seen > 15 || last_is_wrong {
        return Err(wrong_digit(text, text.len() - digits.len()));
    }
    if !rest.is_empty() {
        return Err(KeyError::Odd { digits: digits.len() });
    }
    Ok(())
}

#[cold]
fn wrong_digit(text: &[u8], start: usize) -> KeyError {
    let found = text.iter().skip(start).position(|&digit| VALUES[digit as usize] > 15);
    let at = start + found.unwrap_or(0);
    KeyError::Digit { what: character(text, at), position: position(text, at) }
}

/// Returns the character that starts at a byte offset.
fn character(text: &[u8], at: usize) -> String {
    let rest = text.get(at..).unwrap_or_default();
    let found = rest.utf8_chunks().next();
    match found.and_then(|chunk| chunk.valid().chars().next()) {
        Some(char) if char.is_control() => char.escape_default().to_string(),
        Some(char) => char.to_string(),
        None => rest.first().map_or_else(String::new, |byte| format!("\\x{byte:02x}")),
    }
}

/// Converts a byte offset to a position in characters, counted from one.
fn position(text: &[u8], at: usize) -> usize {
    String::from_utf8_lossy(text.get(..at).unwrap_or_default()).chars().count() + 1
}
