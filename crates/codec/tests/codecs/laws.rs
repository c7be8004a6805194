//! Tests the laws on every codec, in every nesting and domain that is likely to break one.

use keyscape_testkit::{codec, laws};
use std::collections::BTreeSet;

fn hold(texts: &[&str]) {
    for text in texts {
        let codec = codec(text);
        assert_eq!(codec.text(), *text);
        laws(&*codec);
    }
}

const FIXED: &[&str] = &[
    "u8",
    "u8 in 0..=5",
    "u8 in 7..=7",
    "u16be",
    "u16be in 255..=256",
    "u16le",
    "u16le in 0..=255",
    "u16le in 255..=256",
    "u16le in 512..=700",
    "u16le in 300..=600",
    "u32be",
    "u32le",
    "u32be in 1000..=9999",
    "u32le in 65536..=65791",
    "u64be",
    "u64le",
    "u64be in 1..=18446744073709551615",
    "u128be",
    "u128le",
    "u256be",
    "u256le",
    "u256le in 0..=255",
    "u256be in 340282366920938463463374607431768211455..=340282366920938463463374607431768211456",
    "i8",
    "i8 in -1..=0",
    "i8 in -128..=-1",
    "i16be",
    "i16le",
    "i16be in -300..=-200",
    "i16be in 5..=300",
    "i16le in -256..=-1",
    "i16le in -300..=-200",
    "i16le in -5..=5",
    "i16le in -5..=300",
    "i32be",
    "i32le",
    "i64be",
    "i64le",
    "i64be in 0..=100",
    "i128be",
    "i128le",
];

const SIGNED: &[&str] = &[
    "flip(i8)",
    "flip(i16)",
    "flip(i32)",
    "flip(i64)",
    "flip(i128)",
    "flip(i64) in -108000000..=342000000",
    "flip(i16) in -3..=300",
    "sign_i64(neg = 0x05, pos = 0x06)",
    "sign_i64(neg = 0x06, pos = 0x05)",
    "sign_i64(neg = 0x06, pos = 0x05) in -9..=-1",
    "sign_i64(neg = 0x06, pos = 0x05) in 0..=9",
    "sign_i64(neg = 0x05, pos = 0x06) in -1000..=1000",
    "f64",
];

const DECIMALS: &[&str] = &[
    "dec(u8)",
    "dec(u8) in 0..=5",
    "dec(u8) in 7..=7",
    "dec(u8) in 9..=10",
    "dec(u16) in 5..=99",
    "dec(u32) in 1000..=9999",
    "dec(u32) in 99..=100",
    "dec(u64)",
    "dec(u128)",
    "dec(u256)",
    "dec(u256) in 99..=100",
    "dec(u256) in 340282366920938463463374607431768211455..=340282366920938463463374607431768211456",
    "dec(i8)",
    "dec(i8) in -1..=0",
    "dec(i8) in -2..=-1",
    "dec(i8) in -10..=-9",
    "dec(i8) in -11..=-9",
    "dec(i16) in -120..=-95",
    "dec(i16) in -1..=9",
    "dec(i16) in -1..=10",
    "dec(i16) in -5..=-5",
    "dec(i16) in -20..=20",
    "dec(i16) in -2000..=-1000",
    "dec(i64)",
    "dec(i128)",
];

const WORDS: &[&str] = &[
    "bytes[0..=1]",
    "bytes[1]",
    "bytes[2]",
    "bytes[20]",
    "bytes[32]",
    "bytes[1..=255]",
    "bytes[1..]",
    "bytes[0..=65535]",
    "bytes[100..=1000000]",
    r#"text(r"[a-z]+")[1..=4294967295]"#,
    r#"text(r"a?")[0..=5000]"#,
    r#"bytes(br"[\x00-\x02]{0,4}")"#,
    r#"bytes(br"\xff+")"#,
    r#"bytes(not 0x00)[1..=8]"#,
    r#"bytes(br"(?s).*", not br"a*")"#,
    r#"text(r"[ab]{0,3}")"#,
    r#"text(r"[a-z]+")"#,
    r#"text(r"[a-zA-Z][a-zA-Z0-9/:._-]{2,127}")"#,
    r#"text(r"[a-z|]{1,6}", not "||")"#,
    r#"text(r"[a-z|]+", not r"a.*", not "||")[2..=9]"#,
    r##"text(r#"["a]+"#)"##,
    "text[0..=3]",
    "text[1..=64]",
    "text[4]",
    r#"text(r"é|ab|€|x")"#,
];

