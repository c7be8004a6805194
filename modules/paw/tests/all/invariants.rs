//! Every invariant reports its breach.

use crate::setup::{
    Outcome, account, at, ballot, begin, completed, fund, paw, pool, processing, provider, request,
    sound, swap, token, u, validator, vote,
};
use keyscape::{
    U256,
    store::{Db, StoreId, Tx},
};
use keyscape_bank::{
    keeper as bank,
    layout::acc::{ACCOUNTS, AccountsAddress},
};
use keyscape_paw::{
    Account, Error,
    invariants::{self, Broken},
    keeper::{compute, dex, ibc, oracle},
    layout::paw::{
        AGGREGATE_VOTES, AVERAGES, CIRCUIT_BREAKERS, COMPUTE_PARAMS, DELEGATES, DEX_PACKETS,
        DEX_SENT, ESCROWS, FEEDERS, JOB_STATUS, LAST_ACTIONS, LIQUIDITY, LOCKS, NEXT_REQUEST,
        NONCES, POOL_FEES, POOLS, PRICES, PROOFS, PROVIDER_NONCES, PROVIDERS, Party, Proof,
        RESULTS, SHARES, SLASHES, SNAPSHOTS, VALIDATORS, VOTES,
    },
    values::{
        Average, CircuitBreaker, ComputeParams, Escrow, EscrowState, JobStatus, PacketState, Pool,
        PoolLock, PoolOperation, Price, Provider, ProviderNonce, Slash, Snapshot, Status,
        Validator, Vote,
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
    let mut pool = dex::get_pool(tx, 1)?;
    change(&mut pool);
    Ok(POOLS.put(tx, 1, &pool)?)
}

fn change_provider(tx: &mut Tx<'_>, change: fn(&mut Provider)) -> Result<(), Error> {
    let mut row = compute::get_provider(tx, &account(2))?;
    change(&mut row);
    Ok(PROVIDERS.put(tx, account(2), &row)?)
}

/// Returns the account of a part of the module.
fn module(name: &str) -> Account<'static> {
    let address = bank::module_address(name).expect("the name of a module");
    Account::new(address.as_bytes().to_vec()).expect("an address")
}

/// Sets the time of a price in all of its rows.
fn set_time(tx: &mut Tx<'_>, time: u64) -> Result<(), Error> {
    let btc = || token("BTC");
    let price = oracle::get_price(tx, &btc())?;
    PRICES.put(tx, btc(), &Price { time, ..price })?;
    let average = AVERAGES.get(tx, btc())?.expect("an average");
    AVERAGES.put(tx, btc(), &Average { time, ..average })?;
    let row = SNAPSHOTS.get(tx, (btc(), 19))?.expect("a snapshot");
    Ok(SNAPSHOTS.put(tx, (btc(), 19), &Snapshot { time, ..row })?)
}

