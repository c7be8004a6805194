//! The orders that codecs report.

use keyscape_codec::{Order, PrefixOrder, Value};
use keyscape_testkit::codec;

/// Formats the order in one line.
fn order(text: &str) -> String {
    let show = |value: Value| match value {
        Value::Uint(n) => n.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Float(n) => n.to_string(),
        Value::Pair(a, b) => format!("{a}+{b}"),
        Value::Text(text) => text,
        Value::Bytes(bytes) => keyscape_testkit::hex(&bytes),
        Value::Bool(flag) => flag.to_string(),
    };
    match codec(text).order() {
        Order::Ordered { prefix: PrefixOrder::ShorterFirst } => "ordered".into(),
        Order::Ordered { prefix: PrefixOrder::LongerFirst } => "ordered, longer first".into(),
        Order::Misordered { lower, higher, minimal } => {
            let more = if minimal { "" } else { ", perhaps not the shortest" };
            format!("{} < {}{more}", show(lower), show(higher))
        }
        Order::Tied { lower, higher } => format!("{} = {}", show(lower), show(higher)),
        Order::Unknown(reason) => format!("unknown: {reason}"),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(order(text), *expected, "{text}");
    }
}

#[test]
fn little_endian_is_ordered_while_only_the_first_byte_varies() {
    check(&[
        ("u64le", "1 < 256"),
        ("u64le in 0..=255", "ordered"),
        ("u64le in 250..=256", "250 < 256"),
        ("u16le in 1000..=1023", "ordered"),
        ("i16le in -256..=-1", "ordered"),
        ("i16le in -257..=-1", "-257 < -256"),
        ("i32le in -1..=0", "-1 < 0"),
    ]);
}

#[test]
fn twos_complement_is_ordered_on_one_side_of_zero() {
    check(&[
        ("i64be", "-1 < 0"),
        ("i64be in 0..=9", "ordered"),
        ("i64be in -9..=-1", "ordered"),
        ("flip(i64)", "ordered"),
        ("sign_i64(neg = 0x05, pos = 0x06)", "ordered"),
        ("sign_i64(neg = 0x06, pos = 0x05)", "-1 < 0"),
        ("f64", "ordered"),
    ]);
}

#[test]
fn decimals_are_ordered_while_their_length_is_one() {
    check(&[
        ("dec(u64)", "2 < 10"),
        ("dec(u64) in 0..=9", "ordered"),
        ("dec(u64) in 0..=1", "ordered"),
        ("dec(u64) in 1000..=9999", "ordered"),
        ("dec(u64) in 12..=100", "12 < 100"),
        ("dec(u64) in 10..=100", "11 < 100"),
        ("dec(u64) in 99..=5000", "99 < 100"),
        ("dec(i64)", "2 < 10"),
        ("dec(i64) in -2..=9", "-2 < -1"),
        ("dec(i64) in -1..=9", "ordered"),
        ("dec(i64) in -10..=-9", "ordered"),
        ("dec(i64) in -11..=-9", "-11 < -10"),
        ("dec(i64) in -5..=-5", "ordered"),
        ("len8(dec(u64))", "ordered"),
        ("len8(dec(i64))", "-1 < 0"),
    ]);
}

