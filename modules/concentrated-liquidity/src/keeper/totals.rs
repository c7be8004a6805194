//! Totals: full-range liquidity by pool, and the liquidity of all pools by denomination.
//!
//! Osmosis never lowers them when liquidity is withdrawn. Here both follow the positions.

use crate::{
    Error,
    layout::concentratedliquidity::{Asset, FULL_RANGE, TOTAL_LIQUIDITY},
    math::{Dec, MAX_TICK, MIN_TICK, MathError},
    values::{DecProto, Position},
};
use keyscape::{U256, store::Tx};
use keyscape_bank::Coins;

/// Whether a position covers all ticks.
pub(crate) fn is_full_range(position: &Position) -> bool {
    (position.lower, position.upper) == (MIN_TICK, MAX_TICK)
}

/// Adds a change of a position's liquidity to the full-range liquidity of its pool.
pub(super) fn change_full_range(
    tx: &mut Tx<'_>,
    position: &Position,
    change: Dec,
) -> Result<(), Error> {
    if !is_full_range(position) {
        return Ok(());
    }
    let before = FULL_RANGE.get(tx, position.pool)?.unwrap_or_default().0;
    let after = before.plus(change)?;
    if after.is_zero() {
        FULL_RANGE.delete(tx, position.pool)?;
    } else {
        FULL_RANGE.put(tx, position.pool, &DecProto(after))?;
    }
    Ok(())
}

/// Adds coins that a pool has received.
pub(super) fn add(tx: &mut Tx<'_>, coins: &Coins) -> Result<(), Error> {
    change(tx, coins, U256::checked_add)
}

/// Subtracts coins that have left a pool.
pub(super) fn subtract(tx: &mut Tx<'_>, coins: &Coins) -> Result<(), Error> {
    change(tx, coins, U256::checked_sub)
}

fn change(
    tx: &mut Tx<'_>,
    coins: &Coins,
    change: impl Fn(U256, U256) -> Option<U256>,
) -> Result<(), Error> {
    for coin in coins {
        let asset = Asset::new(coin.denom.as_str()).map_err(keyscape::Error::from)?;
        let before = TOTAL_LIQUIDITY.get(tx, asset.by_ref())?.unwrap_or(U256::ZERO);
        let after = change(before, coin.amount).ok_or(MathError::Overflow)?;
        if after == U256::ZERO {
            TOTAL_LIQUIDITY.delete(tx, asset.by_ref())?;
        } else {
            TOTAL_LIQUIDITY.put(tx, asset.by_ref(), after)?;
        }
    }
    Ok(())
}
