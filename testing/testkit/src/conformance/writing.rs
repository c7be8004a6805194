//! Transactions.

use super::{A, B, Factory, Outcome, fill, kind, open, open_with};
use keyscape_store::{
    CommitId, Count, Counter, Durability, KeyRange, Limited, Limits, Mode, Read, ReadExt,
    StoreError, StoreErrorKind, StoreId,
};
use std::{ops::ControlFlow, sync::Arc};

pub(super) fn own_writes(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"old"), (b"2", b"old")])?;
    for mode in [Mode::Write, Mode::Optimistic] {
        let mut tx = db.begin(mode)?;
        tx.put(A, b"1", b"new")?;
        tx.delete(A, b"2")?;
        tx.put(A, b"3", b"new")?;
        tx.put(A, b"3", b"newer")?;
        tx.put(A, b"4", b"new")?;
        tx.delete(A, b"4")?;
        tx.delete(A, b"5")?;
        let expected = [(b"1".to_vec(), b"new".to_vec()), (b"3".to_vec(), b"newer".to_vec())];
        assert_eq!(tx.rows(A, KeyRange::all())?.to_vec()?, expected);
        for (key, value) in [(b"1", Some(&b"new"[..])), (b"2", None), (b"3", Some(b"newer"))] {
            assert_eq!(tx.get(A, key)?.as_deref(), value);
        }
        assert_eq!(tx.get(A, b"4")?, None);
        // Other readers do not see the pending writes.
        assert_eq!(db.read()?.get(A, b"1")?, Some(b"old".to_vec()));
        drop(tx);
    }
    Ok(())
}

pub(super) fn all_or_nothing(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let mut tx = db.begin(Mode::Write)?;
    tx.put(A, b"k", b"a")?;
    tx.put(B, b"k", b"b")?;
    tx.commit()?;
    let state = db.read()?;
    assert_eq!(state.get(A, b"k")?, Some(b"a".to_vec()));
    assert_eq!(state.get(B, b"k")?, Some(b"b".to_vec()));
    let failed: Result<(), StoreError> = db.write(|tx| {
        tx.put(A, b"k", b"never")?;
        tx.delete(B, b"k")?;
        Err(StoreErrorKind::ReadOnly.into())
    });
    assert!(failed.is_err());
    let state = db.read()?;
    assert_eq!(state.get(A, b"k")?, Some(b"a".to_vec()));
    assert_eq!(state.get(B, b"k")?, Some(b"b".to_vec()));
    Ok(())
}

pub(super) fn dropped(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    for mode in [Mode::Write, Mode::Optimistic, Mode::Write] {
        let mut tx = db.begin(mode)?;
        tx.put(A, b"k", b"v")?;
        drop(tx);
        assert_eq!(db.read()?.get(A, b"k")?, None);
    }
    // The next writer is admitted.
    fill(&db, A, &[(b"k", b"v")])?;
    assert_eq!(db.read()?.get(A, b"k")?, Some(b"v".to_vec()));
    Ok(())
}

pub(super) fn revisions(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let mut last = db.read()?.revision();
    for (round, mode) in [Mode::Write, Mode::Optimistic, Mode::Write].into_iter().enumerate() {
        let mut tx = db.begin(mode)?;
        let before = tx.revision();
        assert!(before >= last, "{before} is before {last}");
        tx.put(A, b"k", &[round as u8])?;
        let committed = tx.commit()?;
        assert!(committed > before, "{committed} is not after {before}");
        last = db.read()?.revision();
        assert!(last >= committed, "{last} is before {committed}");
        assert!(db.begin(mode)?.commit()? >= last);
    }
    Ok(())
}

