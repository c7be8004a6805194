//! Defects of the origin, each with a test that shows it absent.

use crate::setup::{FULL, NOW, address, coins, create, denom, incentive, swap, with_pools};
use keyscape::{
    store::{Mode, ReadExt, StoreId},
    traits::Keyspace,
};
use keyscape_concentrated_liquidity::{
    invariants,
    keeper::{self, Authority},
    layout::concentratedliquidity::{
        Asset, Incentives, OwnerPositions, PoolPositions, Pools, TICKS, Ticks,
    },
    math::Dec,
};

/// D1: ids of pools are read as they are written, in decimal digits.
#[test]
fn pool_10_is_not_pool_16() {
    let db = with_pools(&[10, 16], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    let first = create(&mut tx, 1, 10, "1000eth,1000usdc", FULL).unwrap();
    let second = create(&mut tx, 1, 16, "1000eth,1000usdc", FULL).unwrap();
    let ids = |pool| {
        let found = keeper::user_positions(&tx, &address(1), pool).unwrap();
        found.iter().map(|position| position.id).collect::<Vec<u64>>()
    };
    assert_eq!(ids(Some(10)), [first.id]);
    assert_eq!(ids(Some(16)), [second.id]);
    assert!(ids(Some(1)).is_empty());
    assert_eq!(ids(None), [first.id, second.id]);
}

/// D2: full-range liquidity increases and decreases, and a transfer does not change it.
#[test]
fn full_range_liquidity_follows_positions() {
    let db = with_pools(&[1], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    let made = create(&mut tx, 1, 1, "1000000eth,1000000usdc", FULL).unwrap();
    let other = create(&mut tx, 2, 1, "1000eth,1000usdc", FULL).unwrap();
    let sum = made.liquidity.plus(other.liquidity).unwrap();
    assert_eq!(keeper::full_range_liquidity(&tx, 1).unwrap(), sum);
    let part = made.liquidity.quo_truncate("2.5".parse::<Dec>().unwrap()).unwrap();
    keeper::withdraw_position(&mut tx, NOW, &address(1), made.id, part).unwrap();
    let left = sum.minus(part).unwrap();
    assert_eq!(keeper::full_range_liquidity(&tx, 1).unwrap(), left);
    let owner = address(1);
    let authority = Authority::Owner(&owner);
    keeper::transfer_positions(&mut tx, NOW, authority, &[made.id], &address(3)).unwrap();
    assert_eq!(keeper::full_range_liquidity(&tx, 1).unwrap(), left);
    let rest = made.liquidity.minus(part).unwrap();
    keeper::withdraw_position(&mut tx, NOW, &address(3), made.id, rest).unwrap();
    keeper::withdraw_position(&mut tx, NOW, &address(2), other.id, other.liquidity).unwrap();
    assert_eq!(keeper::full_range_liquidity(&tx, 1).unwrap(), Dec::ZERO);
}

/// D3: the total of a denomination is the sum of the pools.
#[test]
fn total_liquidity_is_that_of_the_pools() {
    let db = with_pools(&[1, 2], 100, "0.003");
    let mut tx = db.begin(Mode::Write).unwrap();
    let made = create(&mut tx, 1, 1, "1000000eth,1000000usdc", FULL).unwrap();
    create(&mut tx, 1, 2, "5000eth,7000usdc", FULL).unwrap();
    swap(&mut tx, 2, 1, &"10000eth".parse().unwrap(), "usdc").unwrap();
    keeper::withdraw_position(&mut tx, NOW, &address(1), made.id, made.liquidity).unwrap();
    for name in ["eth", "usdc"] {
        let in_pool = |pool| {
            let [account, ..] = keeper::pool_addresses(pool).unwrap();
            keyscape_bank::keeper::get_balance(&tx, &account, &denom(name)).unwrap()
        };
        let total = keeper::total_liquidity(&tx, &denom(name)).unwrap();
        assert_eq!(total, in_pool(1) + in_pool(2), "{name}");
    }
}

/// D4: no scan relies on the order of decimal ids, and a key that begins another is read alone.
#[test]
fn pool_1_and_pool_10_are_apart() {
    let db = with_pools(&[1, 10, 100, 2], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    create(&mut tx, 1, 10, "1000eth,1000usdc", FULL).unwrap();
    assert!(!keeper::get_pool(&tx, 1).unwrap().has_position());
    assert!(keeper::pool_positions(&tx, 1).unwrap().is_empty());
    assert_eq!(keeper::ticks(&tx, 1).unwrap(), []);
    assert_eq!(keeper::user_positions(&tx, &address(1), Some(1)).unwrap(), []);
    assert_eq!(Pools::decode(b"\x0310").unwrap().pool, 10);
}

/// D5: a tick with an unknown sign byte is an error.
#[test]
fn unknown_sign_bytes_are_refused() {
    let key = |sign: u8, tick: i64| {
        [&[1][..], &1_u64.to_be_bytes(), &[sign], &tick.to_be_bytes()].concat()
    };
    assert_eq!(Ticks::decode(&key(6, 7)).unwrap().tick, 7);
    assert_eq!(Ticks::decode(&key(5, -7)).unwrap().tick, -7);
    for (sign, tick) in [(0, 7), (0xff, 7), (5, 7), (6, -7), (0, -7)] {
        assert!(Ticks::decode(&key(sign, tick)).is_err(), "{sign} {tick}");
    }
    let db = with_pools(&[1], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    create(&mut tx, 1, 1, "1000eth,1000usdc", FULL).unwrap();
    let store = StoreId::of(Ticks::SPACE);
    let value = tx.get(store, &key(5, FULL.0)).unwrap().unwrap();
    tx.put(store, &key(0, 7), &value).unwrap();
    assert!(TICKS.scan_pool(&tx, 1).unwrap().any(|row| row.is_err()));
    assert!(!invariants::belonging(&tx).unwrap().is_empty());
}

/// D6: two incentives of one sender do not overwrite each other.
#[test]
fn equal_incentives_have_rows_of_their_own() {
    let db = with_pools(&[1], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    let first = incentive(&mut tx, NOW, "500eth").unwrap();
    let second = incentive(&mut tx, NOW, "500eth").unwrap();
    let all = keeper::incentives(&tx, 1).unwrap();
    assert_eq!(all.iter().map(|(id, ..)| *id).collect::<Vec<_>>(), [first, second]);
    let [_, incentives, _] = keeper::pool_addresses(1).unwrap();
    let has = keyscape_bank::keeper::get_all_balances(&tx, &incentives).unwrap();
    assert_eq!(has, coins("1000eth"));
}

/// D7: an owner whose address contains the byte of a separator is read back.
#[test]
fn owners_with_separators_in_their_bytes_are_found() {
    let db = with_pools(&[1], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    let made = create(&mut tx, 1, 1, "1000eth,1000usdc", FULL).unwrap();
    create(&mut tx, 2, 1, "1000eth,1000usdc", FULL).unwrap();
    for byte in [b'|', b'/', b'-'] {
        let to = address(byte);
        keeper::transfer_positions(&mut tx, NOW, Authority::Governance, &[made.id], &to).unwrap();
        let found = keeper::user_positions(&tx, &to, Some(1)).unwrap();
        assert_eq!(found.len(), 1, "{byte}");
        assert!(invariants::indexes(&tx).unwrap().is_empty());
    }
    assert!(OwnerPositions::decode(b"\x02/7c2f/1/2").is_ok());
}

/// D8: ids that contain the byte of a separator are cut by their length.
#[test]
fn ids_with_separators_in_their_bytes_are_found() {
    let db = with_pools(&[47, 124], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    for pool in [47, 124] {
        let made = create(&mut tx, 1, pool, "1000eth,1000usdc", FULL).unwrap();
        assert_eq!(keeper::pool_positions(&tx, pool).unwrap(), [made.id]);
    }
    let key = [&[9][..], &124_u64.to_be_bytes(), b"/", &47_u64.to_be_bytes()].concat();
    let found = PoolPositions::decode(&key).unwrap();
    assert_eq!((found.pool, found.position), (124, 47));
}

/// D9: denominations with every character that the Cosmos SDK allows have their rows.
#[test]
fn denominations_of_all_versions_are_kept() {
    for name in ["ibc/27394FB0", "factory/osmo1x/a-b", "a:b.c_d-e", "gamm/pool/1"] {
        assert_eq!(Asset::new(name).unwrap().as_str(), name);
    }
    for name in ["a|b|c", "ab", "1abc", "a b c"] {
        assert!(Asset::new(name).is_err(), "{name}");
    }
    assert!(Incentives::decode(b"\x04|1|0|2|").is_ok());
}
