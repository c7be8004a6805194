//! Transfers through the module `bank`.

use super::{ACCOUNTS, DENOMS, Transfer, address, denom, transfers};
use crate::fixture::{leaked, ok, redb};
use keyscape::store::{Db, Durability, KeyRange, Read, StoreId};
use keyscape_bank::{
    Address, Coin, Coins, Error, Keeper, Permission, keeper, layout::bank::LAYOUT,
};
use keyscape_bench::{Batch, Work};
use std::hint::black_box;

/// The initial balance of every account in every denomination.
const EACH: u64 = 1_000_000_000_000;

/// Creates a temporary redb file with `accounts` accounts.
#[must_use]
pub fn filled(accounts: u32) -> Db {
    let db = redb(&[&LAYOUT]);
    ok(db.write(|tx| {
        keeper::create_module_account(tx, "mint", &[Permission::Minter])?;
        let mint = keeper::module_address("mint")?;
        let coins = |amount: u64| {
            let coins = (0..DENOMS).map(|number| Coin::new(&denom(number), amount));
            Coins::new(coins.collect::<Result<_, _>>()?)
        };
        Keeper::default().mint(tx, "mint", &coins(EACH * u64::from(accounts))?)?;
        let each = coins(EACH)?;
        for number in 0..accounts {
            Keeper::default().send(tx, 0, &mint, &ok(Address::new(address(number))), &each)?;
        }
        Ok::<(), Error>(())
    }));
    db
}

/// Runs transfers in one transaction.
pub fn run(db: &Db, batch: &[Transfer]) {
    ok(db.write(|tx| {
        for transfer in batch {
            let from = ok(Address::new(&transfer.from[..]));
            let to = ok(Address::new(&transfer.to[..]));
            let amount = ok(transfer.amount.parse::<u128>());
            let coins = Coins::try_from(Coin::new(&transfer.denom, amount)?)?;
            Keeper::default().send(tx, 1, &from, &to, &coins)?;
        }
        Ok::<(), Error>(())
    }));
}

/// Returns the work that runs batches of transfers.
pub fn work(durable: bool) -> impl Work {
    let durability = if durable { Durability::Durable } else { Durability::Buffered };
    let db = leaked(filled(ACCOUNTS).with_durability(durability));
    let batch = transfers(ACCOUNTS);
    Batch { before: || ok(db.sync()), run: move || run(db, black_box(&batch)) }
}

/// A store name, a key and a value.
pub type StoredRow = (&'static str, Vec<u8>, Vec<u8>);

/// Returns all rows of both stores.
#[must_use]
pub fn rows(db: &Db) -> Vec<StoredRow> {
    let state = ok(db.read());
    let mut all = Vec::new();
    for store in ["acc", "bank"] {
        let mut rows = ok(state.rows(StoreId::of(store), KeyRange::all()));
        while let Some(row) = ok(rows.next()) {
            all.push((store, row.key.to_vec(), row.value.to_vec()));
        }
    }
    all
}
