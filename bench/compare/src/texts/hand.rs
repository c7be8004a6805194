//! Handwritten code for the bytes that Keyscape writes.

use super::{Borrowed, Texts};
use keyscape_bench::Format;

#[inline]
fn split(key: &[u8]) -> Option<Borrowed<'_>> {
    let end = key.iter().position(|&byte| byte == 0)?;
    let (owner, rest) = (&key[..end], &key[end + 1..]);
    let (pool, denom) = rest.split_first_chunk()?;
    let (owner, denom) = (std::str::from_utf8(owner).ok()?, std::str::from_utf8(denom).ok()?);
    Some((owner, u64::from_be_bytes(*pool), denom))
}

/// `extend_from_slice` into the caller's vector.
pub(super) struct Nul;

impl Format for Nul {
    type Value = Texts;
    type Read<'a> = Borrowed<'a>;
    const NAME: &'static str = "by hand";
    const ENCODE_NOTE: &'static str = "the caller's vector; a 00 inside is refused";
    const DECODE_NOTE: &'static str = "`&str`; `position` finds the 00";

    #[inline]
    fn encode(&mut self, value: &Texts, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        if value.owner.as_bytes().contains(&0) {
            return;
        }
        buffer.extend_from_slice(value.owner.as_bytes());
        buffer.push(0);
        buffer.extend_from_slice(&value.pool.to_be_bytes());
        buffer.extend_from_slice(value.denom.as_bytes());
        emit(buffer);
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Borrowed<'a>> {
        split(key)
    }

    fn same(read: &Borrowed<'_>, value: &Texts) -> bool {
        *read == value.borrowed()
    }
}

/// An array on the stack and an offset into it.
pub(super) struct Array;

impl Format for Array {
    type Value = Texts;
    type Read<'a> = Borrowed<'a>;
    const NAME: &'static str = "by hand, stack";
    const ENCODE_NOTE: &'static str = "a stack array of 96 bytes; a 00 inside is refused";

    #[inline]
    fn encode(&mut self, value: &Texts, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        let (owner, denom) = (value.owner.as_bytes(), value.denom.as_bytes());
        let (pool, rest) = (owner.len() + 1, owner.len() + 9);
        let end = rest + denom.len();
        let mut key = [0; 96];
        if end > key.len() || owner.contains(&0) {
            return;
        }
        key[..owner.len()].copy_from_slice(owner);
        key[pool..rest].copy_from_slice(&value.pool.to_be_bytes());
        key[rest..end].copy_from_slice(denom);
        emit(&key[..end]);
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Borrowed<'a>> {
        split(key)
    }

    fn same(read: &Borrowed<'_>, value: &Texts) -> bool {
        *read == value.borrowed()
    }
}

/// Decodes to owned values.
pub(super) struct Owned;

impl Format for Owned {
    type Value = Texts;
    type Read<'a> = super::Owned;
    const NAME: &'static str = "by hand";
    const DECODE_NOTE: &'static str = "`String`; `position` finds the 00";

    fn encode(&mut self, value: &Texts, buffer: &mut Vec<u8>, emit: impl FnMut(&[u8])) {
        Nul.encode(value, buffer, emit);
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<super::Owned> {
        split(key).map(|(owner, pool, denom)| (owner.to_owned(), pool, denom.to_owned()))
    }

    fn same(read: &super::Owned, value: &Texts) -> bool {
        value.is(&read.0, read.1, &read.2)
    }
}
