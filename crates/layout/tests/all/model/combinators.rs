//! Hashed literals, wraps and derived bytes.

use crate::model::{bytes, layout, machine, mistakes, record, uint, whole_machine};
use keyscape_codec::{
    Arg, Call, Codec, Value, build,
    hash::Function,
    hex::{digits as hex, parse as parse_hex},
};
use keyscape_layout::{
    Datum, Decoder, Expected, Layout, NearMiss, Record,
    model::{Keyspace, Segment, Type},
};

fn key(key: &str) -> String {
    mistakes(&format!("store s\nmap m = {key} -> empty"))
}

/// Returns all combinations of a few values of each field.
fn records(segments: &[Segment]) -> Vec<Record> {
    let mut all = vec![Record::default()];
    for segment in segments {
        let choices: Vec<Record> = match segment {
            Segment::Literal(_) | Segment::Derived(_) => continue,
            Segment::Field(field) => {
                let data = data(&field.ty).into_iter();
                data.map(|datum| Record(vec![(field.name.clone(), datum)])).collect()
            }
            Segment::Option(option) => {
                let mut choices = records(&option.segments);
                choices.push(Record::default());
                choices
            }
        };
        all = all
            .iter()
            .flat_map(|record| choices.iter().map(|more| [&record.0[..], &more.0].concat()))
            .map(Record)
            .collect();
    }
    all
}

fn data(ty: &Type) -> Vec<Datum> {
    match ty {
        Type::Leaf(leaf) => leaf.codec.samples().into_iter().take(4).map(Datum::Leaf).collect(),
        Type::Enum(of) => of.texts.iter().cloned().map(Datum::Name).collect(),
        Type::Composite(inner) => records(inner).into_iter().map(Datum::Record).collect(),
        Type::List(list) => {
            let elements = data(&list.element);
            (list.min..=list.max)
                .map(|n| Datum::List(elements.iter().cycle().take(n as usize).cloned().collect()))
                .collect()
        }
        Type::Variant(arms) => arms
            .iter()
            .flat_map(|arm| {
                let records = records(&arm.segments).into_iter();
                records.map(|record| Datum::Arm(arm.name.clone(), record))
            })
            .collect(),
    }
}

fn keyspace<'a>(layout: &'a Layout, name: &str) -> &'a Keyspace {
    layout.keyspace(layout.find(name)[0])
}

/// Returns the readings of a key in one keyspace.
fn readings(layout: &Layout, name: &str, key: &[u8]) -> Vec<Record> {
    let decoded = Decoder::new(layout, &machine(layout, &layout.find(name))).decode(key);
    decoded.readings.into_iter().map(|reading| reading.fields).collect()
}

#[test]
fn a_substrate_storage_key_is_described_by_the_names_it_is_made_from() {
    let layout = layout(
        r#"store chain
        namespace system = twox128("System") {
            map account = twox_128("Account") {who: blake2_128_concat(bytes[32])} -> empty
        }
        item number = twox128("System") twox128("Number") -> empty"#,
    );
    let (digits, mut alice) =
        (b"d43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d", Vec::new());
    parse_hex(digits, &mut alice).unwrap();
    let who = record([("who", bytes(&alice))]);
    let key = keyspace(&layout, "account").encode(&who).unwrap();
    let expected = "26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9\
                    de1e86a9a8c739864cf3cc5ec2bea59f";
    assert_eq!(hex(&key), format!("{expected}{}", hex(&alice)));
    assert_eq!(readings(&layout, "account", &key), [who]);
    let number = keyspace(&layout, "number").encode(&Record::default()).unwrap();
    assert_eq!(hex(&number), "26aa394eea5630e07c48ae0c9558cef702a5c1b19ab7a04f536c519aca4983ac");
    let machine = machine(&layout, &layout.find("account"));
    let explained = Decoder::new(&layout, &machine).explain(&key);
    let notes: Vec<_> = explained.readings[0].parts.iter().map(|part| part.note.clone()).collect();
    let note = |text: &str| Some(text.to_owned());
    assert_eq!(notes, [note("twox_128(\"System\")"), note("twox_128(\"Account\")"), None]);
}

const WRAPS: [&str; 6] = ["hex", "nibbles", "complement", "escaped", "escaped01", "groups8"];

/// Encodes bytes with a codec.
fn wrapped(codec: &dyn Codec, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    codec.encode(&Value::Bytes(bytes.to_vec()), &mut out).unwrap();
    out
}

