//! Messages about codecs that cannot be built.

use keyscape_codec::{Arg, Budget, Call, build, int_type, names, shown};
use keyscape_testkit::try_codec;

fn check(text: &str, message: &str) {
    match try_codec(text) {
        Ok(codec) => panic!("{text} was built as {}", codec.text()),
        Err(error) => assert_eq!(error.to_string(), message, "{text}"),
    }
}

#[test]
fn integers_need_a_byte_order() {
    check("u64", "`u64` needs a byte order: `u64be` or `u64le`");
    check("len8(i32)", "`i32` needs a byte order: `i32be` or `i32le`");
    check("u8be", "there is no codec `u8be`");
    check("u24be", "there is no codec `u24be`");
    check("i256be", "there is no codec `i256be`");
    check("u256", "`u256` needs a byte order: `u256be` or `u256le`");
}

#[test]
fn ranges_must_fit_and_ascend() {
    check("u8 in 5..=3", "the range `5..=3` is empty: its ends are reversed");
    check(
        "dec(u8) in 0..=256",
        "256 is not in the range of `dec`, which holds an integer from 0 to 255",
    );
    check("u8 in -1..=3", "-1 is not in the range of `u8`, which holds an integer from 0 to 255");
    check("bytes[5..=3]", "the range `5..=3` is empty: its ends are reversed");
    check("bytes[5] in 0..=3", "`bytes` has no integers, so `in` does not apply to it");
    check("hex(bytes[5]) in 0..=3", "`hex` has no integers, so `in` does not apply to it");
    check("u64be[5]", "`u64be` takes no length");
}

