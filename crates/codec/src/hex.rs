//! `hex(c)`: the encoding of `c` as lower-case hexadecimal text.

use crate::{
    Codec, Comparison, Description, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner},
    sink::Sink,
};
use alloc::{borrow::Cow, string::String, vec::Vec};
use keyscape_automata::{Budget, OverBudget};

#[inline]
const fn digit(nibble: u8) -> u8 {
    // In ASCII, the letters are 39 positions after the digits.
    nibble + b'0' + if nibble > 9 { 39 } else { 0 }
}

#[inline]
const fn spelled(byte: u8) -> [u8; 2] {
    [digit(byte >> 4), digit(byte & 15)]
}

/// The value of each digit; a value with its high bits set for all other bytes.
const VALUES: [u8; 256] = {
    let mut values = [WRONG; 256];
    let mut value = 0;
    while value < 16 {
        values[digit(value) as usize] = value;
        value += 1;
    }
    values
};
const WRONG: u8 = 0xf0;

/// Returns the byte of two digits, and whether both are digits.
#[inline]
const fn byte([high, low]: [u8; 2]) -> (u8, bool) {
    let (high, low) = (VALUES[high as usize], VALUES[low as usize]);
    (high << 4 | low & 15, (high | low) & WRONG == 0)
}

/// Writes bytes as lower-case hexadecimal text.
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) {
    // In blocks, to call the sink once for many digits.
    let (blocks, rest) = bytes.as_chunks::<16>();
    for block in blocks {
        let mut text = [[0; 2]; 16];
        for (pair, &byte) in text.iter_mut().zip(block) {
            *pair = spelled(byte);
        }
        sink.put(text.as_flattened());
    }
    for &byte in rest {
        sink.put(&spelled(byte));
    }
}

/// Returns the lower-case hexadecimal digits of some bytes.
///
/// ```
/// assert_eq!(keyscape_codec::hex::digits(&[0x00, 0xff]), "00ff");
/// ```
#[must_use]
pub fn digits(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    put(bytes, &mut text);
    text.into_iter().map(char::from).collect()
}

/// Parses all of `text` into `out`.
///
/// # Errors
/// [`Malformed`] if `text` is not lower-case hexadecimal. The bytes read so far are written then.
///
/// ```
/// let mut out = Vec::new();
/// keyscape_codec::hex::parse(b"00ff", &mut out)?;
/// assert_eq!(out, [0x00, 0xff]);
/// assert!(keyscape_codec::hex::parse(b"FF", &mut out).is_err());
/// # Ok::<(), keyscape_codec::Malformed>(())
/// ```
#[inline]
pub fn parse(text: &[u8], out: &mut impl Sink) -> Result<(), Malformed> {
    let (pairs, rest) = text.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Malformed { reason: "hexadecimal text has an odd number of digits" });
    }
    // In blocks, to call the sink once for many bytes. A block with a wrong digit is parsed again
    // pair by pair.
    let (blocks, _) = pairs.as_chunks::<16>();
    let mut read = 0;
    for block in blocks {
        let mut all = true;
        let bytes = block.map(|pair| {
            let (byte, right) = byte(pair);
            all &= right;
            byte
        });
        if !all {
            break;
        }
        out.put(&bytes);
        read += block.len();
    }
    for &pair in pairs.get(read..).unwrap_or_default() {
        let (byte, right) = byte(pair);
        if !right {
            return Err(Malformed { reason: "text is not lower-case hexadecimal" });
        }
        out.push(byte);
    }
    Ok(())
}

/// `hex(c)`. Digits sort like nibbles, and each byte has two of them, so all comparisons are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hex;

impl Change for Hex {
    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around("hex", inner)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        let mut out = Vec::with_capacity(bytes.len() / 2);
        parse(bytes, &mut out)?;
        Ok(out.into())
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.substitute(spelled)
    }

    fn order_by(changed: &Changed<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        changed.order_by_inner_length(comparison, budget)
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::DOUBLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_single_bytes_agree() {
        for length in 0..=50_u8 {
            let bytes: Vec<u8> = (0..length).map(|n| n.wrapping_mul(37)).collect();
            let mut text = Vec::new();
            put(&bytes, &mut text);
            let mut back = Vec::new();
            assert_eq!((parse(&text, &mut back), &back), (Ok(()), &bytes));
            for at in 0..text.len() {
                for wrong in [b'A', b'g', b'/', b':', 0x00, 0xff] {
                    let mut text = text.clone();
                    text[at] = wrong;
                    let mut back = Vec::new();
                    assert!(parse(&text, &mut back).is_err());
                    assert_eq!(
                        back,
                        bytes[..at / 2],
                        "the bytes before the wrong digit are written"
                    );
                }
            }
        }
    }
}
