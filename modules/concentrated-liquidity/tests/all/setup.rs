//! Pools and accounts to test with.

use keyscape::store::{Db, Tx};
use keyscape_bank::{
    Address, Coin, Coins, Denom, Keeper, Permission, keeper as bank,
    layout::bank::LAYOUT as BANK_LAYOUT,
};
use keyscape_concentrated_liquidity::{
    Error,
    keeper::{self, Created, NewIncentive, NewPool, NewPosition, SwapIn, Swapped},
    layout::concentratedliquidity::LAYOUT,
    math::{Dec, Int, MAX_TICK, MIN_TICK},
    values::Params,
};

/// The block time of the first operations.
pub(crate) const NOW: i64 = 1_700_000_000_000_000_000;

pub(crate) fn address(byte: u8) -> Address<'static> {
    Address::new(vec![byte; 20]).unwrap()
}

pub(crate) fn denom(text: &str) -> Denom<'static> {
    Denom::new(text.to_owned()).unwrap()
}

pub(crate) fn coins(text: &str) -> Coins {
    text.parse().unwrap()
}

/// Returns a database with pools of `eth` and `usdc`, and five rich accounts, 1 to 5.
pub(crate) fn with_pools(pools: &[u64], spacing: u64, spread: &str) -> Db {
    let db = keyscape::memory_with(&[&LAYOUT, &BANK_LAYOUT]).unwrap();
    db.write(|tx| {
        keeper::initialize(tx, &Params::launch(), 0, 0)?;
        bank::create_module_account(tx, "mint", &[Permission::Minter])?;
        let mint = bank::module_address("mint")?;
        for byte in 1..=5 {
            let funds =
                coins("1000000000000000000000000000000eth,1000000000000000000000000000000usdc");
            Keeper::default().mint(tx, "mint", &funds)?;
            Keeper::default().send(tx, 0, &mint, &address(byte), &funds)?;
        }
        for &id in pools {
            let (token0, token1) = (&denom("eth"), &denom("usdc"));
            let spread_factor = spread.parse().unwrap();
            keeper::create_pool(tx, NOW, &NewPool { id, token0, token1, spacing, spread_factor })?;
        }
        Ok::<(), Error>(())
    })
    .unwrap();
    db
}

pub(crate) fn create(
    tx: &mut Tx<'_>,
    owner: u8,
    pool: u64,
    tokens: &str,
    (lower, upper): (i64, i64),
) -> Result<Created, Error> {
    let (owner, tokens) = (&address(owner), &coins(tokens));
    let (min0, min1) = (Int::ZERO, Int::ZERO);
    keeper::create_position(tx, NOW, &NewPosition { owner, pool, tokens, min0, min1, lower, upper })
}

/// Creates an incentive of pool 1 that starts now and pays one unit in a second.
pub(crate) fn incentive(tx: &mut Tx<'_>, now: i64, coin: &str) -> Result<u64, Error> {
    let (sender, coin) = (&address(1), &coin.parse().unwrap());
    let new = NewIncentive { sender, pool: 1, coin, rate: Dec::ONE, start: now, uptime: 1 };
    keeper::create_incentive(tx, now, &new)
}

/// All ticks.
pub(crate) const FULL: (i64, i64) = (MIN_TICK, MAX_TICK);

pub(crate) fn swap(
    tx: &mut Tx<'_>,
    sender: u8,
    pool: u64,
    coin: &Coin,
    out: &str,
) -> Result<Swapped, Error> {
    let (sender, denom_out) = (&address(sender), &denom(out));
    let (min_out, price_limit) = (Int::ZERO, None);
    keeper::swap_in(tx, NOW, &SwapIn { sender, pool, coin, denom_out, min_out, price_limit })
}
