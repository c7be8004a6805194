//! `bech32("cosmos", c)`: the encoding of `c` as bech32 text, with the checksum of BIP 173, in
//! lower case. Texts have at most 1,023 characters, the limit of the checksum; the limit of 90 for
//! segwit addresses does not apply.

use crate::{
    Arg, BuildReason, Codec, Description, Language, Malformed, Order, Values,
    changed::{Change, Changed, Inner},
    checksummed,
    sink::Sink,
};
use alloc::{borrow::Cow, boxed::Box, vec, vec::Vec};
use bech32::{
    Bech32 as Checksum, Hrp,
    primitives::{
        decode::CheckedHrpstring,
        iter::{ByteIterExt, Fe32IterExt},
    },
};
use keyscape_automata::{ByteSet, Dfa, Lang, OverBudget};

const ALPHABET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const CHECKSUM: usize = 6;
const MAX_TEXT: usize = 1023;

/// The part of a bech32 text before its last `1`.
///
/// ```
/// use keyscape_codec::bech32::Prefix;
///
/// let prefix = Prefix::new("cosmos").unwrap();
/// let mut text = Vec::new();
/// prefix.put(&[0; 20], &mut text);
/// assert_eq!(text, b"cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a");
/// assert_eq!(prefix.parse(&text), Ok(vec![0; 20]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prefix(Hrp);

impl Prefix {
    /// Creates a prefix; `None` unless it has 1 to 83 printable ASCII characters without upper
    /// case.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        Hrp::parse(text).ok().filter(|_| lower).map(Self)
    }

    /// Returns the prefix as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the maximum number of bytes in a text with this prefix.
    #[must_use]
    pub fn max_payload(&self) -> usize {
        (MAX_TEXT - CHECKSUM - 1 - self.0.as_bytes().len()) * 5 / 8
    }

    /// Writes `payload` as text. A longer payload than [`max_payload`](Self::max_payload) gives a
    /// text that cannot be parsed.
    #[inline]
    pub fn put(&self, payload: &[u8], sink: &mut impl Sink) {
        let symbols = payload.iter().copied().bytes_to_fes();
        for symbol in symbols.with_checksum::<Checksum>(&self.0).bytes() {
            sink.push(symbol);
        }
    }

    /// Returns the payload of `text`.
    ///
    /// # Errors
    /// [`Malformed`] for anything that [`put`](Self::put) does not write: another prefix, upper
    /// case, a wrong checksum, padding that is not zero.
    pub fn parse(&self, text: &[u8]) -> Result<Vec<u8>, Malformed> {
        let wrong = Malformed { reason: "text is not bech32 or its checksum is wrong" };
        let string = core::str::from_utf8(text).map_err(|_| wrong)?;
        let checked = CheckedHrpstring::new::<Checksum>(string).map_err(|_| wrong)?;
        if checked.hrp() != self.0 {
            return Err(Malformed { reason: "a bech32 text has another prefix" });
        }
        let symbols = checked.data_part_ascii_no_checksum();
        if text.iter().any(u8::is_ascii_uppercase) || !is_padded_with_zeros(symbols) {
            return Err(Malformed { reason: "a bech32 text is not in its one canonical form" });
        }
        Ok(checked.byte_iter().collect())
    }
}

/// Whether the bits that do not fill a byte are fewer than a symbol has, and zero. Any other text
/// would be a second encoding of the same bytes.
fn is_padded_with_zeros(symbols: &[u8]) -> bool {
    let padding = symbols.len() * 5 % 8;
    let last = symbols.last().and_then(|last| ALPHABET.iter().position(|symbol| symbol == last));
    padding < 5 && last.is_none_or(|last| last % (1 << padding) == 0)
}

impl Prefix {
    /// Returns a language that contains the texts of all payloads.
    fn texts(&self, payloads: &Dfa) -> Lang {
        let shortest = payloads.shortest().unwrap_or(0);
        let longest = payloads.longest().unwrap_or(shortest);
        let symbols = |count: usize| {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            Lang::bytes(ALPHABET.iter().copied().collect::<ByteSet>(), count, Some(count))
        };
        // From the longest payload inwards, so each length adds a few symbols to the rest.
        let length = |payload: usize| (payload * 8).div_ceil(5);
        let mut tail = Lang::empty_word();
        for payload in (shortest..longest).rev() {
            let more = symbols(length(payload + 1) - length(payload));
            let longer = Lang::Join(vec![more, tail]);
            tail = Lang::Repeat { of: Box::new(longer), min: 0, max: Some(1) };
        }
        let mut start = Vec::from(self.as_str());
        start.push(b'1');
        Lang::Join(vec![Lang::literal(&start), symbols(length(shortest) + CHECKSUM), tail])
    }
}

/// `bech32("…", c)`.
impl Change for Prefix {
    const HAS_CHECKSUM: bool = true;
    const KEEPS_SHORTER: bool = false;

    fn describe(&self, inner: &dyn Codec) -> Description {
        let prefix = self.as_str().as_bytes().to_vec();
        Description::new("bech32", Values::Inner).arg(Arg::Literal(prefix)).codec(inner)
    }

    fn check(&self, of: &Inner<'_>) -> Result<(), BuildReason> {
        of.check_longest("bech32", self.max_payload())
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        Self::put(self, encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        Self::parse(self, bytes).map(Cow::from)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        checksummed::language(self, of, |payloads| self.texts(payloads))
    }

    /// The alphabet does not ascend.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        Ok(checksummed::order(changed, of, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bech32::Fe32;

    #[test]
    fn only_canonical_texts_are_parsed() {
        let prefix = Prefix::new("x").unwrap();
        for count in 0..=9 {
            for last in 0..32 {
                let symbol = |at| Fe32::try_from(if at + 1 == count { last } else { 7 }).unwrap();
                let symbols = (0..count).map(symbol);
                let text: Vec<u8> = symbols.with_checksum::<Checksum>(&prefix.0).bytes().collect();
                let string = core::str::from_utf8(&text).unwrap();
                let checked = CheckedHrpstring::new::<Checksum>(string).unwrap();
                let payload: Vec<u8> = checked.byte_iter().collect();
                let mut again = Vec::new();
                prefix.put(&payload, &mut again);
                assert_eq!(
                    prefix.parse(&text).ok(),
                    (again == text).then_some(payload),
                    "{string}"
                );
                assert!(prefix.parse(&text.to_ascii_uppercase()).is_err());
            }
        }
    }
}
