//! Values of rows by their forms.

use keyscape_automata::Budget;
use keyscape_codec::Value;
use keyscape_layout::{Datum, EncodeReason, NoImports, RowDatum, ValueReader, encode_value, read};

const LAYOUT: &str = r#"store s structures
type Score = | confirmed 0x00 {at: u32be} | later 0x01 {at: u64be}
type Out = {txid: bytes[4]} {vout: u32be}
zset a = "a" {x: u8} member Out score Score
zset b = "b" {x: u8} member Out score u64be
map m = "m" {x: u8} -> Out reads dec
map e = "e" {x: u8} -> empty reads const 0x00
map j = "j" {x: u8} -> json
map p = "p" {x: u8} -> proto BoolValue reads bool
"#;

#[test]
fn values_are_read_and_written_by_their_forms() {
    let layout = read("s.keys", LAYOUT, &mut NoImports).unwrap();
    let budget = Budget::default();
    let keyspace = |name: &str| layout.keyspace(layout.find(name)[0]);
    let cases: [(&str, &[u8], bool, bool); 12] = [
        ("m", b"abcd\x00\x00\x00\x01", true, false),
        ("m", b"12", false, true),
        ("m", b"012", false, false),
        ("e", b"", true, false),
        ("e", b"\x00", false, true),
        ("j", b"{}", true, false),
        ("j", b"\xff", false, false),
        ("p", b"", true, false),
        ("p", b"\x08\x01", true, false),
        ("p", b"\x08\x00", false, false),
        ("p", b"\x00", false, true),
        ("p", b"\x01", false, true),
    ];
    for (name, bytes, fits, older) in cases {
        let keyspace = keyspace(name);
        for (form, fits) in [(&keyspace.value, fits), (&keyspace.reads, older)] {
            let Some(form) = form else { continue };
            let found = ValueReader::new(Some(form), budget).unwrap().read(bytes);
            assert_eq!(found.is_ok(), fits, "{name} {bytes:?} {form:?}");
            if let Ok(datum) = found {
                let mut again = Vec::new();
                encode_value(Some(form), &datum, &mut again).unwrap();
                assert_eq!(again, bytes);
            }
        }
    }
    let wrong = encode_value(keyspace("m").value.as_ref(), &RowDatum::Nothing, &mut Vec::new());
    assert!(matches!(wrong.unwrap_err().reason, EncodeReason::Shape { .. }));
    let number = RowDatum::Datum(Datum::Leaf(Value::uint(1)));
    let wrong = encode_value(keyspace("p").value.as_ref(), &number, &mut Vec::new());
    assert!(matches!(wrong.unwrap_err().reason, EncodeReason::Value(_)));
}

#[test]
fn a_length_is_fixed_if_all_encodings_have_it() {
    let layout = read("s.keys", LAYOUT, &mut NoImports).unwrap();
    let width = |name: &str| {
        let keyspace = layout.keyspace(layout.find(name)[0]);
        [&keyspace.member, &keyspace.score].map(|ty| ty.as_ref().unwrap().fixed_length())
    };
    assert_eq!(width("a"), [Some(8), None]);
    assert_eq!(width("b"), [Some(8), Some(8)]);
}
