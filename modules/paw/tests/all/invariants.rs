//! Every invariant reports its breach.

use crate::setup::{
    Outcome, account, at, ballot, begin, completed, fund, paw, pool, provider, request, sound,
    swap, token, u, validator, vote,
};
use keyscape::store::{Db, StoreId, Tx};
use keyscape_paw::{
    Error, genesis,
    invariants::{self, Broken},
    keeper::{compute, ibc},
    layout::paw::{
        AGGREGATE_VOTES, CIRCUIT_BREAKERS, COMPUTE_PARAMS, DELEGATES, ESCROWS, JOB_STATUS,
        LAST_ACTIONS, LIQUIDITY, LOCKS, POOL_FEES, POOLS, PRICES, PROOFS, PROVIDERS, RESULTS,
        SHARES, SLASHES, SNAPSHOTS, VALIDATORS,
    },
    values::{
        Escrow, EscrowState, JobStatus, Pool, PoolLock, PoolOperation, Price, Provider, Slash,
        Status,
    },
};

fn filled() -> Result<Db, Error> {
    let db = paw();
    db.write(|tx| {
        let (ann, node) = (account(1), account(2));
        provider(tx, &node)?;
        pool(tx, &ann)?;
        compute::submit(tx, at(1), &ann, &request(1))?;
        completed(tx, at(1), &ann, &node, 2)?;
        let _ = swap(tx, at(1), 1, &ann, 50_000)?;
        validator(tx, &account(3), 1_000_000)?;
        fund(tx, &account(3), "1upaw")?;
        ballot(tx, 0, &[(account(3), vote(&[("BTC", 5)]))])
    })?;
    Ok(db)
}

