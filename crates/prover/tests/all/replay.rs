//! Checks counterexamples with the codecs, independently of the prover.

use keyscape_automata::Budget;
use keyscape_layout::{
    Datum, Decoder, Layout, Machine, Record, Side, compare, fields,
    machine::LONGEST_SPELLED,
    model::{Keyspace, KeyspaceId, Leaf, Namespace, Scan, Segment, Type},
    type_at,
};
use keyscape_prover::{
    AllocationFault, Claim, Collision, Fault, Interval, Row, Rule, ScanFault, ScannedRow, Verdict,
};
use std::cmp::Ordering;

/// Panics unless the counterexample of a refuted claim contradicts the claim.
pub(crate) fn replay(layout: &Layout, claim: &Claim) {
    let Verdict::Refuted(counterexample) = &claim.verdict else { return };
    let keyspace = layout.keyspace(claim.keyspace);
    let scan = claim.scan.map(|index| &keyspace.scans[index]);
    match (&counterexample.fault, scan) {
        (Fault::Disjoint { collisions, .. }, None) if claim.rule == Rule::Disjoint => {
            collide(layout, collisions, |there| assert_eq!(keyspace.space, there.space));
        }
        (Fault::Unambiguous { a, b }, None) => {
            assert_ne!(a.fields, b.fields);
            assert_eq!(a.key, b.key);
            encodes(layout, a);
            encodes(layout, b);
        }
        (Fault::ScanExact(ScannedRow { fault, asked, interval, row }), Some(scan)) => {
            encodes(layout, row);
            let Interval { low, high } = interval;
            begins_as_asked(keyspace, scan, asked, low);
            let inside = *low <= row.key && high.as_ref().is_none_or(|high| row.key < *high);
            let wanted =
                row.keyspace == claim.keyspace && row.fields.select(&scan.leading) == *asked;
            match fault {
                ScanFault::Foreign => assert!(inside && !wanted),
                ScanFault::Missed => assert!(!inside && wanted),
            }
        }
        (Fault::Ordered { lower, higher }, Some(scan)) => {
            encodes(layout, lower);
            encodes(layout, higher);
            let leading = [lower, higher].map(|row| row.fields.select(&scan.leading));
            assert_eq!(leading[0], leading[1]);
            assert_eq!(by_order(keyspace, scan, lower, higher), Ordering::Less);
            assert!(lower.key >= higher.key);
        }
        (Fault::Lossless { a, b, bytes }, None) => {
            let leaf = leaf(keyspace, claim.field.as_deref().unwrap());
            assert_ne!(a, b);
            for datum in [a, b] {
                let Datum::Leaf(value) = datum else { panic!("{datum:?} is no single value") };
                let mut encoded = Vec::new();
                leaf.codec.encode(value, &mut encoded).unwrap();
                assert_eq!(encoded, *bytes);
            }
        }
        (Fault::Bounded { backend, row, length, record: Some(record), .. }, None) => {
            encodes(layout, row);
            assert!(*length > backend.longest_key);
            assert!(*length == record.bytes.len() || *length > LONGEST_SPELLED);
            let parts = keyscape_codec::record::split(&record.bytes).unwrap();
            assert_eq!(*parts.structure, row.key);
        }
        (Fault::Bounded { backend, row, length, long, .. }, None) => {
            encodes(layout, row);
            if let Some(long) = long {
                encodes(layout, long);
                assert!(row.key.is_empty() && long.key.len() > backend.longest_key);
            }
            let refused = row.key.is_empty() && !backend.empty_key;
            assert!(refused || *length > backend.longest_key);
            assert!(*length == row.key.len() || *length > LONGEST_SPELLED);
        }
        (Fault::Allocated { fault, row }, None) => {
            encodes(layout, row);
            let store = layout.store(keyspace.store);
            misplaced(layout, keyspace, &store.namespaces, fault, row);
        }
        (Fault::Disjoint { collisions, .. }, None) if claim.rule == Rule::StructureTyped => {
            collide(layout, collisions, |there| {
                assert_eq!((keyspace.store, &keyspace.family), (there.store, &there.family));
                assert_ne!(keyspace.kind, there.kind);
            });
        }
        (Fault::Indexed { missing, a, b, entry, .. }, None) => {
            assert_ne!(a.fields.get(missing), b.fields.get(missing));
            assert_ne!(a.key, b.key);
            for row in [a, b] {
                assert_eq!(keyspace.of, Some(row.keyspace));
                encodes(layout, row);
                assert_eq!(indexed_under(layout, claim.keyspace, row, entry), *entry);
            }
        }
        (Fault::Splittable { row, cuts, separators }, None) => {
            encodes(layout, row);
            assert_ne!(cuts, separators);
            let split = &keyspace.splits[claim.split.unwrap()];
            let is_there = |at: &usize| row.key[*at..].starts_with(&split.separator);
            assert!(cuts.iter().chain(separators).all(is_there));
            let literals = literal_bytes(layout, row);
            let of_literals =
                |at: &usize| (*at..*at + split.separator.len()).all(|byte| literals[byte]);
            assert!(separators.iter().all(of_literals));
        }
        (fault, _) => panic!("{fault:?} is no fault of {}", claim.rule.code()),
    }
}

/// Decodes the key of a row, and returns for each byte whether it belongs to a literal.
fn literal_bytes(layout: &Layout, row: &Row) -> Vec<bool> {
    let machine = Machine::build(layout, &[row.keyspace], Side::Over, Budget::default()).unwrap();
    let readings = Decoder::new(layout, &machine).explain(&row.key).readings;
    let reading = readings.iter().find(|reading| reading.fields == row.fields).unwrap();
    let mut literals = vec![false; row.key.len()];
    for part in reading.parts.iter().filter(|part| part.field.is_none()) {
        literals[part.bytes.clone()].fill(true);
    }
    literals
}

