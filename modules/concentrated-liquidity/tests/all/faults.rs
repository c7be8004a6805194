//! Operations that the database interrupts: they write nothing in any store.

use crate::setup::{FULL, NOW, address, coins, create, denom, incentive, swap, with_pools};
use keyscape::store::{Db, Mode, Tx};
use keyscape_concentrated_liquidity::{
    Error, invariants,
    keeper::{self, Addition, Authority, NewPool, NewPosition, SwapOut},
    math::{Dec, Int},
    values::Params,
};
use keyscape_testkit::interrupt;

type Run = fn(&mut Tx<'_>) -> Result<(), Error>;

/// The time of the operations, a minute later, so incentives accrue.
const LATER: i64 = NOW + 60_000_000_000;

/// Creates a pool with a full-range position, a position around the price, a locked position,
/// incentives, and uncollected rewards.
fn filled() -> Db {
    let db = with_pools(&[1], 100, "0.003");
    db.write(|tx| {
        create(tx, 1, 1, "1000000eth,1000000usdc", FULL)?;
        create(tx, 2, 1, "1000000eth,1000000usdc", (-100_000, 200_000))?;
        let (owner, tokens) = (address(3), coins("5000eth,5000usdc"));
        keeper::create_locked_position(tx, NOW, &owner, 1, &tokens, 60, false)?;
        incentive(tx, NOW, "500000eth")?;
        swap(tx, 4, 1, &"20000eth".parse().unwrap(), "usdc")?;
        Ok::<(), Error>(())
    })
    .unwrap();
    db
}

fn withdraw(tx: &mut Tx<'_>, part: i64) -> Result<(), Error> {
    let liquidity = keeper::get_position(tx, 2)?.liquidity.quo_truncate(Dec::from(part))?;
    keeper::withdraw_position(tx, LATER, &address(2), 2, liquidity).map(drop)
}

const RUNS: [(&str, Run); 15] = [
    ("initialize", |tx| keeper::initialize(tx, &Params::launch(), 1, 1)),
    ("create a pool", |tx| {
        let (token0, token1) = (&denom("eth"), &denom("usdc"));
        let new = NewPool { id: 7, token0, token1, spacing: 100, spread_factor: Dec::ZERO };
        keeper::create_pool(tx, LATER, &new)
    }),
    ("create a position", |tx| {
        let (owner, tokens) = (&address(4), &coins("1000eth,1000usdc"));
        let (min0, min1, lower, upper) = (Int::ZERO, Int::ZERO, -300_000, 300_000);
        let new = NewPosition { owner, pool: 1, tokens, min0, min1, lower, upper };
        keeper::create_position(tx, LATER, &new).map(drop)
    }),
    ("create a locked position", |tx| {
        let tokens = coins("1000eth,1000usdc");
        keeper::create_locked_position(tx, LATER, &address(4), 1, &tokens, 5, true).map(drop)
    }),
    ("unlock", |tx| keeper::begin_unlock(tx, LATER, 1).map(drop)),
    ("withdraw a part", |tx| withdraw(tx, 2)),
    ("withdraw", |tx| withdraw(tx, 1)),
    ("add", |tx| {
        let (amount0, amount1) = (Int::from(50_000), Int::from(50_000));
        let add = Addition { amount0, amount1, min0: Int::ZERO, min1: Int::ZERO };
        keeper::add_to_position(tx, LATER, &address(2), 2, &add).map(drop)
    }),
    ("swap in", |tx| swap(tx, 4, 1, &"900000eth".parse().unwrap(), "usdc").map(drop)),
    ("swap out", |tx| {
        let (sender, denom_in, coin) = (&address(4), &denom("usdc"), &"1000eth".parse().unwrap());
        let (max_in, price_limit) = (Int::from(5_000), None);
        let swap = SwapOut { sender, pool: 1, denom_in, max_in, coin, price_limit };
        keeper::swap_out(tx, LATER, &swap).map(drop)
    }),
    ("collect spread rewards", |tx| {
        keeper::collect_spread_rewards(tx, LATER, &address(2), &[2]).map(drop)
    }),
    ("collect incentives", |tx| keeper::collect_incentives(tx, LATER, &address(2), &[2]).map(drop)),
    ("create an incentive", |tx| incentive(tx, LATER, "500000eth").map(drop)),
    ("transfer", |tx| {
        let owner = address(2);
        keeper::transfer_positions(tx, LATER, Authority::Owner(&owner), &[2], &address(5))
    }),
    ("link a balancer pool", |tx| keeper::set_balancer_full_range(tx, 1, 7, 1, Dec::ONE)),
];

#[test]
fn an_interrupted_operation_writes_nothing() {
    let db = filled();
    let begin = || {
        let mut tx = db.begin(Mode::Write)?;
        // Earlier writes of the transaction, which must stay.
        keeper::set_params(&mut tx, &Params::default())?;
        keeper::set_params(&mut tx, &Params::launch())?;
        Ok::<_, Error>(tx)
    };
    for (name, run) in RUNS {
        match interrupt(begin, run, Error::is_refusal) {
            Ok(charges) => assert!(charges >= 2, "{name}: {charges}"),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

#[test]
fn every_operation_leaves_a_sound_state() {
    let db = filled();
    for (name, run) in RUNS.into_iter().skip(1) {
        let mut tx = db.begin(Mode::Write).unwrap();
        run(&mut tx).unwrap();
        assert_eq!(invariants::check(&tx).unwrap(), [], "{name}");
    }
    let mut tx = db.begin(Mode::Write).unwrap();
    let swapped = swap(&mut tx, 4, 1, &"900000eth".parse().unwrap(), "usdc").unwrap();
    assert!(!swapped.crossed.is_empty(), "the swap crosses no tick");
}
