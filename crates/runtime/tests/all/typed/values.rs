//! Value forms: decoding accepts exactly the encoded bytes.

use keyscape_codec::Uint;
use keyscape_runtime::{
    Be, Bool, Bytes, Const, Constant, Dec, Empty, Le, OfField, Reads, Text, ValueForm, Wrapped,
};
use std::fmt::Debug;

use crate::typed::{Outcome, shop::layout::Ticket, ticket};

struct One;

impl Constant for One {
    const BYTES: &'static [u8] = b"\x01";
}

/// Checks that a value encodes to these bytes, and that they decode to the value.
fn check<F: ValueForm>(input: F::Input<'_>, owned: &F::Owned, bytes: &[u8]) -> Outcome
where
    F::Owned: PartialEq + Debug,
{
    let mut written = Vec::new();
    F::encode(input, &mut written)?;
    assert_eq!(written, bytes);
    written.clear();
    F::encode_owned(owned, &mut written)?;
    assert_eq!(written, bytes);
    assert_eq!(&F::into_owned(F::decode(bytes)?), owned);
    Ok(())
}

fn refuses<F: ValueForm>(texts: &[&[u8]]) {
    for bytes in texts {
        assert!(F::decode(bytes).is_err(), "{bytes:?}");
    }
}

#[test]
fn decimals() -> Outcome {
    check::<Dec>(Uint::ZERO, &Uint::ZERO, b"0")?;
    let most = b"115792089237316195423570985008687907853269984665640564039457584007913129639935";
    check::<Dec>(Uint::MAX, &Uint::MAX, most)?;
    check::<Dec<u8>>(255, &255, b"255")?;
    check::<Dec<i64>>(-7, &-7, b"-7")?;
    refuses::<Dec>(&[b"", b"00", b"-1", b" 1", b"1 ", b"0x1"]);
    refuses::<Dec<u8>>(&[b"256", b"-1", b""]);
    refuses::<Dec<i8>>(&[b"128", b"-0", b"--1"]);
    Ok(())
}

#[test]
fn wrapper_messages() -> Outcome {
    check::<Wrapped<bool>>(true, &true, &[0x08, 0x01])?;
    check::<Wrapped<bool>>(false, &false, b"")?;
    check::<Wrapped<u64>>(12_637, &12_637, &[0x08, 0xdd, 0x62])?;
    check::<Wrapped<i32>>(-1, &-1, &[&[0x08][..], &[0xff; 9], &[0x01]].concat())?;
    refuses::<Wrapped<bool>>(&[
        b"\x00",
        b"\x01",
        b"\x08",
        b"\x08\x00",
        b"\x08\x02",
        b"\x08\x01\x00",
    ]);
    refuses::<Wrapped<u32>>(&[b"\x08\x80\x80\x80\x80\x10", b"\x08\x81\x00", b"\x10\x01"]);
    type Old = Reads<Wrapped<bool>, Bool>;
    assert!(Old::decode(b"\x01")? && !Old::decode(b"\x00")? && !Old::decode(b"")?);
    Ok(())
}

#[test]
fn fixed_integers() -> Outcome {
    check::<Be<u32>>(0x0102, &0x0102, &[0, 0, 1, 2])?;
    check::<Le<u32>>(0x0102, &0x0102, &[2, 1, 0, 0])?;
    check::<Be<i16>>(-2, &-2, &[0xff, 0xfe])?;
    check::<Be<Uint>>(Uint::ONE, &Uint::ONE, &[&[0; 31][..], &[1]].concat())?;
    refuses::<Be<u32>>(&[b"", b"123", b"12345"]);
    Ok(())
}

#[test]
fn bools_texts_bytes_and_nothing() -> Outcome {
    check::<Bool>(true, &true, &[1])?;
    check::<Text>("é", &"é".to_owned(), &[0xc3, 0xa9])?;
    check::<Bytes>(&[1, 2], &vec![1, 2], &[1, 2])?;
    check::<Empty>((), &(), b"")?;
    check::<Const<One>>((), &(), b"\x01")?;
    refuses::<Bool>(&[b"", b"\x02", b"\x01\x01"]);
    refuses::<Text>(&[b"\xff"]);
    refuses::<Empty>(&[b"\0"]);
    refuses::<Const<One>>(&[b"", b"\0", b"\x01\x01"]);
    Ok(())
}

#[test]
fn a_field_as_value() -> Outcome {
    check::<OfField<Ticket<'static>>>(ticket("ab"), &ticket("ab"), b"ab")?;
    refuses::<OfField<Ticket<'static>>>(&[b"", b"AB", b"abcdefghi"]);
    check::<OfField<Be<u16>>>(7, &7, &[0, 7])?;
    Ok(())
}

#[test]
fn older_forms_are_read_and_not_written() -> Outcome {
    type Amount = Reads<Dec, Be<u64>>;
    check::<Amount>(Uint::new(7), &Uint::new(7), b"7")?;
    assert_eq!(Amount::decode(&[0, 0, 0, 0, 0, 0, 0, 9])?, 9_u128);
    // Eight digits are valid in both forms. The written form has priority.
    assert_eq!(Amount::decode(b"12345678")?, 12_345_678_u128);
    let error = Amount::decode(b"x").err().ok_or("refused")?;
    assert!(error.to_string().contains("; and in the older form: "), "{error}");
    type Entry = Reads<Empty, Const<One>>;
    check::<Entry>((), &(), b"")?;
    assert!(Entry::decode(b"\x01").is_ok() && Entry::decode(b"\x02").is_err());
    Ok(())
}

#[cfg(feature = "json")]
#[test]
fn json() -> Outcome {
    use keyscape_runtime::Json;
    use std::collections::BTreeMap;

    #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Pool {
        id: u64,
        tokens: Vec<String>,
    }
    let pool = Pool { id: 7, tokens: vec!["atom".into()] };
    check::<Json<Pool>>(&pool, &pool, br#"{"id":7,"tokens":["atom"]}"#)?;
    let error = Json::<Pool>::decode(b"{}").err().ok_or("refused")?;
    assert!(error.to_string().starts_with("as JSON: missing field `id`"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    // A value that JSON cannot represent is an error of the write.
    let mut out = Vec::new();
    let map = BTreeMap::from([((1, 2), 3)]);
    let error = Json::<BTreeMap<(u8, u8), u8>>::encode(&map, &mut out).err().ok_or("refused")?;
    assert!(error.to_string().contains("what JSON can hold: key must be a string"), "{error}");
    check::<Json<serde_json::Value>>(&serde_json::json!([1]), &serde_json::json!([1]), b"[1]")?;
    Ok(())
}

#[cfg(feature = "proto")]
#[test]
fn proto() -> Outcome {
    use keyscape_runtime::Proto;

    #[derive(Clone, PartialEq, prost::Message)]
    struct Coin {
        #[prost(string, tag = "1")]
        denom: String,
        #[prost(string, tag = "2")]
        amount: String,
    }
    impl TryFrom<Coin> for Uint {
        type Error = std::num::ParseIntError;

        fn try_from(coin: Coin) -> Result<Self, Self::Error> {
            coin.amount.parse()
        }
    }
    let coin = Coin { denom: "atom".into(), amount: "7".into() };
    check::<Proto<Coin>>(&coin, &coin, b"\x0a\x04atom\x12\x017")?;
    refuses::<Proto<Coin>>(&[b"\x0a", b"\x0a\x04ato"]);
    // A field that the type does not know is dropped.
    let newer = b"\x0a\x04atom\x12\x017\x18\x05";
    let mut again = Vec::new();
    Proto::<Coin>::encode(&Proto::<Coin>::decode(newer)?, &mut again)?;
    assert_eq!(again, b"\x0a\x04atom\x12\x017");
    // Balances were coins before they were numbers; a coin without a number is corrupt.
    type Balance = Reads<Dec, Proto<Coin>>;
    assert_eq!(Balance::decode(b"\x0a\x04atom\x12\x017")?, 7_u128);
    assert_eq!(Balance::decode(b"7")?, 7_u128);
    assert!(Balance::decode(b"\x0a\x04atom\x12\x01x").is_err());
    Ok(())
}
