//! `len8(c)`, `len16(c)`, `len16le(c)`, `len32(c)`, `len32le(c)` and `lenvar(c)`: the length, then
//! the encoding of `c`, which must be bounded. The length has one, two or four bytes, in either
//! byte order, or is a LEB128 number.

use crate::{
    BuildReason, Codec, Comparison, Description, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner, prefix_free},
    fixed,
    interval::between,
    leb128, order,
    sink::Sink,
};
use alloc::{borrow::Cow, sync::Arc, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::{Budget, ByteSet, Dfa, Lang, OverBudget};

/// The automaton is exact for bodies up to this length.
const EXPANDED: usize = 4096;

/// The maximum work for an exact automaton: states times lengths.
const WORK: usize = 1 << 20;

/// If the automaton is not exact, its lower bound contains the bodies up to this length.
const SHORT: usize = 64;

const MISSING: Malformed = Malformed { reason: "a length is larger than the bytes that follow it" };

/// A body that is too long for its length prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{length} bytes do not fit a length prefix of at most {max}")]
pub struct TooLong {
    /// The number of bytes.
    pub length: usize,
    /// The largest length that the prefix can hold.
    pub max: usize,
}

/// The encoding of a length prefix.
///
/// ```
/// use keyscape_codec::lengths::Length;
///
/// let mut key = Vec::new();
/// Length::Be16.put(b"ab", &mut key)?;
/// key.extend_from_slice(b"rest");
/// assert_eq!(key, b"\x00\x02abrest");
///
/// let mut rest = &key[..];
/// assert_eq!(Length::Be16.take(&mut rest)?, b"ab");
/// assert_eq!(rest, b"rest");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// One byte.
    Byte,
    /// Two bytes, big-endian.
    Be16,
    /// Two bytes, little-endian.
    Le16,
    /// Four bytes, big-endian.
    Be32,
    /// Four bytes, little-endian.
    Le32,
    /// LEB128.
    Var,
}

impl Length {
    /// All length prefixes.
    const ALL: [Self; 6] = [Self::Byte, Self::Be16, Self::Le16, Self::Be32, Self::Le32, Self::Var];

