//! The functions of Keyscape.

use super::{Borrowed, Texts};
use keyscape_bench::{Format, dynamic::Dynamic};
use keyscape_codec::{KeyBuf, Sink, Value, fixed, lengths::Length, nul};
use keyscape_layout::{Datum, Decoded, Decoder, Record, model::Keyspace};

/// Writes the key. Returns `false` if the text that ends with 00 contains a 00.
#[inline]
fn put(value: &Texts, key: &mut impl Sink) -> bool {
    if value.owner.as_bytes().contains(&0) {
        return false;
    }
    nul::put(value.owner.as_bytes(), key);
    fixed::put_be(value.pool, key);
    key.put(value.denom.as_bytes());
    true
}

/// Decodes the key. Returns `None` if a text is not valid UTF-8.
#[inline]
fn take(key: &[u8]) -> Option<Borrowed<'_>> {
    let mut rest = key;
    let owner = nul::take(&mut rest).ok()?;
    let pool = fixed::take_be(&mut rest).ok()?;
    Some((std::str::from_utf8(owner).ok()?, pool, std::str::from_utf8(rest).ok()?))
}

/// The functions that generated code calls, into the caller's vector.
pub(super) struct Nul;

impl Format for Nul {
    type Value = Texts;
    type Read<'a> = Borrowed<'a>;
    const NAME: &'static str = "Keyscape";
    const ENCODE_NOTE: &'static str =
        "`nul(text)`, `u64be` and `text` into the caller's vector; a 00 inside is refused";
    const DECODE_NOTE: &'static str = "`&str`";

    #[inline]
    fn encode(&mut self, value: &Texts, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        if put(value, buffer) {
            emit(buffer);
        }
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Borrowed<'a>> {
        take(key)
    }

    fn same(read: &Borrowed<'_>, value: &Texts) -> bool {
        *read == value.borrowed()
    }
}

/// The functions that generated code calls, into a buffer on the stack.
pub(super) struct Stack;

impl Format for Stack {
    type Value = Texts;
    type Read<'a> = Borrowed<'a>;
    const NAME: &'static str = "Keyscape, stack";
    const ENCODE_NOTE: &'static str = "the same into a `KeyBuf<96>`";

    #[inline]
    fn encode(&mut self, value: &Texts, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        let mut key = KeyBuf::<96>::new();
        if put(value, &mut key) {
            emit(key.bytes().unwrap_or_default());
        }
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Borrowed<'a>> {
        take(key)
    }

    fn same(read: &Borrowed<'_>, value: &Texts) -> bool {
        *read == value.borrowed()
    }
}

/// A length prefix instead of a terminator. Shorter texts sort first.
pub(super) struct Len8;

impl Format for Len8 {
    type Value = Texts;
    type Read<'a> = Borrowed<'a>;
    const NAME: &'static str = "Keyscape, `len8`";
    const ENCODE_NOTE: &'static str = "`len8(text)` first; the caller's vector";
    const DECODE_NOTE: &'static str = "`&str`";

    #[inline]
    fn encode(&mut self, value: &Texts, buffer: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        buffer.clear();
        if Length::Byte.put(value.owner.as_bytes(), buffer).is_ok() {
            fixed::put_be(value.pool, buffer);
            buffer.put(value.denom.as_bytes());
            emit(buffer);
        }
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<Borrowed<'a>> {
        let mut rest = key;
        let owner = Length::Byte.take(&mut rest).ok()?;
        let pool = fixed::take_be(&mut rest).ok()?;
        Some((std::str::from_utf8(owner).ok()?, pool, std::str::from_utf8(rest).ok()?))
    }

    fn same(read: &Borrowed<'_>, value: &Texts) -> bool {
        *read == value.borrowed()
    }
}

/// Decodes to owned values.
pub(super) struct Owned;

impl Format for Owned {
    type Value = Texts;
    type Read<'a> = super::Owned;
    const NAME: &'static str = "Keyscape";
    const DECODE_NOTE: &'static str = "`String`";

    fn encode(&mut self, value: &Texts, buffer: &mut Vec<u8>, emit: impl FnMut(&[u8])) {
        Nul.encode(value, buffer, emit);
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8], _: &'a mut Vec<u8>) -> Option<super::Owned> {
        take(key).map(|(owner, pool, denom)| (owner.to_owned(), pool, denom.to_owned()))
    }

    fn same(read: &super::Owned, value: &Texts) -> bool {
        value.is(&read.0, read.1, &read.2)
    }
}

/// Returns the values of a key with the names of its fields.
pub(super) fn record(texts: &Texts) -> Record {
    Record(vec![
        ("owner".to_owned(), Datum::Leaf(Value::Text(texts.owner.clone()))),
        ("pool".to_owned(), Datum::Leaf(Value::Uint(texts.pool.into()))),
        ("denom".to_owned(), Datum::Leaf(Value::Text(texts.denom.clone()))),
    ])
}

/// The same bytes, encoded and decoded with a layout that is read at run time.
pub(super) struct ByLayout {
    keyspace: &'static Keyspace,
    decoder: Decoder<'static>,
}

impl ByLayout {
    pub(super) fn new() -> Self {
        let dynamic = Dynamic::new(
            "store bench\nmap texts = {owner: nul(text(r\"[a-z0-9]{1,64}\"))} {pool: u64be} \
             {denom: text(r\"[a-z0-9]{1,16}\")} -> empty\n",
        );
        Self { keyspace: dynamic.keyspace("texts"), decoder: dynamic.decoder() }
    }
}

impl Format for ByLayout {
    type Value = Record;
    type Read<'a> = Decoded;
    const NAME: &'static str = "Keyscape, by layout";
    const ENCODE_NOTE: &'static str =
        "a new vector; fields are found by name, texts checked against their domains";
    const DECODE_NOTE: &'static str =
        "owned values with the names of their fields; texts checked against their domains";

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