const NESTED: &[&str] = &[
    "len8(bytes[0..=2])",
    "len8(bytes[1..=255])",
    "len8(bytes[20])",
    r#"len8(text(r"[ab]{0,3}"))"#,
    r#"len8(text(r"a|bb|ccc"))"#,
    r#"len8(text(r"a|bb|bac"))"#,
    r#"len8(text(r"[a-z][a-z0-9]{2,40}"))"#,
    "len8(dec(u64))",
    "len8(dec(u256))",
    "rev(u256be)",
    "len8(dec(i16))",
    "len8(dec(i16) in -20..=-3)",
    "len8(u64be)",
    "len8(u16le)",
    "len8(hex(bytes[0..=3]))",
    "len8(len8(bytes[0..=2]))",
    "len8(nul(bytes[0..=2]))",
    "len8(desc(bytes[0..=2]))",
    "len8(desc(bytes[2]))",
    "hex(bytes[32])",
    "hex(bytes[0..=2])",
    "hex(len8(bytes[0..=3]))",
    "hex(u32le)",
    r#"hex(text(r"[a-c]*"))"#,
    "hex(desc(text[0..=2]))",
    "rev(bytes[1])",
    "rev(bytes[3])",
    "rev(bytes[32])",
    "rev(u64be)",
    "rev(u64le)",
    "rev(i16le)",
    "rev(i32be in 0..=255)",
    "rev(flip(i16))",
    r#"rev(text(r"a[xy]b|c[xy]d"))"#,
    r#"rev(text(r"[ab]c|[ab]d"))"#,
    r#"rev(text(r"x[0-9]y"))"#,
    "rev(dec(u16) in 100..=999)",
    "rev(hex(bytes[2]))",
    "rev(rev(bytes[3]))",
    r#"nul(text(r"[ab]{0,3}"))"#,
    r#"nul(text(r"[a-z]+"))"#,
    "nul(bytes[0..=2])",
    r#"nul(bytes(br"[\x00\x01]{0,4}"))"#,
    "nul(desc(bytes[0..=2]))",
    r#"nul(desc(bytes(br"\xff*")))"#,
    "nul(desc(bytes[2]))",
    "nul(dec(u64))",
    "nul(dec(i16))",
    "nul(dec(i16) in -120..=-9)",
    "nul(nul(bytes[0..=1]))",
    "desc(u64be)",
    "desc(u16le)",
    "desc(flip(i64))",
    "desc(f64)",
    "desc(dec(u64))",
    "desc(dec(u16) in 100..=999)",
    "desc(len8(bytes[0..=3]))",
    r#"desc(text(r"[a-z]*"))"#,
    "desc(desc(bytes[0..=2]))",
    "desc(nul(desc(bytes[0..=2])))",
    "desc(rev(bytes[2]))",
];

const CHECKSUMMED: &[&str] = &[
    r#"bech32("cosmos", bytes[20])"#,
    r#"bech32("cosmos", bytes[20..=32])"#,
    r#"bech32("bb", bytes[0..=4])"#,
    r#"bech32("x", u8 in 0..=3)"#,
    r#"bech32("x", u8 in 9..=9)"#,
    r#"bech32("a1b", dec(u64))"#,
    "base58check(bytes[21])",
    "base58check(version = 0x00, bytes[20])",
    "base58check(version = 0x6f, bytes[20])",
    "base58check(version = 0x0488b21e, bytes[0..=4])",
    "base58check(version = 0x00, u8 in 0..=3)",
    "base58check(bytes[0..=3])",
    "len8(base58check(version = 0x00, bytes[20]))",
    r#"nul(bech32("cosmos", bytes[20]))"#,
    r#"desc(bech32("cosmos", bytes[20]))"#,
    r#"hex(bech32("x", bytes[2]))"#,
];

