//! Indexes that are added to maps with rows. Opening fails until they are built, and an interrupted
//! build yields the same bytes.

use super::{Outcome, SHOP};
use keyscape_runtime::IndexReport;
use keyscape_samples::shop::{
    Order,
    layout::{BY_ORDER, BY_TICKET, LAYOUT, ORDERS, Ticket},
};
use keyscape_store::{
    Admission, Database, Db, KeyRange, KeyspaceInfo, Layout, LayoutError, Memory, Read, StoreError,
    saved_texts,
};
use keyscape_testkit::{Failing, Fault};
use std::sync::Arc;

type Rows = Vec<(Vec<u8>, Vec<u8>)>;

/// Returns the keyspaces of the sample layout without its indexes.
fn without_indexes() -> Vec<KeyspaceInfo<'static>> {
    LAYOUT.keyspaces.iter().filter(|keyspace| keyspace.kind != "index").copied().collect()
}

/// Creates an engine whose rows were written before the indexes were added.
fn written_before() -> Result<Arc<dyn Database>, Box<dyn std::error::Error>> {
    let keyspaces = without_indexes();
    let old = Layout { keyspaces: &keyspaces, indexes: &[], text: "old", ..LAYOUT };
    let memory: Arc<dyn Database> = Arc::new(Memory::new(Layout::spaces_of(&[&LAYOUT])?));
    let db = Db::from(Arc::clone(&memory));
    db.admit(&[&old])?;
    db.write(|tx| -> Result<(), Box<dyn std::error::Error>> {
        for user in 0..7 {
            let ticket = Ticket::new(["a", "b", "c", "d", "e", "f", "g"][user as usize])?;
            ORDERS.put(tx, (user, 1), &Order { ticket, amount: 3 })?;
        }
        // The old program did not know the indexes.
        let entries: Vec<Vec<u8>> = [&b"n/"[..], b"t/"]
            .iter()
            .map(|prefix| tx.rows(SHOP, KeyRange::prefix(prefix))?.to_vec())
            .collect::<Result<Vec<_>, StoreError>>()?
            .concat()
            .into_iter()
            .map(|(key, _)| key)
            .collect();
        entries.iter().try_for_each(|key| tx.delete(SHOP, key))?;
        // An entry without a row, at a key of the new index.
        tx.put(SHOP, b"n/\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xff", b"")?;
        Ok(())
    })?;
    Ok(memory)
}

fn rows(db: &Db) -> Result<Rows, StoreError> {
    db.read()?.rows(SHOP, KeyRange::all())?.to_vec()
}

fn check(db: &Db) -> Result<[IndexReport; 2], Box<dyn std::error::Error>> {
    let state = db.read()?;
    Ok([BY_ORDER.check(&state)?, BY_TICKET.check(&state)?])
}

#[test]
fn an_index_on_a_map_with_rows_must_be_built_first() -> Outcome {
    let db = Db::from(written_before()?);
    for _ in 0..2 {
        match db.admit(&[&LAYOUT]) {
            Err(LayoutError::IndexNotBuilt { index, rows: 7 }) => assert_eq!(&*index, "by_order"),
            other => return Err(format!("{other:?}").into()),
        }
    }
    assert_eq!(saved_texts(&db.read()?)?[0].text, "old", "a refused layout is not saved");
    let left = db.admit_with(&[&LAYOUT], Admission::new().leave_indexes())?;
    let old = Layout { keyspaces: &without_indexes(), indexes: &[], text: "old", ..LAYOUT };
    db.admit(&[&old])?;
    assert_eq!(left, db.admit_with(&[&LAYOUT], Admission::new().begin_indexes())?);
    assert!(matches!(db.admit(&[&old]), Err(LayoutError::Missing { .. })));
    assert_eq!(
        left.iter().map(|index| &*index.name).collect::<Vec<_>>(),
        ["by_order", "by_ticket"]
    );
    assert_eq!(saved_texts(&db.read()?)?[0].text, LAYOUT.text);
    assert!(matches!(db.admit(&[&LAYOUT]), Err(LayoutError::IndexNotBuilt { .. })));
    db.admit_with(&[&LAYOUT], Admission::new().build_indexes(true))?;
    db.admit(&[&LAYOUT])?;
    assert!(check(&db)?.iter().all(|report| report.is_sound() && report.entries == 7));
    Ok(())
}

#[test]
fn an_index_on_an_empty_map_is_built() -> Outcome {
    let keyspaces = without_indexes();
    let old = Layout { keyspaces: &keyspaces, indexes: &[], ..LAYOUT };
    let db = Db::new(Memory::new(Layout::spaces_of(&[&LAYOUT])?));
    db.admit(&[&old])?;
    db.admit(&[&LAYOUT])?;
    Ok(())
}

