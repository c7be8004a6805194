//! `escape(c)`: the encoding of `c` with 00 FF for each 00, without a terminator. The parts of
//! `wrap escaped(…)` have this form; one terminator follows the last part.

use crate::{
    Language, Malformed, Order,
    changed::{Change, Changed, Inner},
    sink::Sink,
    wrapped::map_language,
};
use alloc::vec::Vec;
use keyscape_automata::OverBudget;

/// Writes bytes, 00 FF for each 00.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::escape::put(b"a\x00b", &mut key);
/// assert_eq!(key, b"a\x00\xffb");
/// ```
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) {
    let mut pieces = bytes.split(|&byte| byte == 0);
    sink.put(pieces.next().unwrap_or_default());
    for piece in pieces {
        sink.put(&[0x00, 0xff]);
        sink.put(piece);
    }
}

/// Unescapes all of `bytes`.
///
/// # Errors
/// [`Malformed`] if a 00 is not followed by FF. The bytes before it are written then.
#[inline]
pub fn parse(bytes: &[u8], out: &mut impl Sink) -> Result<(), Malformed> {
    let mut pieces = bytes.split(|&byte| byte == 0);
    out.put(pieces.next().unwrap_or_default());
    for piece in pieces {
        let [0xff, rest @ ..] = piece else {
            return Err(Malformed { reason: "a 00 is not followed by FF" });
        };
        out.push(0);
        out.put(rest);
    }
    Ok(())
}

/// `escape(c)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escape;

impl Change for Escape {
    fn name(&self) -> &'static str {
        "escape"
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
        let escape = |byte| if byte == 0 { Vec::from([0x00, 0xff]) } else { Vec::from([byte]) };
        map_language(of.language.clone(), |dfa| dfa.substitute(escape, of.budget))
    }

    /// Different bytes stay different, because 00 FF is below every other byte, and a prefix stays
    /// a prefix. A pair without 00 gains no bytes, and no pair loses a byte.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        let Order::Misordered { lower, higher, minimal } = of.codec.order() else {
            return Ok(of.codec.order());
        };
        let mut before = Vec::new();
        let known = of.codec.encode(&lower, &mut before).is_ok()
            && of.codec.encode(&higher, &mut before).is_ok();
        let kept = known && changed.total(&lower, &higher) == Some(before.len());
        Ok(Order::Misordered { lower, higher, minimal: minimal && kept })
    }
}
