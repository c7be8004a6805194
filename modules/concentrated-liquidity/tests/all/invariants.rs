//! Each invariant finds the state that breaks it.

use crate::setup::{FULL, NOW, address, coins, create, swap, with_pools};
use keyscape::{
    U256,
    store::{Mode, StoreId, Tx},
};
use keyscape_bank::keeper as bank;
use keyscape_concentrated_liquidity::{
    genesis, invariants, keeper,
    layout::{
        concentratedliquidity::{
            ACCUMULATORS, Accumulator, Asset, FULL_RANGE, LOCK_POSITIONS, POOLS, POSITIONS,
            SPREAD_POSITIONS, SPREAD_SCALE_FROM, TICKS, TOTAL_LIQUIDITY,
        },
        lockup::LOCKS,
    },
    math::Dec,
    values::{DecProto, Lock},
};

type Break = fn(&mut Tx<'_>);

fn state(tx: &mut Tx<'_>) {
    create(tx, 1, 1, "1000000eth,1000000usdc", FULL).unwrap();
    create(tx, 2, 1, "1000eth,1000usdc", (-100_000, 200_000)).unwrap();
    let (owner, tokens) = (address(3), coins("5000eth,5000usdc"));
    keeper::create_locked_position(tx, NOW, &owner, 1, &tokens, 60, false).unwrap();
    swap(tx, 4, 1, &"20000eth".parse().unwrap(), "usdc").unwrap();
}

#[test]
fn each_breach_is_found_by_its_invariant() {
    let breaks: [(&str, Break); 11] = [
        ("active liquidity", |tx| {
            let mut pool = keeper::get_pool(tx, 1).unwrap();
            pool.liquidity = pool.liquidity.plus(Dec::SMALLEST).unwrap();
            POOLS.put(tx, 1, &pool).unwrap();
        }),
        ("tick liquidity", |tx| {
            let mut tick = TICKS.get(tx, (1, -100_000)).unwrap().unwrap();
            tick.gross = tick.gross.plus(Dec::SMALLEST).unwrap();
            TICKS.put(tx, (1, -100_000), &tick).unwrap();
        }),
        ("tick liquidity", |tx| TICKS.delete(tx, (1, 200_000)).unwrap()),
        ("full range", |tx| FULL_RANGE.put(tx, 1, &DecProto(Dec::ONE)).unwrap()),
        ("full range", |tx| FULL_RANGE.put(tx, 7, &DecProto(Dec::ONE)).unwrap()),
        ("shares", |tx| {
            let name = Accumulator::Spread { pool: 1 };
            let mut content = ACCUMULATORS.get(tx, name).unwrap().unwrap();
            content.shares = Dec::ONE;
            ACCUMULATORS.put(tx, name, &content).unwrap();
        }),
        ("shares", |tx| SPREAD_POSITIONS.delete(tx, (1, 2)).unwrap()),
        ("locks", |tx| LOCK_POSITIONS.put(tx, 1, 2).unwrap()),
        ("locks", |tx| LOCKS.put(tx, 9, &Lock { duration: 1, end: None }).unwrap()),
        ("total liquidity", |tx| {
            TOTAL_LIQUIDITY.put(tx, Asset::new("eth").unwrap(), U256::MAX).unwrap();
        }),
        ("pool balances", |tx| {
            let [account, ..] = keeper::pool_addresses(1).unwrap();
            bank::send(tx, 0, &account, &address(5), &coins("100usdc")).unwrap();
        }),
    ];
    for (place, (invariant, change)) in breaks.into_iter().enumerate() {
        let db = with_pools(&[1], 100, "0.003");
        let mut tx = db.begin(Mode::Write).unwrap();
        state(&mut tx);
        assert_eq!(invariants::check(&tx).unwrap(), [], "{place}");
        genesis::verify(&tx).unwrap();
        change(&mut tx);
        let broken = invariants::check(&tx).unwrap();
        let named = |broken: &invariants::Broken| broken.to_string().starts_with(invariant);
        assert!(broken.iter().any(named), "{place} {invariant}: {broken:?}");
        assert!(genesis::verify(&tx).is_err(), "{place}");
    }
}

#[test]
fn indexes_rows_and_items_are_checked() {
    let db = with_pools(&[1], 100, "0.003");
    let mut tx = db.begin(Mode::Write).unwrap();
    state(&mut tx);
    let checkpoint = tx.checkpoint();
    let store = StoreId::of("concentratedliquidity");
    let key = [&[9][..], &1_u64.to_be_bytes(), b"/", &2_u64.to_be_bytes()].concat();
    tx.delete(store, &key).unwrap();
    assert_eq!(invariants::pool_positions(&tx).unwrap().len(), 1);
    tx.rollback_to(checkpoint).unwrap();
    SPREAD_SCALE_FROM.delete(&mut tx).unwrap();
    let missing = genesis::verify(&tx).unwrap_err().to_string();
    assert_eq!(missing, "`spread_scale_from` is missing");
    tx.rollback_to(checkpoint).unwrap();
    assert!(POSITIONS.contains(&tx, 2).unwrap());
    tx.put(store, b"\x082", b"no position").unwrap();
    assert!(!invariants::check(&tx).unwrap().is_empty());
}
