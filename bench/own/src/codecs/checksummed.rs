//! Text with a checksum. The other side calls the crates directly, because programs rarely
//! implement these formats.

use super::Contest;
use crate::inputs::{bytes, random};
use keyscape_codec::{base58check, bech32::Prefix};
use std::sync::LazyLock;

/// `bech32("osmo", bytes[20])`.
pub(super) struct Bech32;

static PREFIX: LazyLock<Option<Prefix>> = LazyLock::new(|| Prefix::new("osmo"));
static HRP: bech32::Hrp = bech32::Hrp::parse_unchecked("osmo");

impl Contest for Bech32 {
    const ID: &'static str = "`bech32(\"osmo\", bytes[20])`";
    const HAND: &'static str = "the crate bech32; upper case is refused, padding is not looked at";
    type Value = [u8; 20];
    type Read<'a> = Vec<u8>;

    fn values() -> Vec<[u8; 20]> {
        random(bytes)
    }

    #[inline]
    fn ours(value: &[u8; 20], buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        if let Some(prefix) = &*PREFIX {
            prefix.put(value, buffer);
            emit(buffer);
        }
    }

    #[inline]
    fn hand(value: &[u8; 20], _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        if let Ok(text) = bech32::encode_lower::<bech32::Bech32>(HRP, value) {
            emit(text.as_bytes());
        }
    }

    fn read_ours(key: &[u8]) -> Option<Vec<u8>> {
        PREFIX.as_ref()?.parse(key).ok()
    }

    fn read_hand(key: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(key).ok()?;
        if key.iter().any(u8::is_ascii_uppercase) {
            return None;
        }
        let checked =
            bech32::primitives::decode::CheckedHrpstring::new::<bech32::Bech32>(text).ok()?;
        (checked.hrp() == HRP).then(|| checked.byte_iter().collect())
    }
}

/// `base58check(version = 0x00, bytes[20])`.
pub(super) struct Base58Check;

impl Contest for Base58Check {
    const ID: &'static str = "`base58check(bytes[20])`";
    const HAND: &'static str = "the crate bs58, into the caller's vector";
    type Value = [u8; 20];
    type Read<'a> = Vec<u8>;

    fn values() -> Vec<[u8; 20]> {
        random(bytes)
    }

    #[inline]
    fn ours(value: &[u8; 20], buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        base58check::put(&[0], value, buffer);
        emit(buffer);
    }

    #[inline]
    fn hand(value: &[u8; 20], buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        if bs58::encode(value).with_check_version(0).onto(&mut *buffer).is_ok() {
            emit(buffer);
        }
    }

    fn read_ours(key: &[u8]) -> Option<Vec<u8>> {
        base58check::parse(&[0], key).ok()
    }

    fn read_hand(key: &[u8]) -> Option<Vec<u8>> {
        let mut read = bs58::decode(key).with_check(Some(0)).into_vec().ok()?;
        read.remove(0);
        Some(read)
    }
}