/// A local engine numbers its commits, and nothing else changes the number.
pub(super) fn exact_revisions(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let mut last = db.read()?.revision();
    for (round, mode) in [Mode::Write, Mode::Optimistic, Mode::Write].into_iter().enumerate() {
        let mut tx = db.begin(mode)?;
        assert_eq!(tx.revision(), last);
        tx.put(A, b"k", &[round as u8])?;
        let committed = tx.commit()?;
        assert!(committed > last, "{committed} is not after {last}");
        assert_eq!(db.read()?.revision(), committed);
        last = committed;
        drop(db.begin(mode)?);
        assert_eq!(db.begin(mode)?.commit()?, last, "without changes nothing is written");
        assert_eq!(db.read()?.revision(), last);
    }
    Ok(())
}

pub(super) fn limits(factory: Factory<'_>) -> Outcome {
    let limits = Limits {
        shortest_key: 1,
        longest_key: 4,
        shortest_value: 1,
        longest_value: 8,
        rows: 3,
        bytes: 24,
    };
    let db = open_with(factory, &["a", "b"], limits)?;
    assert_eq!(db.limits(), limits.and(db.limits()), "the limits asked for are kept");
    let mut tx = db.begin(Mode::Write)?;
    let refused: [(&[u8], &[u8], Limited); 4] = [
        (b"", b"v", Limited::ShortestKey),
        (b"12345", b"v", Limited::LongestKey),
        (b"k", b"", Limited::ShortestValue),
        (b"k", b"123456789", Limited::LongestValue),
    ];
    for (key, value, expected) in refused {
        let Err(error) = tx.put(A, key, value) else {
            return Err(format!("{expected} is not kept").into());
        };
        assert!(matches!(error.kind(), StoreErrorKind::Limit { what, .. } if what == expected));
    }
    assert!(tx.delete(A, b"12345").is_err());
    assert!(tx.changes().is_empty(), "what was refused left nothing");
    tx.put(A, b"1", b"12345678")?;
    tx.put(A, b"2", b"12345678")?;
    assert!(tx.put(A, b"3", b"1234567").is_err(), "the bytes of a commit");
    tx.put(A, b"2", b"2")?;
    tx.put(B, b"3", b"1234")?;
    assert!(tx.delete(B, b"4").is_err(), "the rows of a commit");
    assert_eq!((tx.changes().rows(), tx.changes().bytes()), (3, 9 + 2 + 5));
    tx.commit()?;
    assert_eq!(db.read()?.get(A, b"2")?, Some(b"2".to_vec()));
    Ok(())
}

pub(super) fn read_only(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let mut tx = db.begin(Mode::Read)?;
    let refused = Err(StoreErrorKind::ReadOnly);
    assert_eq!(kind(tx.put(A, b"k", b"v")), refused);
    assert_eq!(kind(tx.delete(A, b"k")), refused);
    let session = db.database().begin(Mode::Read)?;
    let mut commit = keyscape_store::Commit::default();
    commit.changes.set(db.spaces(), A, b"k", Some(b"v"))?;
    assert_eq!(kind(session.commit(commit)), refused);
    assert_eq!(db.read()?.get(A, b"k")?, None);
    Ok(())
}

pub(super) fn metadata(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let id = CommitId([7; 16]);
    db.write(|tx| {
        tx.put(A, b"k", b"v")?;
        tx.put(StoreId::META, b"mine", b"m")?;
        id.put(tx)
    })?;
    let state = db.read()?;
    assert!(id.is_in(&state)? && !CommitId([8; 16]).is_in(&state)?);
    assert_eq!(state.get(StoreId::META, b"mine")?, Some(b"m".to_vec()));
    assert_eq!(state.rows(A, KeyRange::all())?.to_vec()?.len(), 1);
    assert_eq!(state.rows(B, KeyRange::all())?.to_vec()?.len(), 0);
    db.write(|tx| id.forget(tx))?;
    assert!(!id.is_in(&db.read()?)?);
    let meta = db.read()?.rows(StoreId::META, KeyRange::all())?.to_vec()?;
    assert_eq!(meta, [(b"mine".to_vec(), b"m".to_vec())], "an engine keeps its rows elsewhere");
    Ok(())
}

