//! Row values, declared types, and fingerprints.

use crate::model::{layout, mistakes};
use keyscape_layout::{
    Layout,
    model::{Keyspace, RowValue, Segment, Type},
};

fn value_text(text: &str) -> String {
    let layout = layout(&format!("store s type Pair = {{a: u8}} {{b: u8}} map m = 0x01 -> {text}"));
    match layout.keyspaces[0].value.clone().unwrap() {
        RowValue::Typed(typed) => match &*typed.ty {
            Type::Leaf(leaf) => format!("{} = {}", typed.text, leaf.codec.text()),
            _ => format!("{} = not a leaf", typed.text),
        },
        RowValue::Own(name) => format!("own {name}"),
        RowValue::Proto(message) => format!("proto {}", message.name),
        other => format!("{other:?}"),
    }
}

#[test]
fn values_are_codecs_declared_types_or_types_of_the_program() {
    assert_eq!(value_text("u64be"), "u64be = u64be");
    assert_eq!(value_text("dec"), "dec = dec(u256)");
    assert_eq!(value_text("dec(u64)"), "dec(u64) = dec(u64)");
    assert_eq!(value_text("text"), "text = text[0..]");
    assert_eq!(value_text("bytes"), "bytes = bytes[0..]");
    assert_eq!(value_text("Pair"), "Pair = not a leaf");
    assert_eq!(value_text("Metadata"), "own Metadata");
    assert_eq!(value_text("json Pool"), "Json(Some(\"Pool\"))");
    assert_eq!(value_text("proto BoolValue"), "proto BoolValue = bool");
    assert_eq!(value_text("proto Int32Value"), "proto Int32Value = i32be");
    assert_eq!(value_text("proto Coin"), "proto Coin");
}

#[test]
fn a_value_that_looks_like_a_codec_must_be_one() {
    assert_eq!(
        mistakes("store s map m = 0x01 -> u64"),
        "`u64` needs a byte order: `u64be` or `u64le` @ u64"
    );
    assert!(mistakes("store s map m = 0x01 -> Foo(u8)").starts_with("there is no type or codec"));
}

fn field_type<'a>(layout: &'a Layout, keyspace: &Keyspace) -> Option<&'a str> {
    let Some(Segment::Field(field)) = keyspace.key.last() else { return None };
    layout.named(&field.ty).map(|named| named.name.as_str())
}

#[test]
fn declared_types_are_known_by_their_own_names() {
    let text = "store s
        /// An id.
        type Id = u64be type Other = Id
        map a = 0x01 {x: Id} map b = 0x02 {x: Other} map c = 0x03 {x: Id in 0..=5}
        index d of a = 0x04 {x}";
    let layout = layout(text);
    let names: Vec<&str> = layout.types.iter().map(|named| named.name.as_str()).collect();
    assert_eq!(names, ["Id", "Other"]);
    assert_eq!(layout.types[0].doc, ["An id."]);
    let of: Vec<_> = layout.keyspaces.iter().map(|k| field_type(&layout, k)).collect();
    assert_eq!(of, [Some("Id"), Some("Other"), None, Some("Id")]);
}

fn line(text: &str) -> String {
    let layout = layout(text);
    layout.canonical(layout.keyspace_ids().last().unwrap())
}

#[test]
fn the_canonical_line_contains_everything_that_changes_bytes() {
    let text = r#"store s type L = "a" | "b" type V = | x 0x01 {n: u8} | y "y"
        family f { map m = 0x01 "k" {l: L} [{o: bytes[2]} if l is not a] {v: V} -> dec reads json P }"#;
    assert_eq!(
        line(text),
        r#"s/f map = 0x016b {"a" | "b"} [ {bytes[2]} if #0 is [1] ] { | 0x01 {u8} | 0x79} -> dec(u256) reads json P"#
    );
    let text = "store s structures type P = {a: u8} {b: u16be} zset z = 0x01 {x: u8}
        member P score u64be counted";
    assert_eq!(line(text), "s zset = 0x01 {u8} member ( {u8} {u16be} ) score u64be counted");
    let text = "store s map m = 0x01 {x: u8} -> proto BoolValue reads bool";
    assert_eq!(line(text), "s map = 0x01 {u8} -> proto BoolValue reads bool");
}

#[test]
fn names_and_scans_change_no_fingerprint_and_bytes_do() {
    let print = |text: &str| {
        let layout = layout(text);
        layout.fingerprint(layout.find("m")[0])
    };
    let base = print("store s map m = 0x01 {a: u8} {b: u8} -> u8");
    assert_eq!(base, print("store s type A = u8 map m = 0x01 {x: A} {b: u8} -> u8 scan x by b"));
    for other in [
        "store t map m = 0x01 {a: u8} {b: u8} -> u8",
        "store s map m = 0x02 {a: u8} {b: u8} -> u8",
        "store s map m = 0x01 {a: u8} {b: i8} -> u8",
        "store s map m = 0x01 {a: u8} {b: u8} -> i8",
        "store s map m = 0x01 {a: u8} {b: u8} -> u8 reads empty",
        "store s family f { map m = 0x01 {a: u8} {b: u8} -> u8 }",
    ] {
        assert_ne!(base, print(other), "{other}");
    }
}
