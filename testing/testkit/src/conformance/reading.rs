//! Keys, ranges and snapshots.

use super::{A, B, Factory, Outcome, fill, kind, open, open_with};
use keyscape_store::{
    Direction, KeyRange, Limits, Mode, Read, ReadExt, StoreErrorKind, StoreId, Tx,
};
use std::{collections::BTreeMap, error::Error, ops::Bound};

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Returns edge keys: the empty key, neighbours, prefixes of each other, ends of the byte order.
pub(super) fn edge_keys() -> Vec<Vec<u8>> {
    let mut keys = vec![vec![]];
    for a in [0x00, 0x61, 0xfe, 0xff] {
        keys.push(vec![a]);
        for b in [0x00, 0x61, 0xff] {
            keys.push(vec![a, b]);
            keys.push(vec![a, b, 0xff]);
        }
    }
    keys.sort();
    keys
}

pub(super) fn prefixes(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let keys = edge_keys();
    db.write(|tx| keys.iter().try_for_each(|key| tx.put(A, key, b"1")))?;
    let snapshot = db.read()?;
    let mut prefixes = keys.clone();
    prefixes.extend([vec![0xff; 3], vec![0xff; 5], vec![0x62], vec![0xfe, 0xff, 0xff]]);
    for prefix in &prefixes {
        for direction in [Direction::Forward, Direction::Backward] {
            let mut expected: Vec<_> = keys.iter().filter(|key| key.starts_with(prefix)).collect();
            if direction == Direction::Backward {
                expected.reverse();
            }
            let range = KeyRange::prefix(prefix).with_direction(direction);
            let found = snapshot.rows(A, range)?.to_vec()?;
            let found: Vec<_> = found.iter().map(|(key, _)| key).collect();
            assert_eq!(found, expected, "prefix {prefix:02x?} {direction:?}");
        }
    }
    Ok(())
}

pub(super) fn bounds(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let keys = edge_keys();
    // Half of the keys exist, so bounds are at keys and between them.
    let mut model: Rows =
        keys.iter().step_by(2).map(|key| (key.clone(), b"old".to_vec())).collect();
    db.write(|tx| model.iter().try_for_each(|(key, value)| tx.put(A, key, value)))?;
    let mut tx = db.begin(Mode::Write)?;
    every_range(&tx, &model, &keys)?;
    // Hides some rows, replaces some, adds some, and deletes some that never existed.
    for (index, key) in keys.iter().enumerate() {
        match index % 5 {
            0 | 1 => {
                tx.put(A, key, b"new")?;
                model.insert(key.clone(), b"new".to_vec());
            }
            2 => {
                tx.delete(A, key)?;
                model.remove(key);
            }
            _ => {}
        }
    }
    every_range(&tx, &model, &keys)?;
    tx.commit()?;
    let tx = db.begin(Mode::Read)?;
    every_range(&tx, &model, &keys)
}

fn every_range(tx: &Tx<'_>, model: &Rows, keys: &[Vec<u8>]) -> Result<(), Box<dyn Error>> {
    let edges: Vec<Bound<&[u8]>> = keys
        .iter()
        .flat_map(|key| [Bound::Included(&**key), Bound::Excluded(&**key)])
        .chain([Bound::Unbounded])
        .collect();
    for start in &edges {
        for end in &edges {
            let range = KeyRange::new(*start, *end);
            let mut expected: Vec<(Vec<u8>, Vec<u8>)> = model
                .iter()
                .filter(|(key, _)| range.contains(key))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            let found = tx.rows(A, range.clone().expecting(3))?.to_vec()?;
            assert_eq!(found, expected, "{range:02x?}");
            expected.reverse();
            let found = tx.rows(A, range.clone().backward())?.to_vec()?;
            assert_eq!(found, expected, "backward {range:02x?}");
        }
    }
    Ok(())
}

pub(super) fn continued(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let keys = edge_keys();
    db.write(|tx| keys.iter().try_for_each(|key| tx.put(A, key, b"1")))?;
    let snapshot = db.read()?;
    for range in [KeyRange::prefix(&[0x61]), KeyRange::prefix(&[0x61]).backward()] {
        let mut expected = snapshot.rows(A, range.clone())?.to_vec()?;
        let mut paged = Vec::new();
        let mut last: Option<Vec<u8>> = None;
        // One round more than rows finds the end.
        for _ in 0..=expected.len() {
            let rest = last.as_ref().map_or_else(|| range.clone(), |key| range.clone().after(key));
            let mut rows = snapshot.rows(A, rest)?;
            let Some(row) = rows.next()? else { break };
            paged.push((row.key.to_vec(), row.value.to_vec()));
            last = Some(row.key.to_vec());
        }
        assert_eq!(paged, expected);
        // A key outside the range adds nothing to it.
        let outside = snapshot.rows(A, range.clone().after(&[]))?.to_vec()?;
        let beyond = snapshot.rows(A, range.clone().after(&[0xff]))?.to_vec()?;
        if range.direction() == Direction::Backward {
            expected.clear();
        }
        assert_eq!(outside, expected);
        let all = snapshot.rows(A, range.clone())?.to_vec()?;
        let expected = if range.direction() == Direction::Backward { all } else { vec![] };
        assert_eq!(beyond, expected);
    }
    Ok(())
}

