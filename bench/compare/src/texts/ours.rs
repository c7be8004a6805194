//! The functions of Keyscape.

use super::{Borrowed, Texts};
use keyscape_bench::Format;
use keyscape_codec::{KeyBuf, Sink, fixed, lengths::Length, nul};

/// Writes the key. Returns `false` if the text that ends with 00 contains a 00.
#[inline]
fn put(value: &Texts, key: &mut impl Sink) -> bool {
    if value.owner.as_bytes().contains(&0) {
        return false;
    }
    nul::put(value.owner.as_bytes(), key);
    fixed::put_be(value.pool, key);
    key.put(value.denom.as_bytes());
    true
}

/// Decodes the key. Returns `None` if a text is not valid UTF-8.
#[inline]
fn take(key: &[u8]) -> Option<Borrowed<'_>> {
    let mut rest = key;
    let owner = nul::take(&mut rest).ok()?;
    after_owner(owner, rest)
}

#[inline]
fn after_owner<'a>(owner: &'a [u8], mut rest: &'a [u8]) -> Option<Borrowed<'a>> {
    let pool = fixed::take_be(&mut rest).ok()?;
    Some((std::str::from_utf8(owner).ok()?, pool, std::str::from_utf8(rest).ok()?))
}

vector_format! {
    /// The functions that generated code calls, into the caller's vector.
    Nul: Texts => Borrowed<'a>, "Keyscape",
    encode put, "`nul(text)`, `u64be` and `text` into the caller's vector; a 00 inside is refused",
    decode take, "`&str`"
}

/// The functions that generated code calls, into a buffer on the stack.
pub(super) struct Stack;

impl Format for Stack {
    type Value = Texts;
    type Read<'a> = Borrowed<'a>;
    const NAME: &'static str = "Keyscape, stack";
    const ENCODE_NOTE: &'static str = "the same into a `KeyBuf<96>`";

    #[inline]
    fn encode(&mut self, value: &Texts, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        let mut key = KeyBuf::<96>::new();
        if put(value, &mut key) {
            emit(key.bytes().unwrap_or_default());
        }
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8]) -> Option<Borrowed<'a>> {
        take(key)
    }
}

vector_format! {
    /// A length prefix instead of a terminator. Shorter texts sort first.
    Len8: Texts => Borrowed<'a>, "Keyscape, `len8`",
    encode |value, key| {
        if Length::Byte.put(value.owner.as_bytes(), key).is_err() {
            return false;
        }
        fixed::put_be(value.pool, key);
        key.put(value.denom.as_bytes());
        true
    }, "`len8(text)` first; the caller's vector",
    decode |key| {
        let mut rest = key;
        let owner = Length::Byte.take(&mut rest).ok()?;
        after_owner(owner, rest)
    }, "`&str`"
}

vector_format! {
    /// Decodes to owned values.
    Owned: Texts => super::Owned, "Keyscape",
    encode put, "", decode |key| take(key).map(super::owned), "`String`"
}
