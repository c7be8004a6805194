//! Each invariant finds the state that breaks it.

use crate::setup::{FULL, NOW, address, coins, create, incentive, swap, with_pools};
use keyscape::{
    U256,
    store::{Mode, StoreId, Tx},
};
use keyscape_bank::Keeper;
use keyscape_concentrated_liquidity::{
    invariants, keeper,
    layout::{
        concentratedliquidity::{
            ACCUMULATORS, Accumulator, Asset, FULL_RANGE, INCENTIVES, LOCK_POSITIONS,
            NEXT_INCENTIVE, NEXT_POSITION, POOLS, POSITIONS, SPREAD_POSITIONS, SPREAD_SCALE_FROM,
            TICKS, TOTAL_LIQUIDITY, UPTIME_POSITIONS, Uptime,
        },
        lockup::{LOCKS, NEXT_LOCK},
    },
    math::{BigDec, Dec},
    values::{AccumulatorContent, DecProto, Lock, Pool, Position},
};

type Break = fn(&mut Tx<'_>);

fn state(tx: &mut Tx<'_>) {
    create(tx, 1, 1, "1000000eth,1000000usdc", FULL).unwrap();
    create(tx, 2, 1, "1000eth,1000usdc", (-100_000, 200_000)).unwrap();
    let (owner, tokens) = (address(3), coins("5000eth,5000usdc"));
    keeper::create_locked_position(tx, NOW, &owner, 1, &tokens, 60, false).unwrap();
    swap(tx, 4, 1, &"20000eth".parse().unwrap(), "usdc").unwrap();
    incentive(tx, NOW, "500eth").unwrap();
}

/// Subtracts shares from the total of an accumulator.
fn lower_shares(tx: &mut Tx<'_>, name: Accumulator, shares: Dec) {
    let mut content = ACCUMULATORS.get(tx, name).unwrap().unwrap();
    content.shares = content.shares.minus(shares).unwrap();
    ACCUMULATORS.put(tx, name, &content).unwrap();
}

fn change_pool(tx: &mut Tx<'_>, change: impl FnOnce(&mut Pool)) {
    let mut pool = keeper::get_pool(tx, 1).unwrap();
    change(&mut pool);
    POOLS.put(tx, 1, &pool).unwrap();
}

#[test]
fn each_breach_is_found_by_its_invariant() {
    let breaks: [(&str, Break); 31] = [
        ("active liquidity", |tx| {
            change_pool(tx, |pool| {
                pool.liquidity = pool.liquidity.plus(Dec::SMALLEST).unwrap();
            });
        }),
        ("tick liquidity", |tx| {
            let mut tick = TICKS.get(tx, (1, -100_000)).unwrap().unwrap();
            tick.gross = tick.gross.plus(Dec::SMALLEST).unwrap();
            TICKS.put(tx, (1, -100_000), &tick).unwrap();
        }),
        ("tick liquidity", |tx| TICKS.delete(tx, (1, 200_000)).unwrap()),
        ("full range", |tx| FULL_RANGE.put(tx, 1, &DecProto { dec: Dec::ONE }).unwrap()),
        ("full range", |tx| FULL_RANGE.put(tx, 7, &DecProto { dec: Dec::ONE }).unwrap()),
        ("shares", |tx| lower_shares(tx, Accumulator::Spread { pool: 1 }, Dec::ONE)),
        ("shares", |tx| SPREAD_POSITIONS.delete(tx, (1, 2)).unwrap()),
        // Without its share, a position could never be withdrawn.
        ("shares", |tx| {
            let uptime = Uptime::new(3).unwrap();
            let share = UPTIME_POSITIONS.take(tx, (1, uptime, 2)).unwrap().unwrap();
            lower_shares(tx, Accumulator::Uptime { pool: 1, uptime }, share.shares);
        }),
        ("shares", |tx| {
            let share = SPREAD_POSITIONS.take(tx, (1, 2)).unwrap().unwrap();
            lower_shares(tx, Accumulator::Spread { pool: 1 }, share.shares);
        }),
        // The share of a position of another pool.
        ("shares", |tx| {
            let other = create(tx, 1, 2, "1000eth,1000usdc", FULL).unwrap();
            let share = SPREAD_POSITIONS.get(tx, (2, other.id)).unwrap().unwrap();
            SPREAD_POSITIONS.put(tx, (1, other.id), &share).unwrap();
            lower_shares(tx, Accumulator::Spread { pool: 1 }, share.shares.negated());
        }),
        ("counters", |tx| NEXT_POSITION.set(tx, 3).unwrap()),
        ("counters", |tx| NEXT_POSITION.set(tx, 1).unwrap()),
        ("counters", |tx| NEXT_POSITION.set(tx, 0).unwrap()),
        ("counters", |tx| NEXT_INCENTIVE.set(tx, 1).unwrap()),
        ("counters", |tx| NEXT_LOCK.set(tx, 1).unwrap()),
        ("counters", |tx| {
            let mut position = keeper::get_position(tx, 2).unwrap();
            position.id = 0;
            POSITIONS.put(tx, 0, &position).unwrap();
        }),
        ("belonging", |tx| {
            let tick = TICKS.get(tx, (1, 200_000)).unwrap().unwrap();
            TICKS.put(tx, (99, 200_000), &tick).unwrap();
        }),
        ("belonging", |tx| {
            let uptime = Uptime::new(0).unwrap();
            let incentive = INCENTIVES.get(tx, (1, uptime, 1)).unwrap().unwrap();
            INCENTIVES.put(tx, (99, uptime, 1), &incentive).unwrap();
        }),
        ("belonging", |tx| {
            let content = AccumulatorContent::default();
            ACCUMULATORS.put(tx, Accumulator::Spread { pool: 99 }, &content).unwrap();
        }),
        ("belonging", |tx| {
            let uptime = Uptime::new(0).unwrap();
            let share = UPTIME_POSITIONS.get(tx, (1, uptime, 2)).unwrap().unwrap();
            UPTIME_POSITIONS.put(tx, (99, uptime, 2), &share).unwrap();
        }),
        ("belonging", |tx| {
            let position = keeper::get_position(tx, 2).unwrap();
            POSITIONS.put(tx, 2, &Position { pool: 99, ..position }).unwrap();
        }),
        ("belonging", |tx| {
            let position = keeper::get_position(tx, 2).unwrap();
            POSITIONS.put(tx, 2, &Position { id: 77, ..position }).unwrap();
        }),
        ("prices", |tx| change_pool(tx, |pool| pool.id = 7)),
        ("prices", |tx| change_pool(tx, |pool| pool.tick += 1)),
        ("prices", |tx| {
            change_pool(tx, |pool| {
                pool.sqrt_price =
                    pool.sqrt_price.mul_even(BigDec::ONE.plus(BigDec::ONE).unwrap()).unwrap();
            });
        }),
        ("prices", |tx| change_pool(tx, |pool| pool.address = pool.incentives_address.clone())),
        ("locks", |tx| LOCK_POSITIONS.put(tx, 1, 2).unwrap()),
        ("locks", |tx| LOCKS.put(tx, 9, &Lock { duration: 1, end: None }).unwrap()),
        ("total liquidity", |tx| {
            TOTAL_LIQUIDITY.put(tx, Asset::new("eth").unwrap(), U256::MAX).unwrap();
        }),
        // Withdrawals would fail.
        ("total liquidity", |tx| TOTAL_LIQUIDITY.delete(tx, Asset::new("usdc").unwrap()).unwrap()),
        ("pool balances", |tx| {
            let [account, ..] = keeper::pool_addresses(1).unwrap();
            Keeper::default().send(tx, 0, &account, &address(5), &coins("100usdc")).unwrap();
        }),
    ];
    for (place, (invariant, change)) in breaks.into_iter().enumerate() {
        let db = with_pools(&[1, 2], 100, "0.003");
        let mut tx = db.begin(Mode::Write).unwrap();
        state(&mut tx);
        assert_eq!(invariants::check(&tx).unwrap(), [], "{place}");
        change(&mut tx);
        let broken = invariants::check(&tx).unwrap();
        let named = |broken: &invariants::Broken| broken.invariant == invariant;
        assert!(broken.iter().any(named), "{place} {invariant}: {broken:?}");
    }
}

/// Returns the violations of the invariant `setup`.
fn missing(tx: &Tx<'_>) -> Vec<String> {
    invariants::setup(tx).unwrap().iter().map(ToString::to_string).collect()
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
    let broken = invariants::indexes(&tx).unwrap();
    assert!(broken[0].what.starts_with("`pool_positions`: "), "{broken:?}");
    assert_eq!(broken.len(), 1);
    tx.rollback_to(checkpoint).unwrap();
    SPREAD_SCALE_FROM.delete(&mut tx).unwrap();
    assert_eq!(missing(&tx), ["setup: `spread_scale_from` is missing"]);
    tx.rollback_to(checkpoint).unwrap();
    assert!(POSITIONS.contains(&tx, 2).unwrap());
    // A corrupt row does not hide others.
    for key in [&b"\x031"[..], b"\x082", b"\x083", b"\x0ffoo"] {
        tx.put(store, key, b"corrupt").unwrap();
    }
    let broken = invariants::belonging(&tx).unwrap();
    let texts: Vec<String> = broken.iter().map(ToString::to_string).collect();
    for (text, key) in texts.iter().zip(["0331", "0832", "0833", "0f666f6f"]) {
        let start = format!("belonging: key {key} in the store `concentratedliquidity`: ");
        assert!(text.starts_with(&start), "{text}");
    }
    assert_eq!(texts.len(), 4, "{texts:?}");
    let all = invariants::check(&tx).unwrap();
    assert!(broken.iter().all(|broken| all.contains(broken)), "{all:?}");
}

/// Without its counter, a state would issue the id 0.
#[test]
fn a_state_without_its_counters_is_refused() {
    let db = with_pools(&[1], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    let checkpoint = tx.checkpoint();
    assert_eq!(missing(&tx), [""; 0]);
    NEXT_POSITION.set(&mut tx, 0).unwrap();
    assert_eq!(missing(&tx), ["setup: `next_position` is missing"]);
    let error = create(&mut tx, 1, 1, "1000eth,1000usdc", FULL).unwrap_err();
    assert_eq!(error.to_string(), "corrupt state: `next_position` is missing");
    assert!(!error.is_refusal());
    tx.rollback_to(checkpoint).unwrap();
    NEXT_INCENTIVE.set(&mut tx, 0).unwrap();
    assert_eq!(missing(&tx), ["setup: `next_incentive` is missing"]);
    tx.rollback_to(checkpoint).unwrap();
    NEXT_LOCK.set(&mut tx, 0).unwrap();
    assert_eq!(missing(&tx), ["setup: `next_lock` is missing"]);
}
