//! Tests that the functions for generated code agree with the codecs.

use keyscape_codec::{
    KeyBuf, Overflow, Sink, Uint, Value, boolean, compact, compact_size, dec, dec0, desc, escaped,
    f64_of, f64_sum, fit, fixed, flip, groups8, hash, hex, leb128, len8, lengths, nibbles, nul,
    rev, rfc3339, rune, sign_i64, uvarint_ordered, varint_msb,
};
use keyscape_testkit::codec;

fn dynamic(text: &str, value: Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    codec(text).encode(&value, &mut bytes).unwrap();
    bytes
}

fn stack<const N: usize>(write: impl FnOnce(&mut KeyBuf<N>)) -> Vec<u8> {
    let mut key = KeyBuf::new();
    write(&mut key);
    key.bytes().unwrap().to_vec()
}

#[test]
fn both_paths_agree_on_numbers() {
    for n in [0, 1, 9, 10, 99, 100, 255, 256, 12_345, u64::MAX / 3, u64::MAX - 1, u64::MAX] {
        let value = Value::Uint(n.into());
        assert_eq!(stack::<64>(|key| fixed::put_be(n, key)), dynamic("u64be", value.clone()));
        assert_eq!(stack::<64>(|key| fixed::put_le(n, key)), dynamic("u64le", value.clone()));
        let text = stack::<64>(|key| dec::put(n, key));
        assert_eq!(text, dynamic("dec(u64)", value.clone()));
        assert_eq!(text, n.to_string().into_bytes());
        assert_eq!((dec::parse(&text), dec::parse_u64(&text)), (Ok(n), Ok(n)));
        let turned = stack::<64>(|key| fixed::put_be(n, &mut desc::Complement(key)));
        assert_eq!(turned, dynamic("desc(u64be)", value));
    }
    for n in [i64::MIN, -256, -1, 0, 1, i64::MAX] {
        let value = Value::Int(n.into());
        assert_eq!(stack::<64>(|key| flip::put(n, key)), dynamic("flip(i64)", value.clone()));
        let signs = sign_i64::Signs { neg: 5, pos: 6 };
        let bytes = stack::<64>(|key| sign_i64::put(n, signs, key));
        assert_eq!(bytes, dynamic("sign_i64(neg = 0x05, pos = 0x06)", value.clone()));
        assert_eq!(sign_i64::parse(&bytes, signs), Ok(n));
        let text = stack::<64>(|key| dec::put(n, key));
        assert_eq!(text, n.to_string().into_bytes());
        assert_eq!(dec::parse::<i64>(&text), Ok(n));
    }
    for n in [u128::MAX, u128::from(u64::MAX) + 1, 10_u128.pow(38)] {
        let text = stack::<64>(|key| dec::put(n, key));
        assert_eq!((text.clone(), dec::parse(&text)), (n.to_string().into_bytes(), Ok(n)));
    }
    for n in [Uint::ZERO, Uint::MAX, Uint::ONE << 128, Uint::new(10).pow(77)] {
        let text = stack::<80>(|key| dec::put_u256(n, key));
        assert_eq!((text.clone(), dec::parse_u256(&text)), (n.to_string().into_bytes(), Ok(n)));
        let padded = stack::<80>(|key| dec0::put_u256(n, 80, key).unwrap());
        assert_eq!(dec0::parse_u256(&padded, 80), Ok(n));
        let bytes = stack::<80>(|key| fixed::put_le(n, key));
        assert_eq!((fixed::parse_le(&bytes), bytes.len()), (Ok(n), 32));
    }
    assert!(dec::parse_u256(format!("{}0", Uint::MAX).as_bytes()).is_err());
    assert_eq!(dec::parse::<i8>(b"-128"), Ok(-128));
    assert!(dec::parse::<i8>(b"128").is_err() && dec::parse::<u8>(b"-1").is_err());
}

