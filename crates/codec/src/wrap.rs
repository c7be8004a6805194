//! Wraps such as `wrap hex(…)`: codecs around several parts of a key. A wrap changes each byte
//! independently, so it can change each part alone: the wrap of two parts is the wrap of the first,
//! then of the second, then its terminator.

use crate::{
    BuildReason, Codec, Malformed,
    changed::{Change, Changed},
    complement::Complemented,
    escape::Escape,
    escaped::End,
    groups8::{self, Groups8},
    hex::Hex,
    nibbles::Nibbles,
};
use alloc::{sync::Arc, vec::Vec};
use keyscape_automata::Budget;

/// A codec that can be applied to several parts of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wrap {
    /// Lower-case hexadecimal text.
    Hex,
    /// Two bytes for each byte: its halves.
    Nibbles,
    /// Each byte subtracted from FF.
    Complement,
    /// 00 FF for each 00, and 00 at the end.
    Escaped,
    /// 00 FF for each 00, and 00 01 at the end.
    Escaped01,
    /// Groups of eight bytes, each followed by its fill level. The encoding of a byte depends on
    /// its offset.
    Groups8,
}

/// An offset inside a wrap. Only groups of eight depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrapPlace(u8);

impl WrapPlace {
    /// Returns the offset after this many bytes.
    #[must_use]
    pub const fn at(bytes: usize) -> Self {
        Self((bytes % 8) as u8)
    }

    /// Returns the minimum number of bytes before the offset.
    #[must_use]
    pub const fn bytes_before(self) -> usize {
        self.0 as usize
    }

    /// Returns the offset this many bytes later.
    #[must_use]
    pub const fn after(self, bytes: usize) -> Self {
        Self(((self.0 as usize + bytes % 8) % 8) as u8)
    }
}

/// A wrap at the position of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrapPart {
    /// The wrap.
    pub wrap: Wrap,
    /// The offset of the part.
    pub at: WrapPlace,
    /// Whether the part includes the terminator of the wrap, because the terminator depends on the
    /// part's length.
    pub ends: bool,
}

impl WrapPart {
    /// Wraps the bytes of the part.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Vec<u8> {
        let mut out = self.wrap.bytes(bytes, self.at);
        if self.ends {
            out.extend(self.wrap.end(self.at.after(bytes.len())));
        }
        out
    }

    /// Returns the codec of the part. If the wrap [counts](Wrap::counts), a part that does not
    /// include the terminator must have encodings of one length.
    ///
    /// # Errors
    /// [`BuildReason`] if its automaton exceeds the budget.
    pub fn around(
        self,
        inner: Arc<dyn Codec>,
        budget: Budget,
    ) -> Result<Arc<dyn Codec>, BuildReason> {
        match self.wrap {
            Wrap::Hex => Changed::build(inner, Hex, budget),
            Wrap::Nibbles => Changed::build(inner, Nibbles, budget),
            Wrap::Complement => Changed::build(inner, Complemented, budget),
            Wrap::Escaped | Wrap::Escaped01 => Changed::build(inner, Escape, budget),
            Wrap::Groups8 => Changed::build(inner, self.groups8(), budget),
        }
    }

    const fn groups8(self) -> Groups8 {
        Groups8 { before: self.at.0, last: self.ends }
    }

    /// Unwraps the bytes of the part.
    ///
    /// # Errors
    /// [`Malformed`] if `bytes` is not the wrap of any bytes.
    ///
    /// ```
    /// use keyscape_codec::{Wrap, WrapPart, WrapPlace};
    ///
    /// let part = WrapPart { wrap: Wrap::Groups8, at: WrapPlace::at(7), ends: true };
    /// let wrapped = part.bytes(b"abc");
    /// assert_eq!(wrapped, b"a\xffbc\0\0\0\0\0\0\xf9");
    /// assert_eq!(part.parse(&wrapped)?, b"abc");
    /// # Ok::<(), keyscape_codec::Malformed>(())
    /// ```
    pub fn parse(self, bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
        let unwrapped = match self.wrap {
            Wrap::Hex => Hex.parse(bytes)?,
            Wrap::Nibbles => Nibbles.parse(bytes)?,
            Wrap::Complement => Complemented.parse(bytes)?,
            Wrap::Escaped | Wrap::Escaped01 => Escape.parse(bytes)?,
            Wrap::Groups8 => self.groups8().parse(bytes)?,
        };
        Ok(unwrapped.into_owned())
    }
}

impl Wrap {
    /// All wraps.
    pub const ALL: [Self; 6] =
        [Self::Hex, Self::Nibbles, Self::Complement, Self::Escaped, Self::Escaped01, Self::Groups8];

    /// Returns the name that layouts use, which is that of the codec for one part.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hex => "hex",
            Self::Nibbles => "nibbles",
            Self::Complement => "complement",
            Self::Escaped => "escaped",
            Self::Escaped01 => "escaped01",
            Self::Groups8 => "groups8",
        }
    }

    /// Returns the wrap with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wrap| wrap.name() == name)
    }

    /// Whether the encoding of a byte depends on its offset.
    #[must_use]
    pub const fn counts(self) -> bool {
        matches!(self, Self::Groups8)
    }

    /// Wraps bytes at an offset.
    #[must_use]
    pub fn bytes(self, bytes: &[u8], at: WrapPlace) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Hex => Hex.put(bytes, &mut out),
            Self::Nibbles => Nibbles.put(bytes, &mut out),
            Self::Complement => Complemented.put(bytes, &mut out),
            Self::Escaped | Self::Escaped01 => Escape.put(bytes, &mut out),
            Self::Groups8 => groups8::put_part(bytes, at.0, &mut out),
        }
        out
    }

    /// Returns the terminator after a last part that ends at this offset; may be empty.
    #[must_use]
    pub fn end(self, at: WrapPlace) -> Vec<u8> {
        match self {
            Self::Hex | Self::Nibbles | Self::Complement => Vec::new(),
            Self::Escaped => End::Zero.bytes().to_vec(),
            Self::Escaped01 => End::ZeroOne.bytes().to_vec(),
            Self::Groups8 => groups8::ending(at.0),
        }
    }
}
