//! Hashes.

use crate::structures::{Outcome, TXO, empty, name, outpoint, sound, txo::*};
use keyscape_runtime::{
    Error, ErrorKind,
    record::{self, Family, Kind},
};
use std::time::Duration;

#[test]
fn a_field_is_put_read_and_deleted() -> Outcome {
    let db = empty()?;
    let at = outpoint(1, 0);
    db.write(|tx| {
        assert_eq!(OUTPUT_MERKLE.get(tx, at, ())?, None);
        OUTPUT_MERKLE.put(tx, at, (), 7)?;
        OUTPUT_MERKLE.put(tx, at, (), 8)?;
        OUTPUT_DATA.put(tx, at, name("a"), b"1")?;
        assert_eq!(OUTPUT_MERKLE.get(tx, at, ())?, Some(8));
        assert!(OUTPUT_DATA.contains(tx, at, name("a"))?);
        assert!(!OUTPUT_DATA.contains(tx, at, name("b"))?);
        assert!(!OUTPUT_DATA.contains(tx, outpoint(1, 1), name("a"))?);
        assert_eq!(OUTPUT_DATA.get_with(tx, at, name("a"), <[u8]>::len)?, Some(1));
        OUTPUT_MERKLE.delete(tx, at, ())?;
        assert_eq!(OUTPUT_MERKLE.get(tx, at, ())?, None);
        assert!(!OUTPUT.is_empty(tx, at)?);
        OUTPUT_DATA.delete(tx, at, name("a"))?;
        assert!(OUTPUT.is_empty(tx, at)?);
        Ok::<(), Error>(())
    })?;
    Ok(())
}

#[test]
fn fields_are_listed_in_order_and_with_their_values() -> Outcome {
    let db = empty()?;
    let at = outpoint(1, 0);
    db.write(|tx| {
        OUTPUT_MERKLE.put(tx, at, (), 7)?;
        OUTPUT_DATA.put(tx, at, name("b"), b"2")?;
        OUTPUT_DATA.put(tx, at, name("a"), b"1")?;
        OUTPUT_DATA.put(tx, outpoint(1, 1), name("x"), b"other")?;
        Ok::<(), Error>(())
    })?;
    let state = db.read()?;
    let mut scan = OUTPUT.fields(at).scan(&state)?;
    let mut entries = Vec::new();
    while let Some(row) = scan.next_row()? {
        entries.push(match row.entry {
            OutputEntry::Data { field, value } => format!("{} {value:?}", field.tag.as_str()),
            OutputEntry::Merkle { value, .. } => format!("merkle {value}"),
        });
    }
    assert_eq!(entries, ["a [49]", "b [50]", "merkle 7"]);
    let last = OUTPUT.fields(at).reverse().limit(1).to_vec(&state)?;
    assert!(matches!(last[0].entry()?, OutputEntry::Merkle { value: 7, .. }));
    let tags = OUTPUT_DATA.all(at).to_vec(&state)?;
    assert_eq!(tags.iter().map(|row| row.field.tag.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(tags[1].value, b"2");
    assert_eq!(OUTPUT.fields(at).count(&state)?, 3);
    sound(&OUTPUT.check(&state, at)?)
}

#[test]
fn deleting_a_hash_keeps_its_neighbours() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        for vout in 0..600 {
            SATOSHIS_AMOUNT.put(tx, (), outpoint(1, vout), u64::from(vout))?;
        }
        OUTPUT_MERKLE.put(tx, outpoint(1, 0), (), 7)?;
        assert_eq!(SATOSHIS.delete(tx, ())?, 600);
        assert_eq!(SATOSHIS.delete(tx, ())?, 0);
        assert!(SATOSHIS.is_empty(tx, ())?);
        assert_eq!(OUTPUT_MERKLE.get(tx, outpoint(1, 0), ())?, Some(7));
        Ok::<(), Error>(())
    })?;
    Ok(())
}

#[test]
fn fields_that_begin_alike_are_listed_and_watched_apart() -> Outcome {
    let db = empty()?;
    let watch = PROFILE_NICK.all(name("ann")).watch(&db)?;
    db.write(|tx| {
        PROFILE_NICK.put(tx, name("ann"), (), "an")?;
        PROFILE_NOTE.put(tx, name("ann"), name("a"), "1")?;
        PROFILE_NOTE.put(tx, name("ann"), name("b"), "2")
    })?;
    assert_eq!(PROFILE_NICK.all(name("ann")).count(&db.read()?)?, 1);
    let commit = watch.next(Duration::ZERO)?.ok_or("no commit")?;
    assert_eq!((commit.added.len(), commit.removed), (1, 0));
    db.write(|tx| PROFILE.delete(tx, name("ann")))?;
    let commit = watch.next(Duration::ZERO)?.ok_or("no commit")?;
    assert_eq!((commit.added.len(), commit.removed), (0, 1));
    Ok(())
}

#[test]
fn undeclared_fields_are_found() -> Outcome {
    let db = empty()?;
    let at = outpoint(1, 0);
    let record = |field: &[u8]| {
        let mut key = b"h:".to_vec();
        key.extend_from_slice(&at.txid);
        key.extend_from_slice(&at.vout.to_be_bytes());
        let mut record = Vec::new();
        record::begin(Kind::Hash, &key, Family::Field, &mut record);
        record.extend_from_slice(field);
        record
    };
    db.write(|tx| {
        tx.put(TXO, &record(b"dt:"), b"")?;
        tx.put(TXO, &record(b"ms"), b"short")?;
        tx.put(TXO, &record(b"dt:good"), b"")
    })?;
    let state = db.read()?;
    let report = OUTPUT.check(&state, at)?;
    assert_eq!((report.records, report.faults), (3, 2));
    assert_eq!(report.first[0].record.as_ref(), record(b"dt:"));
    let error = OUTPUT_MERKLE.get(&state, at, ()).expect_err("the value is corrupt");
    assert!(
        matches!(error.kind(), ErrorKind::CorruptValue { keyspace, .. } if keyspace == "output.merkle")
    );
    let error = OUTPUT.fields(at).to_vec(&state).expect_err("the field is corrupt");
    assert!(matches!(error.kind(), ErrorKind::CorruptKey { keyspace, .. } if keyspace == "output"));
    assert!(OUTPUT_DATA.all(at).to_vec(&state).is_err(), "no declared field has these bytes");
    Ok(())
}
