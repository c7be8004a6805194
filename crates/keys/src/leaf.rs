//! Values of text and bytes: reading them from keys, showing them, reading them from text.

use crate::DomainError;
use keyscape_codec::{
    KeyBuf, Malformed, Shown, Sink, ValueError, bech32::Prefix, domain::Domain, hex,
};
use std::{borrow::Cow, fmt, str};

/// Bytes of a key that are a text of its field.
///
/// # Errors
/// [`Malformed`] if they are not.
#[inline]
pub fn text<'k>(bytes: &'k [u8], domain: &Domain) -> Result<&'k str, Malformed> {
    match str::from_utf8(bytes) {
        Ok(text) if domain.contains(bytes) => Ok(text),
        _ => Err(Malformed { reason: "text is not of the form that its field allows" }),
    }
}

/// Bytes of a key that are any text.
///
/// # Errors
/// [`Malformed`] if they are not UTF-8.
#[inline]
pub fn any_text(bytes: &[u8]) -> Result<&str, Malformed> {
    str::from_utf8(bytes).map_err(|_| Malformed { reason: "text is not UTF-8" })
}

/// Bytes of a key that its field may hold.
///
/// # Errors
/// [`Malformed`] if they are not.
#[inline]
pub fn bytes<'k>(bytes: &'k [u8], domain: &Domain) -> Result<&'k [u8], Malformed> {
    if domain.contains(bytes) { Ok(bytes) } else { Err(FORM) }
}

const FORM: Malformed = Malformed { reason: "bytes are not of the form that their field allows" };

/// Bytes of a key that are an array.
///
/// # Errors
/// [`Malformed`] if they have another length.
#[inline]
pub fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Malformed> {
    bytes.try_into().map_err(|_| FORM)
}

/// An array that is written as hexadecimal text.
///
/// # Errors
/// [`Malformed`] if it is not hexadecimal text of that length.
#[inline]
pub fn hex_array<const N: usize>(text: &[u8]) -> Result<[u8; N], Malformed> {
    let mut bytes = KeyBuf::<N>::new();
    hex::parse(text, &mut bytes)?;
    bytes.bytes().ok().and_then(|bytes| bytes.try_into().ok()).ok_or(FORM)
}

/// Bytes that are written as hexadecimal text.
///
/// # Errors
/// [`Malformed`] if it is not.
pub fn hex_bytes(text: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    hex::parse(text, &mut bytes)?;
    Ok(bytes)
}

/// A value that was read is not of its domain.
#[must_use]
pub const fn outside() -> Malformed {
    Malformed { reason: "a value is outside the domain of its field" }
}

/// Appends a number that has an order.
///
/// # Errors
/// [`DomainError`] for NaN and −0.
#[inline]
pub fn put_float(what: &'static str, value: f64, out: &mut impl Sink) -> Result<(), DomainError> {
    keyscape_codec::float::put(value, out)
        .map_err(|_| DomainError::outside(what, "a number other than NaN and -0"))
}

/// Appends bytes behind their length.
///
/// # Errors
/// [`DomainError`] if the length does not fit, which the domain of the field excludes.
#[inline]
pub fn fits<T, E>(what: &'static str, put: Result<T, E>) -> Result<T, DomainError> {
    put.map_err(|_| DomainError::outside(what, "a length that its length prefix can hold"))
}

/// The form of display `bech32("prefix")`.
#[must_use]
pub fn shown_bech32(prefix: &str) -> Shown {
    // A layout with another prefix is a mistake that is reported when it is read.
    Prefix::new(prefix).map_or(Shown::Hex, Shown::Bech32)
}

/// Shows bytes in their form of display, or else as hexadecimal text behind `0x`.
///
/// # Errors
/// Those of the formatter.
pub fn show(shown: Option<&Shown>, bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(text) = shown.and_then(|shown| shown.show(bytes)) {
        return f.write_str(&text);
    }
    f.write_str("0x")?;
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Reads bytes in their form of display, or as hexadecimal text behind `0x`.
///
/// # Errors
/// [`DomainError`] if the text is neither.
pub fn read_shown(
    what: &'static str,
    shown: Option<&Shown>,
    text: &str,
) -> Result<Vec<u8>, DomainError> {
    let expected = match shown.map(|shown| shown.parse(text)) {
        Some(Ok(bytes)) => return Ok(bytes),
        Some(Err(error)) => error.expected,
        None => "hexadecimal text behind `0x`",
    };
    let digits = text.strip_prefix("0x").map(str::as_bytes);
    let bytes = digits.and_then(|digits| hex_bytes(digits).ok());
    bytes.ok_or_else(|| DomainError::outside(what, expected))
}

/// Shows two integers as `[1,2]`.
///
/// # Errors
/// Those of the formatter.
pub fn show_pair<A: fmt::Display, B: fmt::Display>(
    (a, b): (A, B),
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(f, "[{a},{b}]")
}

/// Reads two integers that are written as [`show_pair`] writes them.
#[must_use]
pub fn read_pair<A: str::FromStr, B: str::FromStr>(text: &str) -> Option<(A, B)> {
    let (a, b) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(',')?;
    Some((a.trim().parse().ok()?, b.trim().parse().ok()?))
}

/// That a value is of a domain, with its type in the error.
///
/// # Errors
/// [`DomainError`] if it is not.
#[inline]
pub fn checked(what: &'static str, outcome: Result<(), ValueError>) -> Result<(), DomainError> {
    outcome.map_err(|source| DomainError { what, source })
}

/// The same text, borrowed.
#[must_use]
pub const fn lend<'k, B: ToOwned + ?Sized>(value: &'k B) -> Cow<'k, B> {
    Cow::Borrowed(value)
}

/// The same text, borrowing nothing.
#[must_use]
pub fn own<B: ToOwned + ?Sized + 'static>(value: Cow<'_, B>) -> Cow<'static, B> {
    Cow::Owned(value.into_owned())
}
