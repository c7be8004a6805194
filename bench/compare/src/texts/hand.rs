//! Handwritten code for the bytes that Keyscape writes.

use super::{Borrowed, Texts};
use keyscape_bench::Format;

#[inline]
fn join(value: &Texts, key: &mut Vec<u8>) -> bool {
    if value.owner.as_bytes().contains(&0) {
        return false;
    }
    key.extend_from_slice(value.owner.as_bytes());
    key.push(0);
    key.extend_from_slice(&value.pool.to_be_bytes());
    key.extend_from_slice(value.denom.as_bytes());
    true
}

#[inline]
fn split(key: &[u8]) -> Option<Borrowed<'_>> {
    let end = key.iter().position(|&byte| byte == 0)?;
    let (owner, rest) = (&key[..end], &key[end + 1..]);
    let (pool, denom) = rest.split_first_chunk()?;
    let (owner, denom) = (std::str::from_utf8(owner).ok()?, std::str::from_utf8(denom).ok()?);
    Some((owner, u64::from_be_bytes(*pool), denom))
}

vector_format! {
    /// `extend_from_slice` into the caller's vector.
    Nul: Texts => Borrowed<'a>, "by hand",
    encode join, "the caller's vector; a 00 inside is refused",
    decode split, "`&str`; `position` finds the 00"
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
    fn decode<'a>(&mut self, key: &'a [u8]) -> Option<Borrowed<'a>> {
        split(key)
    }
}

vector_format! {
    /// Decodes to owned values.
    Owned: Texts => super::Owned, "by hand",
    encode join, "", decode |key| split(key).map(super::owned), "`String`; `position` finds the 00"
}
