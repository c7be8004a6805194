//! Properties of operations, whatever the amounts.

use crate::setup::{FULL, NOW, address, create, swap, with_pools};
use keyscape::{
    U256,
    store::{Mode, Tx},
};
use keyscape_bank::{Coin, keeper as bank};
use keyscape_concentrated_liquidity::{keeper, math::Int};
use proptest::prelude::*;

/// A database with a pool of several positions around the price.
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

fn balances(tx: &Tx<'_>, byte: u8) -> String {
    bank::get_all_balances(tx, &address(byte)).unwrap().to_string()
}

fn spreads() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("0"), Just("0.0005"), Just("0.003")]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn swapping_there_and_back_never_gains(
        spread in spreads(), depth in 1_000_u64..1_000_000_000_000, part in 1_u64..2_000, up: bool,
    ) {
        let db = pool(spread, depth);
        let mut tx = db.begin(Mode::Write).unwrap();
        let (from, to) = if up { ("usdc", "eth") } else { ("eth", "usdc") };
        let amount = U256::from(depth) * U256::from(part) / 1_000 + 1;
        let Ok(there) = swap(&mut tx, 2, 1, &coin(amount, from), to) else { return Ok(()) };
        let Ok(back) = swap(&mut tx, 2, 1, &coin(there.amount_out.magnitude(), to), from) else { return Ok(()) };
        prop_assert!(back.amount_out <= there.amount_in, "{there:?} {back:?}");
    }

    #[test]
    fn splitting_a_swap_never_pays_more(
        spread in spreads(), depth in 1_000_u64..1_000_000_000_000, part in 2_u64..2_000, at in 1_u64..1_000, up: bool,
    ) {
        let db = pool(spread, depth);
        let (from, to) = if up { ("usdc", "eth") } else { ("eth", "usdc") };
        let amount = U256::from(depth) * U256::from(part) / 1_000 + 2;
        let first = (amount * U256::from(at) / 1_000).max(U256::ONE);
        let mut tx = db.begin(Mode::Write).unwrap();
        let Ok(whole) = swap(&mut tx, 2, 1, &coin(amount, from), to) else { return Ok(()) };
        drop(tx);
        let mut tx = db.begin(Mode::Write).unwrap();
        let mut paid = Int::ZERO;
        for part in [first, amount - first] {
            if part > 0 {
                let Ok(swapped) = swap(&mut tx, 2, 1, &coin(part, from), to) else { return Ok(()) };
                paid = paid.plus(swapped.amount_out).unwrap();
            }
        }
        // A step up to a tick takes a whole amount. A swap that ends before the tick moves the rest of
        // its bucket to another fraction, so a split can save less than one unit that comes in. One `eth`
        // is worth at most 3 `usdc` in these pools.
        let saved = match (whole.crossed.is_empty(), up) {
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
        let Ok(made) = create(&mut tx, 2, 1, &format!("{eth}eth,{usdc}usdc"), range) else { return Ok(()) };
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
        let (from, to) = if up { ("usdc", "eth") } else { ("eth", "usdc") };
        let amount = U256::from(depth) * U256::from(part) / 1_000 + 1;
        if swap(&mut tx, 2, 1, &coin(amount, from), to).is_err() {
            return Ok(());
        }
        let ids = keeper::pool_positions(&tx, 1).unwrap();
        keeper::collect_spread_rewards(&mut tx, NOW, &address(1), &ids).unwrap();
        let before = balances(&tx, 1);
        let again = keeper::collect_spread_rewards(&mut tx, NOW, &address(1), &ids).unwrap();
        prop_assert!(again.is_empty(), "{again}");
        prop_assert_eq!(balances(&tx, 1), before);
    }
}