#[test]
fn a_wrap_encodes_the_bytes_of_all_segments_like_its_codec() {
    let types = r#"
        type Level = "low" | "" | "high"
        type Even = "ab" | "cd"
        type Pair = {a: u16le} "\x00" {b: u8}
        type Kind = | own "o" {id: u8} | none "n\x00"
        type Step = 0x07 {n: u8}"#;
    let anything = [
        r#""a\x00" {x: bytes[0..=3]} {y: u16be}"#,
        r#"{x: dec(u8)} [0x00 {y: u8} if level is high] {level: Level}"#,
        r#"{pair: Pair} {kind: Kind} [{z: u8}]"#,
        r#"{steps: list(Step)[0..=3]} 0x00FF"#,
        r#"wrap escaped01({x: bytes[0..=3]} 0x00) wrap hex({y: u8})"#,
        r#"twox_64("x") {x: u8} {= sha256(x)[3]}"#,
    ];
    let counted = [
        r#""t" {table: u64be} "_r" {handle: u64be}"#,
        r#"{x: u64be}"#,
        r#"{x: bytes[0..=20]}"#,
        r#""abc" {even: Even} {pair: Pair} {x: bytes[0..=20]}"#,
        r#"twox_64("x") {x: u8} {= sha256(x)[13]}"#,
        r#"wrap hex({x: u64be}) 0xFFFF"#,
    ];
    let any = build(Call::new("bytes").length(0, Some(64))).unwrap();
    for codec in WRAPS {
        let around = build(Call::new(codec).arg(Arg::Codec(any.clone()))).unwrap();
        let all = anything.iter().filter(|_| codec != "groups8").chain(&counted);
        for segments in all {
            let layout = layout(&format!(
                "store s {types} map plain = {segments} -> empty \
                 map whole = \"w\" wrap {codec}({segments}) {{last: u8}} -> empty"
            ));
            let (plain, whole) = (keyspace(&layout, "plain"), keyspace(&layout, "whole"));
            let machine = machine(&layout, &layout.find("whole"));
            let mut decoder = Decoder::new(&layout, &machine);
            let mut some = 0;
            for mut record in records(&plain.key) {
                let Ok(bytes) = plain.encode(&record) else { continue };
                record.set("last", uint(7));
                let key = whole.encode(&record).unwrap();
                let expected = [b"w", &wrapped(&*around, &bytes)[..], &[7]].concat();
                assert_eq!(hex(&key), hex(&expected), "wrap {codec}({segments}) {record:?}");
                let readings = decoder.decode(&key).readings;
                assert!(readings.iter().any(|found| found.fields == record), "{record:?}");
                some += 1;
            }
            assert!(some > 1, "{segments}");
        }
    }
}

#[test]
fn a_scan_may_end_inside_a_wrap() {
    let layout = layout(
        r#"store s map m = "m" wrap escaped("x" {a: u8} 0x00 {b: bytes[0..=2]}) {c: u8} -> empty
        scan a scan a, b"#,
    );
    let m = keyspace(&layout, "m");
    let both = record([("a", uint(0)), ("b", bytes(&[0, 1]))]);
    let until = |scan: usize| hex(&m.encode_until(&both, m.scans[scan].end).unwrap());
    assert_eq!(until(0), "6d7800ff00ff", "no end of the wrap");
    assert_eq!(until(1), "6d7800ff00ff00ff0100", "with the end of the wrap");
}

#[test]
fn a_type_taken_from_a_wrapped_field_has_no_wrap() {
    let layout = layout(
        r#"store s
        map m = "m" wrap hex({id: u16be} {n: u8}) -> empty scan id as "m" wrap hex({id})
        index i of m = "i" {n} wrap hex({id}) -> empty"#,
    );
    let record = record([("id", uint(0x1234)), ("n", uint(9))]);
    assert_eq!(keyspace(&layout, "m").encode(&record).unwrap(), b"m123409");
    assert_eq!(keyspace(&layout, "i").encode(&record).unwrap(), b"i\x091234");
    let asked = keyspace(&layout, "m").scans[0].asked.as_ref().unwrap();
    let [_, Segment::Field(id)] = asked.start.as_slice() else { panic!("{asked:?}") };
    let Type::Leaf(leaf) = &*id.ty else { panic!("{id:?}") };
    assert_eq!(leaf.codec.text(), "hex(u16be)");
}

const DERIVED: &str = r#"store s
    map front = "f" {= sha256(owner, id)[4]} {owner: len8(bytes[0..=3])} {id: u16be} -> empty
        scan owner, id
    map after = "b" wrap hex({owner: bytes[2]} {= twox128(owner)}) {id: u8} -> empty scan owner
    type Tagged = {x: u8} {= keccak256(x)[1]}
    map inside = "i" {tagged: Tagged} [{= sha256(tagged)[2]} {n: u8}] -> empty"#;

