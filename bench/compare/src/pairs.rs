//! Keys of a `u64` and an `i64` that sort like the pair.

use crate::consume_keys;
use cw_storage_plus::{KeyDeserialize, PrimaryKey};
use keyscape_bench::{
    Entry, Format, Group, Side,
    dynamic::{ByLayout, record},
    inputs::random,
    side::{agree, check},
};
use keyscape_codec::{KeyBuf, Value, fixed, flip};
use keyscape_layout::Record;
use serde::Serialize;

/// The fields of a key.
type Pair = (u64, i64);

/// Returns the groups of this module.
#[must_use]
pub fn entries() -> Vec<Entry> {
    vec![
        Entry { id: "pair encode".to_owned(), build: encode },
        Entry { id: "pair decode".to_owned(), build: decode },
    ]
}

fn values() -> Vec<Pair> {
    random(|rng| (rng.u64(..), rng.i64(..)))
}

fn records() -> Vec<Record> {
    let fields = |(first, second): Pair| {
        record([("first", Value::Uint(first.into())), ("second", Value::Int(second.into()))])
    };
    values().into_iter().map(fields).collect()
}

fn by_layout() -> ByLayout {
    ByLayout::new("map pairs = {first: u64be} {second: flip(i64)} -> empty")
}

fn encode() -> Group {
    agree(&mut Static, &mut Hand, &values());
    let sides = vec![
        Side::encode(Static, values()),
        Side::encode(Hand, values()),
        Side::encode(Storekey, values()),
        Side::encode(Memcomparable, values()),
        Side::encode(FoundationDb, values()),
        Side::encode(CwStoragePlus, values()),
        Side::encode(by_layout(), records()),
    ];
    Group { title: "(`u64`, `i64`), encode".to_owned(), sides }
}

fn decode() -> Group {
    let sides = vec![
        Side::decode(Static, &values()),
        Side::decode(Hand, &values()),
        Side::decode(Storekey, &values()),
        Side::decode(Memcomparable, &values()),
        Side::decode(FoundationDb, &values()),
        consume_keys::<Pair>(check(&mut CwStoragePlus, &values())),
        Side::decode(by_layout(), &records()),
    ];
    Group { title: "(`u64`, `i64`), decode".to_owned(), sides }
}

/// The functions that generated code calls.
struct Static;

impl Format for Static {
    type Value = Pair;
    type Read<'a> = Pair;
    const NAME: &'static str = "Keyscape";
    const ENCODE_NOTE: &'static str = "`u64be` and `flip(i64)` into a `KeyBuf<16>`";

    #[inline]
    fn encode(&mut self, value: &Pair, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        let mut key = KeyBuf::<16>::new();
        fixed::put_be(value.0, &mut key);
        flip::put(value.1, &mut key);
        emit(key.bytes().unwrap_or_default());
    }

    #[inline]
    fn decode(&mut self, key: &[u8]) -> Option<Pair> {
        let mut rest = key;
        let first = fixed::take_be(&mut rest).ok()?;
        let second = flip::parse(rest).ok()?;
        Some((first, second))
    }
}

/// Handwritten code that writes the same bytes, with an array on the stack.
struct Hand;

impl Format for Hand {
    type Value = Pair;
    type Read<'a> = Pair;
    const NAME: &'static str = "by hand";
    const ENCODE_NOTE: &'static str = "a stack array of 16 bytes";

    #[inline]
    fn encode(&mut self, value: &Pair, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&value.0.to_be_bytes());
        key[8..].copy_from_slice(&(value.1 ^ i64::MIN).to_be_bytes());
        emit(&key);
    }

    #[inline]
    fn decode(&mut self, key: &[u8]) -> Option<Pair> {
        let key: &[u8; 16] = key.try_into().ok()?;
        let first = u64::from_be_bytes(key[..8].try_into().ok()?);
        let second = i64::from_be_bytes(key[8..].try_into().ok()?) ^ i64::MIN;
        Some((first, second))
    }
}

vector_format! {
    Storekey: Pair => Pair, "storekey",
    encode |value, buffer| storekey::encode(buffer, value).is_ok(), "the caller's vector",
    decode |key| storekey::decode_borrow(key).ok(), ""
}

vector_format! {
    Memcomparable: Pair => Pair, "memcomparable",
    encode |value, buffer| {
        value.serialize(&mut memcomparable::Serializer::new(buffer)).is_ok()
    }, "the caller's vector",
    decode |key| memcomparable::from_slice(key).ok(), ""
}

vector_format! {
    FoundationDb: Pair => Pair, "foundationdb-tuple",
    encode |value, buffer| {
        foundationdb_tuple::pack_into(value, buffer);
        true
    }, "the caller's vector",
    decode |key| foundationdb_tuple::unpack(key).ok(), ""
}

struct CwStoragePlus;

impl Format for CwStoragePlus {
    type Value = Pair;
    type Read<'a> = Pair;
    const NAME: &'static str = "cw-storage-plus";
    const ENCODE_NOTE: &'static str = "always a new vector";

    #[inline]
    fn encode(&mut self, value: &Pair, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        emit(&value.joined_key());
    }

    fn decode(&mut self, key: &[u8]) -> Option<Pair> {
        <Pair as KeyDeserialize>::from_slice(key).ok()
    }
}
