//! Example values of fields.

use crate::model::layout;
use keyscape_codec::Value;
use keyscape_layout::{Datum, Record, model::Type};

/// Returns the example of a key as `field=value` pairs.
fn example(key: &str) -> String {
    let layout = layout(&format!("store s\nmap m = {key} -> empty"));
    let keyspace = &layout.keyspaces[0];
    let (record, bytes) = keyspace.example().unwrap();
    assert_eq!(keyspace.encode(&record).unwrap(), bytes);
    pairs(&record).join(" ")
}

fn pairs(record: &Record) -> Vec<String> {
    let pair = |(name, datum): &(String, Datum)| match datum {
        Datum::Leaf(Value::Uint(number)) => format!("{name}={number}"),
        Datum::Leaf(Value::Int(number)) => format!("{name}={number}"),
        Datum::Leaf(Value::Text(text)) => format!("{name}={text}"),
        Datum::Leaf(Value::Bytes(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains(char::is_control) => format!("{name}={text}"),
            _ => format!("{name}=({} bytes)", bytes.len()),
        },
        Datum::Name(text) => format!("{name}={text}"),
        other => format!("{name}={other:?}"),
    };
    record.0.iter().map(pair).collect()
}

#[test]
fn values_fit_the_names_of_their_fields() {
    assert_eq!(
        example(r#""b" {owner: text[1..=20]} 0x00 {denom: text(r"[a-z]{3,8}")} {height: u64be}"#),
        "owner=alice denom=uatom height=1200"
    );
    assert_eq!(example("{created_at: u64be} {id: u32be}"), "created_at=1767225600 id=1");
    assert_eq!(example("{at: time_text} {day: u32be}"), "at=1767225600000000000 day=20454");
    assert_eq!(example(r#"{key: bytes[1..] shown as utf8}"#), "key=key1");
    assert_eq!(
        example("{txid: bytes[32]} {account: bytes[20]}"),
        "txid=(32 bytes) account=(20 bytes)"
    );
}

#[test]
fn the_fields_of_an_example_differ() {
    assert_eq!(
        example(
            r#"{sender: text(r"[a-z]+")} "/" {owner: text(r"[a-z]+")} "/" {pool: u8} {position: u8}"#
        ),
        "sender=alice owner=bob pool=1 position=2"
    );
}

#[test]
fn a_name_never_breaks_the_domain() {
    assert_eq!(example("{height: u64be in 5..=7}"), "height=5");
    assert_eq!(example(r#"{owner: text(r"x[0-9]{3}")}"#).len(), "owner=x123".len());
    assert_eq!(example("{day: u8 in 1..=31}"), "day=15");
    assert_eq!(example(r#"{denom: text(r"ibc/[A-F0-9]{4}")}"#).len(), "denom=ibc/0000".len());
}

#[test]
fn a_type_alone_has_an_example_of_a_field() {
    let layout = layout("store s\ntype Denom = text(r\"[a-z]{3,8}\")\nmap m = {d: Denom} -> empty");
    let ty: &Type = &layout.types[0].ty;
    assert_eq!(ty.example_of("denom"), Some(Datum::Leaf(Value::Text("uatom".to_owned()))));
    assert!(ty.example().is_some());
}
