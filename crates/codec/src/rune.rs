//! `rune(c)`: each byte of the encoding of `c` as a character in UTF-8. Bytes from 80 on become
//! two. Programs that build text keys do this by accident.

use crate::{
    Codec, Description, Language, Malformed, Order,
    changed::{Change, Changed, Inner, parsed},
    sink::Sink,
};
use alloc::{borrow::Cow, vec::Vec};
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
    const KEEPS_SHORTER: bool = false;

    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around("rune", inner)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        parsed(|out| parse(bytes, out))
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        let rune = |byte| char::from(byte).encode_utf8(&mut [0; 2]).as_bytes().to_vec();
        of.map(|dfa| dfa.substitute(rune, of.budget))
    }

    /// UTF-8 sorts like characters, and no character is a prefix of another. Only the number of
    /// bytes changes. A pair stays minimal if it gains no byte, because no pair loses one.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        Ok(changed.grown(of))
    }

    /// Each byte becomes one or two.
    fn growth(&self, length: usize) -> Option<(usize, usize)> {
        Some((length, length.saturating_mul(2)))
    }
}
