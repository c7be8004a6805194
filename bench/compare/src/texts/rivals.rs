//! Other libraries. Each has its own encoding.

use super::{Owned, Texts};
use cw_storage_plus::{KeyDeserialize, PrimaryKey};
use keyscape_bench::Format;
use serde::Serialize;
use std::borrow::Cow;

type Cows<'a> = (Cow<'a, str>, u64, Cow<'a, str>);

/// Implements [`Format`] for a library that decodes to `$read`.
macro_rules! rival {
    (
        $name:ident, $shown:literal, $encode_note:literal, $read:ty, $decode_note:literal,
        $encode:expr, $decode:expr
    ) => {
        pub(super) struct $name;

        impl Format for $name {
            type Value = Texts;
            type Read<'a> = $read;
            const NAME: &'static str = $shown;
            const ENCODE_NOTE: &'static str = $encode_note;
            const DECODE_NOTE: &'static str = $decode_note;

            #[inline]
            fn encode(&mut self, value: &Texts, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
                buffer.clear();
                $encode(value, buffer);
                emit(buffer);
            }

            #[inline]
            fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<$read> {
                $decode(key).ok()
            }

            fn same(read: &Self::Read<'_>, value: &Texts) -> bool {
                value.is(&read.0, read.1, &read.2)
            }
        }
    };
}

#[inline]
fn with_storekey(value: &Texts, buffer: &mut Vec<u8>) {
    let written = storekey::encode(buffer, &value.borrowed());
    assert!(written.is_ok(), "storekey refuses a key");
}

#[inline]
fn with_memcomparable(value: &Texts, buffer: &mut Vec<u8>) {
    let written = value.borrowed().serialize(&mut memcomparable::Serializer::new(buffer));
    assert!(written.is_ok(), "memcomparable refuses a key");
}

#[inline]
fn with_foundationdb(value: &Texts, buffer: &mut Vec<u8>) {
    foundationdb_tuple::pack_into(&value.borrowed(), buffer);
}

/// Decodes to owned values. storekey decodes a `String` byte by byte; borrowing first is faster.
#[inline]
fn storekey_owned(key: &[u8]) -> Result<Owned, storekey::DecodeError> {
    let (owner, pool, denom): Cows<'_> = storekey::decode_borrow(key)?;
    Ok((owner.into_owned(), pool, denom.into_owned()))
}

rival! {
    Storekey, "storekey", "the caller's vector", Cows<'a>, "`Cow<str>`",
    with_storekey, storekey::decode_borrow
}

rival! {
    StorekeyOwned, "storekey", "", Owned,
    "`Cow<str>` made `String`, which is faster than its own `String`",
    with_storekey, storekey_owned
}

rival! {
    Memcomparable, "memcomparable", "the caller's vector", Owned,
    "`String`; it cannot borrow", with_memcomparable, memcomparable::from_slice
}

rival! {
    FoundationDb, "foundationdb-tuple", "the caller's vector", Cows<'a>, "`Cow<str>`",
    with_foundationdb, foundationdb_tuple::unpack
}

rival! {
    FoundationDbOwned, "foundationdb-tuple", "", Owned, "`String`",
    with_foundationdb, foundationdb_tuple::unpack
}

/// Texts with a length prefix. Shorter texts sort first.
pub(super) struct CwStoragePlus;

impl Format for CwStoragePlus {
    type Value = Texts;
    type Read<'a> = Owned;
    const NAME: &'static str = "cw-storage-plus";
    const ENCODE_NOTE: &'static str = "always a new vector; a length before each text";

    #[inline]
    fn encode(&mut self, value: &Texts, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        emit(&value.borrowed().joined_key());
    }

    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Owned> {
        <Owned as KeyDeserialize>::from_slice(key).ok()
    }

    fn same(read: &Owned, value: &Texts) -> bool {
        value.is(&read.0, read.1, &read.2)
    }
}
