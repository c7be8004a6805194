//! Tests that a write updates a map and its indexes together, or writes nothing.

use crate::typed::{
    FailAt, ODD, Outcome, SHOP, database, kind,
    odd::{FIRSTS, PAIRS},
    order,
    shop::layout::{BY_ORDER, BY_TICKET, ORDERS},
    ticket,
};
use keyscape_runtime::{Error, ErrorKind, IndexFault};
use keyscape_store::{Counter, Mode, ReadExt, Tx};
use std::sync::Arc;

fn sound(tx: &Tx<'_>) -> Result<bool, Error> {
    Ok(BY_ORDER.check(tx)?.is_sound() && BY_TICKET.check(tx)?.is_sound())
}

#[test]
fn entries_follow_their_row() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    ORDERS.put(&mut tx, (7, 1), &order("old", 3))?;
    assert!(BY_ORDER.contains(&tx, (1, 7))?);
    assert_eq!(BY_TICKET.get(&tx, ticket("old"))?.map(|(key, _)| key), Some((7, 1).into()));

    ORDERS.put(&mut tx, (7, 1), &order("new", 3))?;
    assert!(BY_TICKET.owner(&tx, ticket("old"))?.is_none());
    assert_eq!(BY_TICKET.owner(&tx, ticket("new"))?, Some((7, 1).into()));
    assert!(sound(&tx)?);

    ORDERS.delete(&mut tx, (7, 1))?;
    assert!(!BY_ORDER.contains(&tx, (1, 7))?);
    assert!(!BY_TICKET.contains(&tx, ticket("new"))?);
    assert!(sound(&tx)?);
    Ok(())
}

#[test]
fn entries_lead_to_their_rows() -> Outcome {
    let db = database();
    db.write(|tx| {
        ORDERS.put(tx, (7, 1), &order("b", 3))?;
        ORDERS.put(tx, (8, 1), &order("a", 4))
    })?;
    let state = db.read()?;
    let mut scan = BY_ORDER.scan_order(&state, 1)?;
    let mut owners = Vec::new();
    while let Some(row) = scan.next_row()? {
        row.value()?;
        owners.push(row.owner()?.user);
    }
    assert_eq!(owners, [7, 8]);
    let mut scan = BY_TICKET.prefix_all().range(ticket("b")..).scan(&state)?;
    assert_eq!(scan.next_row()?.map(|row| row.owner()).transpose()?, Some((7, 1).into()));
    assert!(scan.next_row()?.is_none());
    Ok(())
}

#[test]
fn a_unique_index_rejects_a_second_owner_before_anything_is_written() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    ORDERS.put(&mut tx, (7, 1), &order("a", 3))?;
    ORDERS.put(&mut tx, (7, 2), &order("b", 3))?;
    let before = tx.changes().clone();
    for key in [(8, 1), (7, 2)] {
        let error = ORDERS.put(&mut tx, key, &order("a", 9)).expect_err("taken");
        assert!(
            matches!(error.kind(), ErrorKind::NotUnique { index, key } if index == "by_ticket" && **key == *b"t/a")
        );
        assert_eq!(tx.changes(), &before);
    }
    // A row may keep its own entry, and another row may take an entry that was given up.
    ORDERS.put(&mut tx, (7, 1), &order("a", 4))?;
    ORDERS.put(&mut tx, (7, 1), &order("c", 4))?;
    ORDERS.put(&mut tx, (8, 1), &order("a", 9))?;
    assert!(sound(&tx)?);
    Ok(())
}

#[test]
fn deleting_a_missing_row_keeps_the_entry_of_another_row() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    PAIRS.put(&mut tx, (1, 2), 0)?;
    PAIRS.delete(&mut tx, (1, 3))?;
    assert_eq!(FIRSTS.owner(&tx, 1)?, Some((1, 2).into()));
    assert_eq!(kind(&PAIRS.put(&mut tx, (1, 3), 0).expect_err("taken")), "NotUnique");
    PAIRS.put(&mut tx, (1, 2), 9)?;
    PAIRS.delete(&mut tx, (1, 2))?;
    PAIRS.put(&mut tx, (1, 3), 0)?;
    assert!(FIRSTS.check(&tx)?.is_sound());
    Ok(())
}

