//! Properties of operations for random amounts.

use crate::setup::{FULL, NOW, address, create, denom, swap, with_pools};
use keyscape::{
    U256,
    store::{Mode, Tx},
};
use keyscape_bank::{Coin, keeper as bank};
use keyscape_concentrated_liquidity::{
    keeper::{self, NewIncentive},
    math::{Dec, Int},
};
use proptest::prelude::*;

/// Creates a database with a pool of several positions around the price.
fn pool(spread: &str, depth: u64) -> keyscape::store::Db {
    let db = with_pools(&[1], 100, spread);
    db.write(|tx| {
        create(tx, 1, 1, &format!("{depth}eth,{}usdc", depth * 3), FULL)?;
        let tick = keeper::get_pool(tx, 1)?.tick;
        for width in [100, 20_000, 3_000_000] {
            let tokens = format!("{depth}eth,{depth}usdc");
            create(tx, 1, 1, &tokens, (tick - width, tick + width))?;
        }
        Ok::<(), keyscape_concentrated_liquidity::Error>(())
    })
    .unwrap();
    db
}

fn coin(amount: U256, denom: &str) -> Coin {
    Coin::new(denom, amount).unwrap()
}

/// Returns a coin to swap in, which is `part` thousandths of `depth`, and the denomination out.
fn trade(depth: u64, part: u64, up: bool) -> (Coin, &'static str) {
    let (from, to) = if up { ("usdc", "eth") } else { ("eth", "usdc") };
    (coin(U256::from(depth) * U256::from(part) / 1_000 + 1, from), to)
}

fn balances(tx: &Tx<'_>, byte: u8) -> String {
    bank::get_all_balances(tx, &address(byte)).unwrap().to_string()
}

