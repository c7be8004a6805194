//! Values of text and bytes: decoding, display and parsing.

use crate::DomainError;
use keyscape_codec::{
    KeyBuf, Malformed, Shown, Sink, ValueError, bech32::Prefix, domain::Domain, hex,
};
use std::{borrow::Cow, fmt, str};

/// Decodes text of a domain.
///
/// # Errors
/// [`Malformed`] if the bytes are outside the domain.
#[inline]
pub fn text<'k>(bytes: &'k [u8], domain: &Domain) -> Result<Cow<'k, str>, Malformed> {
    match str::from_utf8(bytes) {
        Ok(text) if domain.contains(bytes) => Ok(Cow::Borrowed(text)),
        _ => Err(Malformed { reason: "text is outside the domain of its field" }),
    }
}

/// Decodes any text.
///
/// # Errors
/// [`Malformed`] if the bytes are not UTF-8.
#[inline]
pub fn any_text(bytes: &[u8]) -> Result<Cow<'_, str>, Malformed> {
    let text = str::from_utf8(bytes).map_err(|_| Malformed { reason: "text is not UTF-8" })?;
    Ok(Cow::Borrowed(text))
}

/// Decodes bytes of a domain.
///
/// # Errors
/// [`Malformed`] if the bytes are outside the domain.
#[inline]
pub fn bytes<'k>(bytes: &'k [u8], domain: &Domain) -> Result<Cow<'k, [u8]>, Malformed> {
    if domain.contains(bytes) { Ok(Cow::Borrowed(bytes)) } else { Err(FORM) }
}

/// Decodes any bytes.
///
/// # Errors
/// None; other functions that decode a part return a `Result` too.
#[inline]
pub const fn any_bytes(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Malformed> {
    Ok(Cow::Borrowed(bytes))
}

const FORM: Malformed = Malformed { reason: "bytes are outside the domain of their field" };

/// Decodes an array.
///
/// # Errors
/// [`Malformed`] if the length is wrong.
#[inline]
pub fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Malformed> {
    bytes.try_into().map_err(|_| FORM)
}

/// Decodes an array from hexadecimal text.
///
/// # Errors
/// [`Malformed`] if `text` is not hexadecimal text of that length.
#[inline]
pub fn hex_array<const N: usize>(text: &[u8]) -> Result<[u8; N], Malformed> {
    let mut bytes = KeyBuf::<N>::new();
    hex::parse(text, &mut bytes)?;
    bytes.bytes().ok().and_then(|bytes| bytes.try_into().ok()).ok_or(FORM)
}

/// Decodes bytes from hexadecimal text with `decode`.
///
/// # Errors
/// [`Malformed`] if `text` is not hexadecimal, and errors of `decode`.
pub fn from_hex<B: ToOwned + ?Sized + 'static>(
    text: &[u8],
    decode: impl FnOnce(&[u8]) -> Result<Cow<'_, B>, Malformed>,
) -> Result<Cow<'static, B>, Malformed> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    hex::parse(text, &mut bytes)?;
    decode(&bytes).map(own)
}

/// Returns the error of a decoded value outside its domain.
#[must_use]
pub const fn outside() -> Malformed {
    Malformed { reason: "a value is outside the domain of its field" }
}

/// Appends a floating-point number.
///
/// # Errors
/// [`DomainError`] for NaN and −0.
#[inline]
pub fn put_float(what: &'static str, value: f64, out: &mut impl Sink) -> Result<(), DomainError> {
    keyscape_codec::float::put(value, out)
        .map_err(|_| DomainError::outside(what, "a number other than NaN and -0"))
}

/// Converts the error of a length prefix.
///
/// # Errors
/// [`DomainError`] if the length does not fit, which the domain of the field excludes.
#[inline]
pub fn fits<T, E>(what: &'static str, put: Result<T, E>) -> Result<T, DomainError> {
    put.map_err(|_| DomainError::outside(what, "a length that its length prefix can hold"))
}

/// Returns the display form `bech32("prefix")`.
#[must_use]
pub fn shown_bech32(prefix: &str) -> Shown {
    // Parsing a layout rejects any other prefix.
    Prefix::new(prefix).map_or(Shown::Hex, Shown::Bech32)
}

/// Formats bytes in their display form, or else as `0x` and hexadecimal digits.
///
/// # Errors
/// Errors of the formatter.
pub fn show(shown: Option<&Shown>, bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&keyscape_codec::show_bytes(shown, bytes))
}

/// Formats two integers as `[1,2]`.
///
/// # Errors
/// Errors of the formatter.
pub fn show_pair<A: fmt::Display, B: fmt::Display>(
    (a, b): (A, B),
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(f, "[{a},{b}]")
}

/// Adds the type of a value to its domain error.
///
/// # Errors
/// [`DomainError`] if `outcome` is an error.
#[inline]
pub fn checked(what: &'static str, outcome: Result<(), ValueError>) -> Result<(), DomainError> {
    outcome.map_err(|source| DomainError { what, source })
}

/// Borrows a value as a `Cow`.
#[must_use]
pub const fn lend<'k, B: ToOwned + ?Sized>(value: &'k B) -> Cow<'k, B> {
    Cow::Borrowed(value)
}

/// Converts a `Cow` to one that borrows nothing.
#[must_use]
pub fn own<B: ToOwned + ?Sized + 'static>(value: Cow<'_, B>) -> Cow<'static, B> {
    Cow::Owned(value.into_owned())
}
