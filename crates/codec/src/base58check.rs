//! `base58check(version = 0x00, c)`: version bytes and the encoding of `c` as base58 text in the
//! alphabet of Bitcoin, with a checksum of four bytes (SHA-256, twice).

use crate::{
    Arg, BuildReason, Codec, Description, Language, Malformed, Order, Values,
    changed::{Change, Changed, Inner},
    checksummed,
    sink::Sink,
};
use alloc::{borrow::Cow, vec, vec::Vec};
use keyscape_automata::{ByteSet, Dfa, Lang, OverBudget};
use sha2::{Digest, Sha256};

const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const CHECKSUM: usize = 4;

/// The maximum number of bytes in a text, version and payload. The work grows with their square.
pub(crate) const MAX_PAYLOAD: usize = 255;

/// Writes `version` and `payload` as text.
///
/// ```
/// let mut text = Vec::new();
/// keyscape_codec::base58check::put(&[0x00], &[0; 20], &mut text);
/// assert_eq!(text, b"1111111111111111111114oLvT2");
/// assert_eq!(keyscape_codec::base58check::parse(&[0x00], &text), Ok(vec![0; 20]));
/// ```
#[inline]
pub fn put(version: &[u8], payload: &[u8], sink: &mut impl Sink) {
    let mut whole = [version, payload].concat();
    let checksum = checksum(&whole);
    whole.extend_from_slice(&checksum);
    sink.put(&bs58::encode(whole).into_vec());
}

/// Returns the first bytes of the SHA-256 digest of the SHA-256 digest.
fn checksum(whole: &[u8]) -> [u8; CHECKSUM] {
    let digest: [u8; 32] = Sha256::digest(Sha256::digest(whole)).into();
    let [a, b, c, d, ..] = digest;
    [a, b, c, d]
}

/// Returns the payload of `text`.
///
/// # Errors
/// [`Malformed`] for anything that [`put`] does not write: another version, a character outside the
/// alphabet, a wrong checksum.
pub fn parse(version: &[u8], text: &[u8]) -> Result<Vec<u8>, Malformed> {
    const WRONG: Malformed = Malformed { reason: "text is not base58 or its checksum is wrong" };
    // A longer text is never valid; decoding it would only waste work.
    if text.len() > 2 * (MAX_PAYLOAD + CHECKSUM) {
        return Err(WRONG);
    }
    let whole = bs58::decode(text).into_vec().map_err(|_| WRONG)?;
    let (whole, found) = whole.split_last_chunk().ok_or(WRONG)?;
    if checksum(whole) != *found {
        return Err(WRONG);
    }
    match whole.strip_prefix(version) {
        Some(payload) => Ok(payload.to_vec()),
        None => Err(Malformed { reason: "a base58 text has another version" }),
    }
}

/// Returns the length of the text of `version` and `bytes` bytes that are all `byte`, before the
/// checksum is known.
fn digits(version: &[u8], bytes: usize, byte: u8) -> usize {
    let mut whole = version.to_vec();
    whole.resize(version.len() + bytes, byte);
    bs58::encode(whole).into_vec().len()
}

/// The version bytes before the payload, possibly none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version(pub(crate) Vec<u8>);

impl Version {
    /// Returns a language that contains the texts of all payloads. Each leading zero byte is a `1`;
    /// the rest is a number, and a larger number has a longer text.
    fn texts(&self, payloads: &Dfa) -> Lang {
        let shortest = payloads.shortest().unwrap_or(0);
        let longest = payloads.longest().unwrap_or(shortest);
        let zeros = self.0.iter().take_while(|&&byte| byte == 0).count();
        let fewest = digits(&self.0, shortest + CHECKSUM, 0x00);
        let longest_text = digits(&self.0, longest + CHECKSUM, 0xff);
        let [min, max] =
            [fewest, longest_text].map(|count| u32::try_from(count - zeros).unwrap_or(u32::MAX));
        let any = Lang::bytes(ALPHABET.iter().copied().collect::<ByteSet>(), min, Some(max));
        Lang::Join(vec![Lang::literal(&vec![b'1'; zeros]), any])
    }
}

/// `base58check(version = …, c)`.
impl Change for Version {
    const HAS_CHECKSUM: bool = true;
    const KEEPS_SHORTER: bool = false;

    fn describe(&self, inner: &dyn Codec) -> Description {
        let mut described = Description::new("base58check", Values::Inner);
        if !self.0.is_empty() {
            described = described.arg(Arg::Named("version".into(), self.0.clone()));
        }
        described.codec(inner)
    }

    fn check(&self, of: &Inner<'_>) -> Result<(), BuildReason> {
        of.check_longest("base58check", MAX_PAYLOAD.saturating_sub(self.0.len()))
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(&self.0, encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        parse(&self.0, bytes).map(Cow::from)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        checksummed::language(self, of, |payloads| self.texts(payloads))
    }

    /// The alphabet ascends, so texts of one length sort like their numbers.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        Ok(checksummed::order(changed, of, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_addresses_round_trip() {
        let text = b"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
        let payload = parse(&[0x00], text).unwrap();
        let mut hex = Vec::new();
        crate::hex::put(&payload, &mut hex);
        assert_eq!(hex, b"62e907b15cbf27d5425399ebf6f0fb50ebb88f18");
        let mut again = Vec::new();
        put(&[0x00], &payload, &mut again);
        assert_eq!(again, text);
        assert!(parse(&[0x05], text).is_err());
    }
}
