//! Tests that the functions for generated code agree with the codecs.

use keyscape_codec::{
    KeyBuf, Overflow, Sink, Uint, Value, compact_size, dec, desc, fixed, flip, hex, leb128,
    lengths::{Length, TooLong},
    nul, rev,
    sign_i64::Signs,
    uvarint_ordered, varint_msb,
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
        assert_eq!(dec::parse(&text), Ok(n));
        let turned = stack::<64>(|key| fixed::put_be(n, &mut desc::Complement(key)));
        assert_eq!(turned, dynamic("desc(u64be)", value));
    }
    for n in [i64::MIN, -256, -1, 0, 1, i64::MAX] {
        let value = Value::Int(n.into());
        assert_eq!(stack::<64>(|key| flip::put(n, key)), dynamic("flip(i64)", value.clone()));
        let signs = Signs { neg: 5, pos: 6 };
        let bytes = stack::<64>(|key| signs.put(n, key));
        assert_eq!(bytes, dynamic("sign_i64(neg = 0x05, pos = 0x06)", value.clone()));
        assert_eq!(signs.parse(&bytes), Ok(n));
        let text = stack::<64>(|key| dec::put(n, key));
        assert_eq!(text, n.to_string().into_bytes());
        assert_eq!(dec::parse::<i64>(&text), Ok(n));
    }
    for n in [u128::MAX, u128::from(u64::MAX) + 1, 10_u128.pow(38)] {
        let text = stack::<64>(|key| dec::put(n, key));
        assert_eq!((text.clone(), dec::parse(&text)), (n.to_string().into_bytes(), Ok(n)));
    }
    for n in [Uint::ZERO, Uint::MAX, Uint::ONE << 128, Uint::new(10).pow(77)] {
        let text = stack::<80>(|key| dec::put(n, key));
        assert_eq!((text.clone(), dec::parse(&text)), (n.to_string().into_bytes(), Ok(n)));
        let bytes = stack::<80>(|key| fixed::put_le(n, key));
        assert_eq!((fixed::parse_le(&bytes), bytes.len()), (Ok(n), 32));
    }
    assert!(dec::parse::<Uint>(format!("{}0", Uint::MAX).as_bytes()).is_err());
    assert_eq!(dec::parse::<i8>(b"-128"), Ok(-128));
    for out_of_range in ["128", "-129", "-0", "+1", "--1", "-", ""] {
        assert!(dec::parse::<i8>(out_of_range.as_bytes()).is_err(), "{out_of_range}");
    }
    assert!(dec::parse::<u8>(b"256").is_err() && dec::parse::<u8>(b"-1").is_err());
    assert!(dec::parse::<u64>(b"18446744073709551616").is_err());
}

#[test]
fn parts_are_peeled_off_from_the_left() {
    let mut key = Vec::new();
    fixed::put_be(7_u32, &mut key);
    fixed::put_le(-3_i16, &mut key);
    Length::Byte.put(b"owner", &mut key).unwrap();
    nul::put(b"denom", &mut key);
    hex::put(&[0xab], &mut key);
    let mut rest = &key[..];
    assert_eq!(fixed::take_be::<u32>(&mut rest), Ok(7));
    assert_eq!(fixed::take_le::<i16>(&mut rest), Ok(-3));
    assert_eq!(Length::Byte.take(&mut rest), Ok(&b"owner"[..]));
    assert_eq!(nul::take(&mut rest), Ok(&b"denom"[..]));
    assert_eq!(rest, b"ab");
    let before = rest;
    assert!(fixed::take_be::<u64>(&mut rest).is_err());
    assert!(nul::take(&mut rest).is_err() && Length::Byte.take(&mut rest).is_err());
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
    let too_long = TooLong { length: 256, max: 255 };
    assert_eq!(Length::Byte.put(&[0; 256], &mut Vec::new()), Err(too_long));
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
        let a = stack::<64>(|key| compact_size::put(n, key));
        let b = dynamic("compact_size(u64)", value.clone());
        assert_eq!((&a, compact_size::parse(&a)), (&b, Ok(n)));
        let a = stack::<64>(|key| uvarint_ordered::put(n, key));
        let b = dynamic("uvarint_ordered(u64)", value);
        assert_eq!((&a, uvarint_ordered::parse(&a)), (&b, Ok(n)));
    }
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
    uvarint_ordered::put(3000_u64, &mut key);
    compact_size::put(3000_u64, &mut key);
    Length::Be16.put(b"x", &mut key).unwrap();
    Length::Le32.put(b"yz", &mut key).unwrap();
    Length::Var.put(b"w", &mut key).unwrap();
    let mut rest = &key[..];
    assert_eq!(leb128::take::<u64>(&mut rest), Ok(300));
    assert_eq!(varint_msb::take::<u64>(&mut rest), Ok(300));
    assert_eq!(uvarint_ordered::take::<u16>(&mut rest), Ok(3000));
    assert_eq!(compact_size::take::<u16>(&mut rest), Ok(3000));
    assert_eq!(Length::Be16.take(&mut rest), Ok(&b"x"[..]));
    assert_eq!(Length::Le32.take(&mut rest), Ok(&b"yz"[..]));
    assert_eq!(Length::Var.take(&mut rest), Ok(&b"w"[..]));
    assert!(rest.is_empty());
    let mut rest = &b"\xf8\xff"[..];
    assert!(uvarint_ordered::take::<u8>(&mut rest).is_err());
    assert_eq!(uvarint_ordered::take::<u16>(&mut rest), Ok(2287));
    let mut rest = &b"\x05abc"[..];
    assert!(Length::Var.take(&mut rest).is_err() && Length::Be16.take(&mut rest).is_err());
    assert_eq!(rest, b"\x05abc", "nothing is taken on an error");
}
