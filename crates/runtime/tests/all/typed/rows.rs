//! Maps and items: rows by their keys.

use crate::typed::{
    Outcome, SHOP, database, kind, order,
    shop::{
        Order,
        layout::{MOTTO, ORDERS, OrdersKey},
    },
};
use keyscape_runtime::{Error, ErrorKind};
use keyscape_store::{Counter, Mode, Read, ReadExt, StoreErrorKind};
use std::sync::Arc;

#[test]
fn a_row_is_read_until_it_is_deleted() -> Outcome {
    let db = database();
    db.write(|tx| {
        ORDERS.put(tx, (7, 1), &order("a", 3))?;
        // A transaction reads its own writes.
        assert_eq!(ORDERS.get(tx, (7, 1))?, Some(order("a", 3)));
        ORDERS.put(tx, (7, 1), &order("a", 4))
    })?;
    let before = db.read()?;
    db.write(|tx| ORDERS.delete(tx, OrdersKey { user: 7, order: 1 }))?;
    let key = OrdersKey { user: 7, order: 1 };
    assert_eq!(ORDERS.get(&before, key)?, Some(order("a", 4)));
    assert_eq!(ORDERS.get(&db.read()?, (7, 1))?, None);
    Ok(())
}

#[test]
fn code_that_only_reads_works_on_any_state() -> Outcome {
    fn amount(state: &dyn Read) -> Result<Option<u64>, Error> {
        ORDERS.get_with(state, (7, 1), |order| order.amount)
    }
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    ORDERS.put(&mut tx, (7, 1), &order("a", 3))?;
    assert_eq!((amount(&tx)?, amount(&db.read()?)?), (Some(3), None));
    Ok(())
}

#[test]
fn keys_and_values_have_the_bytes_of_the_layout() -> Outcome {
    let db = database();
    db.write(|tx| {
        ORDERS.put(tx, (1, 2), &order("ab", 3))?;
        MOTTO.put(tx, "ink")
    })?;
    let state = db.read()?;
    let key = b"o/\0\0\0\0\0\0\0\x01\0\0\0\x02";
    assert_eq!(state.get(SHOP, key)?, Some(b"\0\0\0\0\0\0\0\x03ab".to_vec()));
    assert_eq!(state.get(SHOP, b"n/\0\0\0\x02\0\0\0\0\0\0\0\x01")?, Some(Vec::new()));
    assert_eq!(state.get(SHOP, b"t/ab")?, Some(key[2..].to_vec()));
    assert_eq!(state.get(SHOP, b"m")?, Some(b"ink".to_vec()));
    Ok(())
}

#[test]
fn take_returns_the_deleted_value() -> Outcome {
    let db = database();
    db.write(|tx| {
        ORDERS.put(tx, (7, 1), &order("a", 3))?;
        assert_eq!(ORDERS.take(tx, (7, 1))?, Some(order("a", 3)));
        assert_eq!(ORDERS.take(tx, (7, 1))?, None);
        MOTTO.put(tx, "ink")?;
        assert_eq!(MOTTO.take(tx)?.as_deref(), Some("ink"));
        assert_eq!(MOTTO.take(tx)?, None);
        Ok::<(), Error>(())
    })?;
    assert!(db.read()?.rows(SHOP, keyscape_store::KeyRange::all())?.to_vec()?.is_empty());
    Ok(())
}

#[test]
fn an_update_puts_deletes_or_changes_nothing() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    let add = |order: Option<Order>| {
        Ok::<_, Error>(Some(order.map_or(crate::typed::order("a", 1), |order| Order {
            amount: order.amount + 1,
            ..order
        })))
    };
    ORDERS.update(&mut tx, (7, 1), add)?;
    ORDERS.update(&mut tx, (7, 1), add)?;
    assert_eq!(ORDERS.get(&tx, (7, 1))?, Some(order("a", 2)));
    let refused =
        ORDERS.update(&mut tx, (7, 1), |_| Err(ErrorKind::from(StoreErrorKind::Busy).into()));
    assert_eq!(refused.map_err(|error: Error| kind(&error)), Err("Store".to_owned()));
    assert_eq!(ORDERS.get(&tx, (7, 1))?, Some(order("a", 2)));
    ORDERS.update(&mut tx, (7, 1), |_| Ok::<_, Error>(None))?;
    assert!(!ORDERS.contains(&tx, (7, 1))?);
    let changes = tx.changes().clone();
    ORDERS.update(&mut tx, (7, 2), |_| Ok::<_, Error>(None))?;
    assert_eq!(tx.changes(), &changes);

    MOTTO.update(&mut tx, |motto| {
        assert_eq!(motto, None);
        Ok::<_, Error>(Some("ink".to_owned()))
    })?;
    assert_eq!(MOTTO.get_with(&tx, str::len)?, Some(3));
    MOTTO.update(&mut tx, |_| Ok::<_, Error>(None))?;
    assert!(!MOTTO.contains(&tx)?);
    Ok(())
}

#[test]
fn a_corrupt_row_is_an_error_with_its_key() -> Outcome {
    let db = database();
    db.write(|tx| tx.put(SHOP, b"o/\0\0\0\0\0\0\0\x01\0\0\0\x02", b"short"))?;
    let state = db.read()?;
    let error = ORDERS.get(&state, (1, 2)).expect_err("corrupt");
    assert_eq!(
        error.to_string(),
        "keyspace `orders`: the value of the key 6f2f000000000000000100000002 is corrupt: too short"
    );
    // `contains` does not decode the value.
    assert!(ORDERS.contains(&state, (1, 2))?);
    db.write(|tx| tx.put(SHOP, b"m", &[0xff]))?;
    assert_eq!(
        MOTTO.get(&db.read()?).map_err(|error| kind(&error)),
        Err("CorruptValue".to_owned())
    );
    Ok(())
}

#[test]
fn errors_of_the_store_name_the_keyspace() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Read)?;
    let error = MOTTO.put(&mut tx, "ink").expect_err("read-only");
    let ErrorKind::Store(error) = error.kind() else { return Err("another kind".into()) };
    assert_eq!((error.kind(), error.keyspace()), (StoreErrorKind::ReadOnly, Some("motto")));
    Ok(())
}

#[test]
fn plain_rows_cost_one_operation() -> Outcome {
    let db = database();
    let counter = Arc::new(Counter::new());
    let mut tx = db.begin(Mode::Write)?;
    tx.set_meter(Some(counter.clone()));
    MOTTO.put(&mut tx, "ink")?;
    MOTTO.get(&tx)?;
    MOTTO.delete(&mut tx)?;
    let count = counter.count();
    assert_eq!((count.puts, count.gets, count.deletes, count.seeks), (1, 1, 1, 0));
    Ok(())
}
