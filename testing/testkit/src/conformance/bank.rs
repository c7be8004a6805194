//! Transfers between accounts conserve the total.

use super::{
    A, Db, Factory, Outcome, open,
    threads::{ATTEMPTS, together},
};
use keyscape_store::{KeyRange, Read, ReadExt, StoreError, Tx};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

const ACCOUNTS: u64 = 6;
const FIRST_BALANCE: u64 = 100;
const TRANSFERS: u64 = 40;

pub(super) fn transfers(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    open_accounts(&db)?;
    run_transfers(&db)?;
    assert_eq!(total(&db.read()?)?, ACCOUNTS * FIRST_BALANCE);
    Ok(())
}

fn open_accounts(db: &Db) -> Result<(), StoreError> {
    db.write(|tx| (0..ACCOUNTS).try_for_each(|account| set(tx, account, FIRST_BALANCE)))
}

fn run_transfers(db: &Db) -> Outcome {
    let over = AtomicBool::new(false);
    thread::scope(|scope| -> Outcome {
        let auditor = scope.spawn(|| audit(db, &over));
        let transferred = together(|client| {
            (0..TRANSFERS).try_for_each(|number| {
                let from = (client + number) % ACCOUNTS;
                let to = (client + 7 * number + 1) % ACCOUNTS;
                let run = |tx: &mut Tx<'_>| transfer(tx, from, to, 1 + number % 5);
                if client == 0 { db.write(run) } else { db.optimistic(ATTEMPTS, run) }
            })
        });
        over.store(true, Ordering::SeqCst);
        auditor.join().map_err(|_| "a snapshot does not have the total")??;
        transferred
    })
}

/// Reads snapshots while transfers run.
fn audit(db: &Db, over: &AtomicBool) -> Result<(), StoreError> {
    while !over.load(Ordering::SeqCst) {
        assert_eq!(total(&db.read()?)?, ACCOUNTS * FIRST_BALANCE);
    }
    Ok(())
}

fn transfer(tx: &mut Tx<'_>, from: u64, to: u64, amount: u64) -> Result<(), StoreError> {
    let left = balance(tx, from)?;
    if from == to || left < amount {
        return Ok(());
    }
    let new = balance(tx, to)? + amount;
    thread::yield_now();
    set(tx, from, left - amount)?;
    set(tx, to, new)
}

fn balance(tx: &impl Read, account: u64) -> Result<u64, StoreError> {
    let bytes =
        tx.get_with(A, &account.to_be_bytes(), |value| value.try_into().unwrap_or_default())?;
    Ok(bytes.map_or(0, u64::from_be_bytes))
}

fn set(tx: &mut Tx<'_>, account: u64, balance: u64) -> Result<(), StoreError> {
    tx.put(A, &account.to_be_bytes(), &balance.to_be_bytes())
}

fn total(state: &impl Read) -> Result<u64, StoreError> {
    let mut rows = state.rows(A, KeyRange::all())?;
    let mut total = 0;
    while let Some(row) = rows.next()? {
        total += u64::from_be_bytes(row.value.try_into().unwrap_or_default());
    }
    Ok(total)
}
