//! Bytes that are derived from fields.

use crate::claims::check;
use keyscape_codec::Language;
use keyscape_layout::{
    Datum, Layout, NoImports, Record, compare_records,
    model::{KeyspaceId, Scan, Segment, Type},
    read,
};
use keyscape_prover::{Claim, Config, Rule, Verdict};
use std::cmp::Ordering;

#[test]
fn a_digest_before_or_after_its_fields_is_sound() {
    assert_eq!(
        check(
            r#"store s
            map front = 0x01 {= sha256(owner, id)[4]} {owner: len8(bytes[0..=20])} {id: u64be} -> empty
                scan all  scan owner, id
            map after = 0x02 {owner: len8(bytes[0..=20])} {= twox64(owner)} {id: u64be} -> empty
                scan owner by id
            map wrapped = 0x03 wrap escaped01({id: u16be} {= twox64(id)}) {n: u8} -> empty
                scan id by n"#
        ),
        "proved"
    );
}

#[test]
fn a_collision_is_shown_with_the_right_digest() {
    let verdict = check(
        r#"store s
        map a = "x" {= sha256(id)[2]} {id: u8} -> empty
        map b = "x" {k: bytes[3]} -> empty"#,
    );
    assert_eq!(
        verdict,
        "KS001 a: xn4\\x00 a(id=0) = xn4\\x00 b(k=n4\\x00) (+0)\n\
         KS001 b: xn4\\x00 b(k=n4\\x00) = xn4\\x00 a(id=0) (+0)"
    );
}

#[test]
fn two_digests_that_might_agree_are_not_decided() {
    let verdict = check(
        r#"store s
        map a = "x" {id: u8} {= sha256(id)[8]} -> empty
        map b = "x" {id: u8} {= keccak256(id)[8]} -> empty"#,
    );
    let unknown = "unknown Inexact { codecs: [\"= keccak256(id)[8]\", \"= sha256(id)[8]\"] }";
    assert_eq!(verdict, format!("KS001 a: {unknown}\nKS001 b: {unknown}"));
}

#[test]
fn a_digest_of_both_parts_does_not_tell_where_one_ends() {
    let key = r#"store s map m = {a: text(r"x*")} {b: text(r"x*")}"#;
    let verdict = check(&format!("{key} {{= sha256(a, b)[4]}} -> empty"));
    assert!(verdict.starts_with("KS002 m: x-q\\x16B m(a= b=x) = "), "{verdict}");
    let verdict = check(&format!("{key} {{= sha256(a)[4]}} -> empty"));
    assert!(verdict.starts_with("KS002 m: unknown Inexact"), "{verdict}");
}

#[test]
fn rows_are_not_ordered_by_a_field_after_its_own_digest() {
    let verdict = check("store s map m = {= sha256(id)[4]} {id: u16be} -> empty scan all by id");
    assert!(verdict.starts_with("KS004 m.all: Reversed "), "{verdict}");
    assert_eq!(
        check(
            "store s map m = {owner: u8} {= sha256(owner)[4]} {id: u16be} -> empty
             scan all by owner, id"
        ),
        "proved",
        "the digest is the same as long as its field is"
    );
}

#[test]
fn a_key_with_a_digest_can_be_too_long() {
    let verdict = check("store s on lmdb map m = {= sha256(a)} {a: bytes[0..=600]} -> empty");
    assert!(verdict.starts_with("KS006 m: lmdb 512 "), "{verdict}");
}

/// Layouts with few values, whose rows can all be listed.
const SMALL: &[&str] = &[
    r#"map a = "x" {= sha256(id)[1]} {id: u8 in 0..=9} -> empty scan all by id
       map b = "x" {k: bytes[1]} {n: u8 in 0..=3} -> empty scan k"#,
    r#"map a = {t: text(r"a{0,3}")} {= sha256(t)[1]} -> empty scan all by t scan t"#,
    r#"map a = {t: text(r"a{0,3}")} {= sha256(t)[1]} {u: text(r"a{0,2}")} -> empty scan t by u"#,
    r#"map a = {= sha256(t, u)[1]} {t: text(r"a{0,2}")} {u: text(r"a{0,2}")} -> empty scan t, u"#,
    r#"map a = "k" wrap complement({x: u8 in 0..=9} {= twox64(x)[1]}) -> empty scan all by x"#,
    r#"map a = wrap escaped({t: text(r"a{0,2}")} {= twox64(t)[1]}) {u: text(r"a{0,2}")} -> empty
       scan t by u"#,
    r#"map a = {x: u8 in 0..=9} {= sha256(x)[1]} -> empty scan x
       map b = {x: u8 in 0..=9} {= keccak256(x)[1]} -> empty scan x"#,
    r#"map a = {x: u8 in 0..=9} {= sha256(x)[1]} [{y: u8 in 0..=3}] -> empty scan x by y
       map b = {x: u8 in 0..=9} {y: u8 in 0..=1} {z: u8 in 0..=1} -> empty scan x, y"#,
    r#"map a = {x: u8 in 0..=3} {= sha256(y)[1]} {y: u8 in 0..=9} -> empty scan x by y scan all"#,
];

