//! The table of all codecs, used for their names and for building them.

use super::arguments::{Built, KnownCall};
use crate::{
    Kind,
    boolean::Bool,
    compact::Compact,
    compact_size::CompactSize,
    complement::Complemented,
    dec::Dec,
    desc::Desc,
    escape::Escape,
    escaped::{End, Escaped},
    f64_of::F64Of,
    fdb::{self, FdbInt},
    float::Float,
    groups8::Groups8,
    hash::Function,
    hex::Hex,
    leb128::Leb128,
    lengths::Length,
    nibbles::Nibbles,
    nul::Nul,
    rev::Rev,
    rfc3339::Rfc3339,
    rune::ToRunes,
    time_text::TimeText,
    uvarint_ordered::UvarintOrdered,
    varint_msb::VarintMsb,
    words::{Flavour, Words},
};
use alloc::sync::Arc;

/// A codec that layouts can use.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// An example of correct usage, for errors.
    pub(super) usage: &'static str,
    pub(super) build: fn(&KnownCall<'_>) -> Built,
    /// Whether the codec takes a length in brackets.
    pub(super) takes_length: bool,
}

type Build = fn(&KnownCall<'_>) -> Built;

const fn entry(name: &'static str, usage: &'static str, build: Build) -> Entry {
    Entry { name, usage, build, takes_length: false }
}

const fn sized(name: &'static str, usage: &'static str, build: Build) -> Entry {
    Entry { name, usage, build, takes_length: true }
}

const fn fixed(name: &'static str) -> Entry {
    entry(name, "u64be in 0..=5", |call| call.fixed())
}

pub(super) const TABLE: &[Entry] = &[
    fixed("u8"),
    fixed("u16be"),
    fixed("u16le"),
    fixed("u32be"),
    fixed("u32le"),
    fixed("u64be"),
    fixed("u64le"),
    fixed("u128be"),
    fixed("u128le"),
    fixed("u256be"),
    fixed("u256le"),
    fixed("i8"),
    fixed("i16be"),
    fixed("i16le"),
    fixed("i32be"),
    fixed("i32le"),
    fixed("i64be"),
    fixed("i64le"),
    fixed("i128be"),
    fixed("i128le"),
    entry("bool", "bool", |call| call.alone(Arc::new(Bool::PLAIN))),
    entry("f64", "f64", |call| call.alone(Arc::new(Float))),
    // Integers.
    entry("dec", "dec(u64)", |call| call.integers(Dec)),
    sized("dec0", "dec0(u64)[20]", |call| call.dec0()),
    entry("flip", "flip(i64)", |call| call.flip()),
    entry("sign_i64", "sign_i64(neg = 0x05, pos = 0x06)", |call| call.sign_i64()),
    entry("f64_of", "f64_of(u64)", |call| call.integers_up_to_64_bits(F64Of)),
    entry("f64_sum", "f64_sum(u32, u32, 1e9)", |call| call.f64_sum()),
    entry("leb128", "leb128(u64)", |call| call.unsigned(128, Leb128)),
    entry("varint_msb", "varint_msb(u64)", |call| call.unsigned(128, VarintMsb)),
    entry("uvarint_ordered", "uvarint_ordered(u64)", |call| call.unsigned(64, UvarintOrdered)),
    entry("compact", "compact(u128)", |call| call.unsigned(128, Compact)),
    entry("compact_size", "compact_size(u64)", |call| call.unsigned(64, CompactSize)),
    entry("time_text", "time_text", |call| call.times(TimeText)),
    entry("rfc3339", "rfc3339", |call| call.times(Rfc3339)),
    // Text and bytes.
    sized("bytes", r#"bytes(br"…", not "…")[1..=64]"#, |call| call.words(Flavour::Bytes)),
    sized("text", r#"text(r"…", not "…")[1..=64]"#, |call| call.words(Flavour::Text)),
    entry("bech32", r#"bech32("cosmos", bytes[20])"#, |call| call.bech32()),
    entry("base58check", "base58check(version = 0x00, bytes[20])", |call| call.base58check()),
    // Codecs around another codec.
    entry("len8", "len8(bytes[1..=255])", |call| call.changed(Length::Byte)),
    entry("len16", "len16(bytes[0..=4096])", |call| call.changed(Length::Be16)),
    entry("len16le", "len16le(bytes[0..=4096])", |call| call.changed(Length::Le16)),
    entry("len32", "len32(bytes[0..=4096])", |call| call.changed(Length::Be32)),
    entry("len32le", "len32le(bytes[0..=4096])", |call| call.changed(Length::Le32)),
    entry("lenvar", "lenvar(bytes[0..=4096])", |call| call.changed(Length::Var)),
    entry("hex", "hex(bytes[32])", |call| call.changed(Hex)),
    entry("nibbles", "nibbles(bytes[32])", |call| call.changed(Nibbles)),
    entry("rune", "rune(u64be)", |call| call.changed(ToRunes)),
    entry("rev", "rev(bytes[32])", |call| call.changed(Rev)),
    entry("complement", "complement(bytes[32])", |call| call.changed(Complemented)),
    entry("desc", "desc(u64be)", |call| call.changed(Desc)),
    entry("nul", r#"nul(text(r"[a-z]+"))"#, |call| call.changed(Nul)),
    entry("escaped", "escaped(bytes[0..=64])", |call| {
        call.changed(Escaped { name: "escaped", code: None, end: End::Zero })
    }),
    entry("escaped01", "escaped01(bytes[0..=64])", |call| {
        call.changed(Escaped { name: "escaped01", code: None, end: End::ZeroOne })
    }),
    entry("escape", "escape(bytes[0..=64])", |call| call.changed(Escape)),
    entry("groups8", "groups8(bytes[0..=64])", |call| call.changed(Groups8::ALONE)),
    sized("truncate", "truncate(bytes[0..=64])[8]", |call| call.fit(false)),
    sized("pad_right", "pad_right(dec(u64))[8]", |call| call.fit(true)),
    // Digests.
    entry("blake2_128_concat", "blake2_128_concat(bytes[32])", |call| {
        call.changed(Function::Blake2_128)
    }),
    entry("twox_64_concat", "twox_64_concat(bytes[32])", |call| call.changed(Function::Twox64)),
    entry("blake2_128", "blake2_128(bytes[32])", |call| call.digest(Function::Blake2_128)),
    entry("blake2_256", "blake2_256(bytes[32])", |call| call.digest(Function::Blake2_256)),
    entry("twox_64", "twox_64(bytes[32])", |call| call.digest(Function::Twox64)),
    entry("twox_128", "twox_128(bytes[32])", |call| call.digest(Function::Twox128)),
    entry("twox_256", "twox_256(bytes[32])", |call| call.digest(Function::Twox256)),
    entry("sha256", "sha256(bytes[32])", |call| call.digest(Function::Sha256)),
    entry("keccak256", "keccak256(bytes[32])", |call| call.digest(Function::Keccak256)),
    // Elements of FoundationDB tuples.
    entry("fdb_text", "fdb_text(text[0..=64])", |call| {
        let code = Some((fdb::TEXT, Kind::Text));
        call.changed(Escaped { name: "fdb_text", code, end: End::Zero })
    }),
    entry("fdb_bytes", "fdb_bytes(bytes[0..=64])", |call| {
        let code = Some((fdb::BYTES, Kind::Bytes));
        call.changed(Escaped { name: "fdb_bytes", code, end: End::Zero })
    }),
    entry("fdb_int", "fdb_int(i64)", |call| call.integers_up_to_64_bits(FdbInt)),
    entry("fdb_bool", "fdb_bool", |call| call.alone(Arc::new(Bool::TUPLE))),
    entry("fdb_f64", "fdb_f64", |call| call.coded(fdb::F64, Arc::new(Float))),
    entry("fdb_uuid", "fdb_uuid", |call| {
        call.coded(fdb::UUID, Arc::new(Words::of_length(16, call.budget())?))
    }),
];