const VARINTS: &[&str] = &[
    "dec0(u8)[3]",
    "dec0(u64)[20]",
    "dec0(u64)[5] in 7..=123",
    "dec0(u128)[39]",
    "dec0(u256)[78]",
    "leb128(u8)",
    "leb128(u64)",
    "leb128(u64) in 0..=127",
    "leb128(u64) in 0..=255",
    "leb128(u64) in 100..=256",
    "leb128(u64) in 256..=383",
    "leb128(u32) in 16383..=16384",
    "leb128(u128)",
    "varint_msb(u8)",
    "varint_msb(u64)",
    "varint_msb(u64) in 0..=127",
    "varint_msb(u64) in 100..=300",
    "varint_msb(u64) in 200..=16511",
    "varint_msb(u32) in 16511..=16512",
    "varint_msb(u64) in 16600..=17000",
    "varint_msb(u64) in 16513..=2113665",
    "varint_msb(u128)",
    "uvarint_ordered(u8)",
    "uvarint_ordered(u64)",
    "uvarint_ordered(u64) in 240..=241",
    "uvarint_ordered(u64) in 2287..=67824",
    "compact(u8)",
    "compact(u64)",
    "compact(u128)",
    "compact(u64) in 0..=63",
    "compact(u64) in 0..=64",
    "compact(u64) in 63..=64",
    "compact(u64) in 64..=127",
    "compact(u64) in 65..=200",
    "compact(u64) in 127..=127",
    "compact(u32) in 16383..=16384",
    "compact(u32) in 16384..=16447",
    "compact(u64) in 1073741823..=1073741824",
    "compact(u64) in 1073741824..=1073742079",
    "compact(u64) in 4294967295..=4294967296",
    "compact_size(u8)",
    "compact_size(u64)",
    "compact_size(u64) in 0..=255",
    "compact_size(u64) in 253..=256",
    "compact_size(u64) in 65535..=65536",
    "compact_size(u64) in 4294967040..=4294967300",
    "f64_of(u8)",
    "f64_of(u64)",
    "f64_of(i64)",
    "f64_of(i16)",
    "f64_of(u64) in 0..=9007199254740992",
    "f64_sum(u32, u32, 1e9)",
    "f64_sum(u32, u32 in 0..=999999999, 1e9)",
    "f64_sum(u32 in 1..=8388607, u32 in 0..=999999999, 1e9)",
    "f64_sum(u32 in 5..=5, u32 in 0..=999999999, 1e9)",
    "f64_sum(u32 in 16777215..=16777217, u64 in 0..=7, 1e9)",
    "f64_sum(u32 in 4294967295..=4294967295, u64 in 0..=16000000000, 1e9)",
    "f64_sum(u32, u32 in 0..=999999, 1e6)",
    "f64_sum(u16, u8 in 0..=160, 1e1)",
    "f64_sum(u8 in 0..=3, u8 in 0..=0, 1e1)",
    "f64_of(u64) in 9007199254740993..=9007199254740993",
    "f64_of(u64) in 9007199254740993..=9007199254740995",
    "f64_of(i64) in -9007199254740995..=5",
    "fdb_int(u8)",
    "fdb_int(u64)",
    "fdb_int(i64)",
    "fdb_int(i64) in -300..=-255",
    "fdb_int(i16) in -1..=256",
    "len8(leb128(u64))",
    "hex(compact(u64))",
    "desc(f64_of(u64))",
    "desc(f64_sum(u32, u32 in 0..=999999999, 1e9))",
    "hex(f64_sum(u32, u32, 1e9))",
    "len8(f64_sum(u32, u32, 1e9))",
    "nul(f64_of(u64))",
    "len8(f64_of(u64))",
    "rev(f64_of(u64))",
    "rev(dec0(u8)[3])",
];

const TIMES: &[&str] = &[
    "time_text",
    "time_text in 0..=0",
    "time_text in -1..=1000000000",
    "time_text in 951782399999999999..=951868800000000000",
    "rfc3339",
    "rfc3339 in 0..=0",
    "rfc3339 in 0..=1",
    "rfc3339 in 1..=9",
    "rfc3339 in 10..=19",
    "rfc3339 in 9..=11",
    "rfc3339 in -1..=100000000",
    "rfc3339 in 123456789..=1987654321",
    "rfc3339 in 1120000000..=1340000000",
    "rfc3339 in 951782399999999999..=951868800000000000",
    "desc(time_text)",
];

