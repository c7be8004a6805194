//! Codecs with few values.

/// A codec as text of a layout.
pub(super) struct Leaf {
    pub(super) text: &'static str,
    /// The range of its integers, both ends included.
    pub(super) range: Option<(i128, i128)>,
    /// Whether no encoding is a prefix of another.
    pub(super) prefix_free: bool,
}

const fn words(text: &'static str, prefix_free: bool) -> Leaf {
    Leaf { text, range: None, prefix_free }
}

const fn ints(text: &'static str, low: i128, high: i128, prefix_free: bool) -> Leaf {
    Leaf { text, range: Some((low, high)), prefix_free }
}

/// The number of leaves at the start of the list that are easily confused with each other.
pub(super) const EASILY_CONFUSED: usize = 9;
/// The number of leaves at the start of the list that have at most a dozen values.
pub(super) const FEW_VALUES: usize = LEAVES.len() - 7;

/// All leaves with few values, the simplest first and those with hundreds of values last.
pub(super) const LEAVES: &[Leaf] = &[
    words(r#"text(r"a?")"#, false),
    ints("u8 in 97..=98", 97, 98, true),
    words(r#"text(r"[ab]{0,1}")"#, false),
    words(r#"text(r"[ab]{1,2}")"#, false),
    words(r#"text(r"a{0,2}")"#, false),
    words(r#"text(r"a|ab|b")"#, false),
    words(r#"text(r"[0-1]{1,2}")"#, false),
    words(r#"text(r"[ab]{0,2}", not "ab")"#, false),
    words(r#"text(r"[ab-]{0,1}")"#, false),
    ints("u8 in 0..=1", 0, 1, true),
    ints("u8 in 254..=255", 254, 255, true),
    words(r#"text(r"[ab]")"#, true),
    words(r#"text(r"[ab]{2}", not r"ba")"#, true),
    words(r#"bytes(br"[\x00\x01]{0,1}")"#, false),
    words(r#"bytes(br"[\x00\xff]{1,2}")"#, false),
    words(r#"bytes(br"\xff{0,2}")"#, false),
    words(r#"bytes(br"[\xfe\xff]")"#, true),
    words(r#"bytes(br"\x00{0,2}")"#, false),
    ints("dec(u8) in 8..=11", 8, 11, false),
    ints("dec(u8) in 0..=1", 0, 1, true),
    ints("dec(u8) in 0..=12", 0, 12, false),
    ints("dec(i8) in -1..=1", -1, 1, true),
    ints("u16le in 255..=257", 255, 257, true),
    ints("u16be in 255..=257", 255, 257, true),
    words(r#"len8(text(r"[ab]{0,1}"))"#, true),
    words(r#"len8(text(r"a|b|aa"))"#, true),
    words(r#"nul(text(r"[ab]{0,1}"))"#, true),
    words(r#"nul(text(r"a{0,2}"))"#, true),
    words(r#"nul(bytes(br"[\x00\x01]{0,1}"))"#, false),
    ints("desc(u8) in 0..=2", 0, 2, true),
    words(r#"desc(text(r"[ab]{0,1}"))"#, false),
    words(r#"desc(nul(text(r"[ab]{0,1}")))"#, true),
    ints("desc(dec(u8)) in 9..=10", 9, 10, true),
    words(r#"escaped(bytes(br"[\x00\x01]{0,1}"))"#, false),
    words(r#"escaped01(bytes(br"[\x00a]{0,2}"))"#, true),
    words(r#"escape(bytes(br"[\x00a]{0,2}"))"#, false),
    words(r#"rune(bytes(br"[a\x80]{0,2}"))"#, false),
    words(r#"nibbles(bytes(br"[\x01a]{0,1}"))"#, false),
    words(r#"complement(text(r"[ab]{0,2}"))"#, false),
    words(r#"len16(text(r"[ab]{0,1}"))"#, true),
    words(r#"lenvar(text(r"a{0,2}"))"#, true),
    ints("dec0(u8)[3] in 8..=11", 8, 11, true),
    ints("leb128(u16) in 126..=129", 126, 129, true),
    words("bool", true),
    words(r#"hex(bytes(br"[\x00\x01]{0,1}"))"#, false),
    words(r#"hex(bytes(br"[\x00\xff]"))"#, true),
    ints("flip(i8) in -2..=1", -2, 1, true),
    ints("i8 in -1..=1", -1, 1, true),
    ints("sign_i64(neg = 0x05, pos = 0x06) in -1..=1", -1, 1, true),
    words(r#"rev(bytes(br"[\x00\x01]{2}"))"#, true),
    ints("rev(u16be) in 255..=256", 255, 256, true),
    ints("desc(u16le) in 255..=256", 255, 256, true),
    words(r#"len8(desc(text(r"[ab]{0,1}")))"#, true),
    ints("hex(u8) in 9..=10", 9, 10, true),
    ints("nul(dec(u8)) in 9..=10", 9, 10, true),
    ints("i16be in -1..=1", -1, 1, true),
    ints("dec(u16) in 99..=101", 99, 101, true),
    words(r#"text(r"[ab]{0,3}", not r"[ab]{2}")"#, false),
    words(r#"desc(bytes(br"\xff{0,2}"))"#, false),
    words(r#"desc(len8(text(r"a|b|aa")))"#, true),
    words(r#"nul(len8(text(r"a?")))"#, true),
    words(r#"groups8(bytes(br"[\x00a]{0,1}"))"#, true),
    words(r#"groups8(bytes(br"a{7,9}"))"#, true),
    words(r#"groups8(bytes(br"\x00{6,8}"))"#, true),
    words(r#"desc(groups8(bytes(br"a{7,8}")))"#, true),
    words(r#"escaped(text(r"[ab]{0,1}"))"#, true),
    words(r#"desc(escaped(bytes(br"[\x00a]{0,1}")))"#, false),
    words(r#"escaped(nul(text(r"a?")))"#, true),
    words(r#"fdb_text(text(r"[ab]{0,1}"))"#, true),
    words(r#"fdb_bytes(bytes(br"[\x00\xff]{0,1}"))"#, false),
    ints("fdb_int(i64) in -1..=1", -1, 1, true),
    ints("fdb_int(u16) in 254..=257", 254, 257, true),
    words("fdb_bool", true),
    words(r#"len16le(text(r"[ab]{0,1}"))"#, true),
    words(r#"len32(text(r"a{0,2}"))"#, true),
    words(r#"len32le(text(r"a?"))"#, true),
    words(r#"len8(bytes(br"\x00{0,2}"))"#, true),
    words(r#"desc(lenvar(text(r"a|b|aa")))"#, true),
    ints("compact(u64) in 62..=65", 62, 65, true),
    ints("compact(u32) in 16383..=16384", 16383, 16384, true),
    ints("compact_size(u64) in 251..=254", 251, 254, true),
    ints("uvarint_ordered(u64) in 239..=242", 239, 242, true),
    ints("leb128(u64) in 16383..=16384", 16383, 16384, true),
    ints("varint_msb(u16) in 126..=129", 126, 129, true),
    ints("varint_msb(u64) in 16510..=16513", 16510, 16513, true),
    ints("f64_of(u64) in 0..=2", 0, 2, true),
    ints("f64_of(i64) in -1..=1", -1, 1, true),
    ints(
        "f64_of(u64) in 9007199254740991..=9007199254740995",
        0x1f_ffff_ffff_ffff,
        0x20_0000_0000_0003,
        true,
    ),
    words("f64_sum(u8 in 0..=1, u8 in 0..=2, 1e1)", true),
    ints("time_text in -1..=1", -1, 1, true),
    ints("rfc3339 in 0..=2", 0, 2, true),
    ints("rfc3339 in 999999999..=1000000001", 999_999_999, 1_000_000_001, true),
    words(r#"truncate(text(r"[ab]{0,2}"))[1]"#, false),
    words(r#"truncate(text(r"a{0,2}"))[2]"#, false),
    words(r#"truncate(bytes(br"[\x00\x01]{1,2}"))[1]"#, true),
    ints("truncate(dec(u8) in 8..=11)[1]", 8, 11, true),
    ints("truncate(u16be in 255..=257)[1]", 255, 257, true),
    ints("pad_right(dec(u8) in 8..=11)[1]", 8, 11, true),
    ints("pad_right(dec(u8) in 8..=11)[2]", 8, 11, true),
    ints("pad_right(dec(u8) in 99..=101)[2]", 99, 101, true),
    words(r#"pad_right(bytes(br"[\x00a]{0,2}"))[2]"#, true),
    words(r#"pad_right(bytes(br"[\x01a]{0,1}"))[1]"#, true),
    words(r#"pad_right(text(r"a{0,3}"))[3]"#, true),
    words(r#"pad_right(desc(text(r"[ab]{0,1}")))[2]"#, true),
    words(r#"len8(truncate(text(r"[ab]{0,2}"))[1])"#, true),
    words(r#"desc(truncate(text(r"[ab]{1,2}"))[1])"#, true),
    words(r#"hex(pad_right(bytes(br"\x00{0,1}"))[1])"#, true),
    words(r#"nul(truncate(text(r"a{1,3}"))[2])"#, true),
    words(r#"truncate(truncate(text(r"a{0,3}"))[2])[1]"#, false),
    ints("pad_right(dec(u8) in 0..=12)[1]", 0, 12, true),
    ints("truncate(leb128(u16) in 126..=129)[1]", 126, 129, true),
    ints("desc(pad_right(dec(u8) in 8..=11)[1])", 8, 11, true),
    ints("len8(truncate(dec(u8) in 8..=11)[1])", 8, 11, true),
    ints("len16le(escaped01(dec(u8) in 8..=11))", 8, 11, true),
    words(r#"truncate(len8(text(r"a|b|aa")))[1]"#, true),
    words(r#"pad_right(len8(text(r"a|b|aa")))[2]"#, true),
    words(r#"truncate(len16(text(r"a{0,2}")))[2]"#, true),
    words(r#"pad_right(lenvar(text(r"[ab]{0,2}")))[1]"#, true),
    words(r#"truncate(escaped(bytes(br"[\x00a]{0,2}")))[2]"#, false),
    words(r#"truncate(rune(bytes(br"[a\x80]{0,2}")))[1]"#, false),
    words(r#"pad_right(desc(text(r"[ab]{0,2}")))[2]"#, true),
    words(r#"rev(pad_right(text(r"[ab]{0,2}"))[1])"#, true),
    words(r#"lenvar(truncate(text(r"[ab]{0,2}"))[1])"#, true),
    words(r#"hex(pad_right(len8(text(r"[ab]{0,1}")))[1])"#, true),
    ints("blake2_128_concat(u8) in 0..=1", 0, 1, true),
    words(r#"twox_64_concat(text(r"a?"))"#, true),
    words(r#"bech32("a", bytes(br"[\x00\x01]"))"#, true),
    words(r#"base58check(version = 0x00, bytes(br"[\x00\x01]{0,1}"))"#, false),
    ints("u32le in 255..=257", 255, 257, true),
    ints("u32be in 255..=256", 255, 256, true),
    ints("u64be in 0..=1", 0, 1, true),
    ints("u64le in 65535..=65536", 65535, 65536, true),
    ints("u128be in 0..=1", 0, 1, true),
    ints("u128le in 255..=256", 255, 256, true),
    ints("u256be in 0..=1", 0, 1, true),
    ints("u256le in 255..=256", 255, 256, true),
    ints("i16le in -1..=1", -1, 1, true),
    ints("i32be in -2..=-1", -2, -1, true),
    ints("i32le in -1..=0", -1, 0, true),
    ints("i64be in 0..=1", 0, 1, true),
    ints("i64le in -257..=-256", -257, -256, true),
    ints("i128be in -1..=1", -1, 1, true),
    ints("i128le in 255..=256", 255, 256, true),
    ints("dec(i16) in -11..=-8", -11, -8, false),
    ints("dec(i8) in -10..=10", -10, 10, false),
    ints("dec0(u16)[4] in 98..=101", 98, 101, true),
    ints("rune(u8) in 126..=129", 126, 129, true),
    ints("nibbles(u8) in 15..=17", 15, 17, true),
    ints("complement(u8) in 0..=2", 0, 2, true),
    ints("desc(desc(u8)) in 0..=1", 0, 1, true),
    ints("desc(dec(i8)) in -1..=1", -1, 1, true),
    ints("rev(dec0(u8)[3]) in 9..=11", 9, 11, true),
    ints("len8(dec(u8)) in 8..=11", 8, 11, true),
    ints("flip(i64) in -1..=1", -1, 1, true),
    words(r#"bytes(br"[\x00\x01]") shown as hex"#, true),
    words(r#"bytes(br"[ab]{1,2}") shown as reversed_hex"#, false),
    words("f64_sum(u8 in 0..=1, u8 in 0..=10, 1e1)", true),
    ints("hex(desc(u8)) in 0..=2", 0, 2, true),
    ints("len8(desc(dec(u8))) in 8..=11", 8, 11, true),
    words(r#"escaped(desc(bytes(br"[\x00a]{0,1}")))"#, false),
    ints("rune(desc(u8)) in 126..=129", 126, 129, true),
    ints("desc(hex(desc(u8))) in 0..=2", 0, 2, true),
    words(r#"hex(desc(text(r"[ab]{0,1}")))"#, false),
    ints("rev(truncate(u32le in 255..=257)[3])", 255, 257, true),
    ints("truncate(rev(u16be in 255..=257))[1]", 255, 257, true),
    words(r#"desc(rev(bytes(br"[\x00\x01]{2}")))"#, true),
    ints("u8", 0, 255, true),
    words("bytes[1]", true),
    words("bytes[0..=1]", false),
    words("len8(bytes[0..=1])", true),
    words(r#"bech32("a", bytes[0..=1])"#, false),
    words("blake2_128_concat(bytes[0..=1])", false),
];

/// Codecs with too many values to list. The oracle tries some of them.
pub(super) const MANY_VALUES: &[Leaf] = &[
    words("sha256(bytes[4])", true),
    words(r#"keccak256(text(r"[ab]{0,2}"))"#, true),
    words("twox_64(bytes[4])", true),
    words("twox_128(u8)", true),
    words("twox_256(u8)", true),
    words("blake2_128(u8)", true),
    words("blake2_256(bytes[1])", true),
    words("hex(sha256(bytes[4]))", true),
    words("desc(twox_64(bytes[4]))", true),
    words("len8(twox_64(u8))", true),
    words("truncate(sha256(bytes[4]))[2]", true),
    words("rev(twox_64(u8))", true),
    words("bytes[4]", true),
    words(r#"text(r"a*")"#, false),
    words(r#"text(r"a*")"#, false),
    words(r#"text(r"[ab]*")"#, false),
    words(r#"text(r"[ab]+")"#, false),
    words(r#"text(r"a+b?")"#, false),
    words(r#"text(r"(ab)*")"#, false),
    words(r#"text(r"a*b")"#, true),
    words(r#"text(r"[ab]*", not r"a*")"#, false),
    words(r#"bytes(br"\x00*")"#, false),
    words(r#"bytes(br"\xff+")"#, false),
    words(r#"bytes(br"[\x00\xff]*")"#, false),
    words("bytes[0..]", false),
    words(r#"nul(text(r"[ab]*"))"#, true),
    words(r#"escaped(bytes(br"[\x00a]*"))"#, false),
    words(r#"escaped01(bytes(br"[\x00a]*"))"#, true),
    words(r#"desc(text(r"a*"))"#, false),
    words(r#"hex(bytes(br"\xff*"))"#, false),
    words(r#"lenvar(text(r"a{0,300}"))"#, true),
    words(r#"groups8(bytes(br"a*"))"#, true),
    words(r#"truncate(text(r"[ab]*"))[2]"#, false),
    words(r#"fdb_bytes(bytes(br"[\x00a]*"))"#, false),
    ints("u64be", 0, u64::MAX as i128, true),
    ints("u64le", 0, u64::MAX as i128, true),
    ints("dec(u64)", 0, u64::MAX as i128, false),
    ints("dec(i64)", i64::MIN as i128, i64::MAX as i128, false),
    ints("desc(dec(u32))", 0, u32::MAX as i128, false),
    ints("hex(desc(u64be))", 0, u64::MAX as i128, true),
    ints("len8(desc(dec(u64)))", 0, u64::MAX as i128, true),
    ints("i128be", i128::MIN, i128::MAX, true),
    ints("i128le", i128::MIN, i128::MAX, true),
    ints("i64be", i64::MIN as i128, i64::MAX as i128, true),
    ints("flip(i64)", i64::MIN as i128, i64::MAX as i128, true),
    ints("flip(i128)", i128::MIN, i128::MAX, true),
    ints("sign_i64(neg = 0x05, pos = 0x06)", i64::MIN as i128, i64::MAX as i128, true),
    ints("desc(i64be)", i64::MIN as i128, i64::MAX as i128, true),
    words("u256be", true),
    words("u256le", true),
    words("dec(u256)", false),
    words("u128be", true),
    ints("leb128(u64)", 0, u64::MAX as i128, true),
    ints("uvarint_ordered(u64)", 0, u64::MAX as i128, true),
    ints("f64_of(u64)", 0, u64::MAX as i128, true),
    ints("fdb_int(i64)", i64::MIN as i128, i64::MAX as i128, true),
    ints("rev(truncate(u32le in 0..=16777215)[3])", 0, 16_777_215, true),
    ints("truncate(u32be)[3]", 0, u32::MAX as i128, true),
    ints("pad_right(dec(u64))[20]", 0, u64::MAX as i128, true),
    words("f64", true),
    words("fdb_f64", true),
    words("fdb_uuid", true),
];

/// Returns the leaf with the given text.
pub(super) fn find(text: &str) -> Option<&'static Leaf> {
    LEAVES.iter().chain(MANY_VALUES).find(|leaf| leaf.text == text)
}

#[cfg(test)]
mod tests {
    use super::{LEAVES, MANY_VALUES};
    use crate::{Oracle, Words};
    use keyscape_codec::names;
    use keyscape_layout::{NoImports, model::KeyspaceId, read};

    #[test]
    fn every_codec_is_drawn() {
        for name in names() {
            let is_drawn = LEAVES.iter().chain(MANY_VALUES).any(|leaf| {
                let mut words = leaf.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                words.any(|word| word == *name)
            });
            assert!(is_drawn, "{name}");
        }
    }

    #[test]
    fn few_values_are_all_listed_and_of_many_some() {
        let mut words = Words::default();
        let mut wrong = Vec::new();
        let leaves = LEAVES.iter().map(|leaf| (leaf, true));
        for (leaf, all) in leaves.chain(MANY_VALUES.iter().map(|leaf| (leaf, false))) {
            let text = format!("store s map m = {{x: {}}}", leaf.text);
            let layout = read("leaf.keys", &text, &mut NoImports);
            let layout = layout.map_err(|rejected| rejected.diagnostics[0].message.clone());
            let rows = layout.map(|layout| {
                let oracle = Oracle::new(&layout, &mut words, &[], 300);
                oracle.map(|o| (o.rows(KeyspaceId(0)).len(), o.is_complete(KeyspaceId(0))))
            });
            if !matches!(rows, Ok(Ok((1.., complete))) if complete == all) {
                wrong.push(format!("{text}: {rows:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
