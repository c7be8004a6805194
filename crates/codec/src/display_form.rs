//! Display forms: the text in which bytes are shown and entered. They do not change stored bytes.

use crate::{BuildError, BuildReason, Malformed, base58check, bech32::Prefix, hex};
use alloc::{format, string::String, vec::Vec};

/// The display form of a byte value: the name after `shown as`.
///
/// ```
/// use keyscape_codec::shown;
///
/// let txid = shown("reversed_hex", &[])?;
/// assert_eq!(txid.show(&[0x01, 0x02]).as_deref(), Some("0201"));
/// assert_eq!(txid.parse("0201").unwrap(), [0x01, 0x02]);
/// # Ok::<(), keyscape_codec::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shown {
    /// `bech32("cosmos")`.
    Bech32(Prefix),
    /// `base58check`: the bytes are the version and the payload.
    Base58Check,
    /// `hex`: lower-case hexadecimal digits, without `0x`.
    Hex,
    /// `reversed_hex`: the last byte first, as transaction ids are shown.
    ReversedHex,
    /// `utf8`: the bytes are text.
    Utf8,
}

/// Text that is not a value in its display form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}: {cause}")]
pub struct ShownError {
    /// The expected form.
    pub expected: &'static str,
    /// The reason.
    #[source]
    pub cause: Malformed,
}

/// Returns the names of all display forms.
#[must_use]
pub const fn shown_names() -> &'static [&'static str] {
    &["bech32", "base58check", "hex", "reversed_hex", "utf8"]
}

/// Returns the display form with this name; `args` are its literals.
///
/// # Errors
/// [`BuildError`] if the name is unknown or the arguments are wrong.
pub fn shown(name: &str, args: &[Vec<u8>]) -> Result<Shown, BuildError> {
    let misused = |usage| Err(BuildReason::usage(name, usage).into());
    let (usage, form) = match name {
        "bech32" => {
            let [prefix] = args else { return misused(r#"bech32("cosmos")"#) };
            let prefix = core::str::from_utf8(prefix).ok().and_then(Prefix::new);
            let prefix = prefix.ok_or_else(|| BuildError::at(0, BuildReason::bech32_prefix()))?;
            return Ok(Shown::Bech32(prefix));
        }
        "base58check" => ("base58check", Shown::Base58Check),
        "hex" => ("hex", Shown::Hex),
        "reversed_hex" => ("reversed_hex", Shown::ReversedHex),
        "utf8" => ("utf8", Shown::Utf8),
        _ => {
            let message = format!("there is no display form `{name}`");
            return Err(BuildReason::Declaration(message).into());
        }
    };
    if args.is_empty() { Ok(form) } else { misused(usage) }
}

/// Returns bytes as text: in their display form, or else as `0x` and hexadecimal digits.
///
/// ```
/// use keyscape_codec::{Shown, parse_bytes, show_bytes};
///
/// assert_eq!(show_bytes(Some(&Shown::Utf8), b"ann"), "ann");
/// assert_eq!(show_bytes(Some(&Shown::Utf8), b"\xff"), "0xff");
/// assert_eq!(parse_bytes(Some(&Shown::Utf8), "0xff").unwrap(), b"\xff");
/// ```
#[must_use]
pub fn show_bytes(shown: Option<&Shown>, bytes: &[u8]) -> String {
    // A display form that begins with `0x` would be parsed as hexadecimal digits.
    let text = shown.and_then(|shown| shown.show(bytes)).filter(|text| !text.starts_with("0x"));
    text.unwrap_or_else(|| format!("0x{}", hex::digits(bytes)))
}

/// Parses bytes in the form of [`show_bytes`].
///
/// # Errors
/// [`ShownError`] if `text` has neither form.
pub fn parse_bytes(shown: Option<&Shown>, text: &str) -> Result<Vec<u8>, ShownError> {
    let expected = "`0x` and hexadecimal digits";
    match (shown, text.strip_prefix("0x")) {
        (Some(shown), None) => shown.parse(text),
        (None, None) => Err(ShownError { expected, cause: Malformed { reason: "no `0x`" } }),
        (_, Some(digits)) => {
            let mut bytes = Vec::with_capacity(digits.len() / 2);
            hex::parse(digits.as_bytes(), &mut bytes)
                .map_err(|cause| ShownError { expected, cause })?;
            Ok(bytes)
        }
    }
}

impl Shown {
    /// Returns the bytes in this form; `None` if they have no such form.
    #[must_use]
    pub fn show(&self, bytes: &[u8]) -> Option<String> {
        let mut text = Vec::new();
        match self {
            Self::Bech32(prefix) if bytes.len() <= prefix.max_payload() => {
                prefix.put(bytes, &mut text);
            }
            Self::Bech32(_) => return None,
            Self::Base58Check if bytes.len() <= base58check::MAX_PAYLOAD => {
                base58check::put(&[], bytes, &mut text);
            }
            Self::Base58Check => return None,
            Self::Hex => hex::put(bytes, &mut text),
            Self::ReversedHex => {
                let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
                hex::put(&reversed, &mut text);
            }
            Self::Utf8 => text.extend_from_slice(bytes),
        }
        String::from_utf8(text).ok()
    }

    /// Parses bytes in this form.
    ///
    /// # Errors
    /// [`ShownError`] if `text` does not have this form.
    pub fn parse(&self, text: &str) -> Result<Vec<u8>, ShownError> {
        let mut bytes = Vec::new();
        let parsed = match self {
            Self::Bech32(prefix) => prefix.parse(text.as_bytes()),
            Self::Base58Check => base58check::parse(&[], text.as_bytes()),
            Self::Hex => hex::parse(text.as_bytes(), &mut bytes).map(|()| bytes),
            Self::ReversedHex => hex::parse(text.as_bytes(), &mut bytes).map(|()| {
                bytes.reverse();
                bytes
            }),
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
        };
        parsed.map_err(|cause| ShownError { expected: self.expected(), cause })
    }

    const fn expected(&self) -> &'static str {
        match self {
            Self::Bech32(_) => "bech32 text",
            Self::Base58Check => "base58 text with a checksum",
            Self::Hex | Self::ReversedHex => "lower-case hexadecimal text",
            Self::Utf8 => "text",
        }
    }
}
