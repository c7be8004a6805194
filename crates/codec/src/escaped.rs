//! `escaped(c)` and `escaped01(c)`: the encoding of `c` with 00 FF for each 00, then a terminator:
//! 00, or 00 01. The terminator 00 is also the beginning of an escaped 00, so it does not end an
//! encoding before an FF. The language reflects that; 00 01 avoids it.

use crate::{
    BuildReason, Codec, Description, Kind, Language, Malformed, Order,
    changed::{Change, Changed, Inner},
    escape,
    order::ABOVE_ZERO,
    sink::Sink,
};
use alloc::{borrow::Cow, format, vec::Vec};
use keyscape_automata::{ByteSet, Dfa, Lang, OverBudget};

/// The terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// 00.
    Zero,
    /// 00 01.
    ZeroOne,
}

impl End {
    pub(crate) const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Zero => &[0x00],
            Self::ZeroOne => &[0x00, 0x01],
        }
    }
}

/// Writes bytes, 00 FF for each 00, and the end.
pub(crate) fn put(bytes: &[u8], end: End, sink: &mut impl Sink) {
    escape::put(bytes, sink);
    sink.put(end.bytes());
}

/// Parses everything up to the first terminator from the left of `bytes`, and writes the unescaped
/// bytes to `out`. Use [`End::Zero`] only if no FF can follow. An error consumes nothing, but the
/// bytes read so far are written.
pub(crate) fn take(bytes: &mut &[u8], end: End, out: &mut impl Sink) -> Result<(), Malformed> {
    let mut rest = *bytes;
    loop {
        let zero = rest.iter().position(|&byte| byte == 0).ok_or(UNTERMINATED)?;
        let (piece, from_zero) = rest.split_at_checked(zero).ok_or(UNTERMINATED)?;
        out.put(piece);
        match (from_zero, end) {
            ([0x00, 0xff, tail @ ..], _) => {
                out.push(0);
                rest = tail;
            }
            ([0x00, tail @ ..], End::Zero) | ([0x00, 0x01, tail @ ..], End::ZeroOne) => {
                *bytes = tail;
                return Ok(());
            }
            _ => return Err(UNTERMINATED),
        }
    }
}

const UNTERMINATED: Malformed = Malformed { reason: "the end of an escaped field is missing" };

/// `escaped(c)`, `escaped01(c)`, and the tuple elements `fdb_bytes(c)` and `fdb_text(c)`, which are
/// `escaped(c)` after a type code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escaped {
    pub(crate) name: &'static str,
    /// A type code, and the kind of values that it marks.
    pub(crate) code: Option<(u8, Kind)>,
    pub(crate) end: End,
}

impl Escaped {
    fn code(&self) -> &[u8] {
        match &self.code {
            Some((code, _)) => core::slice::from_ref(code),
            None => &[],
        }
    }
}

impl Change for Escaped {
    const KEEPS_SHORTER: bool = false;

    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around(self.name, inner)
    }

    fn check(&self, of: &Inner<'_>) -> Result<(), BuildReason> {
        match self.code {
            Some((_, kind)) if kind != of.codec.kind() => {
                let (name, inner) = (self.name, of.codec.text());
                let expected = if kind == Kind::Text { "text" } else { "bytes" };
                Err(BuildReason::Declaration(format!(
                    "`{name}` holds {expected}, but the values of `{inner}` are not"
                )))
            }
            _ => Ok(()),
        }
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        out.put(self.code());
        put(encoding, self.end, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        let code = Malformed { reason: "a tuple element has the type code of another" };
        let body = bytes.strip_prefix(self.code()).ok_or(code)?;
        let (mut out, mut rest) = (Vec::with_capacity(body.len()), body);
        take(&mut rest, self.end, &mut out)?;
        if rest.is_empty() {
            Ok(out.into())
        } else {
            Err(Malformed { reason: "bytes follow the end of a field" })
        }
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.map(|dfa| {
            let body = dfa.substitute(escape::escaped, of.budget)?.into_lang();
            let parts = [Lang::literal(self.code()), body, Lang::literal(self.end.bytes())];
            Dfa::from_lang(&Lang::Join(parts.into()), of.budget)
        })
    }

    /// Different bytes stay different, because 00 FF is below every other byte. The terminator is
    /// below any byte in its place, except that 00 is a prefix of 00 FF.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        let next = match changed.change.end {
            End::Zero => ABOVE_ZERO,
            End::ZeroOne => ByteSet::ANY,
        };
        let change = &changed.change;
        changed.ended(of, &next, change.code().len() + change.end.bytes().len())
    }

    /// Each byte becomes one or two.
    fn growth(&self, length: usize) -> Option<(usize, usize)> {
        let around = self.code().len() + self.end.bytes().len();
        Some((length.saturating_add(around), length.saturating_mul(2).saturating_add(around)))
    }
}
