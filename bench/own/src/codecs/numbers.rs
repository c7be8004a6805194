//! Numbers of a fixed width, encoded on the stack.

use super::Contest;
use crate::inputs::random;
use keyscape_codec::{KeyBuf, desc, fixed, flip, float, sign_i64::Signs};

/// Implements [`Contest`] for numbers. Keyscape encodes into a buffer of `$n` bytes, and the
/// handwritten code into an array of `$n` bytes. Both decode too.
macro_rules! numbers {
    (
        $(#[$doc:meta])* $name:ident $id:literal, $int:ty, $n:literal, $random:expr,
        ours $put:expr, $parse:expr, hand $array:expr, $back:expr
    ) => {
        $(#[$doc])*
        pub(super) struct $name;

        impl Contest for $name {
            const ID: &'static str = $id;
            const HAND: &'static str = "an array";
            type Value = $int;
            type Read<'a> = $int;

            fn values() -> Vec<$int> {
                random($random)
            }

            #[inline]
            fn ours(value: &$int, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
                let mut key = KeyBuf::<$n>::new();
                let put: fn($int, &mut KeyBuf<$n>) = $put;
                put(*value, &mut key);
                emit(key.bytes().unwrap_or_default());
            }

            #[inline]
            fn hand(value: &$int, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
                let array: fn($int) -> [u8; $n] = $array;
                emit(&array(*value));
            }

            #[inline]
            fn read_ours<'a>(key: &'a [u8], _: &'a mut Vec<u8>) -> Option<$int> {
                let parse: fn(&[u8]) -> Option<$int> = $parse;
                parse(key)
            }

            #[inline]
            fn read_hand<'a>(key: &'a [u8], _: &'a mut Vec<u8>) -> Option<$int> {
                let back: fn([u8; $n]) -> Option<$int> = $back;
                back(key.try_into().ok()?)
            }

            fn same(read: &$int, value: &$int) -> bool {
                read == value
            }
        }
    };
}

const SIGNS: Signs = Signs { neg: 5, pos: 6 };
const SIGN: u64 = 1 << 63;

numbers! {
    /// `u64be`.
    BigEndian "`u64be`", u64, 8, |rng| rng.u64(..),
    ours |value, key| fixed::put_be(value, key), |key| fixed::parse_be(key).ok(),
    hand u64::to_be_bytes, |key| Some(u64::from_be_bytes(key))
}

numbers! {
    /// `u64le`.
    LittleEndian "`u64le`", u64, 8, |rng| rng.u64(..),
    ours |value, key| fixed::put_le(value, key), |key| fixed::parse_le(key).ok(),
    hand u64::to_le_bytes, |key| Some(u64::from_le_bytes(key))
}

numbers! {
    /// `flip(i64)`.
    Flip "`flip(i64)`", i64, 8, |rng| rng.i64(..),
    ours |value, key| flip::put(value, key), |key| flip::parse(key).ok(),
    hand |value| (value ^ i64::MIN).to_be_bytes(),
    |key| Some(i64::from_be_bytes(key) ^ i64::MIN)
}

numbers! {
    /// `sign_i64`. Decoding checks the sign byte against the sign of the number.
    SignByte "`sign_i64`", i64, 9, |rng| rng.i64(..),
    ours |value, key| SIGNS.put(value, key), |key| SIGNS.parse(key).ok(),
    hand |value| {
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

numbers! {
    /// `f64` without NaN and −0.
    Float "`f64`", f64, 8, |rng| (rng.f64() - 0.5) * 1e9,
    ours |value, key| float::put(value, key).unwrap_or_default(), |key| float::parse(key).ok(),
    hand |value| {
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

numbers! {
    /// `desc(u64be)`. The codec has no decoding function of its own, so both sides invert the bits.
    Descending "`desc(u64be)`", u64, 8, |rng| rng.u64(..),
    ours |value, key| fixed::put_be(value, &mut desc::Complement(key)),
    |key| fixed::parse_be::<u64>(key).ok().map(|turned| !turned),
    hand |value| (!value).to_be_bytes(),
    |key| Some(!u64::from_be_bytes(key))
}
