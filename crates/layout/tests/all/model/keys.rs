//! Encoding values to keys and decoding keys.

use crate::model::{bytes, layout, machine, record, uint, whole_machine};
use keyscape_codec::Value;
use keyscape_layout::{Datum, Decoder, EncodeError, EncodeReason, Expected, Layout, Record};

const LAYOUT: &str = r#"
store badges
type Level = "collection" | "incoming" | "outgoing"
type Id = text(r"[a-z]{1,8}")
type Outpoint = {txid: hex(bytes[2])} "_" {vout: dec(u32)}
type Event = | own "own:" {owner: Id} | list "list:" [{seller: Id} ":"] {token: Outpoint}
map trackers = 0x07 {collection: dec(u32)} "-" [{approver: Id} if level is not collection] "-" {level: Level} -> json
    scan collection
map events = "z:" {event: Event} -> empty
map outputs = "h:" {outpoint: Outpoint} {n: u8} -> empty
    scan outpoint.txid
"#;

fn text(text: &str) -> Datum {
    Datum::Leaf(Value::Text(text.to_owned()))
}

fn round_trip(layout: &Layout, keyspace: &str, fields: &Record, key: &[u8]) {
    let id = layout.find(keyspace)[0];
    assert_eq!(layout.keyspace(id).encode(fields).as_deref(), Ok(key));
    let decoded = Decoder::new(layout, &whole_machine(layout)).decode(key);
    let [reading] = decoded.readings.as_slice() else { panic!("{decoded:?}") };
    assert_eq!((reading.keyspace, &reading.fields), (id, fields));
}

#[test]
fn keys_decode_to_the_values_that_they_encode() {
    let layout = layout(LAYOUT);
    let level = |name: &str| ("level", Datum::Name(name.to_owned()));
    let all = record([("collection", uint(7)), level("collection")]);
    round_trip(&layout, "trackers", &all, b"\x077--collection");
    let own = record([("collection", uint(7)), ("approver", text("al")), level("incoming")]);
    round_trip(&layout, "trackers", &own, b"\x077-al-incoming");

    let outpoint = record([("txid", bytes(&[0xab, 1])), ("vout", uint(3))]);
    let listed = record([("token", Datum::Record(outpoint.clone()))]);
    let event = record([("event", Datum::Arm("list".to_owned(), listed))]);
    round_trip(&layout, "events", &event, b"z:list:ab01_3");
    let sold = record([("seller", text("al")), ("token", Datum::Record(outpoint.clone()))]);
    let event = record([("event", Datum::Arm("list".to_owned(), sold))]);
    round_trip(&layout, "events", &event, b"z:list:al:ab01_3");
    let output = record([("outpoint", Datum::Record(outpoint)), ("n", uint(9))]);
    round_trip(&layout, "badges/outputs", &output, b"h:ab01_3\x09");
}

#[test]
fn a_scan_has_a_prefix_made_of_its_leading_part() {
    let layout = layout(LAYOUT);
    let outputs = layout.keyspace(layout.find("outputs")[0]);
    let txid = record([("txid", bytes(&[0xab, 1]))]);
    let leading = record([("outpoint", Datum::Record(txid))]);
    assert_eq!(
        outputs.encode_until(&leading, outputs.scans[0].end).as_deref(),
        Ok(&b"h:ab01_"[..])
    );
    let trackers = layout.keyspace(layout.find("trackers")[0]);
    let leading = record([("collection", uint(7))]);
    assert_eq!(
        trackers.encode_until(&leading, trackers.scans[0].end).as_deref(),
        Ok(&b"\x077-"[..])
    );
}

#[test]
fn values_that_do_not_fit_are_rejected_by_name() {
    let layout = layout(LAYOUT);
    let encode = |fields: Record| layout.keyspace(layout.find("trackers")[0]).encode(&fields);
    let level = |name: &str| ("level", Datum::Name(name.to_owned()));
    assert_eq!(
        encode(record([level("collection")])),
        Err(EncodeError::new("collection", EncodeReason::Missing))
    );
    let absent = record([("collection", uint(7)), ("approver", text("al")), level("collection")]);
    assert_eq!(encode(absent), Err(EncodeError::new("approver", EncodeReason::Absent)));
    let missing = record([("collection", uint(7)), level("incoming")]);
    assert_eq!(encode(missing), Err(EncodeError::new("approver", EncodeReason::Missing)));
    let message = |fields: Record| encode(fields).unwrap_err().to_string();
    assert_eq!(
        message(record([("collection", uint(7)), ("approver", text("a-b")), level("incoming")])),
        "field `approver`: `-` at position 2 is not allowed; expected text matching `[a-z]{1,8}`"
    );
    assert_eq!(
        message(record([("collection", uint(1 << 40)), level("collection")])),
        "field `collection`: expected an integer from 0 to 4294967295"
    );
    assert_eq!(
        message(record([("colection", uint(7)), level("collection")])),
        "there is no field `colection`"
    );
    assert_eq!(
        message(record([("collection", uint(7)), level("all")])),
        "field `level`: `all` is not one of collection, incoming, outgoing"
    );
}

#[test]
fn a_rejected_key_names_the_first_wrong_byte() {
    let layout = layout(LAYOUT);
    let machine = whole_machine(&layout);
    let mut decoder = Decoder::new(&layout, &machine);
    assert!(decoder.decode(b"\x077-al_incoming").readings.is_empty());
    let misses = decoder.near_misses(b"\x077-al_incoming", 2);
    assert_eq!(
        (layout.keyspace(misses[0].keyspace).name.as_str(), misses[0].offset),
        ("trackers", 5)
    );
    let misses = decoder.near_misses(b"\x077", 1);
    assert_eq!((misses[0].offset, &misses[0].expected), (2, &Expected::Byte(b'-')));
}

#[test]
fn an_ambiguous_key_has_all_its_readings() {
    let layout = layout(r#"store s map m = {a: text(r"a{0,40}")} {b: text(r"a{0,40}")} -> empty"#);
    let machine = machine(&layout, &layout.find("m"));
    let mut decoder = Decoder::new(&layout, &machine);
    let decoded = decoder.decode(b"aaa");
    assert_eq!((decoded.readings.len(), decoded.more), (4, false));
    let decoded = decoder.decode(&[b'a'; 40]);
    assert_eq!((decoded.readings.len(), decoded.more), (16, true));
}

#[test]
fn a_checksummed_field_before_text_is_found_among_all_its_possible_ends() {
    let layout = layout(
        r#"store s map m = {a: base58check(bytes[1..=200])} {b: text(r"[1-9A-Za-z]*")} -> empty"#,
    );
    let fields = record([("a", bytes(&[0xab; 40])), ("b", text("zzz"))]);
    let key = layout.keyspace(layout.find("m")[0]).encode(&fields).unwrap();
    round_trip(&layout, "m", &fields, &key);
}

#[test]
fn many_optional_parts_in_a_row_do_not_make_decoding_explode() {
    let options: String = (0..60).map(|n| format!("[{{a{n}: text(r\"a*\")}}] ")).collect();
    let layout = layout(&format!("store s map m = {options} \"x\" -> empty"));
    let machine = machine(&layout, &layout.find("m"));
    let mut decoder = Decoder::new(&layout, &machine);
    assert!(decoder.decode(b"x").more);
    assert!(decoder.decode(b"y").readings.is_empty());
    assert_eq!(decoder.near_misses(b"y", 1)[0].offset, 0);
}