#[test]
fn a_length_prefix_sorts_by_length() {
    check(&[
        ("len8(bytes[20])", "ordered"),
        ("len8(bytes[1..=255])", "6161 < 62"),
        (r#"len8(text(r"a|bb|ccc"))"#, "ordered"),
        (r#"len8(text(r"a|bb|bac"))"#, "bac < bb"),
        (r#"len8(text(r"[a-z]{3,9}"))"#, "aaaa < baa"),
        ("len8(u32le)", "1 < 256"),
        ("len8(len8(bytes[2]))", "ordered"),
    ]);
}

#[test]
fn reversed_bytes_are_decided_exactly() {
    check(&[
        ("rev(u64le)", "ordered"),
        ("rev(u64be)", "1 < 256"),
        ("rev(bytes[1])", "ordered"),
        (r#"rev(text(r"x[0-9]y"))"#, "ordered"),
        (r#"rev(text(r"[ab]c|[ab]d"))"#, "ad < bc"),
        ("rev(rev(bytes[3]))", "ordered"),
    ]);
}

#[test]
fn a_terminator_keeps_order_unless_longer_values_come_first() {
    check(&[
        (r#"nul(text(r"[a-z]*"))"#, "ordered"),
        ("nul(bytes[0..=2])", "ordered"),
        ("desc(bytes[0..=2])", "ordered, longer first"),
        (r#"nul(desc(text(r"[ab]{0,2}")))"#, "b < "),
        ("nul(desc(bytes[2]))", "ordered, longer first"),
        (r#"desc(nul(text(r"[ab]{0,2}")))"#, "ordered, longer first"),
        ("nul(dec(u64))", "2 < 10"),
    ]);
}

#[test]
fn descending_reverses_every_answer() {
    check(&[
        ("desc(u64be)", "ordered, longer first"),
        ("desc(dec(u64))", "10 < 2"),
        ("desc(desc(text[0..=3]))", "ordered"),
        ("hex(desc(text[0..=3]))", "ordered, longer first"),
    ]);
}

#[test]
fn checksummed_text_is_ordered_only_if_that_is_certain() {
    check(&[
        (r#"bech32("x", u8 in 9..=9)"#, "ordered"),
        (r#"bech32("x", u8 in 0..=3)"#, "0 < 2"),
        ("base58check(version = 0x6f, bytes[20])", "ordered"),
    ]);
    assert!(order("base58check(version = 0x00, bytes[20])").ends_with("perhaps not the shortest"));
}

#[test]
fn varints_are_ordered_only_by_design_or_in_small_domains() {
    check(&[
        ("uvarint_ordered(u64)", "ordered"),
        ("leb128(u64)", "129 < 256"),
        ("leb128(u64) in 0..=255", "ordered"),
        ("leb128(u64) in 200..=256", "200 < 256"),
        ("varint_msb(u64)", "16511 < 16512"),
        ("varint_msb(u64) in 0..=16511", "ordered"),
        ("varint_msb(u64) in 16512..=2113663", "ordered"),
        ("varint_msb(u64) in 16512..=2113664", "2113663 < 2113664"),
        ("compact(u64)", "1 < 64"),
        ("compact(u64) in 0..=63", "ordered"),
        ("compact(u64) in 64..=127", "ordered"),
        ("compact(u64) in 64..=128", "65 < 128"),
        ("compact_size(u64)", "253 < 256"),
        ("compact_size(u64) in 0..=255", "ordered"),
        ("fdb_int(i64)", "ordered"),
        ("dec0(u64)[20]", "ordered"),
    ]);
}

#[test]
fn two_values_with_one_encoding_are_tied() {
    check(&[
        ("f64_of(u64)", "9007199254740992 = 9007199254740993"),
        ("f64_of(u64) in 0..=9007199254740992", "ordered"),
        ("f64_of(i64) in -9007199254740995..=5", "-9007199254740993 = -9007199254740992"),
        ("f64_sum(u32, u32, 1e9)", "0+1000000000 = 1+0"),
        ("f64_sum(u32, u32 in 0..=1000000000, 1e9)", "0+1000000000 = 1+0"),
        ("f64_sum(u32, u32 in 0..=999999999, 1e9)", "8388608+1 = 8388608+2"),
        ("f64_sum(u32 in 0..=8388607, u32 in 0..=999999999, 1e9)", "ordered"),
        ("f64_sum(u32, u16 in 0..=999, 1e3)", "ordered"),
        ("f64_sum(u8 in 7..=7, u64 in 0..=160, 1e1)", "ordered"),
        ("desc(f64_of(u64))", "9007199254740993 = 9007199254740992"),
        ("truncate(u64be)[4]", "0 = 1"),
        ("truncate(u64be)[8]", "ordered"),
        ("truncate(bytes[0..=3])[2]", "6161 = 616161"),
        ("pad_right(dec(u64))[8]", "2 < 10"),
        ("pad_right(dec(u64) in 10000000..=99999999)[8]", "ordered"),
        ("pad_right(bytes[0..=1])[2]", " = 00"),
    ]);
}

#[test]
fn times_as_text_are_ordered_while_their_fraction_has_one_length() {
    check(&[
        ("time_text", "ordered"),
        ("rfc3339 in 0..=1000000000", "0 < 100000000"),
        ("rfc3339 in 1..=9", "ordered"),
        ("rfc3339 in 1..=11", "10 < 11"),
        ("rfc3339 in 5..=5", "ordered"),
    ]);
}

#[test]
fn escapes_groups_and_characters_keep_order() {
    check(&[
        ("escaped(bytes[0..=3])", "ordered"),
        ("escaped01(bytes[0..=3])", "ordered"),
        ("groups8(bytes[0..=20])", "ordered"),
        ("rune(bytes[0..=3])", "ordered"),
        ("rune(u64le)", "1 < 256"),
        ("nibbles(dec(u64))", "2 < 10"),
        (r#"escaped(desc(text(r"[ab]{0,2}")))"#, "b < "),
        ("groups8(dec(u64))", "2 < 10"),
        ("complement(u8)", "0 < 1"),
        ("complement(i8 in -1..=0)", "ordered"),
        ("complement(desc(u8))", "1 < 0"),
        ("bool", "ordered"),
        ("fdb_text(text[0..=3])", "ordered"),
    ]);
}

#[test]
fn wide_length_prefixes_sort_by_length() {
    check(&[
        ("len16(bytes[0..=4096])", "6161 < 62"),
        ("len16le(bytes[0..=300])", "6161 < 62"),
        ("lenvar(bytes[0..=300])", "6161 < 62"),
        ("len32(bytes[20])", "ordered"),
        ("len16le(bytes[20])", "ordered"),
        ("len32(bytes[0..=5000])", "6161 < 62"),
        (
            r#"len32(text(r"a*")[0..=5000])"#,
            "unknown: not decided for these encodings of several lengths",
        ),
    ]);
}

#[test]
fn digest_prefixes_sort_as_digests() {
    assert!(order("twox_64_concat(u64le)").ends_with("perhaps not the shortest"));
    check(&[("twox_64_concat(u8 in 5..=5)", "ordered"), ("sha256(bytes[32])", "ordered")]);
}
