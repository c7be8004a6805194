//! Values with encodings of a fixed width, encoded on the stack.

use super::Contest;
use crate::inputs::{bytes, random};
use keyscape_codec::{KeyBuf, desc, fixed, flip, float, hex, rev, sign_i64::Signs};

/// Implements [`Contest`] for encodings of `$n` bytes. Keyscape encodes into a `KeyBuf`, and the
/// handwritten code into an array. Each side has a function that encodes and one that decodes.
macro_rules! fixed_width {
    (
        $(#[$doc:meta])* $name:ident $id:literal, $value:ty, $n:literal, $random:expr,
        ours $put:expr, $parse:expr, hand $hand:literal, $array:expr, $back:expr
    ) => {
        $(#[$doc])*
        pub(super) struct $name;

        impl Contest for $name {
            const ID: &'static str = $id;
            const HAND: &'static str = $hand;
            type Value = $value;
            type Read<'a> = $value;

            fn values() -> Vec<$value> {
                random($random)
            }

            #[inline]
            fn ours(value: &$value, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
                let mut key = KeyBuf::<$n>::new();
                let put: fn($value, &mut KeyBuf<$n>) = $put;
                put(*value, &mut key);
                emit(key.bytes().unwrap_or_default());
            }

            #[inline]
            fn hand(value: &$value, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
                let array: fn($value) -> [u8; $n] = $array;
                emit(&array(*value));
            }

            #[inline]
            fn read_ours(key: &[u8]) -> Option<$value> {
                let parse: fn(&[u8]) -> Option<$value> = $parse;
                parse(key)
            }

            #[inline]
            fn read_hand(key: &[u8]) -> Option<$value> {
                let back: fn([u8; $n]) -> Option<$value> = $back;
                back(key.try_into().ok()?)
            }
        }
    };
}

const SIGNS: Signs = Signs { neg: 5, pos: 6 };
const SIGN: u64 = 1 << 63;
const DIGITS: &[u8; 16] = b"0123456789abcdef";

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

fixed_width! {
    /// `u64be`.
    BigEndian "`u64be`", u64, 8, |rng| rng.u64(..),
    ours |value, key| fixed::put_be(value, key), |key| fixed::parse_be(key).ok(),
    hand "an array", u64::to_be_bytes, |key| Some(u64::from_be_bytes(key))
}

fixed_width! {
    /// `u64le`.
    LittleEndian "`u64le`", u64, 8, |rng| rng.u64(..),
    ours |value, key| fixed::put_le(value, key), |key| fixed::parse_le(key).ok(),
    hand "an array", u64::to_le_bytes, |key| Some(u64::from_le_bytes(key))
}

fixed_width! {
    /// `flip(i64)`.
    Flip "`flip(i64)`", i64, 8, |rng| rng.i64(..),
    ours |value, key| flip::put(value, key), |key| flip::parse(key).ok(),
    hand "an array", |value| (value ^ i64::MIN).to_be_bytes(),
    |key| Some(i64::from_be_bytes(key) ^ i64::MIN)
}

fixed_width! {
    /// `sign_i64`. Decoding checks the sign byte against the sign of the number.
    SignByte "`sign_i64`", i64, 9, |rng| rng.i64(..),
    ours |value, key| SIGNS.put(value, key), |key| SIGNS.parse(key).ok(),
    hand "an array", |value| {
        let mut key = [0; 9];
        key[0] = if value < 0 { 5 } else { 6 };
        key[1..].copy_from_slice(&value.to_be_bytes());
        key
    },
    |[sign, number @ ..]| {
        let value = i64::from_be_bytes(number);
        (sign == if value < 0 { 5 } else { 6 }).then_some(value)
    }
}

fixed_width! {
    /// `f64` without NaN and −0.
    Float "`f64`", f64, 8, |rng| (rng.f64() - 0.5) * 1e9,
    ours |value, key| float::put(value, key).unwrap_or_default(), |key| float::parse(key).ok(),
    hand "an array", |value| {
        assert!(!value.is_nan() && value.to_bits() != SIGN, "not in the domain");
        let bits = value.to_bits();
        (if bits & SIGN == 0 { bits | SIGN } else { !bits }).to_be_bytes()
    },
    |key| {
        let bits = u64::from_be_bytes(key);
        let value = f64::from_bits(if bits & SIGN == 0 { !bits } else { bits ^ SIGN });
        (!value.is_nan() && value.to_bits() != SIGN).then_some(value)
    }
}

fixed_width! {
    /// `desc(u64be)`. The codec has no decoding function of its own, so both sides invert the bits.
    Descending "`desc(u64be)`", u64, 8, |rng| rng.u64(..),
    ours |value, key| fixed::put_be(value, &mut desc::Complement(key)),
    |key| fixed::parse_be::<u64>(key).ok().map(|turned| !turned),
    hand "an array", |value| (!value).to_be_bytes(),
    |key| Some(!u64::from_be_bytes(key))
}

fixed_width! {
    /// `hex(bytes[32])`.
    Hex "`hex(bytes[32])`", [u8; 32], 64, bytes,
    ours |value, key| hex::put(&value, key),
    |key| {
        let mut read = KeyBuf::<32>::new();
        hex::parse(key, &mut read).ok()?;
        read.bytes().ok()?.try_into().ok()
    },
    hand "an array and a table of digits; a `match` for each digit",
    |value| {
        let mut key = [0; 64];
        for (pair, byte) in key.as_chunks_mut::<2>().0.iter_mut().zip(value) {
            *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        }
        key
    },
    |key| {
        let mut read = [0; 32];
        for (byte, &[high, low]) in read.iter_mut().zip(key.as_chunks::<2>().0) {
            *byte = nibble(high)? << 4 | nibble(low)?;
        }
        Some(read)
    }
}

fixed_width! {
    /// `rev(bytes[32])`.
    Rev "`rev(bytes[32])`", [u8; 32], 32, bytes,
    ours |value, key| rev::put(&value, key), |key| key.try_into().ok().map(rev::reversed),
    hand "an array and `reverse`",
    |mut value| {
        value.reverse();
        value
    },
    |mut key| {
        key.reverse();
        Some(key)
    }
}