pub(super) fn changes(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let mut tx = db.begin(Mode::Write)?;
    tx.put(B, b"2", b"x")?;
    tx.put(A, b"9", b"y")?;
    tx.delete(B, b"1")?;
    tx.put(A, b"9", b"yy")?;
    let found: Vec<_> =
        tx.changes().iter().map(|change| (change.name, change.key, change.value)).collect();
    let (nine, one, two) = (&b"9"[..], &b"1"[..], &b"2"[..]);
    let expected = [("a", nine, Some(&b"yy"[..])), ("b", one, None), ("b", two, Some(b"x"))];
    assert_eq!(found, expected);
    assert_eq!((tx.changes().rows(), tx.changes().bytes()), (3, 6));
    Ok(())
}

pub(super) fn meters(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"xx"), (b"2", b"yy"), (b"3", b"zz")])?;
    let counter = Arc::new(Counter::new());
    let mut tx = db.begin(Mode::Write)?;
    tx.set_meter(Some(counter.clone()));
    // Twice, so the second round finds everything pending or cached.
    for _ in 0..2 {
        tx.get(A, b"1")?;
        tx.get(A, b"none")?;
        tx.put(A, b"1", b"xx")?;
        tx.delete(A, b"2")?;
        tx.put(A, b"2", b"yy")?;
        let mut rows = tx.rows(A, KeyRange::all())?;
        rows.next()?;
        rows.next()?;
    }
    let expected = Count {
        gets: 4,
        puts: 4,
        deletes: 2,
        seeks: 2,
        rows: 4,
        bytes_read: 2 * (3 + 4 + 6),
        bytes_written: 2 * (3 + 1 + 3),
    };
    assert_eq!(counter.count(), expected);
    Ok(())
}

pub(super) fn buffered(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let buffered = db.with_durability(Durability::Buffered);
    for round in 0..3 {
        fill(&buffered, A, &[(&[round], b"v")])?;
        assert_eq!(db.read()?.get(A, &[round])?, Some(b"v".to_vec()));
    }
    db.sync()?;
    fill(&db, A, &[(b"durable", b"v")])?;
    assert_eq!(db.read()?.rows(A, KeyRange::all())?.to_vec()?.len(), 4);
    Ok(())
}

pub(super) fn walks(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"p/1", b"x"), (b"p/3", b"x"), (b"p/5", b"x"), (b"q", b"x")])?;
    let counter = Arc::new(Counter::new());
    for (range, expected) in [
        (KeyRange::prefix(b"p/"), [b"p/1", b"p/4", b"p/5"]),
        (KeyRange::prefix(b"p/").backward(), [b"p/5", b"p/2", b"p/1"]),
    ] {
        let mut tx = db.begin(Mode::Write)?;
        tx.set_meter(Some(counter.clone()));
        let mut met = Vec::new();
        tx.walk(A, range, |tx, row| {
            if met.is_empty() {
                // The row itself, a later one that is deleted, and a later one that is added.
                tx.delete(A, row.key)?;
                tx.delete(A, b"p/3")?;
                tx.put(A, expected[1], b"new")?;
            }
            met.push(row.key.to_vec());
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        })?;
        assert_eq!(met, expected);
    }
    assert_eq!((counter.count().seeks, counter.count().rows), (2, 6));
    let mut tx = db.begin(Mode::Write)?;
    let mut met = 0;
    tx.walk(A, KeyRange::all(), |_, _| {
        met += 1;
        Ok::<_, StoreError>(if met == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    assert_eq!(met, 2);
    assert_eq!(tx.delete_range(A, KeyRange::prefix(b"p/"))?, 3);
    assert_eq!(tx.rows(A, KeyRange::all())?.to_vec()?, [(b"q".to_vec(), b"x".to_vec())]);
    Ok(())
}