fn digest(function: Function, bytes: &[u8], length: usize) -> Vec<u8> {
    function.digest(bytes)[..length].to_vec()
}

#[test]
fn derived_bytes_are_the_digest_of_the_bytes_of_fields() {
    let layout = layout(DERIVED);
    let owned = record([("owner", bytes(b"ab")), ("id", uint(5))]);
    let key = keyspace(&layout, "front").encode(&owned).unwrap();
    let expected = [b"f", &digest(Function::Sha256, b"\x02ab\x00\x05", 4)[..], b"\x02ab\x00\x05"];
    assert_eq!(key, expected.concat());
    assert_eq!(readings(&layout, "front", &key), std::slice::from_ref(&owned));
    let front = keyspace(&layout, "front");
    assert_eq!(front.encode_until(&owned, front.scans[0].end).unwrap(), key);

    // The digest is that of the field without the wraps around it.
    let key = keyspace(&layout, "after").encode(&owned).unwrap();
    let inside = [b"ab", &digest(Function::Twox128, b"ab", 16)[..]].concat();
    assert_eq!(key, format!("b{}\x05", hex(&inside)).into_bytes());
    assert_eq!(readings(&layout, "after", &key), [owned]);

    let tag = digest(Function::Keccak256, b"\x07", 1);
    let tagged = Datum::Record(record([("x", uint(7))]));
    let both_tagged = record([("tagged", tagged), ("n", uint(1))]);
    let key = keyspace(&layout, "inside").encode(&both_tagged).unwrap();
    let both = [b"\x07", &tag[..]].concat();
    let expected = [b"i", &both[..], &digest(Function::Sha256, &both, 2), b"\x01"].concat();
    assert_eq!(key, expected);
    assert_eq!(readings(&layout, "inside", &key), [both_tagged]);
}

#[test]
fn a_key_with_wrong_derived_bytes_is_rejected() {
    let layout = layout(DERIVED);
    for name in ["front", "after", "inside"] {
        let (of, machine) = (keyspace(&layout, name), machine(&layout, &layout.find(name)));
        let mut decoder = Decoder::new(&layout, &machine);
        let mut lenient = Decoder::new(&layout, &machine).without_verifying();
        for record in records(&of.key).into_iter().take(8) {
            let key = of.encode(&record).unwrap();
            let parts = decoder.explain(&key).readings[0].parts.clone();
            let derived = |part: &&keyscape_layout::Part| {
                part.field.as_ref().is_some_and(|field| field.contains("= "))
            };
            assert!(parts.iter().any(|part| derived(&part)), "{parts:?}");
            for part in parts.iter().filter(derived) {
                let mut wrong = key.clone();
                let at = part.bytes.end - 1;
                wrong[at] = if wrong[at] == b'0' { b'1' } else { b'0' };
                assert_eq!(decoder.decode(&wrong).readings, [], "{name} {record:?}");
                let found = lenient.decode(&wrong).readings;
                assert!(found.iter().any(|reading| reading.fields == record), "{record:?}");
                let misses = decoder.near_misses(&wrong, 1);
                let text = part.field.clone().unwrap();
                let expected = Expected::Derived { text, byte: Some(key[at]) };
                let miss = NearMiss { keyspace: layout.find(name)[0], offset: at, expected };
                assert_eq!(misses, [miss]);
            }
        }
    }
}

/// A complete key with a wrong digest or checksum is not reported as too short.
#[test]
fn a_digest_or_checksum_that_does_not_match_is_named() {
    let layout = layout(
        r#"store s
        map concat = "c" {who: blake2_128_concat(bytes[4])} -> empty
        map between = "b" {n: u8} {who: hex(twox_64_concat(bytes[1..=4]))} "/" {m: u8} -> empty
        map text = "t" {who: base58check(bytes[2])} -> empty"#,
    );
    let digest = "the digest does not match the bytes that follow it";
    let checksum = "text is not base58 or its checksum is wrong";
    let cases = [
        ("concat", 3, 1, "blake2_128_concat(bytes[4])", digest),
        ("between", 4, 2, "hex(twox_64_concat(bytes[1..=4]))", digest),
        ("text", 3, 1, "base58check(bytes[2])", checksum),
    ];
    for (name, at, offset, codec, reason) in cases {
        let (of, machine) = (keyspace(&layout, name), machine(&layout, &layout.find(name)));
        let mut decoder = Decoder::new(&layout, &machine);
        for record in records(&of.key).into_iter().take(8) {
            let mut key = of.encode(&record).unwrap();
            assert_eq!(decoder.decode(&key).readings.len(), 1, "{record:?}");
            key[at] = if key[at] == b'2' { b'3' } else { b'2' };
            assert_eq!(decoder.decode(&key).readings, [], "{record:?}");
            let end = if name == "between" { key.len() - 2 } else { key.len() };
            let (path, codec) = ("who".to_owned(), codec.to_owned());
            let expected = Expected::Mismatch { path, codec, end, reason };
            let miss = NearMiss { keyspace: layout.find(name)[0], offset, expected };
            assert_eq!(decoder.near_misses(&key, 1), [miss], "{record:?}");
        }
    }
}

