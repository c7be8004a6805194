//! Bytes that deployed systems write, and published bytes: a comment above each value names the
//! document or program.

use keyscape_codec::{Loss, Uint, Value, hash::Function, hashed_literal, shown};
use keyscape_testkit::{codec, hex, unhex};

fn bytes(text: &str, value: &Value) -> String {
    let mut out = Vec::new();
    codec(text).encode(value, &mut out).unwrap();
    hex(&out)
}

fn check(text: &str, value: Value, expected: &str) {
    assert_eq!(bytes(text, &value), expected, "{text} {value:?}");
    assert_eq!(codec(text).decode(&unhex(expected).unwrap()), Ok(value), "{text}");
}

fn uints(text: &str, cases: &[(u128, &str)]) {
    for (value, expected) in cases {
        check(text, Value::uint(*value), expected);
    }
}

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

#[test]
fn numbers_have_the_bytes_that_are_stored() {
    check("u64be", Value::uint(1), "0000000000000001");
    check("u32le", Value::uint(1), "01000000");
    check("i16be", Value::Int(-2), "fffe");
    check("flip(i32)", Value::Int(-1), "7fffffff");
    check("sign_i64(neg = 0x05, pos = 0x06)", Value::Int(-1), "05ffffffffffffffff");
    check("sign_i64(neg = 0x05, pos = 0x06)", Value::Int(0), "060000000000000000");
    check("f64", Value::Float(850_000.000_000_123), "c129f0a000000421");
    check("f64", Value::Float(f64::NEG_INFINITY), "000fffffffffffff");
    check("dec(i8)", Value::Int(-128), "2d313238");
    check("desc(u16be)", Value::uint(1), "fffe");
}

