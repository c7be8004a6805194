//! Swaps and positions of concentrated liquidity as the positions of a pool grow.

use super::{Growing, Point, SIZES};
use crate::fixture::{memory, ok};
use keyscape::store::{Db, Tx};
use keyscape_bank::{Address, Coins, Denom, Keeper, Permission, keeper as bank};
use keyscape_concentrated_liquidity::{
    Error,
    keeper::{self, Created, NewIncentive, NewPool, NewPosition, SwapIn},
    layout::concentratedliquidity::{LAYOUT, NEXT_POSITION},
    math::{Dec, Int, MAX_TICK, MIN_TICK},
    values::{Params, UPTIMES},
};

const POOL: u64 = 1;
/// The time at which the pool is filled, in nanoseconds since 1970.
const FILLED: i64 = 1_700_000_000_000_000_000;
/// The time of the measured operations: a minute of incentives is due.
const NOW: i64 = FILLED + 60_000_000_000;
/// The first id. All ids have the same number of digits, so the byte counts are comparable.
const FIRST: u64 = 10_000_000;
/// The distance between the ticks that a swap can cross.
const STEP: i64 = 10;
/// The swaps with the number of ticks that each crosses.
const SWAPS: [(&str, &str, usize); 3] = [
    ("swap without a crossing", "1000000000eth", 0),
    ("swap across one tick", "750000000000eth", 1),
    ("swap across ten ticks", "6000000000000eth", 10),
];

/// Measures all operations.
pub(super) fn measure() -> Vec<Point> {
    let (db, last) = pool();
    let mut state = Growing::new("liquidity", "positions", db);
    for size in SIZES {
        state.fill(size, |tx, place| add(tx, place as i64));
        for (operation, coin, crossed) in SWAPS {
            state.measure(operation, |tx| assert_eq!(swap(tx, coin), crossed, "{operation}"));
        }
        state.measure("create a position", |tx| {
            ok(create(tx, NOW, 2, "1000eth,1000usdc", (-50_000, 50_000)));
        });
        state.measure("withdraw a position", |tx| {
            ok(keeper::withdraw_position(tx, NOW, &account(1), last.id, last.liquidity));
        });
    }
    state.points
}

fn account(byte: u8) -> Address<'static> {
    ok(Address::new(vec![byte; 20]))
}

/// Creates a database with a pool at the price 1. It has an incentive, a full-range position, and
/// positions with ten ticks close below the price. Returns the last of these positions.
fn pool() -> (Db, Created) {
    let db = memory(&[&LAYOUT, &keyscape_bank::layout::bank::LAYOUT]);
    let last = ok(db.write(|tx| {
        bank::create_module_account(tx, "mint", &[Permission::Minter])?;
        for byte in 1..=2 {
            let funds: Coins = ok(format!("1{:030}eth,1{:030}usdc", 0, 0).parse());
            Keeper::default().mint(tx, "mint", &funds)?;
            let mint = bank::module_address("mint")?;
            Keeper::default().send(tx, 0, &mint, &account(byte), &funds)?;
        }
        keeper::initialize(tx, &Params::launch(), 0, 0)?;
        NEXT_POSITION.set(tx, FIRST)?;
        let (token0, token1) = (&ok(Denom::new("eth")), &ok(Denom::new("usdc")));
        let spread_factor = ok("0.003".parse());
        let new = NewPool { id: POOL, token0, token1, spacing: 1, spread_factor };
        keeper::create_pool(tx, FILLED, &new)?;
        let all = (MIN_TICK, MAX_TICK);
        create(tx, FILLED, 1, "1000000000000000000eth,1000000000000000000usdc", all)?;
        let new = NewIncentive {
            sender: &account(1),
            pool: POOL,
            coin: &ok("1000000000000usdc".parse()),
            rate: Dec::from(1_000_000),
            start: FILLED,
            uptime: UPTIMES[0],
        };
        keeper::create_incentive(tx, FILLED, &new)?;
        for place in 1..10 {
            create(tx, FILLED, 1, "1000000usdc", below(place))?;
        }
        create(tx, FILLED, 1, "1000000usdc", below(10))
    }));
    (db, last)
}

/// Returns a range that ends at one of the ticks below the price.
fn below(place: i64) -> (i64, i64) {
    (-200_000 - place * STEP, -place * STEP)
}

/// Adds a position that no measured swap reaches. Half of the positions contain the price, and use
/// ten ticks on each side together. The others have two ticks of their own below or above the
/// price.
fn add(tx: &mut Tx<'_>, place: i64) -> Result<(), Error> {
    let far = 1_000_000 + place;
    let (tokens, range) = match place % 4 {
        0 | 2 => {
            let shared = 500_000 + place / 2 % 10;
            ("1000eth,1000usdc", (-shared, shared))
        }
        1 => ("1000usdc", (-far - 1, -far)),
        _ => ("1000eth", (far, far + 1)),
    };
    create(tx, FILLED, 2, tokens, range).map(drop)
}

fn create(
    tx: &mut Tx<'_>,
    now: i64,
    owner: u8,
    tokens: &str,
    (lower, upper): (i64, i64),
) -> Result<Created, Error> {
    let (owner, tokens) = (&account(owner), &ok(tokens.parse()));
    let (min0, min1) = (Int::ZERO, Int::ZERO);
    let new = NewPosition { owner, pool: POOL, tokens, min0, min1, lower, upper };
    keeper::create_position(tx, now, &new)
}

/// Swaps, and returns the number of crossed ticks.
fn swap(tx: &mut Tx<'_>, coin: &str) -> usize {
    let (sender, coin) = (&account(1), &ok(coin.parse()));
    let denom_out = &ok(Denom::new("usdc"));
    let (min_out, price_limit) = (Int::ZERO, None);
    let swap = SwapIn { sender, pool: POOL, coin, denom_out, min_out, price_limit };
    ok(keeper::swap_in(tx, NOW, &swap)).crossed.len()
}
