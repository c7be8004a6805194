//! Bytes that deployed systems write.

use keyscape_codec::{Value, shown};
use keyscape_testkit::{codec, hex};

fn check(text: &str, value: Value, expected: &str) {
    let codec = codec(text);
    let mut bytes = Vec::new();
    codec.encode(&value, &mut bytes).unwrap();
    assert_eq!(hex(&bytes), expected, "{text} {value:?}");
    assert_eq!(codec.decode(&bytes), Ok(value), "{text}");
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
fn the_longest_payload_of_a_prefix_still_comes_back() {
    let form = shown("bech32", &[b"cosmos".to_vec()]).unwrap();
    let longest = form.show(&[7; 631]).unwrap();
    assert_eq!((longest.len(), form.parse(&longest)), (1023, Ok(vec![7; 631])));
    assert_eq!(form.show(&[7; 632]), None);
}

#[test]
fn other_forms_of_an_address_are_refused() {
    let codec = codec(r#"bech32("cosmos", bytes[20])"#);
    let good = "cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a";
    assert!(codec.decode(good.as_bytes()).is_ok());
    assert!(codec.decode(good.to_uppercase().as_bytes()).is_err());
    assert!(codec.decode(good.replace("cosmos", "osmo").as_bytes()).is_err());
    assert!(codec.decode(good.replace("8a", "8q").as_bytes()).is_err());
}