    /// Returns the name of the codec with this length prefix.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Byte => "len8",
            Self::Be16 => "len16",
            Self::Le16 => "len16le",
            Self::Be32 => "len32",
            Self::Le32 => "len32le",
            Self::Var => "lenvar",
        }
    }

    /// Returns the length prefix of the codec with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|length| length.name() == name)
    }

    const fn max(self) -> usize {
        match self {
            Self::Byte => u8::MAX as usize,
            Self::Be16 | Self::Le16 => u16::MAX as usize,
            Self::Be32 | Self::Le32 | Self::Var => u32::MAX as usize,
        }
    }

    /// Writes the length of `bytes` and then `bytes`.
    ///
    /// # Errors
    /// [`TooLong`] if the length does not fit; nothing is written then.
    #[inline]
    pub fn put(self, bytes: &[u8], sink: &mut impl Sink) -> Result<(), TooLong> {
        let (length, max) = (bytes.len(), self.max());
        if length > max {
            return Err(TooLong { length, max });
        }
        self.put_length(length, sink);
        sink.put(bytes);
        Ok(())
    }

    /// Writes a length of at most [`Self::max`].
    #[inline]
    fn put_length(self, length: usize, sink: &mut impl Sink) {
        match self {
            Self::Byte => sink.push(length as u8),
            Self::Be16 => fixed::put_be(length as u16, sink),
            Self::Le16 => fixed::put_le(length as u16, sink),
            Self::Be32 => fixed::put_be(length as u32, sink),
            Self::Le32 => fixed::put_le(length as u32, sink),
            Self::Var => leb128::put(length as u64, sink),
        }
    }

    /// Parses a length and that many bytes from the left of `bytes`.
    ///
    /// # Errors
    /// [`Malformed`] if there are too few bytes, or if a LEB128 length is not in its shortest form;
    /// nothing is consumed then.
    #[inline]
    pub fn take<'a>(self, bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
        let mut rest = *bytes;
        let length = match self {
            Self::Byte => number(fixed::take_be::<u8>(&mut rest)),
            Self::Be16 => number(fixed::take_be::<u16>(&mut rest)),
            Self::Le16 => number(fixed::take_le::<u16>(&mut rest)),
            Self::Be32 => number(fixed::take_be::<u32>(&mut rest)),
            Self::Le32 => number(fixed::take_le::<u32>(&mut rest)),
            Self::Var => leb128::take::<u64>(&mut rest),
        };
        let length = usize::try_from(length?).map_err(|_| MISSING)?;
        let (body, rest) = rest.split_at_checked(length).ok_or(MISSING)?;
        *bytes = rest;
        Ok(body)
    }

    /// Parses all of `bytes` as a length and that many bytes.
    ///
    /// # Errors
    /// [`Malformed`] if the length is not that of the rest.
    #[inline]
    pub fn parse(self, bytes: &[u8]) -> Result<&[u8], Malformed> {
        let mut rest = bytes;
        let body = self.take(&mut rest)?;
        if rest.is_empty() {
            Ok(body)
        } else {
            Err(Malformed { reason: "a length is smaller than the bytes that follow it" })
        }
    }

    /// Returns the encoding of a length of at most [`Self::max`].
    fn prefix(self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.put_length(length, &mut bytes);
        bytes
    }

    /// Whether lengths from `shortest` to `longest` sort by their bytes.
    fn sorts(self, shortest: usize, longest: usize) -> bool {
        match self {
            Self::Byte | Self::Be16 | Self::Be32 => true,
            Self::Le16 | Self::Le32 => shortest / 256 == longest / 256,
            Self::Var => leb128::misordered(shortest as u128, longest as u128).is_none(),
        }
    }

    /// Returns the language of the lengths from `shortest` to `longest`.
    fn lang(self, shortest: usize, longest: usize, budget: Budget) -> Result<Lang, OverBudget> {
        let (low, high) = (self.prefix(shortest), self.prefix(longest));
        Ok(match self {
            Self::Byte | Self::Be16 | Self::Be32 => between(&low, &high, (0x00, 0xff)),
            Self::Le16 | Self::Le32 => {
                let [low, high] =
                    [low, high].map(|bytes| bytes.into_iter().rev().collect::<Vec<_>>());
                let dfa = Dfa::from_lang(&between(&low, &high, (0x00, 0xff)), budget)?;
                dfa.reversed(budget)?.into_lang()
            }
            Self::Var => leb128::language(shortest as u128, longest as u128, budget)?.into_lang(),
        })
    }

    /// Returns the words of at most `longest` bytes with their length prefixes. A small number of
    /// words is listed: an automaton of real encodings has a state for almost every byte of them,
    /// too many to combine with every length.
    fn with_length_prefix(
        self,
        dfa: &Dfa,
        longest: usize,
        budget: Budget,
    ) -> Result<Dfa, OverBudget> {
        const FEW: usize = 256;
        let Some(words) = dfa.few_words(FEW) else {
            return dfa.with_length_prefix(longest, &|length| self.prefix(length), budget);
        };
        let fits = words.iter().filter(|word| word.len() <= longest);
        let prefixed = fits.map(|word| {
            let mut bytes = self.prefix(word.len());
            bytes.extend_from_slice(word);
            bytes
        });
        Dfa::of_words(&prefixed.collect::<Vec<_>>(), budget)
    }

    /// Returns the short words with their length prefixes, or the shortest words if none is short.
    fn short(self, dfa: &Dfa, budget: Budget) -> Result<Dfa, OverBudget> {
        let shortest = dfa.shortest().unwrap_or(0);
        let longest = shortest.max(SHORT);
        let bound = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let dfa = dfa.with_length(bound(shortest), Some(bound(longest)), budget)?;
        self.with_length_prefix(&dfa, longest, budget)
    }
}

/// Converts a parsed length of fixed width.
#[inline]
fn number<T: Into<u64>>(parsed: Result<T, Malformed>) -> Result<u64, Malformed> {
    parsed.map(Into::into).map_err(|_| MISSING)
}

