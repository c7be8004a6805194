//! `nul(c)`: the encoding of `c`, then a byte 00. If an encoding of `c` can contain 00, the first
//! 00 need not be its end; the language reflects that.

use crate::{
    Codec, Comparison, Description, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner},
    order::ABOVE_ZERO,
    sink::Sink,
};
use alloc::{borrow::Cow, vec::Vec};
use core::ffi::CStr;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// Writes `bytes` and then 00.
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) {
    sink.put(bytes);
    sink.push(0);
}

/// Parses everything up to and including the first 00 from the left of `bytes`. Correct only if the
/// bytes before the terminator cannot contain 00.
///
/// # Errors
/// [`Malformed`] if no byte is 00; nothing is consumed then.
#[inline]
pub fn take<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    // `CStr` examines many bytes at once, which `position` does not.
    let body = CStr::from_bytes_until_nul(bytes).map_err(|_| UNTERMINATED)?.to_bytes();
    *bytes = bytes.get(body.len() + 1..).ok_or(UNTERMINATED)?;
    Ok(body)
}

/// Returns all of `bytes` except the 00 at its end.
///
/// # Errors
/// [`Malformed`] if the last byte is not 00.
#[inline]
pub fn parse(bytes: &[u8]) -> Result<&[u8], Malformed> {
    match bytes {
        [body @ .., 0] => Ok(body),
        _ => Err(UNTERMINATED),
    }
}

const UNTERMINATED: Malformed = Malformed { reason: "the byte 00 that ends a field is missing" };

/// `nul(c)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nul;

impl Change for Nul {
    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around("nul", inner)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        parse(bytes).map(Cow::from)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.map(|dfa| {
            let parts = [dfa.clone().into_lang(), Lang::literal(&[0])];
            Dfa::from_lang(&Lang::Join(parts.into()), of.budget)
        })
    }

    /// After the shorter encoding comes 00, which is the smallest byte. A longer encoding that
    /// continues with 00 begins with all bytes of the shorter one.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        changed.ended(of, &ABOVE_ZERO, 1)
    }

    fn order_by(changed: &Changed<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        changed.order_by_inner_length(comparison, budget)
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::by(1))
    }
}