const LENGTHS: &[&str] = &[
    "len16(bytes[0..=2])",
    "len16(bytes[0..=4096])",
    "len16(bytes[200..=5000])",
    "len16(bytes[0..=5000])",
    r#"len16(text(r"[a-z]{0,600}"))"#,
    r#"len16(text(r"[a-z]{0,4000}"))"#,
    "len16(dec(u64))",
    "len16le(bytes[0..=300])",
    "len16le(bytes[300])",
    "len16(bytes[250..=270])",
    "len16le(dec(u64))",
    r#"len16le(text(r"a{255}|b{256}"))"#,
    "len32(bytes[0..=2])",
    "len32(bytes[0..=5000])",
    "len32le(bytes[0..=2])",
    "len32le(bytes[20])",
    "len32le(bytes[0..=5000])",
    "lenvar(bytes[0..=2])",
    "lenvar(bytes[0..=200])",
    "lenvar(bytes[0..=5000])",
    "len16(bytes[0..=65535])",
    "len32(text[1..=1000000])",
    "nul(bytes[0..=65535])",
    "groups8(bytes[0..=65535])",
    "desc(bytes[0..=65535])",
    r#"lenvar(text(r"a|bb|bac"))"#,
    r#"len16(bech32("x", bytes[2]))"#,
    "len16(len8(bytes[0..=255]))",
    "hex(len16(bytes[0..=5000]))",
    "len32(len16(bytes[0..=5000]))",
];

const CHANGED: &[&str] = &[
    "rune(u64be)",
    "rune(u16le)",
    "rune(u16le in 128..=255)",
    "rune(bytes[0..=2])",
    "rune(desc(bytes[0..=2]))",
    "rune(i8)",
    "nibbles(bytes[0..=2])",
    "nibbles(u16le)",
    "len8(nibbles(bytes[0..=2]))",
    "complement(u8)",
    "complement(u8 in 3..=3)",
    "complement(u64be)",
    "complement(u16le)",
    "complement(i8)",
    "complement(i8 in -1..=0)",
    "complement(desc(u8))",
    r#"complement(text(r"a*"))"#,
    "complement(bytes[0..=2])",
    r#"complement(desc(text(r"a{0,3}")))"#,
    "escaped(bytes[0..=2])",
    r#"escaped(text(r"[a-z]*"))"#,
    r#"escaped(bytes(br"[\x00\x01]{0,4}"))"#,
    "escaped(desc(bytes[0..=2]))",
    r#"escaped(desc(bytes(br"\xff*")))"#,
    "escaped(u64be)",
    "escaped(u16le)",
    "escaped(dec(i16) in -120..=-9)",
    "escaped01(bytes[0..=2])",
    r#"escaped01(bytes(br"[\x00\x01]{0,4}"))"#,
    "escaped01(desc(bytes[0..=2]))",
    r#"escaped01(desc(bytes(br"\xff*")))"#,
    "escaped01(u16le)",
    "escaped01(f64_of(u64))",
    r#"escaped(bech32("x", bytes[2]))"#,
    "escape(bytes[0..=2])",
    "escape(u16le)",
    r#"escape(desc(bytes(br"\xff*")))"#,
    r#"escape(bech32("x", bytes[2]))"#,
    "hex(escape(bytes[0..=2]))",
    "groups8(bytes[0..=2])",
    "groups8(bytes[0..=20])",
    "groups8(bytes[8])",
    r#"groups8(bytes(br"[\x00\x01]*"))"#,
    "groups8(desc(bytes[0..=20]))",
    "groups8(u64le)",
    "groups8(dec(u64))",
    "groups8(dec(u64) in 100000001..=1000000000)",
    r#"groups8(bech32("x", bytes[2]))"#,
    "desc(groups8(bytes[0..=9]))",
];

