//! `escape(c)`: the encoding of `c` with 00 FF for each 00, without a terminator. The parts of
//! `wrap escaped(…)` have this form; one terminator follows the last part.

use crate::{
    Codec, Description, Language, Malformed, Order,
    changed::{Change, Changed, Inner},
    sink::Sink,
};
use alloc::{borrow::Cow, vec::Vec};
use keyscape_automata::OverBudget;

/// Writes bytes, 00 FF for each 00.
pub(crate) fn put(bytes: &[u8], sink: &mut impl Sink) {
    let mut pieces = bytes.split(|&byte| byte == 0);
    sink.put(pieces.next().unwrap_or_default());
    for piece in pieces {
        sink.put(&[0x00, 0xff]);
        sink.put(piece);
    }
}

/// Unescapes all of `bytes`.
fn parse(bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut pieces = bytes.split(|&byte| byte == 0);
    out.put(pieces.next().unwrap_or_default());
    for piece in pieces {
        let [0xff, rest @ ..] = piece else {
            return Err(Malformed { reason: "a 00 is not followed by FF" });
        };
        out.push(0);
        out.put(rest);
    }
    Ok(out)
}

/// `escape(c)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escape;

impl Change for Escape {
    const KEEPS_SHORTER: bool = false;

    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around("escape", inner)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        parse(bytes).map(Cow::from)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.map(|dfa| dfa.substitute(escaped, of.budget))
    }

    /// Different bytes stay different, because 00 FF is below every other byte, and a prefix stays
    /// a prefix. A pair stays minimal if it gains no byte, because no pair loses one.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        Ok(changed.grown(of))
    }

    /// Each byte becomes one or two.
    fn growth(&self, length: usize) -> Option<(usize, usize)> {
        Some((length, length.saturating_mul(2)))
    }
}

/// Returns the escaped form of a byte.
pub(crate) fn escaped(byte: u8) -> Vec<u8> {
    if byte == 0 { Vec::from([0x00, 0xff]) } else { Vec::from([byte]) }
}