impl Change for Length {
    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around(self.name(), inner)
    }

    fn check(&self, of: &Inner<'_>) -> Result<(), BuildReason> {
        of.check_longest(self.name(), self.max())
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        // No encoding is longer than `check` allows.
        let _ = Self::put(*self, encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        Self::parse(*self, bytes).map(Cow::from)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        let budget = of.budget;
        let over = of.language.over();
        let shortest = over.shortest().unwrap_or(0);
        let longest = of.codec.longest().unwrap_or(shortest);
        // If only lengths matter, the automaton is a chain.
        let chain = over.classes().iter().all(|&class| class == 0);
        let cheap = chain || over.len().saturating_mul(longest) <= WORK;
        if longest <= EXPANDED && cheap {
            let exact = |dfa: &Dfa| self.with_length_prefix(dfa, longest, budget);
            return of.map(exact).map(prefix_free);
        }
        let over = if longest <= EXPANDED {
            let bound = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
            let any = Lang::bytes(ByteSet::ANY, bound(shortest), Some(bound(longest)));
            let any = Dfa::from_lang(&any, budget)?;
            any.with_length_prefix(longest, &|length| self.prefix(length), budget)?
        } else {
            let parts = [self.lang(shortest, longest, budget)?, Lang::anything()];
            Dfa::from_lang(&Lang::Join(parts.into()), budget)?
        };
        let under = Arc::new(self.short(of.language.under(), budget)?).into();
        Ok(Language::Between { over: Arc::new(over), under, prefix_free: true })
    }

    /// The length comes first. If lengths sort by their bytes, shorter encodings come first, and
    /// encodings of equal lengths sort like the inner ones. No encoding is a prefix of another.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        let length = changed.change;
        let shortest = of.language.over().shortest().unwrap_or(0);
        let longest = of.codec.longest().unwrap_or(shortest);
        let order = match of.codec.order_by(Comparison::LengthFirst, of.budget) {
            Order::Ordered { .. } => order::ORDERED,
            Order::Misordered { lower, higher, minimal } => {
                // Below this, lengths have one size and sort. In any other pair, the longer body
                // has at least this many bytes.
                let alike = match length {
                    Self::Byte | Self::Be16 | Self::Be32 => usize::MAX,
                    Self::Le16 | Self::Le32 => 0x100,
                    Self::Var => 0x80,
                };
                let total = of.total(&lower, &higher);
                let few = total.is_some_and(|total| total <= alike.saturating_add(shortest));
                Order::Misordered { lower, higher, minimal: minimal && few }
            }
            other => other,
        };
        if length.sorts(shortest, longest) {
            return Ok(order);
        }
        if let Order::Misordered { lower, higher, .. } = &order {
            let pair = changed.encoding(lower).ok().zip(changed.encoding(higher).ok());
            let greater = Some(Ordering::Greater);
            if pair.is_some_and(|(low, high)| order::at_a_byte(&low, &high) == greater) {
                return Ok(order);
            }
        }
        let unknown = Order::Unknown("lengths do not sort by their bytes");
        Ok(order::by_samples(changed, <[u8]>::cmp).unwrap_or(unknown))
    }

    /// Longer encodings have longer bodies.
    fn order_by(changed: &Changed<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        match comparison {
            Comparison::LengthFirst => match changed.inner.order_by(comparison, budget) {
                Order::Ordered { .. } => order::ORDERED,
                Order::Misordered { lower, higher, minimal } => {
                    let minimal = minimal && changed.change != Self::Var;
                    Order::Misordered { lower, higher, minimal }
                }
                other => other,
            },
            Comparison::FromTheRight => order::by(changed, comparison, budget),
        }
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(match self {
            Self::Byte => Stretch::by(1),
            Self::Be16 | Self::Le16 => Stretch::by(2),
            Self::Be32 | Self::Le32 => Stretch::by(4),
            Self::Var => Stretch::LEB128,
        })
    }
}