#[test]
fn parts_are_peeled_off_from_the_left() {
    let mut key = Vec::new();
    fixed::put_be(7_u32, &mut key);
    fixed::put_le(-3_i16, &mut key);
    len8::put(b"owner", &mut key).unwrap();
    nul::put(b"denom", &mut key);
    hex::put(&[0xab], &mut key);
    let mut rest = &key[..];
    assert_eq!(fixed::take_be::<u32>(&mut rest), Ok(7));
    assert_eq!(fixed::take_le::<i16>(&mut rest), Ok(-3));
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

#[test]
fn both_paths_agree_on_varints() {
    let powers = (0..64).map(|bits| 1_u64 << bits);
    let around = powers.flat_map(|power| [power - 1, power, power + 1]);
    for n in around.chain([240, 241, 2287, 2288, 67823, 67824, u64::MAX]) {
        let value = Value::Uint(n.into());
        let (a, b) =
            (stack::<64>(|key| leb128::put(n, key)), dynamic("leb128(u64)", value.clone()));
        assert_eq!((&a, leb128::parse(&a)), (&b, Ok(n)));
        let a = stack::<64>(|key| varint_msb::put(n, key));
        assert_eq!(
            (&a, varint_msb::parse(&a)),
            (&dynamic("varint_msb(u64)", value.clone()), Ok(n))
        );
        let (a, b) =
            (stack::<64>(|key| compact::put(n, key)), dynamic("compact(u64)", value.clone()));
        assert_eq!((&a, compact::parse(&a)), (&b, Ok(n)));
        let a = stack::<64>(|key| compact_size::put(n, key));
        let b = dynamic("compact_size(u64)", value.clone());
        assert_eq!((&a, compact_size::parse(&a)), (&b, Ok(n)));
        let a = stack::<64>(|key| uvarint_ordered::put(n, key));
        let b = dynamic("uvarint_ordered(u64)", value.clone());
        assert_eq!((&a, uvarint_ordered::parse(&a)), (&b, Ok(n)));
        let a = stack::<64>(|key| dec0::put(n, 20, key).unwrap());
        assert_eq!((&a, dec0::parse(&a, 20)), (&dynamic("dec0(u64)[20]", value.clone()), Ok(n)));
        assert_eq!(stack::<64>(|key| f64_of::put(n.into(), key)), dynamic("f64_of(u64)", value));
        let (whole, part) = ((n >> 32) as u32, n & 0x3fff_ffff);
        let value = Value::Pair(whole.into(), part.into());
        let a = stack::<64>(|key| f64_sum::put(whole, part, 1_000_000_000, key));
        assert_eq!(a, dynamic("f64_sum(u32, u32, 1e9)", value));
    }
    assert_eq!(dec0::put(100_u8, 2, &mut Vec::new()), Err(dec0::TooWide { width: 2 }));
    assert_eq!(varint_msb::parse::<u8>(&[0x80, 0x7f]), Ok(255));
    assert!(varint_msb::parse::<u8>(&[0x81, 0x00]).is_err());
    assert!(varint_msb::parse::<u128>(&[0xff; 64]).is_err());
    assert!(leb128::parse::<u8>(&[0x80, 0x02]).is_err() && leb128::parse::<u8>(&[0x80]).is_err());
}

#[test]
fn more_parts_are_peeled_off_from_the_left() {
    let mut key = Vec::new();
    leb128::put(300_u64, &mut key);
    varint_msb::put(300_u64, &mut key);
    uvarint_ordered::put(3000, &mut key);
    compact::put(3000_u64, &mut key);
    compact_size::put(3000, &mut key);
    boolean::put(true, &mut key);
    escaped::put(b"a\0b", escaped::End::Zero, &mut key);
    escaped::put(b"a\0b", escaped::End::ZeroOne, &mut key);
    groups8::put(b"12345678", &mut key);
    lengths::put_be::<u16>(b"x", &mut key).unwrap();
    lengths::put_le::<u32>(b"yz", &mut key).unwrap();
    lengths::put_var(b"w", &mut key);
    let mut rest = &key[..];
    assert_eq!(leb128::take::<u64>(&mut rest), Ok(300));
    assert_eq!(varint_msb::take::<u64>(&mut rest), Ok(300));
    assert_eq!(uvarint_ordered::take(&mut rest), Ok(3000));
    assert_eq!(compact::take::<u64>(&mut rest), Ok(3000));
    assert_eq!(compact_size::take(&mut rest), Ok(3000));
    assert_eq!(boolean::take(&mut rest), Ok(true));
    let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), Vec::new());
    escaped::take(&mut rest, escaped::End::Zero, &mut a).unwrap();
    escaped::take(&mut rest, escaped::End::ZeroOne, &mut b).unwrap();
    groups8::take(&mut rest, &mut c).unwrap();
    assert_eq!((&a[..], &b[..], &c[..]), (&b"a\0b"[..], &b"a\0b"[..], &b"12345678"[..]));
    assert_eq!(lengths::take_be::<u16>(&mut rest), Ok(&b"x"[..]));
    assert_eq!(lengths::take_le::<u32>(&mut rest), Ok(&b"yz"[..]));
    assert_eq!(lengths::take_var(&mut rest), Ok(&b"w"[..]));
    assert!(rest.is_empty());
    let mut rest = &b"\x05abc"[..];
    assert!(lengths::take_var(&mut rest).is_err() && lengths::take_be::<u16>(&mut rest).is_err());
    assert!(groups8::take(&mut rest, &mut c).is_err() && compact::take::<u8>(&mut rest).is_err());
    assert_eq!(rest, b"\x05abc", "nothing is taken on an error");
}

#[test]
fn both_paths_agree_on_changed_bytes() {
    let value = || Value::Bytes(vec![0x00, 0x7f, 0xff]);
    let bytes = [0x00, 0x7f, 0xff];
    assert_eq!(stack::<64>(|key| rune::put(&bytes, key)), dynamic("rune(bytes[3])", value()));
    assert_eq!(stack::<64>(|key| nibbles::put(&bytes, key)), dynamic("nibbles(bytes[3])", value()));
    let cut = stack::<64>(|key| fit::put_truncated(&bytes, 2, key));
    assert_eq!(cut, dynamic("truncate(bytes[3])[2]", value()));
    let padded = stack::<64>(|key| fit::put_padded(&bytes, 5, key));
    assert_eq!(padded, dynamic("pad_right(bytes[3])[5]", value()));
    let concat = stack::<64>(|key| hash::put_concat(hash::Function::Twox64, &bytes, key));
    assert_eq!(concat, dynamic("twox_64_concat(bytes[3])", value()));
    let time = stack::<64>(|key| rfc3339::put(1_500_000_000, key).unwrap());
    assert_eq!(time, dynamic("rfc3339", Value::Int(1_500_000_000)));
    assert_eq!(rfc3339::parse(&time), Ok(1_500_000_000));
    assert_eq!(rfc3339::put(i128::MAX, &mut Vec::new()), Err(rfc3339::Outside));
}