/// Fails at each operation in turn. The write set is unchanged, or the write is complete.
#[test]
fn a_write_that_fails_halfway_writes_nothing() -> Outcome {
    type Write = fn(&mut Tx<'_>) -> Result<(), Error>;
    let writes: [Write; 5] = [
        |tx| ORDERS.put(tx, (7, 1), &order("new", 9)),
        |tx| ORDERS.delete(tx, (7, 1)),
        |tx| ORDERS.prefix_user(7).delete(tx).map(drop),
        |tx| BY_TICKET.rebuild(tx).map(drop),
        |tx| ORDERS.update(tx, (7, 1), Ok),
    ];
    let db = database();
    db.write(|tx| {
        ORDERS.put(tx, (7, 1), &order("a", 3))?;
        ORDERS.put(tx, (7, 2), &order("b", 3))?;
        tx.delete(SHOP, b"t/a")?;
        tx.put(SHOP, b"t/stray", b"")?;
        Ok::<(), Error>(())
    })?;
    for write in writes {
        let mut failures = 0;
        loop {
            let mut tx = db.begin(Mode::Write)?;
            tx.put(SHOP, b"m", b"before")?;
            let before = tx.changes().clone();
            tx.set_meter(Some(Arc::new(FailAt::new(failures))));
            if write(&mut tx).is_ok() {
                break;
            }
            assert_eq!(tx.changes(), &before);
            failures += 1;
        }
        assert!(failures >= 3, "{failures}");
    }
    Ok(())
}

#[test]
fn only_indexes_from_the_value_read_the_old_row() -> Outcome {
    let db = database();
    let counter = Arc::new(Counter::new());
    let mut tx = db.begin(Mode::Write)?;
    tx.set_meter(Some(counter.clone()));
    ORDERS.put(&mut tx, (7, 1), &order("a", 3))?;
    // The old row, and the entry of the unique index.
    let count = counter.count();
    assert_eq!((count.gets, count.puts, count.deletes), (2, 3, 0));
    // An unchanged entry is not written again.
    ORDERS.put(&mut tx, (7, 1), &order("a", 4))?;
    let count = counter.count();
    assert_eq!((count.gets, count.puts, count.deletes), (4, 4, 0));
    // The old entry of a changed value is read and deleted.
    ORDERS.put(&mut tx, (7, 1), &order("b", 4))?;
    let count = counter.count();
    assert_eq!((count.gets, count.puts, count.deletes), (7, 6, 1));
    // `update` and `take` read the row once.
    ORDERS.update(&mut tx, (7, 1), Ok::<_, Error>)?;
    let count = counter.count();
    assert_eq!((count.gets, count.puts, count.deletes), (9, 7, 1));
    ORDERS.take(&mut tx, (7, 1))?;
    let count = counter.count();
    assert_eq!((count.gets, count.puts, count.deletes), (11, 7, 4));
    Ok(())
}

#[test]
fn a_corrupt_old_row_stops_the_write() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    tx.put(SHOP, b"o/\0\0\0\0\0\0\0\x07\0\0\0\x01", b"short")?;
    let before = tx.changes().clone();
    assert_eq!(
        kind(&ORDERS.put(&mut tx, (7, 1), &order("a", 3)).expect_err("corrupt")),
        "CorruptValue"
    );
    assert_eq!(kind(&ORDERS.delete(&mut tx, (7, 1)).expect_err("corrupt")), "CorruptValue");
    assert_eq!(tx.changes(), &before);
    Ok(())
}

#[test]
fn an_entry_without_its_row_is_reported_when_it_is_followed() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    ORDERS.put(&mut tx, (7, 1), &order("a", 3))?;
    tx.delete(SHOP, b"o/\0\0\0\0\0\0\0\x07\0\0\0\x01")?;
    assert_eq!(kind(&BY_TICKET.get(&tx, ticket("a")).expect_err("gone")), "Inconsistent");
    tx.put(SHOP, b"t/a", b"no key")?;
    let error = BY_TICKET.owner(&tx, ticket("a")).expect_err("corrupt");
    assert!(error.to_string().contains("it does not hold a key of `orders`"), "{error}");
    tx.put(SHOP, b"t/a", &[0; 100])?;
    let error = BY_TICKET.owner(&tx, ticket("a")).expect_err("corrupt");
    assert!(error.to_string().contains("too long"), "{error}");
    Ok(())
}

/// Returns two letters, in the order of the numbers.
fn letters(number: u64) -> String {
    [number / 26, number % 26].map(|letter| char::from(b'a' + letter as u8)).iter().collect()
}

