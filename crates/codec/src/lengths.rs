//! `len16(c)`, `len16le(c)`, `len32(c)`, `len32le(c)` and `lenvar(c)`: the length, then the
//! encoding of `c`, which must be bounded. The length has two or four bytes, in either byte order,
//! or is a LEB128 number. (`len8`, with one byte, has its own module.)

use crate::{
    BuildReason, Codec, Comparison, Description, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner, prefix_free},
    fixed::{self, Fixed},
    interval::between,
    leb128, len8, order,
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
#[error("{length} bytes do not fit a length of {bits} bits")]
pub struct TooLong {
    /// The number of bytes.
    pub length: usize,
    /// The width of the length prefix in bits.
    pub bits: u32,
}

/// Writes the length of `bytes` as a big-endian integer `T`, then `bytes`.
///
/// # Errors
/// [`TooLong`] if the length does not fit `T`; nothing is written then.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::lengths::put_be::<u16>(b"ab", &mut key)?;
/// assert_eq!(key, b"\x00\x02ab");
/// # Ok::<(), keyscape_codec::lengths::TooLong>(())
/// ```
#[inline]
pub fn put_be<T: Fixed + TryFrom<usize>>(
    bytes: &[u8],
    sink: &mut impl Sink,
) -> Result<(), TooLong> {
    fixed::put_be(length_of::<T>(bytes)?, sink);
    sink.put(bytes);
    Ok(())
}

/// Writes the length of `bytes` as a little-endian integer `T`, then `bytes`.
///
/// # Errors
/// [`TooLong`] if the length does not fit `T`; nothing is written then.
#[inline]
pub fn put_le<T: Fixed + TryFrom<usize>>(
    bytes: &[u8],
    sink: &mut impl Sink,
) -> Result<(), TooLong> {
    fixed::put_le(length_of::<T>(bytes)?, sink);
    sink.put(bytes);
    Ok(())
}

fn length_of<T: TryFrom<usize>>(bytes: &[u8]) -> Result<T, TooLong> {
    let bits = 8 * size_of::<T>() as u32;
    T::try_from(bytes.len()).map_err(|_| TooLong { length: bytes.len(), bits })
}

/// Writes the length of `bytes` as LEB128, then `bytes`.
#[inline]
pub fn put_var(bytes: &[u8], sink: &mut impl Sink) {
    leb128::put(bytes.len() as u64, sink);
    sink.put(bytes);
}

/// Parses a big-endian length and that many bytes from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes; none are consumed then.
#[inline]
pub fn take_be<'a, T: Fixed + TryInto<usize>>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    let mut rest = *bytes;
    let length = fixed::take_be::<T>(&mut rest)?.try_into().map_err(|_| MISSING)?;
    split(bytes, rest, length)
}

/// Parses a little-endian length and that many bytes from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes; none are consumed then.
#[inline]
pub fn take_le<'a, T: Fixed + TryInto<usize>>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    let mut rest = *bytes;
    let length = fixed::take_le::<T>(&mut rest)?.try_into().map_err(|_| MISSING)?;
    split(bytes, rest, length)
}

/// Parses a LEB128 length and that many bytes from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes, or if the length is not in its shortest form; none are
/// consumed then.
#[inline]
pub fn take_var<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    let mut rest = *bytes;
    let length = leb128::take::<u64>(&mut rest)?;
    split(bytes, rest, usize::try_from(length).map_err(|_| MISSING)?)
}

fn split<'a>(bytes: &mut &'a [u8], rest: &'a [u8], length: usize) -> Result<&'a [u8], Malformed> {
    let (body, rest) = rest.split_at_checked(length).ok_or(MISSING)?;
    *bytes = rest;
    Ok(body)
}

/// The encoding of a length prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Byte,
    Be16,
    Le16,
    Be32,
    Le32,
    Var,
}

impl Length {
    const fn name(self) -> &'static str {
        match self {
            Self::Byte => "len8",
            Self::Be16 => "len16",
            Self::Le16 => "len16le",
            Self::Be32 => "len32",
            Self::Le32 => "len32le",
            Self::Var => "lenvar",
        }
    }

    const fn most(self) -> usize {
        match self {
            Self::Byte => len8::MOST,
            Self::Be16 | Self::Le16 => u16::MAX as usize,
            Self::Be32 | Self::Le32 | Self::Var => u32::MAX as usize,
        }
    }

    /// Encodes a length of at most [`Self::most`].
    fn prefix(self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Byte => bytes.push(length as u8),
            Self::Be16 => fixed::put_be(length as u16, &mut bytes),
            Self::Le16 => fixed::put_le(length as u16, &mut bytes),
            Self::Be32 => fixed::put_be(length as u32, &mut bytes),
            Self::Le32 => fixed::put_le(length as u32, &mut bytes),
            Self::Var => leb128::put(length as u64, &mut bytes),
        }
        bytes
    }

    fn take<'a>(self, bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
        match self {
            Self::Byte => len8::take(bytes),
            Self::Be16 => take_be::<u16>(bytes),
            Self::Le16 => take_le::<u16>(bytes),
            Self::Be32 => take_be::<u32>(bytes),
            Self::Le32 => take_le::<u32>(bytes),
            Self::Var => take_var(bytes),
        }
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
                let (low, high) = (reversed(low), reversed(high));
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
        let most = shortest.max(SHORT);
        let bound = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let dfa = dfa.with_length(bound(shortest), Some(bound(most)), budget)?;
        self.with_length_prefix(&dfa, most, budget)
    }
}

fn reversed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.reverse();
    bytes
}

impl Change for Length {
    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around(self.name(), inner)
    }

    fn check(&self, of: &Inner<'_>) -> Result<(), BuildReason> {
        of.check_longest(self.name(), self.most())
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        out.put(&self.prefix(encoding.len()));
        out.put(encoding);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        let mut rest = bytes;
        let body = self.take(&mut rest)?;
        if rest.is_empty() {
            Ok(body.into())
        } else {
            Err(Malformed { reason: "a length is smaller than the bytes that follow it" })
        }
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
            let (mut low, mut high) = (Vec::new(), Vec::new());
            let encoded = changed.encode(lower, &mut low).is_ok()
                && changed.encode(higher, &mut high).is_ok();
            if encoded && order::at_a_byte(&low, &high) == Some(Ordering::Greater) {
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
