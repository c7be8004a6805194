//! Wrapped parts of a key, and derived bytes.

use crate::DomainError;
use keyscape_codec::{Malformed, Sink, WrapPart, hash::Function};

/// Appends the bytes of `inner`, changed by the wraps, innermost first.
///
/// # Errors
/// Errors of `inner`.
pub fn put(
    wraps: &[WrapPart],
    out: &mut impl Sink,
    inner: impl FnOnce(&mut Vec<u8>) -> Result<(), DomainError>,
) -> Result<(), DomainError> {
    let mut bytes = Vec::new();
    inner(&mut bytes)?;
    out.put(&wrapped(wraps, bytes));
    Ok(())
}

/// Decodes a value from its wrapped bytes.
///
/// # Errors
/// [`Malformed`] if unwrapping fails, or if `inner` rejects the bytes.
pub fn parse<T>(
    wraps: &[WrapPart],
    bytes: &[u8],
    inner: impl FnOnce(&[u8]) -> Result<T, Malformed>,
) -> Result<T, Malformed> {
    inner(&unwrapped(wraps, bytes)?)
}

/// Removes the escaped form of `count` bytes from the left.
///
/// # Errors
/// [`Malformed`] if there are fewer.
pub fn take_escaped<'k>(rest: &mut &'k [u8], count: usize) -> Result<&'k [u8], Malformed> {
    let mut length = 0;
    for _ in 0..count {
        length += match rest.get(length..) {
            Some([0x00, 0xff, ..]) => 2,
            _ => 1,
        };
    }
    crate::cut::take(rest, length)
}

fn wrapped(wraps: &[WrapPart], bytes: Vec<u8>) -> Vec<u8> {
    wraps.iter().fold(bytes, |bytes, wrap| wrap.bytes(&bytes))
}

fn unwrapped(wraps: &[WrapPart], bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
    wraps.iter().rev().try_fold(bytes.to_vec(), |bytes, wrap| wrap.parse(&bytes))
}

/// The definition of derived bytes.
#[derive(Clone, Copy, Debug)]
pub struct Derived<'a> {
    /// The hash function.
    pub function: Function,
    /// The number of bytes of the digest that are stored.
    pub length: usize,
    /// The wraps around the bytes, innermost first.
    pub wraps: &'a [WrapPart],
}

impl Derived<'_> {
    /// Appends the bytes derived from the output of `inputs`.
    ///
    /// # Errors
    /// Errors of `inputs`.
    pub fn put(
        self,
        out: &mut impl Sink,
        inputs: impl FnOnce(&mut Vec<u8>) -> Result<(), DomainError>,
    ) -> Result<(), DomainError> {
        let mut bytes = Vec::new();
        inputs(&mut bytes)?;
        let mut digest = self.function.digest(&bytes);
        digest.truncate(self.length);
        out.put(&wrapped(self.wraps, digest));
        Ok(())
    }

    /// Whether bytes have the form of derived bytes.
    #[must_use]
    pub fn accepts(self, bytes: &[u8]) -> bool {
        unwrapped(self.wraps, bytes).is_ok_and(|digest| digest.len() == self.length)
    }

    /// Checks that bytes are derived from the output of `inputs`.
    ///
    /// # Errors
    /// [`Malformed`] if they are not.
    pub fn check(
        self,
        bytes: &[u8],
        inputs: impl FnOnce(&mut Vec<u8>) -> Result<(), DomainError>,
    ) -> Result<(), Malformed> {
        let mut expected = Vec::new();
        match self.put(&mut expected, inputs) {
            Ok(()) if expected == bytes => Ok(()),
            _ => Err(Malformed { reason: "derived bytes are not those of their fields" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyscape_codec::{Wrap, WrapPlace};

    const fn part(wrap: Wrap) -> WrapPart {
        WrapPart { wrap, at: WrapPlace::at(0), ends: false }
    }

    #[test]
    fn wraps_are_undone_from_the_outermost() {
        let wraps = [part(Wrap::Escaped), part(Wrap::Hex)];
        let mut out = Vec::new();
        let written = put(&wraps, &mut out, |inner| {
            inner.put(&[0, 7]);
            Ok(())
        });
        assert!(written.is_ok());
        assert_eq!(out, b"00ff07");
        assert_eq!(parse(&wraps, &out, |inner| Ok(inner.to_vec())), Ok(vec![0, 7]));
        assert!(parse(&wraps, b"0007", |_| Ok(())).is_err());
    }

    #[test]
    fn an_escaped_byte_counts_once() {
        let mut rest = &[0, 0xff, 5, 0, 0xff, 9][..];
        assert_eq!(take_escaped(&mut rest, 2), Ok(&[0, 0xff, 5][..]));
        assert_eq!(rest, [0, 0xff, 9]);
        assert!(take_escaped(&mut rest, 3).is_err());
    }

    #[test]
    fn wrong_derived_bytes_are_rejected() {
        let derived = Derived { function: Function::Sha256, length: 4, wraps: &[part(Wrap::Hex)] };
        let inputs = |out: &mut Vec<u8>| {
            out.put(b"x");
            Ok(())
        };
        let mut out = Vec::new();
        assert!(derived.put(&mut out, inputs).is_ok());
        assert_eq!(out.len(), 8);
        assert!(derived.accepts(&out) && derived.check(&out, inputs).is_ok());
        assert!(derived.accepts(b"00000000") && derived.check(b"00000000", inputs).is_err());
        assert!(!derived.accepts(b"0000"));
    }
}