/// Builds all indexes in batches of two rows.
fn build(db: &Db) -> Result<(), LayoutError> {
    db.admit_with(&[&LAYOUT], Admission::new().begin_indexes())?;
    LAYOUT.indexes.iter().try_for_each(|index| db.build_index(index, 2, |_| ()))
}

#[test]
fn a_build_that_is_killed_anywhere_continues_to_the_same_bytes() -> Outcome {
    let whole = Db::from(written_before()?);
    build(&whole)?;
    let expected = rows(&whole)?;
    for fault in [Fault::Before, Fault::After] {
        let mut call = 1;
        loop {
            let memory = written_before()?;
            let failing = Arc::new(Failing::at(Arc::clone(&memory), call, fault));
            let outcome = build(&Db::from(Arc::clone(&failing) as Arc<dyn Database>));
            let again = Db::from(memory);
            if !failing.has_failed() {
                outcome?;
                break;
            }
            assert!(outcome.is_err(), "the fault at call {call} was lost");
            // Opening fails during the build, unless only the result of the last commit was lost.
            let admitted = again.admit(&[&LAYOUT]);
            if rows(&again)? != expected {
                assert!(matches!(admitted, Err(LayoutError::IndexNotBuilt { .. })), "{admitted:?}");
            }
            build(&again)?;
            assert_eq!(rows(&again)?, expected, "call {call}");
            again.admit(&[&LAYOUT])?;
            call += 1;
        }
        // Seven rows in batches of two, for two indexes, with a commit per batch.
        assert!(call > 40, "only {call} calls were tried");
    }
    Ok(())
}

#[test]
fn rows_that_are_written_during_a_build_are_in_the_index() -> Outcome {
    for call in (1..200).step_by(7) {
        let memory = written_before()?;
        let failing = Arc::new(Failing::at(Arc::clone(&memory), call, Fault::Before));
        let interrupted = build(&Db::from(Arc::clone(&failing) as Arc<dyn Database>)).is_err();
        let db = Db::from(memory);
        // Before and after the position of the build.
        db.write(|tx| -> Result<(), Box<dyn std::error::Error>> {
            ORDERS.delete(tx, (1, 1))?;
            ORDERS.put(tx, (0, 1), &Order { ticket: Ticket::new("u")?, amount: 1 })?;
            ORDERS.put(tx, (100, 1), &Order { ticket: Ticket::new("v")?, amount: 1 })?;
            Ok(())
        })?;
        build(&db)?;
        let reports = check(&db)?;
        assert!(reports.iter().all(IndexReport::is_sound), "{call}: {interrupted}: {reports:?}");
    }
    Ok(())
}

#[test]
fn rows_are_adopted_with_their_entries_only() -> Outcome {
    let db = Db::new(Memory::new(Layout::spaces_of(&[&LAYOUT])?));
    db.write(|tx| ORDERS.put(tx, (1, 1), &Order { ticket: Ticket::new("a")?, amount: 3 }))?;
    db.write(|tx| tx.delete(SHOP, b"t/a"))?;
    let fits = |_: &str, _: &[u8], _: &[u8]| Ok::<(), &str>(());
    match db.adopt(&[&LAYOUT], fits) {
        Err(LayoutError::Unfit { rows, total: 1 }) => {
            assert_eq!(&*rows[0].reason, "index `by_ticket`: the row has no entry");
        }
        other => return Err(format!("{other:?}").into()),
    }
    db.write(|tx| BY_TICKET.rebuild(tx))?;
    db.adopt(&[&LAYOUT], fits)?;
    db.admit(&[&LAYOUT])?;
    Ok(())
}

#[test]
fn two_rows_with_one_entry_cannot_be_in_a_unique_index() -> Outcome {
    let db = Db::from(written_before()?);
    db.write(|tx| -> Result<(), Box<dyn std::error::Error>> {
        ORDERS.put(tx, (50, 1), &Order { ticket: Ticket::new("a")?, amount: 3 })?;
        let entry = tx.rows(SHOP, KeyRange::prefix(b"t/"))?.to_vec()?.remove(0).0;
        tx.delete(SHOP, &entry)?;
        Ok(())
    })?;
    match db.admit_with(&[&LAYOUT], Admission::new().build_indexes(true)) {
        Err(LayoutError::Build { index, source }) => {
            assert_eq!(&*index, "by_ticket");
            assert!(source.to_string().contains("by_ticket"), "{source}");
        }
        other => return Err(format!("{other:?}").into()),
    }
    assert!(matches!(db.admit(&[&LAYOUT]), Err(LayoutError::IndexNotBuilt { .. })));
    Ok(())
}
