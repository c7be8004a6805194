//! Keyscape, and handwritten code that writes the same bytes.

use super::Pair;
use keyscape_bench::{Format, dynamic::Dynamic};
use keyscape_codec::{KeyBuf, Value, fixed, flip};
use keyscape_layout::{Datum, Decoded, Decoder, Record, model::Keyspace};

/// The functions that generated code calls.
pub(super) struct Static;

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
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Pair> {
        let mut rest = key;
        let first = fixed::take_be(&mut rest).ok()?;
        let second = flip::parse(rest).ok()?;
        Some((first, second))
    }

    fn same(read: &Pair, value: &Pair) -> bool {
        read == value
    }
}

/// Handwritten code with an array on the stack.
pub(super) struct Hand;

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
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Pair> {
        let key: &[u8; 16] = key.try_into().ok()?;
        let first = u64::from_be_bytes(key[..8].try_into().ok()?);
        let second = i64::from_be_bytes(key[8..].try_into().ok()?) ^ i64::MIN;
        Some((first, second))
    }

    fn same(read: &Pair, value: &Pair) -> bool {
        read == value
    }
}

/// Returns the values of a key with the names of its fields.
pub(super) fn record(pair: &Pair) -> Record {
    Record(vec![
        ("first".to_owned(), Datum::Leaf(Value::Uint(pair.0.into()))),
        ("second".to_owned(), Datum::Leaf(Value::Int(pair.1.into()))),
    ])
}

/// The same bytes, encoded and decoded with a layout that is read at run time.
pub(super) struct ByLayout {
    keyspace: &'static Keyspace,
    decoder: Decoder<'static>,
}

impl ByLayout {
    pub(super) fn new() -> Self {
        let dynamic =
            Dynamic::new("store bench\nmap pairs = {first: u64be} {second: flip(i64)} -> empty\n");
        Self { keyspace: dynamic.keyspace("pairs"), decoder: dynamic.decoder() }
    }
}

impl Format for ByLayout {
    type Value = Record;
    type Read<'a> = Decoded;
    const NAME: &'static str = "Keyscape, by layout";
    const ENCODE_NOTE: &'static str = "a new vector; fields are found by name";
    const DECODE_NOTE: &'static str = "owned values with the names of their fields";

    fn encode(&mut self, value: &Record, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        if let Ok(key) = self.keyspace.encode(value) {
            emit(&key);
        }
    }

    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Decoded> {
        Some(self.decoder.decode(key))
    }

    fn same(read: &Decoded, value: &Record) -> bool {
        matches!(&read.readings[..], [reading] if reading.fields == *value)
    }
}
