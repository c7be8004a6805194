//! Bytes in another form: hexadecimal text and reversed bytes of a hash.

use super::Contest;
use crate::inputs::{bytes, random};
use keyscape_codec::{KeyBuf, hex, rev};

/// `hex(bytes[32])`.
pub(super) struct Hex;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl Contest for Hex {
    const ID: &'static str = "`hex(bytes[32])`";
    const HAND: &'static str = "an array and a table of digits; a `match` for each digit";
    type Value = [u8; 32];
    type Read<'a> = [u8; 32];

    fn values() -> Vec<[u8; 32]> {
        random(bytes)
    }

    #[inline]
    fn ours(value: &[u8; 32], _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        let mut key = KeyBuf::<64>::new();
        hex::put(value, &mut key);
        emit(key.bytes().unwrap_or_default());
    }

    #[inline]
    fn hand(value: &[u8; 32], _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        let mut key = [0; 64];
        for (pair, &byte) in key.as_chunks_mut::<2>().0.iter_mut().zip(value) {
            *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        }
        emit(&key);
    }

    #[inline]
    fn read_ours<'a>(key: &'a [u8], _: &'a mut Vec<u8>) -> Option<[u8; 32]> {
        let mut read = KeyBuf::<32>::new();
        hex::parse(key, &mut read).ok()?;
        read.bytes().ok()?.try_into().ok()
    }

    #[inline]
    fn read_hand<'a>(key: &'a [u8], _: &'a mut Vec<u8>) -> Option<[u8; 32]> {
        let key: &[u8; 64] = key.try_into().ok()?;
        let mut read = [0; 32];
        for (byte, &[high, low]) in read.iter_mut().zip(key.as_chunks::<2>().0) {
            *byte = nibble(high)? << 4 | nibble(low)?;
        }
        Some(read)
    }

    fn same(read: &[u8; 32], value: &[u8; 32]) -> bool {
        read == value
    }
}

/// `rev(bytes[32])`.
pub(super) struct Rev;

impl Contest for Rev {
    const ID: &'static str = "`rev(bytes[32])`";
    const HAND: &'static str = "an array and `reverse`";
    type Value = [u8; 32];
    type Read<'a> = [u8; 32];

    fn values() -> Vec<[u8; 32]> {
        random(bytes)
    }

    #[inline]
    fn ours(value: &[u8; 32], _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        let mut key = KeyBuf::<32>::new();
        rev::put(value, &mut key);
        emit(key.bytes().unwrap_or_default());
    }

    #[inline]
    fn hand(value: &[u8; 32], _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        let mut key = *value;
        key.reverse();
        emit(&key);
    }

    #[inline]
    fn read_ours<'a>(key: &'a [u8], _: &'a mut Vec<u8>) -> Option<[u8; 32]> {
        key.try_into().ok().map(rev::reversed)
    }

    #[inline]
    fn read_hand<'a>(key: &'a [u8], _: &'a mut Vec<u8>) -> Option<[u8; 32]> {
        let mut read: [u8; 32] = key.try_into().ok()?;
        read.reverse();
        Some(read)
    }

    fn same(read: &[u8; 32], value: &[u8; 32]) -> bool {
        read == value
    }
}