#[test]
fn the_rows_of_an_index_are_in_its_order_up_to_the_first_fault() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    for number in 0..200 {
        ORDERS.put(&mut tx, (200 - number, 1), &order(&letters(number), number))?;
    }
    let all: Result<Vec<_>, _> = BY_TICKET.prefix_all().rows(&tx)?.collect();
    let amounts: Vec<u64> = all?.into_iter().map(|(_, order)| order.amount).collect();
    assert_eq!(amounts, (0..200).collect::<Vec<_>>());

    let mut key = b"o/\0\0\0\0\0\0\0\0\0\0\0\x01".to_vec();
    key[9] = 200 - 77;
    tx.delete(SHOP, &key)?;
    let mut rows = BY_TICKET.prefix_all().rows(&tx)?;
    for amount in 0..77 {
        assert_eq!(rows.next().transpose()?.map(|(_, order)| order.amount), Some(amount));
    }
    assert_eq!(
        rows.next().and_then(Result::err).map(|error| kind(&error)),
        Some("Inconsistent".to_owned())
    );
    assert!(rows.next().is_none());
    Ok(())
}

#[test]
fn many_rows_are_read_at_once() -> Outcome {
    let db = database();
    db.write(|tx| {
        (1..=3).try_for_each(|user| ORDERS.put(tx, (user, 1), &order(&letters(user), user)))
    })?;
    let state = db.read()?;
    let found = ORDERS.get_many(&state, [(3, 1), (9, 9), (1, 1), (3, 1)])?;
    let amounts: Vec<_> = found.into_iter().map(|order| order.map(|order| order.amount)).collect();
    assert_eq!(amounts, [Some(3), None, Some(1), Some(3)]);
    let none: [(u64, u32); 0] = [];
    assert!(ORDERS.get_many(&state, none)?.is_empty());
    Ok(())
}

#[test]
fn a_check_finds_every_fault_and_a_rebuild_repairs_it() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    for number in 1..=4 {
        ORDERS.put(&mut tx, (7, number), &order(&"abcd"[number as usize - 1..][..1], 3))?;
    }
    let whole = tx.changes().clone();
    tx.delete(SHOP, b"t/a")?; // missing
    tx.put(SHOP, b"t/b", b"\0\0\0\0\0\0\0\x07\0\0\0\x01")?; // another row's
    tx.put(SHOP, b"t/z", b"\0\0\0\0\0\0\0\x07\0\0\0\x03")?; // of a row with another entry
    tx.put(SHOP, b"t/y", b"nonsense")?; // without a row
    tx.put(SHOP, b"t/UPPER", b"")?; // not a key of the index
    let report = BY_TICKET.check(&tx)?;
    assert_eq!((report.rows, report.entries, report.faults), (4, 5, 5));
    let shown: Vec<_> = report.first.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "the row 6f2f000000000000000700000001 has no entry 742f61",
            "the entry 742f62 of the row 6f2f000000000000000700000002 has a wrong value",
            "the entry 742f62 has no row",
            "the entry 742f79 has no row",
            "the entry 742f7a has no row",
        ]
    );
    assert!(matches!(&report.first[3], IndexFault::Stray { entry } if **entry == *b"t/y"));
    // Deletes b, y and z; inserts a and b.
    assert_eq!(BY_TICKET.rebuild(&mut tx)?, 5);
    assert!(BY_TICKET.check(&tx)?.is_sound());
    assert_eq!(BY_TICKET.rebuild(&mut tx)?, 0);
    tx.delete(SHOP, b"t/UPPER")?;
    let rows = |changes: &keyscape_store::Changes| -> Vec<_> {
        let put =
            changes.iter().filter_map(|change| Some((change.key.to_vec(), change.value?.to_vec())));
        put.collect()
    };
    assert_eq!(rows(tx.changes()), rows(&whole));
    Ok(())
}

#[test]
fn an_older_form_of_an_entry_is_sound() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    ORDERS.put(&mut tx, (7, 1), &order("a", 3))?;
    let entry = b"n/\0\0\0\x01\0\0\0\0\0\0\0\x07";
    tx.put(SHOP, entry, &[0x00])?;
    assert!(BY_ORDER.check(&tx)?.is_sound());
    tx.put(SHOP, entry, &[0x01])?;
    assert_eq!(BY_ORDER.check(&tx)?.faults, 1);
    assert_eq!(BY_ORDER.rebuild(&mut tx)?, 1);
    assert_eq!(tx.get(SHOP, entry)?, Some(Vec::new()));
    Ok(())
}

#[test]
fn rebuilding_a_unique_index_of_rows_with_equal_entries_fails() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    tx.put(ODD, b"p\x01\x02", &[0])?;
    tx.put(ODD, b"p\x01\x03", &[0])?;
    let before = tx.changes().clone();
    assert_eq!(kind(&FIRSTS.rebuild(&mut tx).expect_err("two owners")), "NotUnique");
    assert_eq!(tx.changes(), &before);
    assert_eq!(FIRSTS.check(&tx)?.faults, 2);
    Ok(())
}
