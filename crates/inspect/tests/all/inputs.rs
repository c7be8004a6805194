//! Conditions, JSON and keys as text.

use crate::layout;
use keyscape_codec::Value as Leaf;
use keyscape_inspect::{
    database::{Body, Condition, Entry, Stored},
    input::{
        json::parse,
        key::{KeyError, read_hex},
    },
};
use keyscape_layout::{Datum, Record, RowDatum};
use serde_json::Value;

#[test]
fn conditions_compare_numbers_of_any_size_and_texts() {
    let layout = layout("store s\nmap m = {id: dec(u256)} -> json\n");
    let id = Leaf::Uint("340282366920938463463374607431768211456".parse().unwrap());
    let value = r#"{"status":"open","tags":["a","b"],"price":-9.50,"n":null}"#;
    let entry = Entry {
        keyspace: layout.find("m")[0],
        key: Record(vec![("id".to_owned(), Datum::Leaf(id))]),
        body: Body::Row(Stored::Value(RowDatum::Json(value.to_owned()))),
    };
    let holds = |text: &str| Condition::all_hold(&[text.parse().unwrap()], &layout, &entry);
    for text in [
        "value.status=open",
        "value.status != closed",
        "value.tags.1=b",
        "id>340282366920938463463374607431768211455",
        "id<=340282366920938463463374607431768211456",
        "value.price=-9.5",
        "value.price<-9.4",
        "value.n=null",
        "value.status>closed",
        "store=s",
        "keyspace=m",
    ] {
        assert!(holds(text), "{text}");
    }
    for text in ["value.price>0", "value.missing=1", "value.missing!=1", "value.tags=a", "id<9"] {
        assert!(!holds(text), "{text}");
    }
    for text in ["value", "=1", "value..x=1", "!x"] {
        assert!(text.parse::<Condition>().is_err(), "{text}");
    }
}

#[test]
fn a_member_that_occurs_twice_is_rejected_at_any_depth() {
    for text in [r#"{"a":1,"a":2}"#, r#"[{"b":{"a":1,"\u0061":null}}]"#] {
        let error = parse::<Value>(text).unwrap_err().to_string();
        assert_eq!(error, "the member `a` occurs twice");
    }
    let text = r#"{"a":{"a":[1,-2,0.5,true,null,"a","a","\\","{"]},"b":{"a":1}}"#;
    assert_eq!(parse::<Value>(text).unwrap().to_string(), text);
}

#[test]
fn bytes_may_be_separated() {
    let read = |text: &str| {
        let mut bytes = Vec::new();
        read_hex(text.as_bytes(), &mut bytes).map(|()| bytes)
    };
    for text in
        ["6f2f31", "0x6f2f31", "6f 2f 31", "6F:2f:31", "0x6f:2f:31", "0x6f 0x2f 0x31", "6f2f 31"]
    {
        assert_eq!(read(text).unwrap(), b"o/1", "{text}");
    }
    let digit = |what: &str, position| Err(KeyError::Digit { what: what.to_owned(), position });
    assert_eq!(read("6f 2g"), digit("g", 5));
    assert_eq!(read("6f-2f"), digit("-", 3));
    assert_eq!(read(":"), digit(":", 1));
    assert_eq!(read("0x6f 0x2ü"), digit("ü", 9));
    assert_eq!(read("6f2"), Err(KeyError::Odd { digits: 3 }));
    assert_eq!(read("6f 2"), Err(KeyError::OddGroup { group: "2".to_owned() }));
}