const FITTED: &[&str] = &[
    "pad_right(dec(u64))[8]",
    "pad_right(dec(u64) in 0..=99999999)[8]",
    "pad_right(dec(u64) in 100000000..=1000000000)[8]",
    "pad_right(dec(i16))[3]",
    "pad_right(bytes[0..=3])[2]",
    "pad_right(bytes[2])[2]",
    "pad_right(bytes[2])[5]",
    "pad_right(desc(bytes[0..=3]))[2]",
    r#"pad_right(desc(text(r"a{0,3}")))[4]"#,
    r#"pad_right(text(r"[a-z]*"))[4]"#,
    r#"pad_right(bytes(br"\xff\x00{5}x?"))[3]"#,
    "truncate(dec(u64))[3]",
    "truncate(dec(u64))[30]",
    "truncate(bytes[0..=3])[2]",
    "truncate(bytes[0..=3])[3]",
    "truncate(u64be)[4]",
    "truncate(u64le)[1]",
    "truncate(u64le)[4]",
    "truncate(desc(bytes[0..=3]))[2]",
    r#"truncate(text(r"ab[xy]"))[2]"#,
    "hex(truncate(bytes[32])[4])",
    "nul(pad_right(bytes[0..=3])[2])",
    "len8(truncate(bytes[0..=3])[2])",
    "truncate(truncate(bytes[0..=4])[3])[2]",
    "truncate(sha256(bytes[32]))[20]",
];

const HASHED: &[&str] = &[
    "blake2_128_concat(u8 in 0..=3)",
    "blake2_128_concat(bytes[32])",
    "twox_64_concat(u8 in 5..=5)",
    "twox_64_concat(u64le)",
    "twox_64_concat(truncate(bytes[0..=4])[3])",
    "blake2_128(bytes[32])",
    "blake2_256(bytes[32])",
    "twox_64(u64le)",
    "twox_128(u64le)",
    "twox_256(u64le)",
    "sha256(u64le in 1..=2)",
    "keccak256(bytes[20])",
    "hex(sha256(bytes[0..=9]))",
];

const ELEMENTS: &[&str] = &[
    "bool",
    "desc(bool)",
    "fdb_bool",
    "fdb_f64",
    "fdb_uuid",
    "rev(fdb_uuid)",
    "fdb_bytes(bytes[0..=3])",
    r#"fdb_text(text(r"[a-z\x00]*"))"#,
    "fdb_text(text[0..=4])",
    "fdb_bytes(hex(bytes[2]))",
];

const ALL: &[&[&str]] = &[
    FIXED,
    SIGNED,
    DECIMALS,
    WORDS,
    NESTED,
    CHECKSUMMED,
    VARINTS,
    TIMES,
    LENGTHS,
    CHANGED,
    FITTED,
    HASHED,
    ELEMENTS,
];

#[test]
fn integers_of_varying_length_keep_the_laws() {
    hold(VARINTS);
}

#[test]
fn times_keep_the_laws() {
    hold(TIMES);
}

#[test]
fn length_prefixes_keep_the_laws() {
    hold(LENGTHS);
}

#[test]
fn changed_bytes_keep_the_laws() {
    hold(CHANGED);
}

#[test]
fn truncated_and_padded_encodings_keep_the_laws() {
    hold(FITTED);
}

#[test]
fn digests_keep_the_laws() {
    hold(HASHED);
}

#[test]
fn booleans_and_tuple_elements_keep_the_laws() {
    hold(ELEMENTS);
}

#[test]
fn fixed_integers_keep_the_laws() {
    hold(FIXED);
}

#[test]
fn signed_and_floating_numbers_keep_the_laws() {
    hold(SIGNED);
}

#[test]
fn decimals_keep_the_laws() {
    hold(DECIMALS);
}

#[test]
fn text_and_bytes_keep_the_laws() {
    hold(WORDS);
}

#[test]
fn codecs_inside_codecs_keep_the_laws() {
    hold(NESTED);
}

#[test]
fn text_with_a_checksum_keeps_the_laws() {
    hold(CHECKSUMMED);
}

#[test]
fn no_two_codecs_have_one_text() {
    let all: Vec<&str> = ALL.concat();
    let texts: BTreeSet<String> = all.iter().map(|text| codec(text).text()).collect();
    assert_eq!(texts.len(), all.len());
    assert!(all.len() >= 300, "{}", all.len());
}

#[test]
fn every_name_is_in_a_table() {
    let all = ALL.concat();
    for name in keyscape_codec::names() {
        let called = |text: &&str| {
            let rest = text.strip_prefix(name);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        assert!(all.iter().any(called), "no law is tried on {name}");
    }
}
