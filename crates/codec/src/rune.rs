//! `rune(c)`: each byte of the encoding of `c` as a character in UTF-8. Bytes from 80 on become
//! two. Programs that build text keys do this by accident.

use crate::{
    Codec, Description, Language, Malformed, Order,
    changed::{Change, Changed, Inner},
};
use alloc::{borrow::Cow, vec::Vec};
use keyscape_automata::OverBudget;

/// Returns the UTF-8 form of the character with this number.
fn utf8(byte: u8) -> Vec<u8> {
    char::from(byte).encode_utf8(&mut [0; 2]).as_bytes().to_vec()
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
        encoding.iter().for_each(|&byte| out.extend(utf8(byte)));
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        let text = core::str::from_utf8(bytes);
        let text =
            text.map_err(|_| Malformed { reason: "bytes written as characters are not UTF-8" })?;
        let above = Malformed { reason: "a byte written as a character is above U+00FF" };
        text.chars().map(|character| u8::try_from(character).map_err(|_| above)).collect()
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.map(|dfa| dfa.substitute(utf8, of.budget))
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