const BREAKS: [(&str, &str, Break); 52] = [
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
    ("jobs", "is completed and has no result", |tx| Ok(RESULTS.delete(tx, 2)?)),
    ("jobs", "proof of request 2", |tx| {
        PROOFS.prefix_all().delete(tx)?;
        Ok(())
    }),
    ("jobs", "is assigned with a payment of 0", |tx| {
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
        let price = oracle::get_price(tx, &token("BTC"))?;
        let row = SNAPSHOTS.get(tx, (token("BTC"), 19))?.expect("a snapshot");
        PRICES.put(tx, token("BTC"), &Price { time: 0, ..price })?;
        let row = Snapshot { price: u(4), ..row };
        Ok(SNAPSHOTS.put(tx, (token("BTC"), 19), &row)?)
    }),
    ("setup", "parameters: `slash_bp`", |tx| {
        let params = ComputeParams { slash_bp: 10_001, ..compute::params(tx)? };
        Ok(COMPUTE_PARAMS.put(tx, &params)?)
    }),
    ("setup", "the account of `oracle` cannot burn coins", |tx| {
        let mut account = bank::get_module_account(tx, "oracle")?;
        account.permissions.clear();
        let account = keyscape_bank::Account::module(&account).expect("it has a base account");
        let key = AccountsAddress::new(module("oracle").as_bytes().to_vec())?;
        Ok(ACCOUNTS.put(tx, key, &account)?)
    }),
    ("compute coins", "holds", |tx| fund(tx, &module("compute"), "1upaw")),
    ("compute coins", "holds", |tx| {
        // The sum of the stakes has more than 256 bits.
        for who in [2, 3] {
            let row = Provider { stake: U256::MAX, ..compute::get_provider(tx, &account(2))? };
            PROVIDERS.put(tx, account(who), &row)?;
        }
        Ok(())
    }),
    ("providers", "the price is zero", |tx| change_provider(tx, |row| row.price = U256::ZERO)),
    ("providers", "above 100", |tx| change_provider(tx, |row| row.reputation = 101)),
    ("providers", "is not enough", |tx| change_provider(tx, |row| row.stake = u(999_999))),
    ("nonces", "not registered", |tx| {
        let row = ProviderNonce { request: 1, used: false, height: 0 };
        Ok(PROVIDER_NONCES.put(tx, (Party::new(vec![9; 20])?, 1), &row)?)
    }),
    ("nonces", "no reserved nonce", |tx| {
        processing(tx, at(2), &account(1), &account(2), 3)?;
        PROVIDER_NONCES.prefix_all().delete(tx)?;
        Ok(())
    }),
    ("nonces", "too large", |tx| Ok(NONCES.put(tx, account(1), u64::MAX)?)),
    ("nonces", "no nonce of", |tx| change_provider(tx, |row| row.nonce_floor = u64::MAX)),
    ("jobs", "2 results, expected 1", |tx| {
        Ok(RESULTS.put(tx, 77, &compute::get_result(tx, 2)?)?)
    }),
    ("jobs", "of request 77, which", |tx| Ok(PROOFS.put(tx, Proof::from([7; 32]), 77)?)),
    ("jobs", "of request 1, which", |tx| Ok(PROOFS.put(tx, Proof::from([7; 32]), 1)?)),
    ("jobs", "expires in second", |tx| {
        let row = compute::get_escrow(tx, 1)?;
        Ok(ESCROWS.put(tx, 1, &Escrow { expires: u64::MAX, ..row })?)
    }),
    ("pools", "without a reference", |tx| {
        let row = dex::get_breaker(tx, 1)?;
        Ok(CIRCUIT_BREAKERS.put(tx, 1, &CircuitBreaker { reference: U256::ZERO, ..row })?)
    }),
    ("pools", "worth less than its", |tx| change_pool(tx, |pool| pool.shares += 1_000)),
    ("pools", "out of range", |tx| change_pool(tx, |pool| pool.cumulative = U256::MAX)),
    ("pool coins", "in pool 99, which has none", |tx| {
        Ok(POOL_FEES.put(tx, (99, token("uatom")), u(1))?)
    }),
    ("shares", "fees of", |tx| {
        change_pool(tx, |pool| pool.growth_a = U256::ZERO).and_then(|()| {
            let mut row = LIQUIDITY.get(tx, (1, account(1)))?.expect("a position");
            row.paid_a = U256::ONE;
            Ok(LIQUIDITY.put(tx, (1, account(1)), &row)?)
        })
    }),
    ("validators", "holds", |tx| fund(tx, &module("oracle"), "1upaw")),
    ("validators", "the feeder of", |tx| Ok(FEEDERS.put(tx, account(3), b"")?)),
    ("validators", "is inactive with", |tx| {
        Ok(VALIDATORS.put(tx, account(3), &Validator { active: false, since: 0 })?)
    }),
    ("votes", "zero, too large, unsorted", |tx| {
        Ok(VOTES.put(tx, account(3), &Vote { period: 1, prices: vote(&[("BTC", 0)]) })?)
    }),
    ("votes", "zero, too large, unsorted", |tx| {
        let prices = vote(&[("ETH", 1), ("BTC", 1)]);
        Ok(VOTES.put(tx, account(3), &Vote { period: 1, prices })?)
    }),
    ("votes", "which is not registered", |tx| {
        let row = AGGREGATE_VOTES.get(tx, account(3))?.expect("it has voted");
        Ok(AGGREGATE_VOTES.put(tx, account(8), &row)?)
    }),
    ("prices", "not in a revealed vote", |tx| {
        let price = oracle::get_price(tx, &token("BTC"))?;
        Ok(PRICES.put(tx, token("BTC"), &Price { source: account(8), ..price })?)
    }),
    ("prices", "another price or time", |tx| set_time(tx, 1 << 63)),
    ("prices", "is ahead of its price", |tx| {
        let row = SNAPSHOTS.get(tx, (token("BTC"), 19))?.expect("a snapshot");
        let row = Snapshot { time: 1 << 63, ..row };
        Ok(SNAPSHOTS.put(tx, (token("BTC"), 18), &row)?)
    }),
    ("prices", "which has no price", |tx| {
        let row = SNAPSHOTS.get(tx, (token("BTC"), 19))?.expect("a snapshot");
        Ok(SNAPSHOTS.put(tx, (token("ETH"), 19), &row)?)
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
            |breach: &Broken| breach.invariant == invariant && breach.what.contains(text);
        assert!(broken.iter().any(is_reported), "{invariant}, {text}: {broken:?}");
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
    assert!(
        broken.iter().any(|breach| breach.to_string().contains("JOBS_BY_STATUS")),
        "{broken:?}"
    );
    drop(tx);
    let mut tx = begin(&db);
    tx.put(paw, &[&[2, 1][..], &1_u64.to_be_bytes()].concat(), b"\xff")?;
    let broken = invariants::check(&tx)?;
    assert!(broken.iter().any(|breach| breach.what.contains("not checked")), "{broken:?}");
    Ok(())
}

#[test]
fn a_state_without_parameters_is_reported() -> Outcome {
    let db = filled()?;
    let mut tx = begin(&db);
    COMPUTE_PARAMS.delete(&mut tx)?;
    let first = invariants::check(&tx)?.first().map(ToString::to_string);
    assert_eq!(first.as_deref(), Some("setup: parameters: the module is not initialized"));
    Ok(())
}

#[test]
fn counters_that_go_back_are_reported() -> Outcome {
    let db = filled()?;
    let mut tx = begin(&db);
    let tx = &mut tx;
    ibc::send(tx, ibc::Part::Dex, "channel-0", "a/b")?;
    let packet =
        ibc::Packet { channel: "channel-0", sender: "a/b", nonce: 7, timestamp: at(2).time };
    ibc::receive(tx, at(2), ibc::Part::Dex, &packet)?;
    let before = invariants::counters(tx)?;
    assert_eq!(invariants::counters_never_fall(&before, &before, at(2)), []);
    let changes: [(&str, Break); 5] = [
        ("DEX_SENT", |tx| DEX_SENT.prefix_all().delete(tx).map(drop).map_err(Error::from)),
        ("DEX_PACKETS", |tx| DEX_PACKETS.prefix_all().delete(tx).map(drop).map_err(Error::from)),
        ("DEX_PACKETS", |tx| {
            let key = DEX_PACKETS.prefix_all().first(tx)?.expect("a packet").0;
            Ok(DEX_PACKETS.put(tx, key, &PacketState { nonce: 6, seen: at(3).time })?)
        }),
        ("can be used again", |tx| {
            PROVIDER_NONCES.prefix_all().delete(tx).map(drop).map_err(Error::from)
        }),
        ("next request", |tx| Ok(NEXT_REQUEST.set(tx, 1)?)),
    ];
    for (text, change) in changes {
        let checkpoint = tx.checkpoint();
        change(tx)?;
        let broken = invariants::counters_never_fall(&before, &invariants::counters(tx)?, at(3));
        assert!(broken.len() == 1 && broken[0].what.contains(text), "{text}: {broken:?}");
        tx.rollback_to(checkpoint)?;
    }
    // After its retention a packet may be forgotten.
    DEX_PACKETS.prefix_all().delete(tx)?;
    let late = keyscape_paw::Block { height: 3, time: at(2).time + ibc::RETENTION + 1 };
    assert_eq!(invariants::counters_never_fall(&before, &invariants::counters(tx)?, late), []);
    Ok(())
}

#[test]
fn a_product_that_falls_by_a_swap_is_reported() -> Outcome {
    let db = filled()?;
    let before = dex::get_pool(&db.read()?, 1)?;
    assert_eq!(invariants::product_never_falls(1, &before, &before), []);
    let after = Pool { reserve_b: before.reserve_b - 1, ..before.clone() };
    assert_eq!(invariants::product_never_falls(1, &before, &after).len(), 1);
    assert_eq!(invariants::product_never_falls(1, &after, &before), []);
    Ok(())
}
