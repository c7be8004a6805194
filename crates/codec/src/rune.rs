//! `rune(c)`: each byte of the encoding of `c` as a character in UTF-8. Bytes from 80 on become
//! two. Programs that build text keys do this by accident.

use crate::{
    Language, Malformed, Order,
    changed::{Change, Changed, Inner},
    sink::Sink,
    wrapped::map_language,
};
use alloc::vec::Vec;
use keyscape_automata::OverBudget;

/// A sink that passes on each byte as the UTF-8 form of the character with that number.
///
/// ```
/// use keyscape_codec::{KeyBuf, fixed, rune::Rune};
///
/// let mut key = KeyBuf::<4>::new();
/// fixed::put_be(0x80_u16, &mut Rune(&mut key));
/// assert_eq!(key.bytes(), Ok(&[0x00, 0xc2, 0x80][..]));
/// ```
#[derive(Debug)]
pub struct Rune<'a, S: ?Sized>(
    /// The target.
    pub &'a mut S,
);

impl<S: Sink + ?Sized> Sink for Rune<'_, S> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.push(byte);
        }
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        let mut utf8 = [0; 2];
        self.0.put(char::from(byte).encode_utf8(&mut utf8).as_bytes());
    }
}

/// Writes bytes as characters.
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) {
    Rune(sink).put(bytes);
}

/// Parses all of `bytes` as characters up to U+00FF, and writes their numbers.
///
/// # Errors
/// [`Malformed`] if `bytes` is not UTF-8 of such characters. The bytes read so far are written
/// then.
#[inline]
pub fn parse(bytes: &[u8], out: &mut impl Sink) -> Result<(), Malformed> {
    let text = core::str::from_utf8(bytes);
    let text =
        text.map_err(|_| Malformed { reason: "bytes written as characters are not UTF-8" })?;
    for character in text.chars() {
        let above = Malformed { reason: "a byte written as a character is above U+00FF" };
        out.push(u8::try_from(character).map_err(|_| above)?);
    }
    Ok(())
}

/// `rune(c)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToRunes;

impl Change for ToRunes {
    fn name(&self) -> &'static str {
        "rune"
    }

    fn keeps_shorter(&self) -> bool {
        false
    }

    /// Each byte becomes one or two.
    fn growth(&self, length: usize) -> (usize, usize) {
        (length, length.saturating_mul(2))
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse(&self, bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut inner = Vec::with_capacity(bytes.len());
        parse(bytes, &mut inner)?;
        Ok(inner)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        let rune = |byte| {
            let mut bytes = Vec::new();
            put(&[byte], &mut bytes);
            bytes
        };
        map_language(of.language.clone(), |dfa| dfa.substitute(rune, of.budget))
    }

    /// UTF-8 sorts like characters, and no character is a prefix of another. Only the number of
    /// bytes changes; it is smallest if no byte became two.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        Ok(match of.codec.order() {
            Order::Misordered { lower, higher, minimal } => {
                let mut bytes = Vec::new();
                let encoded = of.codec.encode(&lower, &mut bytes).is_ok()
                    && of.codec.encode(&higher, &mut bytes).is_ok();
                let minimal = minimal && encoded && bytes.is_ascii();
                let shortest = changed.over().shortest().unwrap_or(0);
                let total = changed.total(&lower, &higher);
                let minimal = minimal || total.is_some_and(|total| total <= 2 * shortest);
                Order::Misordered { lower, higher, minimal }
            }
            other => other,
        })
    }
}
