//! Other libraries. Each has its own encoding. All encodings sort like the pairs.

use super::Pair;
use cw_storage_plus::{KeyDeserialize, PrimaryKey};
use keyscape_bench::Format;
use serde::Serialize;

pub(super) struct Storekey;

impl Format for Storekey {
    type Value = Pair;
    type Read<'a> = Pair;
    const NAME: &'static str = "storekey";
    const ENCODE_NOTE: &'static str = "the caller's vector";

    #[inline]
    fn encode(&mut self, value: &Pair, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        if storekey::encode(&mut *buffer, value).is_ok() {
            emit(buffer);
        }
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Pair> {
        storekey::decode_borrow(key).ok()
    }

    fn same(read: &Pair, value: &Pair) -> bool {
        read == value
    }
}

pub(super) struct Memcomparable;

impl Format for Memcomparable {
    type Value = Pair;
    type Read<'a> = Pair;
    const NAME: &'static str = "memcomparable";
    const ENCODE_NOTE: &'static str = "the caller's vector";

    #[inline]
    fn encode(&mut self, value: &Pair, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        if value.serialize(&mut memcomparable::Serializer::new(&mut *buffer)).is_ok() {
            emit(buffer);
        }
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Pair> {
        memcomparable::from_slice(key).ok()
    }

    fn same(read: &Pair, value: &Pair) -> bool {
        read == value
    }
}

pub(super) struct FoundationDb;

impl Format for FoundationDb {
    type Value = Pair;
    type Read<'a> = Pair;
    const NAME: &'static str = "foundationdb-tuple";
    const ENCODE_NOTE: &'static str = "the caller's vector";

    #[inline]
    fn encode(&mut self, value: &Pair, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        foundationdb_tuple::pack_into(value, buffer);
        emit(buffer);
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Pair> {
        foundationdb_tuple::unpack(key).ok()
    }

    fn same(read: &Pair, value: &Pair) -> bool {
        read == value
    }
}

pub(super) struct CwStoragePlus;

impl Format for CwStoragePlus {
    type Value = Pair;
    type Read<'a> = Pair;
    const NAME: &'static str = "cw-storage-plus";
    const ENCODE_NOTE: &'static str = "always a new vector";

    #[inline]
    fn encode(&mut self, value: &Pair, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        emit(&value.joined_key());
    }

    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Pair> {
        <Pair as KeyDeserialize>::from_slice(key).ok()
    }

    fn same(read: &Pair, value: &Pair) -> bool {
        read == value
    }
}
