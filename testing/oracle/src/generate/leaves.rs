//! Codecs with few values.

/// A codec as a layout writes it.
pub(super) struct Leaf {
    pub(super) text: &'static str,
    /// Its integers.
    pub(super) range: Option<(i64, i64)>,
    /// Whether no encoding is the beginning of another.
    pub(super) prefix_free: bool,
}

const fn words(text: &'static str, prefix_free: bool) -> Leaf {
    Leaf { text, range: None, prefix_free }
}

const fn ints(text: &'static str, low: i64, high: i64, prefix_free: bool) -> Leaf {
    Leaf { text, range: Some((low, high)), prefix_free }
}

/// How many leaves of the list, from its start, take part of each other's bytes.
pub(super) const EASILY_CONFUSED: usize = 9;
/// How many leaves, from the start, have at most a dozen values.
pub(super) const FEW_VALUES: usize = LEAVES.len() - 4;

/// The simplest first, those with hundreds of values last.
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
    ints("u8", 0, 255, true),
    words("bytes[1]", true),
    words("bytes[0..=1]", false),
    words("len8(bytes[0..=1])", true),
];