#[test]
fn text_and_bytes_have_the_bytes_that_are_stored() {
    check("len8(bytes[1..=255])", Value::Bytes(b"ab".to_vec()), "026162");
    check("hex(bytes[2])", Value::Bytes(vec![0x0a, 0xff]), "30616666");
    check("rev(bytes[3])", Value::Bytes(vec![1, 2, 3]), "030201");
    check(r#"nul(text(r"[a-z]+"))"#, Value::Text("ab".into()), "616200");
}

#[test]
fn addresses_are_those_that_wallets_show() {
    let text = |form: &str, args: &[Vec<u8>], bytes: &[u8]| {
        let form = shown(form, args).unwrap();
        let text = form.show(bytes).unwrap();
        assert_eq!(form.parse(&text).as_deref(), Ok(bytes));
        text
    };
    let cosmos = text("bech32", &[b"cosmos".to_vec()], &[0; 20]);
    assert_eq!(cosmos, "cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a");
    assert_eq!(text("base58check", &[], &[0; 21]), "1111111111111111111114oLvT2");
    assert_eq!(text("reversed_hex", &[], &[1, 2, 3]), "030201");
    assert_eq!(text("utf8", &[], b"abc"), "abc");
}

#[test]
fn the_longest_payload_of_a_prefix_round_trips() {
    let form = shown("bech32", &[b"cosmos".to_vec()]).unwrap();
    let longest = form.show(&[7; 631]).unwrap();
    assert_eq!((longest.len(), form.parse(&longest)), (1023, Ok(vec![7; 631])));
    assert_eq!(form.show(&[7; 632]), None);
}

#[test]
fn other_forms_of_an_address_are_rejected() {
    let codec = codec(r#"bech32("cosmos", bytes[20])"#);
    let good = "cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a";
    assert!(codec.decode(good.as_bytes()).is_ok());
    assert!(codec.decode(good.to_uppercase().as_bytes()).is_err());
    assert!(codec.decode(good.replace("cosmos", "osmo").as_bytes()).is_err());
    assert!(codec.decode(good.replace("8a", "8q").as_bytes()).is_err());
}

#[test]
fn varints_are_those_of_their_documents() {
    // Protocol Buffers, "Encoding": 150 -> 96 01. DWARF 5, appendix C: 2, 127, 128, 129, 12857.
    uints(
        "leb128(u64)",
        &[
            (150, "9601"),
            (2, "02"),
            (127, "7f"),
            (128, "8001"),
            (129, "8101"),
            (12857, "b964"),
            (u64::MAX.into(), "ffffffffffffffffff01"),
        ],
    );
    // Bitcoin Core, src/test/serialize_tests.cpp, `varints_bitpatterns`.
    uints(
        "varint_msb(u64)",
        &[
            (0, "00"),
            (0x7f, "7f"),
            (0x80, "8000"),
            (0x1234, "a334"),
            (0xffff, "82fe7f"),
            (0x12_3456, "c7e756"),
            (0x8012_3456, "86ffc7e756"),
            (0xffff_ffff, "8efefefe7f"),
            (0x7fff_ffff_ffff_ffff, "fefefefefefefefe7f"),
            (u64::MAX.into(), "80fefefefefefefefe7f"),
        ],
    );
    // SQLite4, "Variable-Length Integers".
    uints(
        "uvarint_ordered(u64)",
        &[
            (0, "00"),
            (240, "f0"),
            (241, "f101"),
            (2287, "f8ff"),
            (2288, "f90000"),
            (67823, "f9ffff"),
            (67824, "fa0108f0"),
            (16_777_215, "faffffff"),
            (16_777_216, "fb01000000"),
            (4_294_967_295, "fbffffffff"),
            (4_294_967_296, "fc0100000000"),
            (u64::MAX.into(), "ffffffffffffffffff"),
        ],
    );
    // SCALE codec reference, "Compact/general integers".
    uints(
        "compact(u128)",
        &[
            (0, "00"),
            (1, "04"),
            (42, "a8"),
            (69, "1501"),
            (65535, "feff0300"),
            (100_000_000_000_000, "0b00407a10f35a"),
            (1_073_741_823, "feffffff"),
            (1_073_741_824, "0300000040"),
            (u128::MAX, "33ffffffffffffffffffffffffffffffff"),
        ],
    );
    // Bitcoin developer reference, "CompactSize Unsigned Integers": 515 -> fd 03 02.
    uints(
        "compact_size(u64)",
        &[
            (252, "fc"),
            (253, "fdfd00"),
            (515, "fd0302"),
            (65535, "fdffff"),
            (65536, "fe00000100"),
            (4_294_967_296, "ff0000000001000000"),
        ],
    );
}

#[test]
fn integers_of_256_bits_are_those_of_contracts() {
    // 2^256 - 1, the largest uint256; 10^18, one ether in wei.
    let largest = || Value::Uint(Uint::MAX);
    let digits = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    check("u256be", largest(), &"ff".repeat(32));
    check("dec(u256)", largest(), &hex(digits.as_bytes()));
    check("dec0(u256)[78]", largest(), &hex(digits.as_bytes()));
    let ether = Value::uint(1_000_000_000_000_000_000);
    check("u256be", ether.clone(), &("00".repeat(24) + "0de0b6b3a7640000"));
    check("u256le", ether, &("000064a7b3b6e00d".to_owned() + &"00".repeat(24)));
    // 2^128, 10^38 and 10^77, at boundaries of the arithmetic.
    let power = |exponent: u32| Value::Uint(Uint::new(10).pow(exponent));
    for exponent in [19, 38, 39, 57, 76, 77] {
        let zeros = "0".repeat(exponent as usize);
        check("dec(u256)", power(exponent), &hex(format!("1{zeros}").as_bytes()));
    }
    let wide = Value::Uint(Uint::ONE << 128);
    check("dec(u256)", wide, &hex(b"340282366920938463463374607431768211456"));
}

#[test]
fn zero_padded_decimals_are_those_of_osmosis_twap() {
    // x/twap/types: FormatFixedLengthU64 pads to 20 digits.
    uints("dec0(u64)[20]", &[(1, &hex(b"00000000000000000001"))]);
    uints("dec0(u64)[20]", &[(u64::MAX.into(), &hex(b"18446744073709551615"))]);
}

#[test]
fn lossy_forms_report_their_losses() {
    let pad = "pad_right(dec(u64))[8]";
    assert_eq!(bytes(pad, &Value::uint(42)), "3432000000000000");
    assert_eq!(bytes(pad, &Value::uint(12_345_678)), bytes(pad, &Value::uint(123_456_789)));
    let (a, b) = (Value::uint(10_000_000), Value::uint(100_000_000));
    assert_eq!(codec(pad).lossless(), Loss::Lossy { a, b });
    assert_eq!(codec(pad).decode(b"12345678"), Ok(Value::uint(12_345_678)));
    // Redis issue 1071: scores are doubles, and 2^53 + 1 is rounded to 2^53.
    let score = "f64_of(u64)";
    let (a, b) = (Value::uint(9_007_199_254_740_992), Value::uint(9_007_199_254_740_993));
    assert_eq!(bytes(score, &a), bytes(score, &b));
    assert_eq!(codec(score).lossless(), Loss::Lossy { a, b });
    assert_eq!(codec("f64_of(u32)").lossless(), Loss::None);
    // b-open-io/1sat-stack: the height of a block plus a billionth for each index in it.
    let score = "f64_sum(u32, u32 in 0..=999999999, 1e9)";
    let pair = |whole: u32, part: u32| Value::Pair(whole.into(), part.into());
    check(score, pair(850_000, 123), "c129f0a000000421");
    check(score, pair(4_194_303, 999_999_999), "c14ffffffffffffe");
    let (a, b) = (pair(8_388_608, 1), pair(8_388_608, 2));
    assert_eq!((bytes(score, &a), bytes(score, &b)), ("c160000000000001".into(), bytes(score, &a)));
    assert_eq!(codec(score).lossless(), Loss::Lossy { a, b });
    let (a, b) = (pair(0, 1_000_000_000), pair(1, 0));
    assert_eq!(codec("f64_sum(u32, u32, 1e9)").lossless(), Loss::Lossy { a, b });
    let (a, b) = (Value::uint(0), Value::uint(1));
    assert_eq!(codec("truncate(u64be)[4]").lossless(), Loss::Lossy { a, b });
    assert_eq!(codec("truncate(u64be)[8]").lossless(), Loss::None);
}

#[test]
fn bytes_as_characters_are_those_of_the_bridge() {
    // Gravity Bridge, nonce 128 in a text key.
    check("rune(u64be)", Value::uint(128), "00000000000000c280");
    check("rune(bytes[1])", Value::Bytes(vec![0xff]), "c3bf");
}

#[test]
fn length_prefixes_have_their_bytes() {
    let ab = || Value::Bytes(b"ab".to_vec());
    check("len16(bytes[0..=9])", ab(), "00026162");
    check("len16le(bytes[0..=9])", ab(), "02006162");
    check("len32(bytes[0..=9])", ab(), "000000026162");
    check("len32le(bytes[0..=9])", ab(), "020000006162");
    // Protocol Buffers, "Length-Delimited Records": "testing" -> 07 74 65 73 74 69 6e 67.
    check("lenvar(text[0..=300])", text("testing"), "0774657374696e67");
    assert!(bytes("lenvar(text[0..=300])", &text(&"a".repeat(300))).starts_with("ac0261"));
}

#[test]
fn tuple_elements_are_those_of_the_tuple_layer() {
    // FoundationDB, design/tuple.md: b"foo\x00bar", u"F\u00d4O\u0000bar", -5551212, and -42 as a
    // float, here of 64 bits.
    let foo = Value::Bytes(b"foo\0bar".to_vec());
    check("fdb_bytes(bytes[0..=9])", foo.clone(), "01666f6f00ff62617200");
    check("fdb_text(text[0..=9])", text("F\u{d4}O\0bar"), "0246c3944f00ff62617200");
    check("fdb_int(i64)", Value::Int(-5_551_212), "11ab4b93");
    check("fdb_f64", Value::Float(-42.0), "213fbaffffffffffff");
    // FoundationDB's bindings, tuple tests.
    for (value, expected) in [
        (0, "14"),
        (1, "1501"),
        (-1, "13fe"),
        (255, "15ff"),
        (-255, "1300"),
        (256, "160100"),
        (-256, "12feff"),
        (65535, "16ffff"),
        (i64::MAX, "1c7fffffffffffffff"),
        (i64::MIN, "0c7fffffffffffffff"),
    ] {
        check("fdb_int(i64)", Value::Int(value.into()), expected);
    }
    uints("fdb_int(u64)", &[(u64::MAX.into(), "1cffffffffffffffff")]);
    check("fdb_bool", Value::Bool(false), "26");
    check("fdb_bool", Value::Bool(true), "27");
    check("bool", Value::Bool(true), "01");
    let uuid = Value::Bytes((0..16).collect());
    check("fdb_uuid", uuid, "30000102030405060708090a0b0c0d0e0f");
    check("escaped(bytes[0..=9])", foo.clone(), "666f6f00ff62617200");
    check("escaped01(bytes[0..=9])", foo, "666f6f00ff6261720001");
}

#[test]
fn groups_of_eight_are_those_of_the_comparable_codec() {
    // TiDB, util/codec: EncodeBytes, from its comment.
    for (value, expected) in [
        (&[][..], "0000000000000000f7"),
        (&[1, 2, 3], "0102030000000000fa"),
        (&[1, 2, 3, 0], "0102030000000000fb"),
        (&[1, 2, 3, 4, 5, 6, 7, 8], "0102030405060708ff0000000000000000f7"),
    ] {
        check("groups8(bytes[0..=20])", Value::Bytes(value.to_vec()), expected);
    }
}

#[test]
fn times_are_those_of_the_formats() {
    // Cosmos SDK, types/utils_test.go, TestFormatTimeBytes: Mar 3, 2020 at 7:54pm (UTC).
    let time = Value::Int(1_583_265_240_000_000_000);
    check("time_text", time.clone(), &hex(b"2020-03-03T19:54:00.000000000"));
    check("rfc3339", time, &hex(b"2020-03-03T19:54:00Z"));
    // Go, package time, Format: RFC3339Nano omits trailing zeros.
    check("rfc3339", Value::Int(500_000_000), &hex(b"1970-01-01T00:00:00.5Z"));
    check("rfc3339", Value::Int(-1), &hex(b"1969-12-31T23:59:59.999999999Z"));
    check("rfc3339", Value::Int(0), &hex(b"1970-01-01T00:00:00Z"));
    assert!(codec("rfc3339").decode(b"1970-01-01T00:00:00.50Z").is_err());
    assert!(codec("rfc3339").decode(b"1970-01-01T00:00:00+00:00").is_err());
}

#[test]
fn nibbles_and_complements_have_their_bytes() {
    check("nibbles(bytes[2])", Value::Bytes(vec![0xab, 0x01]), "0a0b0001");
    check("complement(u16be)", Value::uint(1), "fffe");
}

#[test]
fn digests_are_those_of_the_functions() {
    let literal = |function, text: &str| hex(&hashed_literal(function, text.as_bytes()).unwrap());
    // Substrate: the prefixes of System.Account and of Balances, as explorers show them.
    assert_eq!(literal("twox128", "System"), "26aa394eea5630e07c48ae0c9558cef7");
    assert_eq!(literal("twox_128", "Account"), "b99d880ec681799c0cf30e8886371da9");
    assert_eq!(literal("twox128", "Balances"), "c2261276cc9d1f8598ea4b6a74b15c2f");
    // FIPS 180-2, "abc".
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(literal("sha256", "abc"), abc);
    // Keccak, the empty message, as Ethereum uses it.
    let empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
    assert_eq!(literal("keccak256", ""), empty);
    // b2sum -l 256 and -l 128, the empty message.
    let empty = "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8";
    assert_eq!(literal("blake2_256", ""), empty);
    assert_eq!(literal("blake2_128", ""), "cae66941d9efbd404e4d88758ea67670");
    // xxHash, the empty message with seed 0.
    assert_eq!(literal("twox_64", ""), "99e9d85137db46ef");
    for function in Function::ALL {
        assert_eq!(function.digest(b"a").len(), function.length());
    }
}

#[test]
fn a_digest_prefix_is_that_of_the_rest() {
    // Substrate: blake2_128 and twox_64 of an account and of a number, each followed by the input.
    let alice = Value::Bytes(vec![7; 32]);
    let key = bytes("blake2_128_concat(bytes[32])", &alice);
    assert_eq!(key, hex(&Function::Blake2_128.digest(&[7; 32])) + &"07".repeat(32));
    let one = bytes("twox_64_concat(u64le)", &Value::uint(0));
    assert_eq!(one, hex(&Function::Twox64.digest(&[0; 8])) + &"00".repeat(8));
    assert!(codec("twox_64_concat(u64le)").decode(&[0; 16]).is_err());
}