#[test]
fn unknown_hash_functions_and_wraps_come_with_suggestions() {
    assert_eq!(
        key(r#"twox_129("System") {x: u8}"#),
        "there is no hash function `twox_129` @ twox_129 (did you mean `twox_128`?)"
    );
    assert_eq!(
        mistakes(r#"store s namespace n = md5("n") { item i = 0x01 -> empty }"#),
        "there is no hash function `md5` @ md5 (it is one of blake2_128, blake2_256, twox_64, \
         twox_128, twox_256, sha256, keccak256)"
    );
    assert_eq!(
        key("{= sha265(x)} {x: u8}"),
        "there is no hash function `sha265` @ sha265 (did you mean `sha256`?)"
    );
    assert_eq!(
        key("wrap excaped({x: u8})"),
        "`excaped` cannot wrap several segments @ excaped (did you mean `escaped`?)"
    );
    assert_eq!(
        key("wrap rev({x: u8})"),
        "`rev` cannot wrap several segments @ rev (it is one of hex, nibbles, complement, \
         escaped, escaped01, groups8)"
    );
    assert_eq!(key("wrap hex(\"\") {x: u8}"), "an empty literal has no effect @ \"\" (remove it)");
}

#[test]
fn groups_of_eight_are_counted() {
    let help = "(let only a single value at the end vary, or use `wrap escaped01(…)`)";
    for (segments, what) in [
        (
            "{x: bytes[0..=3]} {y: u8}",
            "`x` has no fixed length, so `groups8` cannot count the bytes after it @ bytes[0..=3]",
        ),
        (
            "{y: u8} [{x: u8}]",
            "an optional part has no fixed length, so `groups8` cannot count the bytes after it @ [{x: u8}]",
        ),
    ] {
        assert_eq!(key(&format!("wrap groups8({segments})")), format!("{what} {help}"));
    }
}

#[test]
fn derived_bytes_need_fields_of_the_same_list() {
    assert_eq!(key("{= sha256(y)} {x: u8}"), "there is no field `y` beside these bytes @ y");
    assert_eq!(
        key("{= sha256(ownr)} {owner: u8}"),
        "there is no field `ownr` beside these bytes @ ownr (did you mean `owner`?)"
    );
    assert_eq!(
        key("{= sha256(x)} [{x: u8}]"),
        "`x` may be absent itself, so nothing can be derived from it @ x"
    );
    for length in ["0", "33", "1..=4"] {
        assert_eq!(
            key(&format!("{{= sha256(x)[{length}]}} {{x: u8}}")),
            format!(
                "from 1 to 32 bytes of this digest can be kept @ {length} (write one number: `[4]`)"
            )
        );
    }
    assert_eq!(
        mistakes(
            "store s map m = {= sha256(a, b)} {a: u8} {b: u8} -> empty scan a scan a, b scan all"
        ),
        "this scan begins with `{= sha256(a, b)}`, which needs `b` @ a \
         (name all fields that it is derived from, or write `scan all`)"
    );
    assert_eq!(
        mistakes("store s item i = {= sha256(a)} -> empty"),
        "item `i` is one row, so its key has no fields @ i (use `map` for a row per value of a \
         field)\nthere is no field `a` beside these bytes @ a"
    );
}

/// Sixteen readings of one ambiguous keyspace once hid the readings of the others.
#[test]
fn one_reading_of_each_keyspace_is_listed_first() {
    let text = r#"store s
        map many = {a: text(r"[a-z]+")} {b: text(r"[a-z]+")} {c: text(r"[a-z]+")} -> empty
        map last = {word: text(r"[a-z]+")} -> empty"#;
    let layout = layout(text);
    let decoded = Decoder::new(&layout, &whole_machine(&layout)).decode(b"abcdefghij");
    assert!(decoded.more);
    let names: Vec<&str> =
        decoded.readings.iter().map(|r| layout.keyspace(r.keyspace).name.as_str()).collect();
    let first: std::collections::BTreeSet<&str> = names.iter().copied().take(2).collect();
    assert_eq!((names.len(), first.len()), (16, 2), "{names:?}");
}
