//! The functions that generated code calls write and read what the codecs do.

use keyscape_codec::{
    KeyBuf, Overflow, Sink, Value, dec, desc, fixed, flip, float, hex, len8, nul, rev, sign_i64,
};
use keyscape_testkit::codec;

fn dynamic(text: &str, value: Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    codec(text).encode(&value, &mut bytes).unwrap();
    bytes
}

fn stack(write: impl FnOnce(&mut KeyBuf<64>)) -> Vec<u8> {
    let mut key = KeyBuf::new();
    write(&mut key);
    key.bytes().unwrap().to_vec()
}

#[test]
fn both_paths_agree_on_numbers() {
    for n in [0, 1, 9, 10, 99, 100, 255, 256, 12_345, u64::MAX / 3, u64::MAX - 1, u64::MAX] {
        let value = Value::Uint(n.into());
        assert_eq!(stack(|key| fixed::put_be(n, key)), dynamic("u64be", value.clone()));
        assert_eq!(stack(|key| fixed::put_le(n, key)), dynamic("u64le", value.clone()));
        let text = stack(|key| dec::put(n, key));
        assert_eq!(text, dynamic("dec(u64)", value.clone()));
        assert_eq!(text, n.to_string().into_bytes());
        assert_eq!((dec::parse(&text), dec::parse_u64(&text)), (Ok(n), Ok(n)));
        let turned = stack(|key| fixed::put_be(n, &mut desc::Complement(key)));
        assert_eq!(turned, dynamic("desc(u64be)", value));
    }
    for n in [i64::MIN, -256, -1, 0, 1, i64::MAX] {
        let value = Value::Int(n.into());
        assert_eq!(stack(|key| flip::put(n, key)), dynamic("flip(i64)", value.clone()));
        let signs = sign_i64::Signs { neg: 5, pos: 6 };
        let bytes = stack(|key| sign_i64::put(n, signs, key));
        assert_eq!(bytes, dynamic("sign_i64(neg = 0x05, pos = 0x06)", value.clone()));
        assert_eq!(sign_i64::take(&mut &bytes[..], signs), Ok(n));
        let text = stack(|key| dec::put(n, key));
        assert_eq!(text, n.to_string().into_bytes());
        assert_eq!(dec::parse::<i64>(&text), Ok(n));
    }
    for n in [u128::MAX, u128::from(u64::MAX) + 1, 10_u128.pow(38)] {
        let text = stack(|key| dec::put(n, key));
        assert_eq!((text.clone(), dec::parse(&text)), (n.to_string().into_bytes(), Ok(n)));
    }
    assert_eq!(dec::parse::<i8>(b"-128"), Ok(-128));
    assert!(dec::parse::<i8>(b"128").is_err() && dec::parse::<u8>(b"-1").is_err());
}

#[test]
fn parts_are_peeled_off_from_the_left() {
    let mut key = Vec::new();
    fixed::put_be(7_u32, &mut key);
    fixed::put_le(-3_i16, &mut key);
    flip::put(-5_i8, &mut key);
    float::put(0.5, &mut key).unwrap();
    len8::put(b"owner", &mut key).unwrap();
    nul::put(b"denom", &mut key);
    hex::put(&[0xab], &mut key);
    let mut rest = &key[..];
    assert_eq!(fixed::take_be::<u32>(&mut rest), Ok(7));
    assert_eq!(fixed::take_le::<i16>(&mut rest), Ok(-3));
    assert_eq!(flip::take::<i8>(&mut rest), Ok(-5));
    assert_eq!(float::take(&mut rest), Ok(0.5));
    assert_eq!(len8::take(&mut rest), Ok(&b"owner"[..]));
    assert_eq!(nul::take(&mut rest), Ok(&b"denom"[..]));
    assert_eq!(rest, b"ab");
    let before = rest;
    assert!(fixed::take_be::<u64>(&mut rest).is_err());
    assert!(nul::take(&mut rest).is_err() && len8::take(&mut rest).is_err());
    assert_eq!(rest, before, "nothing is taken on an error");
}

#[test]
fn a_key_that_is_too_long_is_an_error_and_never_cut() {
    let mut key = KeyBuf::<4>::new();
    fixed::put_be(1_u16, &mut key);
    fixed::put_be(1_u64, &mut key);
    fixed::put_be(1_u16, &mut key);
    assert_eq!(key.bytes(), Err(Overflow { capacity: 4 }));
    key.clear();
    key.put(&[1, 2, 3, 4]);
    assert_eq!(key.bytes(), Ok(&[1, 2, 3, 4][..]));
    assert_eq!(len8::put(&[0; 256], &mut Vec::new()), Err(len8::TooLong { length: 256 }));
}

#[test]
fn reversing_is_the_same_for_arrays_and_slices() {
    let mut key = Vec::new();
    rev::put(&[1, 2, 3], &mut key);
    assert_eq!(key, rev::reversed([1, 2, 3]));
}
