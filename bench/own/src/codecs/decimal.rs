//! Decimal text, encoded into the caller's vector. The values have any number of digits.

use super::Contest;
use crate::inputs::{any_width, random};
use keyscape_codec::dec;

macro_rules! decimals {
    ($(#[$doc:meta])* $name:ident $id:literal, $int:ty, $random:expr, $parse:expr) => {
        $(#[$doc])*
        pub(super) struct $name;

        impl Contest for $name {
            const ID: &'static str = $id;
            const HAND: &'static str = "the crate itoa; `str::parse` and a check of the form";
            type Value = $int;
            type Read<'a> = $int;

            fn values() -> Vec<$int> {
                random($random)
            }

            #[inline]
            fn ours(value: &$int, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
                buffer.clear();
                dec::put(*value, buffer);
                emit(buffer);
            }

            #[inline]
            fn hand(value: &$int, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
                buffer.clear();
                buffer.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes());
                emit(buffer);
            }

            #[inline]
            fn read_ours(key: &[u8]) -> Option<$int> {
                $parse(key).ok()
            }

            #[inline]
            fn read_hand(key: &[u8]) -> Option<$int> {
                // `parse` accepts leading zeros, `+` and `-0`, but a number has only one valid key.
                let digits = key.strip_prefix(b"-").unwrap_or(key);
                if digits.first() == Some(&b'0') && key != b"0" || key.first() == Some(&b'+') {
                    return None;
                }
                std::str::from_utf8(key).ok()?.parse().ok()
            }
        }
    };
}

decimals! {
    /// `dec(u64)`.
    Unsigned "`dec(u64)`", u64, any_width, dec::parse
}

decimals! {
    /// `dec(i64)`.
    Signed "`dec(i64)`", i64, |rng| any_width(rng).cast_signed(), dec::parse
}
