//! Other libraries. Each has its own encoding.

use super::{Owned, Texts};
use cw_storage_plus::{KeyDeserialize, PrimaryKey};
use keyscape_bench::Format;
use serde::Serialize;
use std::borrow::Cow;

type Cows<'a> = (Cow<'a, str>, u64, Cow<'a, str>);

#[inline]
fn with_storekey(value: &Texts, key: &mut Vec<u8>) -> bool {
    storekey::encode(key, &value.borrowed()).is_ok()
}

#[inline]
fn with_memcomparable(value: &Texts, key: &mut Vec<u8>) -> bool {
    value.borrowed().serialize(&mut memcomparable::Serializer::new(key)).is_ok()
}

#[inline]
fn with_foundationdb(value: &Texts, key: &mut Vec<u8>) -> bool {
    foundationdb_tuple::pack_into(&value.borrowed(), key);
    true
}

/// Decodes to owned values. storekey decodes a `String` byte by byte; borrowing first is faster.
#[inline]
fn storekey_owned(key: &[u8]) -> Option<Owned> {
    let (owner, pool, denom): Cows<'_> = storekey::decode_borrow(key).ok()?;
    Some((owner.into_owned(), pool, denom.into_owned()))
}

vector_format! {
    Storekey: Texts => Cows<'a>, "storekey",
    encode with_storekey, "the caller's vector",
    decode |key| storekey::decode_borrow(key).ok(), "`Cow<str>`"
}

vector_format! {
    StorekeyOwned: Texts => Owned, "storekey",
    encode with_storekey, "",
    decode storekey_owned, "`Cow<str>` made `String`, which is faster than its own `String`"
}

vector_format! {
    Memcomparable: Texts => Owned, "memcomparable",
    encode with_memcomparable, "the caller's vector",
    decode |key| memcomparable::from_slice(key).ok(), "`String`; it cannot borrow"
}

vector_format! {
    FoundationDb: Texts => Cows<'a>, "foundationdb-tuple",
    encode with_foundationdb, "the caller's vector",
    decode |key| foundationdb_tuple::unpack(key).ok(), "`Cow<str>`"
}

vector_format! {
    FoundationDbOwned: Texts => Owned, "foundationdb-tuple",
    encode with_foundationdb, "",
    decode |key| foundationdb_tuple::unpack(key).ok(), "`String`"
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

    fn decode(&mut self, key: &[u8]) -> Option<Owned> {
        <Owned as KeyDeserialize>::from_slice(key).ok()
    }
}