type Break = fn(&mut Tx<'_>) -> Result<(), Error>;

fn change_pool(tx: &mut Tx<'_>, change: fn(&mut Pool)) -> Result<(), Error> {
    let mut pool = keyscape_paw::keeper::dex::get_pool(tx, 1)?;
    change(&mut pool);
    Ok(POOLS.put(tx, 1, &pool)?)
}

const BREAKS: [(&str, &str, Break); 22] = [
    ("compute coins", "holds", |tx| {
        let row = compute::get_provider(tx, &account(2))?;
        let row = Provider { stake: row.stake + 20_000, ..row };
        Ok(PROVIDERS.put(tx, account(2), &row)?)
    }),
    ("jobs", "no status or no escrow", |tx| Ok(ESCROWS.delete(tx, 1)?)),
    ("jobs", "pending and its escrow challenged", |tx| {
        let row = compute::get_escrow(tx, 1)?;
        Ok(ESCROWS.put(tx, 1, &Escrow { state: EscrowState::Challenged, ..row })?)
    }),
    ("jobs", "its result differs", |tx| Ok(RESULTS.delete(tx, 2)?)),
    ("jobs", "proof of request 2", |tx| {
        PROOFS.prefix_all().delete(tx)?;
        Ok(())
    }),
    ("jobs", "has no price", |tx| {
        Ok(JOB_STATUS.put(tx, 1, &JobStatus { status: Status::Assigned, height: 1 })?)
    }),
    ("jobs", "3 statuses", |tx| {
        Ok(JOB_STATUS.put(tx, 3, &JobStatus { status: Status::Failed, height: 1 })?)
    }),
    ("jobs", "jobs, not 5", |tx| {
        let row = compute::get_provider(tx, &account(2))?;
        Ok(PROVIDERS.put(tx, account(2), &Provider { open_jobs: 5, ..row })?)
    }),
    ("pools", "not sorted", |tx| change_pool(tx, |pool| pool.token_a = token("zzz"))),
    ("pools", "no circuit breaker", |tx| Ok(CIRCUIT_BREAKERS.delete(tx, 1)?)),
    ("pool coins", "pool 1 holds", |tx| change_pool(tx, |pool| pool.reserve_b += 1)),
    ("pool coins", "pool 1 holds", |tx| Ok(POOL_FEES.put(tx, (1, token("uatom")), u(999_999))?)),
    ("shares", "add up to", |tx| Ok(SHARES.put(tx, (1, account(1)), u(7))?)),
    ("shares", "owes", |tx| Ok(POOL_FEES.delete(tx, (1, token("uatom")))?)),
    ("shares", "no position", |tx| Ok(LIQUIDITY.delete(tx, (1, account(1)))?)),
    ("shares", "2 last actions", |tx| Ok(LAST_ACTIONS.put(tx, (1, account(9)), 1)?)),
    ("locks", "locked by swap", |tx| {
        Ok(LOCKS.put(tx, 1, &PoolLock { operation: PoolOperation::Swap, height: 1 })?)
    }),
    ("validators", "holds 1000000", |tx| Ok(DELEGATES.put(tx, account(3), u(1_000_001))?)),
    ("validators", "not registered", |tx| Ok(VALIDATORS.delete(tx, account(3))?)),
    ("validators", "impossible penalty", |tx| {
        let slash = Slash { count: 1, total: u(5), last: u(5), stake: u(4), height: 1 };
        Ok(SLASHES.put(tx, account(3), &slash)?)
    }),
    ("prices", "not in a revealed vote", |tx| {
        let mut vote = AGGREGATE_VOTES.get(tx, account(3))?.expect("it has voted");
        vote.prices[0].price = u(6);
        Ok(AGGREGATE_VOTES.put(tx, account(3), &vote)?)
    }),
    ("prices", "last snapshot", |tx| {
        let price = keyscape_paw::keeper::oracle::get_price(tx, &token("BTC"))?;
        let row = SNAPSHOTS.get(tx, (token("BTC"), 19))?.expect("a snapshot");
        PRICES.put(tx, token("BTC"), &Price { time: 0, ..price })?;
        let row = keyscape_paw::values::Snapshot { price: u(4), ..row };
        Ok(SNAPSHOTS.put(tx, (token("BTC"), 19), &row)?)
    }),
];

#[test]
fn every_breach_is_reported_by_its_invariant() -> Outcome {
    let db = filled()?;
    sound(&begin(&db));
    for (invariant, text, change) in BREAKS {
        let mut tx = begin(&db);
        change(&mut tx)?;
        let broken = invariants::check(&tx)?;
        let is_reported =
            |found: &Broken| found.invariant == invariant && found.what.contains(text);
        assert!(broken.iter().any(is_reported), "{invariant}, {text}: {broken:?}");
        let refused = genesis::verify(&tx).expect_err("it is no genesis");
        assert_eq!(refused.to_string(), broken[0].to_string());
    }
    Ok(())
}

#[test]
fn a_damaged_index_and_a_corrupt_row_are_reported() -> Outcome {
    let db = filled()?;
    let paw = StoreId::of("paw");
    let mut tx = begin(&db);
    // An entry of the status index without its job.
    tx.put(paw, &[&[1, 0x13, 1][..], &99_u64.to_be_bytes()].concat(), b"")?;
    let broken = invariants::check(&tx)?;
    assert!(broken.iter().any(|found| found.to_string().contains("JOBS_BY_STATUS")), "{broken:?}");
    drop(tx);
    let mut tx = begin(&db);
    tx.put(paw, &[&[2, 1][..], &1_u64.to_be_bytes()].concat(), b"\xff")?;
    let broken = invariants::check(&tx)?;
    assert!(broken.iter().any(|found| found.what.contains("not checked")), "{broken:?}");
    Ok(())
}

#[test]
fn a_genesis_needs_parameters() -> Outcome {
    let db = filled()?;
    let mut tx = begin(&db);
    COMPUTE_PARAMS.delete(&mut tx)?;
    let error = genesis::verify(&tx).expect_err("it has no parameters");
    assert_eq!(error.to_string(), "the module is not initialized");
    Ok(())
}

#[test]
fn counters_that_go_back_are_reported() -> Outcome {
    let db = filled()?;
    let mut tx = begin(&db);
    ibc::send(&mut tx, ibc::Part::Dex, "channel-0", "a/b")?;
    let before = invariants::counters(&tx)?;
    assert_eq!(invariants::never_back(&before, &before), []);
    keyscape_paw::layout::paw::DEX_SENT.prefix_all().delete(&mut tx)?;
    let broken = invariants::never_back(&before, &invariants::counters(&tx)?);
    assert_eq!(broken.len(), 1, "{broken:?}");
    Ok(())
}
