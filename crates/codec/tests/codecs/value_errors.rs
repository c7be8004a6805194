//! Messages about values outside the domain, and bytes outside the language.

use keyscape_codec::Value;
use keyscape_testkit::codec;

fn error_of(text: &str, value: Value) -> String {
    match codec(text).encode(&value, &mut Vec::new()) {
        Ok(()) => panic!("{text} takes {value:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_wrong_character_and_its_place_are_named() {
    let denom = r#"text(r"[a-z]+")"#;
    assert_eq!(
        error_of(denom, Value::Text("abéc".into())),
        "`é` at position 3 is not allowed; expected text matching `[a-z]+`"
    );
    assert_eq!(
        error_of(denom, Value::Text(String::new())),
        "the value ends too early; expected text matching `[a-z]+`"
    );
    assert_eq!(
        error_of(r#"text(r"[a-z|]+", not "||")[1..=9]"#, Value::Text("a||b".into())),
        "`|` at position 3 is not allowed; expected text of 1 to 9 bytes matching `[a-z|]+` \
         without `||`"
    );
    assert_eq!(
        error_of(r#"bytes(br"[\x01-\xff]*")"#, Value::Bytes(vec![1, 0])),
        r"`0x00` at position 2 is not allowed; expected bytes matching `[\x01-\xff]*`"
    );
    // The language of `é|è` distinguishes them at their second byte; the message shows the whole
    // character.
    assert_eq!(
        error_of(r#"text(r"aé")"#, Value::Text("aè".into())),
        "`è` at position 2 is not allowed; expected text matching `aé`"
    );
}

#[test]
fn errors_of_numbers_name_their_range() {
    assert_eq!(error_of("dec(u8) in 0..=5", Value::uint(6)), "expected an integer from 0 to 5");
    assert_eq!(error_of("u8", Value::Int(6)), "expected an integer from 0 to 255");
    assert_eq!(error_of("u8 in 3..=3", Value::uint(4)), "expected the integer 3");
    assert_eq!(error_of("f64", Value::Float(-0.0)), "expected a number other than NaN and -0");
    assert_eq!(
        error_of("f64_sum(u8, u8 in 0..=9, 1e1)", Value::Pair(7_u8.into(), 10_u8.into())),
        "expected a pair of an integer from 0 to 255 and an integer from 0 to 9"
    );
    assert_eq!(
        error_of("len8(bytes[20])", Value::Bytes(vec![0; 19])),
        "the value ends too early; expected 20 bytes"
    );
}

#[test]
fn a_length_that_is_not_counted_is_still_a_limit() {
    assert_eq!(
        error_of("bytes[0..=5000]", Value::Bytes(vec![0; 5001])),
        "expected 0 to 5000 bytes"
    );
    assert!(codec("bytes[0..=5000]").encode(&Value::Bytes(vec![0; 5000]), &mut Vec::new()).is_ok());
    assert!(codec("bytes[0..=5000]").decode(&[0; 5001]).is_err());
}

#[test]
fn malformed_bytes_are_rejected_with_a_reason() {
    let reason = |text: &str, bytes: &[u8]| codec(text).decode(bytes).unwrap_err().to_string();
    assert_eq!(reason("dec(u64)", b"01"), "a decimal has a leading zero");
    assert_eq!(reason("dec(u64)", b"+1"), "a decimal has a character that is not a digit");
    assert_eq!(reason("dec(i64)", b"-0"), "zero has no sign");
    assert_eq!(reason("dec(u8)", b"256"), "a decimal is outside its range");
    assert_eq!(reason("hex(bytes[1])", b"AB"), "text is not lower-case hexadecimal");
    assert_eq!(
        reason("len8(bytes[1..=9])", b"\x02a"),
        "a length is larger than the bytes that follow it"
    );
    assert_eq!(
        reason("len8(bytes[1..=9])", b"\x01ab"),
        "a length is smaller than the bytes that follow it"
    );
    assert_eq!(
        reason("sign_i64(neg = 0x05, pos = 0x06)", &[5, 0, 0, 0, 0, 0, 0, 0, 0]),
        "the sign byte does not match the number"
    );
}
