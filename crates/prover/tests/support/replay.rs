//! Whether a counterexample is one, by the codecs alone: nothing of the prover is asked again.

use keyscape_layout::{
    Layout, Record, compare, fields,
    model::{Keyspace, Scan, Type},
};
use keyscape_prover::{Claim, Disorder, Fault, Row, ScanFault, Verdict};
use std::cmp::Ordering;

/// Panics unless the counterexample of a refuted claim shows what the claim denies.
pub(crate) fn replay(layout: &Layout, claim: &Claim) {
    let Verdict::Refuted(counterexample) = &claim.verdict else { return };
    let keyspace = layout.keyspace(claim.keyspace);
    let scan = claim.scan.map(|index| &keyspace.scans[index]);
    match (&counterexample.fault, scan) {
        (Fault::Disjoint { collisions, .. }, None) => {
            assert!(!collisions.is_empty());
            for collision in collisions {
                let there = layout.keyspace(collision.there.keyspace);
                assert_ne!(collision.here.keyspace, collision.there.keyspace);
                assert_eq!(keyspace.space, there.space);
                assert_eq!(collision.here.key, collision.there.key);
                encodes(layout, &collision.here);
                encodes(layout, &collision.there);
            }
        }
        (Fault::Unambiguous { a, b }, None) => {
            assert_ne!(a.fields, b.fields);
            assert_eq!(a.key, b.key);
            encodes(layout, a);
            encodes(layout, b);
        }
        (Fault::ScanExact { fault, asked, start, end, row }, Some(scan)) => {
            encodes(layout, row);
            begins_as_asked(keyspace, scan, asked, start);
            let inside = *start <= row.key && end.as_ref().is_none_or(|end| row.key < *end);
            let wanted = row.keyspace == claim.keyspace && leading(scan, &row.fields) == *asked;
            match fault {
                ScanFault::Foreign => assert!(inside && !wanted),
                ScanFault::Missed => assert!(!inside && wanted),
            }
        }
        (Fault::Ordered { lower, higher, disorder }, Some(scan)) => {
            encodes(layout, lower);
            encodes(layout, higher);
            assert_eq!(leading(scan, &lower.fields), leading(scan, &higher.fields));
            assert_eq!(by_order(keyspace, scan, lower, higher), Ordering::Less);
            let bytes = match disorder {
                Disorder::Reversed => Ordering::Greater,
                Disorder::Tied => Ordering::Equal,
            };
            assert_eq!(lower.key.cmp(&higher.key), bytes);
        }
        (fault, _) => panic!("{fault:?} is no fault of {}", claim.rule.code()),
    }
}

fn encodes(layout: &Layout, row: &Row) {
    let encoded = layout.keyspace(row.keyspace).encode(&row.fields);
    assert_eq!(encoded.as_deref(), Ok(&*row.key), "{:?}", row.fields);
}

/// Where nothing else was asked for, the interval starts with the encoding of the leading fields.
fn begins_as_asked(keyspace: &Keyspace, scan: &Scan, asked: &Record, start: &[u8]) {
    if scan.asked.is_none() && scan.leading.iter().all(|path| path.len() == 1) {
        let prefix = keyspace.encode_until(asked, scan.end).unwrap();
        assert!(start.starts_with(&prefix), "{start:?} {prefix:?}");
    }
}

fn leading(scan: &Scan, fields: &Record) -> Record {
    let mut found = Record::default();
    for path in &scan.leading {
        if let Some(datum) = fields.get_path(path) {
            found.set(path.join("."), datum.clone());
        }
    }
    found
}

/// The logical order of two rows by the `by` fields. These stand beside the last leading field, in
/// the key or in the same composite.
fn by_order(keyspace: &Keyspace, scan: &Scan, a: &Row, b: &Row) -> Ordering {
    let outer = scan.leading.last().map_or(&[][..], |path| &path[..path.len() - 1]);
    let mut segments = keyspace.key.as_slice();
    for name in outer {
        let field = fields(segments).into_iter().find(|field| field.name == *name).unwrap();
        let Type::Composite(inner) = &*field.ty else { panic!("`{name}` has no parts") };
        segments = inner;
    }
    let mut order = Ordering::Equal;
    for name in &scan.by {
        let field = fields(segments).into_iter().find(|field| field.name == *name).unwrap();
        let path: Vec<String> = outer.iter().chain([name]).cloned().collect();
        let (a, b) = (a.fields.get_path(&path).unwrap(), b.fields.get_path(&path).unwrap());
        order = order.then(compare(&field.ty, a, b));
    }
    order
}