/// No row refutes a proved claim.
#[test]
fn proved_claims_hold_for_all_rows() {
    let mut decided = 0;
    for text in SMALL {
        let layout = read("test.keys", &format!("store s {text}"), &mut NoImports)
            .unwrap_or_else(|rejected| panic!("{text}: {}", rejected.diagnostics[0].message));
        let rows: Vec<(KeyspaceId, Record, Vec<u8>)> =
            layout.keyspace_ids().flat_map(|id| rows(&layout, id)).collect();
        let report = keyscape_prover::check(&layout, Config { fixes: false, ..Config::default() });
        for claim in &report.claims {
            let holds = holds(&layout, claim, &rows);
            match &claim.verdict {
                Verdict::Proved => assert!(holds, "{} is proved: {text}", claim.rule.code()),
                Verdict::Refuted(_) => assert!(!holds, "{} is refuted: {text}", claim.rule.code()),
                Verdict::Unknown(_) => continue,
            }
            decided += 1;
        }
    }
    assert!(decided > 30, "only {decided} claims are decided");
}

fn rows(layout: &Layout, id: KeyspaceId) -> Vec<(KeyspaceId, Record, Vec<u8>)> {
    let keyspace = layout.keyspace(id);
    let row = |fields: Record| {
        let key = keyspace.encode(&fields).unwrap_or_else(|error| panic!("{error}"));
        (id, fields, key)
    };
    records(&keyspace.key).into_iter().map(row).collect()
}

fn records(segments: &[Segment]) -> Vec<Record> {
    let mut all = vec![Record::default()];
    for segment in segments {
        let choices: Vec<Record> = match segment {
            Segment::Literal(_) | Segment::Derived(_) => continue,
            Segment::Option(option) => {
                [vec![Record::default()], records(&option.segments)].concat()
            }
            Segment::Field(field) => {
                let Type::Leaf(leaf) = &*field.ty else { panic!("{field:?}") };
                let Language::Exact(dfa) = &leaf.language else { panic!("{field:?}") };
                let values = dfa.words(300).into_iter().filter_map(|w| leaf.codec.decode(&w).ok());
                values.map(|v| Record(vec![(field.name.clone(), Datum::Leaf(v))])).collect()
            }
        };
        let longer = |record: &Record| -> Vec<Record> {
            choices.iter().map(|more| Record([&record.0[..], &more.0].concat())).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn holds(layout: &Layout, claim: &Claim, rows: &[(KeyspaceId, Record, Vec<u8>)]) -> bool {
    let keyspace = layout.keyspace(claim.keyspace);
    let own = || rows.iter().filter(|(id, ..)| *id == claim.keyspace);
    let others = |key: &Vec<u8>| rows.iter().filter(|(.., other)| other == key).collect::<Vec<_>>();
    let scan = claim.scan.map(|scan| &keyspace.scans[scan]);
    let lead = |scan: &Scan, record: &Record| -> Vec<Option<Datum>> {
        scan.leading.iter().map(|path| record.get_path(path).cloned()).collect()
    };
    match (claim.rule, scan) {
        (Rule::Disjoint, _) => {
            own().all(|(id, _, key)| others(key).iter().all(|(other, ..)| other == id))
        }
        (Rule::Unambiguous, _) => own().all(|(id, record, key)| {
            others(key).iter().all(|(other, fields, _)| other != id || fields == record)
        }),
        (Rule::ScanExact, Some(scan)) => own().all(|(id, record, _)| {
            let leading = Record(
                record
                    .0
                    .iter()
                    .filter(|(n, _)| scan.leading.iter().any(|p| p[0] == *n))
                    .cloned()
                    .collect(),
            );
            let interval = keyscape_prover::scan_interval(layout, *id, scan, &leading)
                .unwrap_or_else(|e| panic!("{e}"));
            rows.iter().all(|(other, fields, key)| {
                let same = other == id && lead(scan, fields) == lead(scan, record);
                interval.contains(key) == same
            })
        }),
        (Rule::Ordered, Some(scan)) => own().all(|(_, low, low_key)| {
            own().all(|(_, high, high_key)| {
                // The fields after the leading ones, up to the last `by` field.
                let by: Vec<Segment> = keyspace
                    .key
                    .iter()
                    .filter(|segment| {
                        keyscape_layout::fields(std::slice::from_ref(*segment))
                            .iter()
                            .any(|field| scan.by.contains(&field.name))
                    })
                    .cloned()
                    .collect();
                lead(scan, low) != lead(scan, high)
                    || compare_records(&by, low, high) != Ordering::Less
                    || low_key < high_key
            })
        }),
        _ => true,
    }
}

/// Digests of one byte collide.
#[test]
fn short_digests_that_agree_are_found() {
    let said = check(
        r#"store s map d = "d" {= sha256(x)[1]} {x: bytes[0..=4]} {y: bytes[0..=4]} -> empty"#,
    );
    assert!(said.starts_with("KS002 d: d\\xe3"), "{said}");
}