pub(super) fn ended(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"x"), (b"2", b"y")])?;
    let mut tx = db.begin(Mode::Write)?;
    for pending in [false, true] {
        if pending {
            tx.put(A, b"0", b"w")?;
        }
        let mut rows = tx.rows(A, KeyRange::all())?;
        assert_eq!(rows.row(), None, "a cursor begins before the first row");
        while let Some(row) = rows.next()? {
            let (key, value) = (row.key.to_vec(), row.value.to_vec());
            let again = rows.row().map(|row| (row.key.to_vec(), row.value.to_vec()));
            assert_eq!(again, Some((key, value)), "the row stays until the next");
        }
        for _ in 0..3 {
            assert_eq!(rows.next()?, None, "a cursor that has ended returns no more rows");
            assert_eq!(rows.row(), None);
        }
    }
    Ok(())
}

pub(super) fn many_keys(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"x"), (b"3", b"y")])?;
    let mut tx = db.begin(Mode::Write)?;
    let keys: [&[u8]; 5] = [b"3", b"2", b"1", b"3", b"4"];
    for pending in [false, true] {
        if pending {
            tx.put(A, b"2", b"z")?;
            tx.delete(A, b"1")?;
        }
        let mut many = vec![None; keys.len()];
        tx.read_many(A, &keys, &mut |index, value| many[index] = Some(value.to_vec()))?;
        for (index, key) in keys.iter().enumerate() {
            assert_eq!(many[index], tx.get(A, key)?);
        }
    }
    Ok(())
}

pub(super) fn empty(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let limits = db.limits();
    if limits.shortest_key == 0 {
        fill(&db, A, &[(b"", b"v")])?;
        assert_eq!(db.read()?.get(A, b"")?, Some(b"v".to_vec()));
        let all = db.read()?.rows(A, KeyRange::prefix(b""))?.to_vec()?;
        assert_eq!(all, [(vec![], b"v".to_vec())]);
        db.write(|tx| tx.delete(A, b""))?;
        assert_eq!(db.read()?.get(A, b"")?, None);
    } else {
        let mut tx = db.begin(Mode::Write)?;
        assert!(tx.put(A, b"", b"v").is_err(), "an engine without empty keys refuses one");
    }
    if limits.shortest_value == 0 {
        fill(&db, B, &[(b"k", b"")])?;
        assert_eq!(db.read()?.get(B, b"k")?, Some(vec![]));
        assert!(db.read()?.contains(B, b"k")?, "an empty value is a value");
    }
    Ok(())
}

pub(super) fn large(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let limits = db.limits();
    let length = limits.longest_value.min(5_000_000);
    let big: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
    let long: Vec<u8> = vec![7; limits.longest_key.min(3000) as usize];
    db.write(|tx| {
        tx.put(A, b"big", &big)?;
        tx.put(A, &long, b"long key")
    })?;
    let snapshot = db.read()?;
    assert_eq!(snapshot.get_with(A, b"big", |value| value == big)?, Some(true));
    assert_eq!(snapshot.get(A, &long)?, Some(b"long key".to_vec()));
    Ok(())
}

pub(super) fn many_stores(factory: Factory<'_>) -> Outcome {
    let names: Vec<String> = (0..40).map(|number| format!("store{number}/family")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let db = open_with(factory, &names, Limits::NONE)?;
    db.write(|tx| {
        names.iter().try_for_each(|name| tx.put(StoreId::of(name), b"key", name.as_bytes()))
    })?;
    let snapshot = db.read()?;
    for name in &names {
        let rows = snapshot.rows(StoreId::of(name), KeyRange::all())?.to_vec()?;
        assert_eq!(rows, [(b"key".to_vec(), name.as_bytes().to_vec())]);
    }
    Ok(())
}

pub(super) fn unknown_store(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let other = StoreId::of("other");
    let unknown = StoreErrorKind::UnknownStore(other);
    let mut tx = db.begin(Mode::Write)?;
    assert_eq!(kind(tx.get(other, b"k")), Err(unknown));
    assert_eq!(kind(tx.rows(other, KeyRange::all())), Err(unknown));
    assert_eq!(kind(tx.put(other, b"k", b"v")), Err(unknown));
    // The lookup had no side effect.
    tx.put(A, b"k", b"v")?;
    tx.commit()?;
    Ok(())
}

pub(super) fn snapshots(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"old"), (b"2", b"old")])?;
    let before = db.read()?;
    let mut rows = before.rows(A, KeyRange::all())?;
    rows.next()?;
    db.write(|tx| {
        tx.put(A, b"1", b"new")?;
        tx.delete(A, b"2")?;
        tx.put(A, b"3", b"new")
    })?;
    assert_eq!(rows.to_vec()?, [(b"2".to_vec(), b"old".to_vec())]);
    assert_eq!(before.get(A, b"1")?, Some(b"old".to_vec()));
    assert_eq!(before.get(A, b"3")?, None);
    // A store that is read for the first time has the same state.
    fill(&db, B, &[(b"1", b"new")])?;
    assert_eq!(before.get(B, b"1")?, None);
    let after = db.read()?;
    assert_eq!(after.get(A, b"1")?, Some(b"new".to_vec()));
    assert!(after.revision() > before.revision());
    Ok(())
}
