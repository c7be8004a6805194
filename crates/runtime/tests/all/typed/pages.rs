//! Pages, and cursors that hold no snapshot and belong to one scan.

use crate::typed::{
    Outcome, database,
    odd::{FLAGS, MARKS},
    order,
    shop::layout::{BY_ORDER, ORDERS},
};
use keyscape_runtime::{Error, ErrorKind, PageCursor};
use keyscape_store::Db;

fn letters(number: u32) -> String {
    [number / 26, number % 26].map(|place| char::from(b'a' + place as u8)).iter().collect()
}

fn orders(count: u32) -> Db {
    let db = database();
    db.write(|tx| {
        (0..count)
            .try_for_each(|number| ORDERS.put(tx, (7, number), &order(&letters(number), 1)))?;
        ORDERS.put(tx, (8, 0), &order("zz", 1))
    })
    .expect("rows");
    db
}

fn why(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::ForeignCursor { why, .. } => why,
        other => panic!("{other}"),
    }
}

#[test]
fn pages_of_every_size_hold_every_row_once_in_both_directions() -> Outcome {
    let db = orders(10);
    let state = db.read()?;
    for size in [0, 1, 3, 5, 9, 10, 11, usize::MAX] {
        for backward in [false, true] {
            let prefix = || {
                let prefix = ORDERS.prefix_user(7);
                if backward { prefix.reverse() } else { prefix }
            };
            let mut seen = Vec::new();
            let mut page = prefix().page(&state, size)?;
            loop {
                assert!(page.rows.len() <= size.max(1));
                seen.extend(page.rows.iter().map(|(key, _)| key.order));
                let Some(cursor) = page.next else { break };
                let cursor: PageCursor = cursor.to_string().parse()?;
                page = prefix().after(&cursor).page(&state, size)?;
            }
            if backward {
                seen.reverse();
            }
            assert_eq!(seen, (0..10).collect::<Vec<_>>(), "pages of {size}");
        }
    }
    Ok(())
}

#[test]
fn an_empty_scan_has_one_empty_page() -> Outcome {
    let db = orders(1);
    let page = ORDERS.prefix_user(9).page(&db.read()?, 5)?;
    assert!(page.rows.is_empty() && page.next.is_none());
    Ok(())
}

#[test]
fn a_row_that_exists_throughout_is_returned_once() -> Outcome {
    let db = orders(10);
    let first = ORDERS.prefix_user(7).page(&db.read()?, 4)?;
    let cursor = first.next.ok_or("more")?;
    db.write(|tx| {
        // Delete the row of the cursor, and insert rows before and after it.
        ORDERS.delete(tx, (7, 3))?;
        ORDERS.delete(tx, (7, 4))?;
        ORDERS.delete(tx, (7, 0))?;
        ORDERS.put(tx, (7, 0), &order("back", 1))?;
        ORDERS.put(tx, (7, 99), &order("late", 1))
    })?;
    let rest = ORDERS.prefix_user(7).after(&cursor).page(&db.read()?, 100)?;
    let numbers: Vec<u32> = rest.rows.iter().map(|(key, _)| key.order).collect();
    assert_eq!(numbers, [5, 6, 7, 8, 9, 99]);
    Ok(())
}

#[test]
fn a_cursor_of_another_scan_is_rejected() -> Outcome {
    let db = orders(10);
    let state = db.read()?;
    let cursor = ORDERS.prefix_user(7).page(&state, 4)?.next.ok_or("more")?;
    let refused = |prefix: keyscape_runtime::Prefix<_, _>| {
        why(&prefix.after(&cursor).scan(&state).expect_err("refused"))
    };
    assert_eq!(refused(ORDERS.prefix_user(8)), "its key is outside the scan");
    assert_eq!(refused(ORDERS.prefix_user(7).range(4..)), "its key is outside the scan");
    assert_eq!(refused(ORDERS.prefix_user(7).reverse()), "it goes in the other direction");
    let error = BY_ORDER.prefix_order(3).after(&cursor).count(&state).expect_err("refused");
    assert_eq!(why(&error), "it belongs to another keyspace");
    let forged: PageCursor = "shop/orders>6f2f000000000000000700".parse()?;
    let error = ORDERS.prefix_user(7).after(&forged).page(&state, 1).expect_err("refused");
    assert_eq!(why(&error), "its key does not belong to the keyspace");
    assert_eq!(
        error.to_string(),
        "the cursor does not belong to this scan of `orders`: its key does not belong to the keyspace"
    );
    // Scans of the same keyspace that contain the key can continue from it.
    assert_eq!(ORDERS.prefix_all().after(&cursor).count(&state)?, 7);
    assert_eq!(ORDERS.prefix_user(7).range(..6).after(&cursor).count(&state)?, 2);
    Ok(())
}

#[test]
fn cursors_have_one_text() {
    for text in ["", "shop/orders", "shop/orders>6", "shop/orders>6G", "shop/orders>6A", "a=00"] {
        assert!(text.parse::<PageCursor>().is_err(), "{text}");
    }
    for text in ["shop/orders>", "shop/orders<00ff", "store/family/rows>61"] {
        assert_eq!(
            text.parse::<PageCursor>().map(|cursor| cursor.to_string()),
            Ok(text.to_owned())
        );
    }
}

#[test]
fn a_limit_bounds_pages_and_skipped_rows_do_not_count() -> Outcome {
    let db = orders(3);
    let page = ORDERS.prefix_user(7).limit(2).page(&db.read()?, 5)?;
    assert_eq!((page.rows.len(), page.next.is_some()), (2, true));
    let page = ORDERS.prefix_user(7).limit(0).page(&db.read()?, 5)?;
    assert_eq!((page.rows.len(), page.next.is_some()), (0, false));

    db.write(|tx| {
        [1, 2].into_iter().try_for_each(|id| MARKS.put(tx, id, ()))?;
        [1, 2, 3].into_iter().try_for_each(|id| FLAGS.put(tx, id, ()))
    })?;
    let first = MARKS.prefix_all().page(&db.read()?, 1)?;
    let last = MARKS.prefix_all().after(&first.next.ok_or("more")?).page(&db.read()?, 1)?;
    assert_eq!((first.rows[0].0.id, last.rows[0].0.id, last.next), (1, 2, None));
    Ok(())
}