#[test]
fn text_and_bytes_must_declare_their_domain() {
    check(
        "text",
        "`text` must declare its domain: a regular expression or a length, such as \
         `text(r\"[a-z]+\")` or `text[1..=64]`",
    );
    check(
        "bytes(not 0x00)",
        "`bytes` must declare its domain: a regular expression or a length, such as \
         `bytes(br\"[\\x01-\\xff]+\")` or `bytes[32]`",
    );
    check(
        r#"text(r"a+")[0]"#,
        "`text(r\"a+\")[0]` has no values: no value satisfies all conditions",
    );
    check(r#"text(br"a")"#, r#"`text` takes a regular expression over text, r"…""#);
    check(r#"bytes(r"a")"#, r#"`bytes` takes a regular expression over bytes, br"…""#);
    check("text(u8)", r#"`text` is written `text(r"…", not "…")[1..=64]`"#);
}

#[test]
fn an_error_in_an_expression_has_its_span() {
    let error = try_codec(r#"text(r"ok", r"a(b")"#).unwrap_err();
    assert_eq!((error.arg, error.pattern_span()), (Some(1), Some(1..2)));
    let error = try_codec(r#"text(r"^a")"#).unwrap_err();
    assert_eq!(error.pattern_span(), None);
    assert!(error.to_string().starts_with("an anchor or word boundary is not supported"));
}

#[test]
fn a_budget_that_is_too_small_is_reported() {
    let mut call = Call::new("bytes").length(0, Some(100));
    call.budget = Budget { states: 10, ..Budget::default() };
    let message = build(call).unwrap_err().to_string();
    assert!(message.starts_with("the domain is too large: more than "), "{message}");
}

#[test]
fn lengths_must_fit_the_outer_codec() {
    check(
        "len8(bytes[0..=256])",
        "`len8` holds at most 255 bytes, but `bytes[0..=256]` can be longer; give it a length range",
    );
    check(
        r#"len8(text(r"a+"))"#,
        "`len8` holds at most 255 bytes, but `text(r\"a+\")` can be longer; give it a length range",
    );
    check(
        r#"bech32("cosmos", bytes[1..])"#,
        "`bech32` holds at most 631 bytes, but `bytes[1..]` can be longer; give it a length range",
    );
    check(
        "rev(bytes[1..=2])",
        "`rev` needs encodings of one length, but those of `bytes[1..=2]` vary",
    );
}

#[test]
fn signs_versions_and_prefixes_are_checked() {
    check("flip(u64)", "`flip` needs a signed type, such as `i64`");
    check("sign_i64(neg = 0x05)", "`sign_i64` is written `sign_i64(neg = 0x05, pos = 0x06)`");
    check(
        "sign_i64(neg = 0x0506, pos = 0x07)",
        "`sign_i64` needs `neg` to be exactly one byte, such as `neg = 0x05`",
    );
    check(
        "sign_i64(neg = 0x05, pos = 0x05)",
        "`sign_i64` needs two different bytes for `neg` and `pos`",
    );
    let prefix = "a bech32 prefix is 1 to 83 printable ASCII characters, none of them upper-case";
    check(r#"bech32("Cosmos", bytes[20])"#, prefix);
    check(
        r#"base58check("x", bytes[20])"#,
        "`base58check` is written `base58check(version = 0x00, bytes[20])`",
    );
    assert_eq!(shown("bech32", &[b"".to_vec()]).unwrap_err().to_string(), prefix);
    assert_eq!(shown("base64", &[]).unwrap_err().to_string(), "there is no display form `base64`");
}

#[test]
fn widths_and_types_must_fit() {
    check("dec0(u64)", "`dec0` needs its length in bytes: `dec0(u64)[20]`");
    check("dec0(u64)[1..=20]", "`dec0` needs its length in bytes: `dec0(u64)[20]`");
    check(
        "dec0(u64)[19]",
        "`dec0` has 19 digits, but must hold 18446744073709551615 and may have at most 255",
    );
    check("dec0(i64)[20]", "`dec0` needs an unsigned type, such as `u64`");
    check("leb128(i64)", "`leb128` needs an unsigned type of at most 128 bits, such as `u64`");
    check(
        "compact_size(u128)",
        "`compact_size` needs an unsigned type of at most 64 bits, such as `u64`",
    );
    check("leb128(u256)", "`leb128` needs an unsigned type of at most 128 bits, such as `u64`");
    check("f64_of(u128)", "`f64_of` needs a type of at most 64 bits, such as `i64`");
    check("f64_sum(u32, u32)", "`f64_sum` is written `f64_sum(u32, u32, 1e9)`");
    check("f64_sum(u32be, u32, 1e9)", "`f64_sum` is written `f64_sum(u32, u32, 1e9)`");
    check(
        "f64_sum(u64, u32, 1e9)",
        "`f64_sum` needs an unsigned type of at most 32 bits for the whole, such as `u32`",
    );
    for parts in ["u32 in 1..=5", "u32 in 0..=161", "i32"] {
        check(
            &format!("f64_sum(u32, {parts}, 1e1)"),
            "`f64_sum` needs an unsigned type for the parts, from 0 to at most 16 times the scale",
        );
    }
    for scale in ["1", "0", "12", "1e10"] {
        check(
            &format!("f64_sum(u32, u8, {scale})"),
            "`f64_sum` needs a power of ten from `1e1` to `1e9` for the scale",
        );
    }
    check(
        "f64_sum(u32, u8, 1e3) in 0..=5",
        "`f64_sum` has no integers, so `in` does not apply to it",
    );
    check("dec(u8, 7)", "`dec` is written `dec(u64)`");
    check("pad_right(dec(u64))", "`pad_right` needs its length in bytes: `pad_right(dec(u64))[8]`");
    check(
        r#"truncate(bech32("x", bytes[20]))[8]"#,
        "`truncate` needs a codec with an exact language, unlike `bech32(\"x\", bytes[20])`",
    );
    check("bool in 0..=1", "`bool` has no integers, so `in` does not apply to it");
    check("fdb_uuid(u8)", "`fdb_uuid` takes no arguments");
    check("fdb_text(bytes[3])", "`fdb_text` holds text, but the values of `bytes[3]` are not");
    check(
        "len16(bytes[0..])",
        "`len16` holds at most 65535 bytes, but `bytes[0..]` can be longer; give it a length range",
    );
    check(
        "time_text in 0..=999999999999999999999",
        "999999999999999999999 is not in the range of `time_text`, which holds an integer from \
         -62135596800000000000 to 253402300799999999999",
    );
}

#[test]
fn every_name_can_be_built() {
    for name in names() {
        let error = build(Call::new(name)).err();
        let message = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(!message.contains("there is no codec"), "{name}: {message}");
    }
    assert_eq!((int_type("i256"), int_type("u512")), (None, None));
    assert!(build(Call::new("dec").arg(Arg::Int(int_type("i128").unwrap()))).is_ok());
}
