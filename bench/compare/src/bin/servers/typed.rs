//! The typed side.

use super::{Failure, OF_USER, ROWS};
use keyscape::store::{Db, Snapshot};
use std::hint::black_box;

keyscape::layout!(
    r#"
    store shop
    map orders = "o/" {user: u64be} {order: u64be} -> u64be
        scan user by order
    map accounts = "a/" {account: u64be} -> u64be
    "#
);

/// A database with orders and accounts.
pub(crate) struct Typed {
    db: Db,
}

impl Typed {
    pub(crate) fn new(url: &str) -> Result<Typed, Failure> {
        Ok(Typed { db: keyscape_store_postgres::open_or_create(url, &shop::LAYOUT)? })
    }

    pub(crate) fn fill(&self) -> Result<(), Failure> {
        self.db.write(|tx| {
            (0..ROWS).try_for_each(|row| shop::ORDERS.put(tx, (row / OF_USER, row % OF_USER), row))
        })?;
        Ok(())
    }

    fn snapshot(&self) -> Snapshot<'_> {
        done(self.db.read())
    }

    pub(crate) fn get(&self) -> impl FnMut(u64) {
        let snapshot = self.snapshot();
        move |number| {
            let row = number * 7_919 % ROWS;
            let key = (row / OF_USER, row % OF_USER);
            assert_eq!(done(shop::ORDERS.get(&snapshot, key)), Some(row));
        }
    }

    pub(crate) fn read_many(&self) -> impl FnMut(u64) {
        let snapshot = self.snapshot();
        move |number| {
            let rows = (0..100).map(|at| (number + at) * 7_919 % ROWS);
            let keys = rows.map(|row| (row / OF_USER, row % OF_USER));
            let found = done(shop::ORDERS.get_many(&snapshot, keys));
            assert_eq!(found.iter().flatten().count(), 100);
        }
    }

    pub(crate) fn scan(&self, is_backward: bool) -> impl FnMut(u64) {
        let snapshot = self.snapshot();
        move |number| {
            let rows = shop::ORDERS.prefix_user(number % (ROWS / OF_USER));
            let rows = if is_backward { rows.reverse() } else { rows };
            let mut count = 0;
            for row in done(rows.scan(&snapshot)) {
                black_box(done(row));
                count += 1;
            }
            assert_eq!(count, OF_USER);
        }
    }

    pub(crate) fn commit(&self, number: u64, rows: u64) {
        done(self.db.write(|tx| {
            (0..rows).try_for_each(|row| {
                let row = (number * rows + row) * 7_919 % ROWS;
                shop::ORDERS.put(tx, (row / OF_USER, row % OF_USER), row)
            })
        }));
    }
}

/// Ends the program with an error of the server.
#[expect(clippy::panic, reason = "an error makes the measurement worthless")]
pub(crate) fn done<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}
