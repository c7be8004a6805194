//! Every codec keeps the laws, in every nesting and domain that is likely to break one.

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
    let all: Vec<&str> = [FIXED, SIGNED, DECIMALS, WORDS, NESTED, CHECKSUMMED].concat();
    let texts: BTreeSet<String> = all.iter().map(|text| codec(text).text()).collect();
    assert_eq!(texts.len(), all.len());
    assert!(all.len() >= 120, "{}", all.len());
}
