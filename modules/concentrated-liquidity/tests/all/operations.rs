//! Operations that the traces do not cover.

use crate::setup::{FULL, NOW, address, coins, create, denom, swap, with_pools};
use keyscape::store::Mode;
use keyscape_bank::layout::bank::LAYOUT as BANK_LAYOUT;
use keyscape_concentrated_liquidity::{
    ErrorKind,
    keeper::{self, SwapIn, SwapOut},
    layout::concentratedliquidity::LAYOUT,
    math::{BigDec, Dec, Int, MAX_TICK, MathError},
    sim,
};

/// A swap stops at its price limit and moves less.
#[test]
fn a_swap_stops_at_its_price_limit() {
    let db = with_pools(&[1], 100, "0.003");
    let mut tx = db.begin(Mode::Write).unwrap();
    create(&mut tx, 1, 1, "1000000eth,1000000usdc", FULL).unwrap();
    let (sender, denom_out, denom_in) = (address(2), denom("usdc"), denom("eth"));
    let coin = "500000eth".parse().unwrap();
    let limit: BigDec = "0.81".parse().unwrap();
    let swap = SwapIn {
        sender: &sender,
        pool: 1,
        coin: &coin,
        denom_out: &denom_out,
        min_out: Int::ZERO,
        price_limit: Some(limit),
    };
    let checkpoint = tx.checkpoint();
    let swapped = keeper::swap_in(&mut tx, NOW, &swap).unwrap();
    // From a price of 1 to 0.81, the pool receives a ninth of its token0, rounded up to 111,112,
    // and a spread of 334.34.
    assert_eq!(swapped.amount_in.to_string(), "111447");
    assert_eq!(keeper::get_pool(&tx, 1).unwrap().sqrt_price.to_string(), "0.9");
    tx.rollback_to(checkpoint).unwrap();
    let coin = "500000usdc".parse().unwrap();
    let out = SwapOut {
        sender: &sender,
        pool: 1,
        denom_in: &denom_in,
        max_in: Int::from(1_000_000),
        coin: &coin,
        price_limit: Some(limit),
    };
    let paid = keeper::swap_out(&mut tx, NOW, &out).unwrap();
    assert_eq!(paid.amount_out.to_string(), "100000");
    tx.rollback_to(checkpoint).unwrap();
    let above: BigDec = "1.5".parse().unwrap();
    let error = keeper::swap_in(&mut tx, NOW, &SwapIn { price_limit: Some(above), ..swap });
    let error = error.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Math(MathError::SqrtPriceLimit { .. })), "{error}");
}

/// Near the highest price, the spread of a large amount out is too large for the accumulator. A
/// simulation can reach such a state.
#[test]
fn a_simulation_continues_if_a_spread_is_too_large() {
    let db = keyscape::memory_with(&[&LAYOUT, &BANK_LAYOUT]).unwrap();
    let mut tx = db.begin(Mode::Write).unwrap();
    sim::begin(&mut tx, 1).unwrap();
    let coin = |zeros: usize, denom: &str| format!("1{}{denom}", "0".repeat(zeros));
    let rich = ["eth", "osmo", "usdc"].map(|denom| coin(36, denom)).join(",");
    keyscape_bank::sim::fund(&mut tx, &[address(1)], &coins(&rich)).unwrap();
    for id in [10, 16, 124] {
        let token = keeper::get_pool(&tx, id).unwrap().token0;
        create(&mut tx, 1, id, &format!("2{token},{}", coin(29, "usdc")), FULL).unwrap();
        swap(&mut tx, 1, id, &coin(33, "usdc").parse().unwrap(), &token).unwrap();
        let lower = keeper::get_pool(&tx, id).unwrap().tick / 1_000 * 1_000 + 1_000;
        create(&mut tx, 1, id, &coin(29, &token), (lower, MAX_TICK)).unwrap();
    }
    let pool = keeper::get_pool(&tx, 10).unwrap();
    let out = SwapOut {
        sender: &address(1),
        pool: pool.id,
        denom_in: &denom("usdc"),
        max_in: Int::from(keyscape::U256::MAX),
        coin: &coin(20, &pool.token0).parse().unwrap(),
        price_limit: None,
    };
    let error = keeper::swap_out(&mut tx, NOW, &out).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::SpreadTooLarge(_)), "{error}");
    for seed in 40..50 {
        let checkpoint = tx.checkpoint();
        for height in 1..=4 {
            sim::block(&mut tx, seed, height).unwrap();
        }
        tx.rollback_to(checkpoint).unwrap();
    }
}

/// A lock that has ended is reported as ended, not as unknown.
#[test]
fn a_lock_that_has_ended_cannot_be_unlocked_again() {
    let db = with_pools(&[1], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    create(&mut tx, 2, 1, "1000eth,1000usdc", FULL).unwrap();
    let (owner, tokens) = (address(1), coins("5000eth,5000usdc"));
    let made = keeper::create_locked_position(&mut tx, NOW, &owner, 1, &tokens, 60, false).unwrap();
    let liquidity = made.created.liquidity;
    let withdraw = |tx: &mut keyscape::store::Tx<'_>, now| {
        keeper::withdraw_position(tx, now, &owner, made.created.id, liquidity)
    };
    assert!(matches!(withdraw(&mut tx, NOW).unwrap_err().kind(), ErrorKind::Locked { .. }));
    let end = keeper::begin_unlock(&mut tx, NOW, made.lock).unwrap();
    assert_eq!(end, NOW + 60);
    assert!(matches!(withdraw(&mut tx, end).unwrap_err().kind(), ErrorKind::Locked { .. }));
    withdraw(&mut tx, end + 1).unwrap();
    assert_eq!(keeper::lock_of(&tx, made.created.id).unwrap(), None);
    let again = keeper::begin_unlock(&mut tx, end + 1, made.lock).unwrap_err();
    assert!(matches!(again.kind(), ErrorKind::Unlocking { .. }), "{again}");
    let unknown = keeper::begin_unlock(&mut tx, NOW, 99).unwrap_err();
    assert!(matches!(unknown.kind(), ErrorKind::LockNotFound { .. }), "{unknown}");
}

/// Rows of balancer pools are stored for each uptime, and zero deletes them.
#[test]
fn balancer_pools_are_stored_by_uptime() {
    let db = with_pools(&[1], 100, "0");
    let mut tx = db.begin(Mode::Write).unwrap();
    let (minute, five) = (60_000_000_000, Dec::from(5));
    keeper::set_balancer_full_range(&mut tx, 1, 7, minute, five).unwrap();
    keeper::set_balancer_full_range(&mut tx, 1, 7, 1, Dec::ONE).unwrap();
    let all = keeper::balancer_full_range(&tx, 1).unwrap();
    assert_eq!(all, [(7, 1, Dec::ONE), (7, minute, five)]);
    keeper::set_balancer_full_range(&mut tx, 1, 7, 1, Dec::ZERO).unwrap();
    assert_eq!(keeper::balancer_full_range(&tx, 1).unwrap().len(), 1);
    assert!(keeper::set_balancer_full_range(&mut tx, 1, 7, 2, Dec::ONE).is_err());
    assert!(keeper::set_balancer_full_range(&mut tx, 3, 7, 1, Dec::ONE).is_err());
}