fn encodes(layout: &Layout, row: &Row) {
    let encoded = layout.keyspace(row.keyspace).encode(&row.fields);
    assert_eq!(encoded.as_deref(), Ok(&*row.key), "{:?}", row.fields);
}

fn collide(layout: &Layout, collisions: &[Collision], beside: impl Fn(&Keyspace)) {
    assert!(!collisions.is_empty());
    for collision in collisions {
        assert_ne!(collision.here.keyspace, collision.there.keyspace);
        beside(layout.keyspace(collision.there.keyspace));
        assert_eq!(collision.here.key, collision.there.key);
        encodes(layout, &collision.here);
        encodes(layout, &collision.there);
    }
}

/// Returns the leaf at a path, which includes arms: `event.own.owner`.
fn leaf<'a>(keyspace: &'a Keyspace, path: &str) -> &'a Leaf {
    let path: Vec<&str> = path.split('.').collect();
    let own = fields(&keyspace.key).iter().any(|field| field.name == path[0]);
    match path.as_slice() {
        ["member", rest @ ..] if !own => leaf_of(keyspace.member.as_ref().unwrap(), rest),
        ["score", rest @ ..] if !own => leaf_of(keyspace.score.as_ref().unwrap(), rest),
        path => leaf_among(&keyspace.key, path),
    }
}

fn leaf_among<'a>(segments: &'a [Segment], path: &[&str]) -> &'a Leaf {
    let (name, rest) = path.split_first().unwrap();
    leaf_of(&fields(segments).into_iter().find(|field| field.name == *name).unwrap().ty, rest)
}

fn leaf_of<'a>(ty: &'a Type, path: &[&str]) -> &'a Leaf {
    match ty {
        Type::Leaf(leaf) => leaf,
        Type::Enum(_) => panic!("an enum loses nothing"),
        Type::List(list) => leaf_of(&list.element, path),
        Type::Composite(segments) => leaf_among(segments, path),
        Type::Variant(arms) => {
            let (name, rest) = path.split_first().unwrap();
            leaf_among(&arms.iter().find(|arm| arm.name == *name).unwrap().segments, rest)
        }
    }
}

fn misplaced(
    layout: &Layout,
    keyspace: &Keyspace,
    namespaces: &[Namespace],
    fault: &AllocationFault,
    row: &Row,
) {
    let after_prefix =
        |namespace: usize| row.key.strip_prefix(&*namespaces[namespace].prefix).unwrap();
    match fault {
        AllocationFault::OutsideRange { range } => {
            let namespace = keyspace.namespace.unwrap();
            let (inside, range) = (after_prefix(namespace), &namespaces[namespace].ranges[*range]);
            assert!(*inside < *range.low || *inside > *range.high);
            assert!(!inside.starts_with(&range.high));
        }
        AllocationFault::Nested { namespace, nested } => {
            assert_eq!(namespaces[*nested].outer, Some(*namespace));
            let (outer, nested) = (&namespaces[*namespace], &namespaces[*nested]);
            assert!(row.key.starts_with(&nested.prefix));
            // No range contains all keys that start with the prefix.
            let prefix = nested.prefix.strip_prefix(&*outer.prefix).unwrap();
            for range in &outer.ranges {
                let end = [prefix, &[0xff; 16]].concat();
                let holds = |key: &[u8]| {
                    *key >= *range.low && (*key <= *range.high || key.starts_with(&range.high))
                };
                assert!(!holds(prefix) || !holds(&end));
            }
        }
        AllocationFault::Retired { namespace, retired } => {
            let retired = &namespaces[*namespace].retired[*retired];
            assert!(after_prefix(*namespace).starts_with(&retired.prefix));
        }
        AllocationFault::Comparable { other } => {
            for keyspace in [keyspace, layout.keyspace(*other)] {
                assert!(row.key.starts_with(&keyspace.literal_prefix()));
            }
        }
    }
}

/// Returns the entry of a row. Fields that are not in the row's key come from a known entry.
fn indexed_under(layout: &Layout, index: KeyspaceId, row: &Row, entry: &[u8]) -> Vec<u8> {
    let machine = Machine::build(layout, &[index], Side::Over, Budget::default()).unwrap();
    let mut record = Decoder::new(layout, &machine).decode(entry).readings[0].fields.clone();
    let index = layout.keyspace(index);
    for field in fields(&index.key).iter().filter(|field| !field.is_from_value()) {
        match row.fields.get(&field.name) {
            Some(datum) => record.set(field.name.clone(), datum.clone()),
            None => record.0.retain(|(name, _)| *name != field.name),
        }
    }
    index.encode(&record).unwrap()
}

/// Checks that an interval without an `as` clause starts with the encoding of the leading fields.
fn begins_as_asked(keyspace: &Keyspace, scan: &Scan, asked: &Record, start: &[u8]) {
    if scan.asked.is_none() {
        let prefix = keyspace.encode_until(asked, scan.end).unwrap();
        assert!(start.starts_with(&prefix), "{start:?} {prefix:?}");
    }
}

/// Compares two rows by the `by` fields. Absent fields come before present ones.
fn by_order(keyspace: &Keyspace, scan: &Scan, a: &Row, b: &Row) -> Ordering {
    let mut order = Ordering::Equal;
    for path in &scan.by {
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        let ty = type_at(&keyspace.key, &path).unwrap();
        let (a, b) = (a.fields.get_path(&path), b.fields.get_path(&path));
        order = order.then(match (a, b) {
            (Some(a), Some(b)) => compare(ty, a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
    }
    order
}