fn spreads() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("0"), Just("0.0005"), Just("0.003")]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn swapping_there_and_back_never_gains(
        spread in spreads(), depth in 1_000_u64..1_000_000_000_000, part in 1_u64..2_000, up: bool,
    ) {
        let db = pool(spread, depth);
        let mut tx = db.begin(Mode::Write).unwrap();
        let (from, to) = trade(depth, part, up);
        let there = swap(&mut tx, 2, 1, &from, to);
        prop_assume!(there.is_ok());
        let there = there.unwrap();
        let back = coin(there.amount_out.magnitude(), to);
        let back = swap(&mut tx, 2, 1, &back, from.denom.as_str());
        prop_assume!(back.is_ok());
        let back = back.unwrap();
        prop_assert!(back.amount_out <= there.amount_in, "{there:?} {back:?}");
    }

    #[test]
    fn splitting_a_swap_never_pays_more(
        spread in spreads(), depth in 1_000_u64..1_000_000_000_000, part in 2_u64..2_000, at in 1_u64..1_000, up: bool,
    ) {
        let db = pool(spread, depth);
        let (Coin { denom: from, amount }, to) = trade(depth, part, up);
        let (from, amount) = (from.as_str(), amount + 1);
        let first = (amount * U256::from(at) / 1_000).max(U256::ONE);
        let mut tx = db.begin(Mode::Write).unwrap();
        let whole = swap(&mut tx, 2, 1, &coin(amount, from), to);
        prop_assume!(whole.is_ok());
        let whole = whole.unwrap();
        drop(tx);
        let mut tx = db.begin(Mode::Write).unwrap();
        let mut paid = Int::ZERO;
        for part in [first, amount - first] {
            let swapped = swap(&mut tx, 2, 1, &coin(part, from), to);
            prop_assume!(swapped.is_ok());
            paid = paid.plus(swapped.unwrap().amount_out).unwrap();
        }
        // Without a spread, or if no tick is crossed, splitting never pays more. With a spread, the
        // origin charges a step up to a tick a whole amount. A part that ends before the tick has
        // paid a fraction of it as spread, so the rest can cost one unit less. One `eth` is
        // worth at most 3 `usdc` in these pools.
        let saved = match (spread == "0" || whole.crossed.is_empty(), up) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 3,
        };
        let most = whole.amount_out.plus(Int::from(saved)).unwrap();
        prop_assert!(paid <= most, "{paid} > {whole:?}");
    }

    #[test]
    fn creating_and_withdrawing_never_gains(
        depth in 1_000_u64..1_000_000_000_000, eth in 1_u64..1_000_000_000, usdc in 1_u64..1_000_000_000,
        below in 0_i64..40_000, above in 1_i64..40_000,
    ) {
        let db = pool("0.003", depth);
        let mut tx = db.begin(Mode::Write).unwrap();
        let tick = keeper::get_pool(&tx, 1).unwrap().tick;
        let range = (tick - below * 100, tick + above * 100);
        let made = create(&mut tx, 2, 1, &format!("{eth}eth,{usdc}usdc"), range);
        prop_assume!(made.is_ok());
        let made = made.unwrap();
        let (out0, out1) =
            keeper::withdraw_position(&mut tx, NOW, &address(2), made.id, made.liquidity).unwrap();
        prop_assert!(out0 <= made.amount0 && out1 <= made.amount1, "{made:?} {out0} {out1}");
    }

    #[test]
    fn collecting_twice_pays_once(
        depth in 1_000_u64..1_000_000_000_000, part in 1_u64..2_000, up: bool,
    ) {
        let db = pool("0.003", depth);
        let mut tx = db.begin(Mode::Write).unwrap();
        let (from, to) = trade(depth, part, up);
        prop_assume!(swap(&mut tx, 2, 1, &from, to).is_ok());
        let (sender, incentive) = (&address(3), &coin(U256::from(depth), "eth"));
        let new = NewIncentive {
            sender, pool: 1, coin: incentive, rate: Dec::from(depth.cast_signed()), start: NOW, uptime: 1,
        };
        keeper::create_incentive(&mut tx, NOW, &new).unwrap();
        let ids = keeper::pool_positions(&tx, 1).unwrap();
        let (owner, now) = (address(1), NOW + 1_000_000_000);
        let untouched = balances(&tx, 1);
        keeper::collect_spread_rewards(&mut tx, now, &owner, &ids).unwrap();
        let earned = keeper::collect_incentives(&mut tx, now, &owner, &ids).unwrap();
        prop_assert!(!earned.collected.is_empty());
        let before = balances(&tx, 1);
        prop_assert_ne!(&before, &untouched);
        let again = keeper::collect_spread_rewards(&mut tx, now, &owner, &ids).unwrap();
        prop_assert!(again.is_empty(), "{again}");
        let again = keeper::collect_incentives(&mut tx, now, &owner, &ids).unwrap();
        prop_assert!(again.collected.is_empty() && again.forfeited.is_empty(), "{again:?}");
        prop_assert_eq!(balances(&tx, 1), before);
    }

    /// After all withdrawals, the account of the pool contains the amounts rounded in its favour:
    /// less than one unit for each amount of a position, each step and each payment of a swap.
    #[test]
    fn the_dust_of_a_pool_is_bounded(
        spread in spreads(), depth in 1_000_u64..1_000_000_000_000,
        swaps in prop::collection::vec((1_u64..2_000, any::<bool>()), 1..8),
    ) {
        let db = pool(spread, depth);
        let mut tx = db.begin(Mode::Write).unwrap();
        let mut roundings = 0;
        for (part, up) in swaps {
            let (from, to) = trade(depth, part, up);
            let swapped = swap(&mut tx, 2, 1, &from, to);
            roundings += swapped.map_or(0, |swapped| swapped.crossed.len() + 2);
        }
        prop_assume!(roundings > 0);
        for id in keeper::pool_positions(&tx, 1).unwrap() {
            let position = keeper::get_position(&tx, id).unwrap();
            keeper::withdraw_position(&mut tx, NOW, &address(1), id, position.liquidity).unwrap();
            // Both amounts are rounded when a position is created and when it is withdrawn.
            roundings += 2;
        }
        let [account, ..] = keeper::pool_addresses(1).unwrap();
        for name in ["eth", "usdc"] {
            let dust = bank::get_balance(&tx, &account, &denom(name)).unwrap();
            prop_assert!(dust <= U256::from(roundings as u64), "{dust}{name}, {roundings} roundings");
        }
    }
}
