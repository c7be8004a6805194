//! Values against rows of a real store.

use keyscape::{
    U256, ValueForm,
    forms::{Be, Dec, Proto, Wrapped},
};
use keyscape_concentrated_liquidity::{
    layout::concentratedliquidity::Owner,
    values::{AccumulatorContent, DecProto, IncentiveRecordBody, Pool, Position, Record, TickInfo},
};
use keyscape_testkit::corpus::{self, unhex};
use serde_json::Value;
use std::collections::BTreeMap;

/// Decodes bytes and encodes them again.
fn again<F: ValueForm>(bytes: &[u8]) -> Vec<u8> {
    let value = F::into_owned(F::decode(bytes).unwrap());
    let mut out = Vec::new();
    F::encode_owned(&value, &mut out).unwrap();
    out
}

#[test]
fn every_value_is_written_again_with_the_same_bytes() {
    let mut count = BTreeMap::<String, u32>::new();
    for row in corpus::lines::<Value>("cl/rows.jsonl.gz") {
        let kind = row["type"].as_str().unwrap();
        let value = unhex(row["value"].as_str().unwrap()).unwrap();
        let found = match kind {
            "TickInfo" => again::<Proto<TickInfo>>(&value),
            "Pool" => again::<Proto<Pool>>(&value),
            "Position" => again::<Position>(&value),
            "IncentiveRecordBody" => again::<Proto<IncentiveRecordBody>>(&value),
            "AccumulatorContent" => again::<Proto<AccumulatorContent>>(&value),
            "Record" => again::<Proto<Record>>(&value),
            "UInt64Value" => again::<Wrapped<u64>>(&value),
            "DecProto" => again::<Proto<DecProto>>(&value),
            "u64be" => again::<Be<u64>>(&value),
            "int" => again::<Dec<U256>>(&value),
            "one" => vec![1],
            other => panic!("no such type: {other}"),
        };
        assert_eq!(found, value, "{row}");
        *count.entry(kind.to_owned()).or_default() += 1;
    }
    assert_eq!(count.values().sum::<u32>(), 5_173, "{count:?}");
    assert_eq!(count.len(), 11, "{count:?}");
}

/// Text that Go would parse but that no store contains.
#[test]
fn numbers_that_are_not_canonical_are_refused() {
    for text in ["", "+5", "0x1f", "1_000", "017", "-0", "1.5", " 1"] {
        let mut row = vec![0x0a, text.len().try_into().unwrap()];
        row.extend_from_slice(text.as_bytes());
        assert!(Proto::<DecProto>::decode(&row).is_err(), "{text}");
    }
    assert!(Proto::<DecProto>::decode(b"\x0a\x02-1").is_ok());
}

/// The owner of a position has one text: bech32 in lower case, with the prefix of the chain.
#[test]
fn owners_that_are_not_canonical_are_refused() {
    let row = |owner: &str| {
        let length = owner.len().try_into().unwrap();
        [&[0x12, length][..], owner.as_bytes(), b"\x3a\x010"].concat()
    };
    let owner = Owner::new(vec![7; 20]).unwrap().to_string();
    assert!(Position::decode(&row(&owner)).is_ok());
    let other = keyscape_bank::Address::new(vec![7; 20]).unwrap().to_string();
    for text in ["", &owner.to_uppercase(), &other, &format!("0x{}", "07".repeat(20))] {
        assert!(Position::decode(&row(text)).is_err(), "{text}");
    }
}
