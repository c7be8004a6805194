//! Texts of any length, encoded into the caller's vector and borrowed from the key.

use super::Contest;
use crate::inputs::{random, text};
use keyscape_codec::{lengths::Length, nul};

/// `len8(text)`, 1 to 64 characters.
pub(super) struct Len8;

impl Contest for Len8 {
    const ID: &'static str = "`len8(text[1..=64])`";
    const HAND: &'static str = "`push` and `extend_from_slice`";
    type Value = Vec<u8>;
    type Read<'a> = &'a [u8];

    fn values() -> Vec<Vec<u8>> {
        random(|rng| {
            let length = rng.usize(1..=64);
            text(rng, length).into_bytes()
        })
    }

    #[inline]
    fn ours(value: &Vec<u8>, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        if Length::Byte.put(value, buffer).is_ok() {
            emit(buffer);
        }
    }

    #[inline]
    fn hand(value: &Vec<u8>, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        if let Ok(length) = u8::try_from(value.len()) {
            buffer.push(length);
            buffer.extend_from_slice(value);
            emit(buffer);
        }
    }

    #[inline]
    fn read_ours(key: &[u8]) -> Option<&[u8]> {
        Length::Byte.parse(key).ok()
    }

    #[inline]
    fn read_hand(key: &[u8]) -> Option<&[u8]> {
        let (&length, body) = key.split_first()?;
        (body.len() == usize::from(length)).then_some(body)
    }
}

/// `nul(text)`, 1 to 64 characters, at the start of a longer key. Decoding searches for its end.
pub(super) struct Nul;

impl Contest for Nul {
    const ID: &'static str = "`nul(text[1..=64])`, then 8 bytes";
    const HAND: &'static str = "`push` and `extend_from_slice`; `position`";
    type Value = Vec<u8>;
    type Read<'a> = &'a [u8];

    fn values() -> Vec<Vec<u8>> {
        Len8::values()
    }

    #[inline]
    fn ours(value: &Vec<u8>, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        nul::put(value, buffer);
        buffer.extend_from_slice(&[7; 8]);
        emit(buffer);
    }

    #[inline]
    fn hand(value: &Vec<u8>, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        buffer.extend_from_slice(value);
        buffer.push(0);
        buffer.extend_from_slice(&[7; 8]);
        emit(buffer);
    }

    #[inline]
    fn read_ours(key: &[u8]) -> Option<&[u8]> {
        let mut rest = key;
        let body = nul::take(&mut rest).ok()?;
        (rest.len() == 8).then_some(body)
    }

    #[inline]
    fn read_hand(key: &[u8]) -> Option<&[u8]> {
        let end = key.iter().position(|&byte| byte == 0)?;
        (key.len() == end + 9).then_some(&key[..end])
    }
}
