//! Collecting rewards.

use crate::{
    Error,
    keeper::{
        accounts,
        accumulators::Which,
        claims::{self, IncentiveClaim, Incentives},
        incentives, pools,
        positions::{check_owner, get_position},
    },
    values::{Pool, Position},
};
use keyscape::store::Tx;
use keyscape_bank::{Address, Coins};

/// Pays the spread rewards of positions to their owner. Returns the sum.
///
/// # Errors
/// [`PositionNotFound`](crate::ErrorKind::PositionNotFound),
/// [`NotOwner`](crate::ErrorKind::NotOwner).
pub fn collect_spread_rewards(
    tx: &mut Tx<'_>,
    now: i64,
    sender: &Address<'_>,
    positions: &[u64],
) -> Result<Coins, Error> {
    tx.attempt(|tx| {
        let mut sum = Coins::none();
        for id in positions {
            let position = get_position(tx, *id)?;
            check_owner(&position, sender)?;
            let pool = pools::get_pool(tx, position.pool)?;
            let coins = spread_rewards(tx, now, &pool, &position, sender)?;
            sum = sum.plus(&coins).map_err(keyscape_bank::Error::from)?;
        }
        Ok(sum)
    })
}

/// Pays the incentives of positions to their owner. Incentives of uptimes that a position is too
/// young for are lost. Returns the sums.
///
/// # Errors
/// [`PositionNotFound`](crate::ErrorKind::PositionNotFound),
/// [`NotOwner`](crate::ErrorKind::NotOwner).
pub fn collect_incentives(
    tx: &mut Tx<'_>,
    now: i64,
    sender: &Address<'_>,
    positions: &[u64],
) -> Result<Incentives, Error> {
    tx.attempt(|tx| {
        let mut sum = Incentives::default();
        for id in positions {
            let position = get_position(tx, *id)?;
            check_owner(&position, sender)?;
            let mut pool = pools::get_pool(tx, position.pool)?;
            let found = collect_all(tx, now, &mut pool, &position, sender)?.incentives;
            let add = |sum: &Coins, coins| sum.plus(coins).map_err(keyscape_bank::Error::from);
            sum.collected = add(&sum.collected, &found.collected)?;
            sum.forfeited = add(&sum.forfeited, &found.forfeited)?;
        }
        Ok(sum)
    })
}

pub(super) fn spread_rewards(
    tx: &mut Tx<'_>,
    now: i64,
    pool: &Pool,
    position: &Position,
    owner: &Address<'_>,
) -> Result<Coins, Error> {
    let claim = claims::spread_rewards(tx, pool, position)?;
    let which = Which::Spread { pool: pool.id };
    which.set_share(tx, position.id, claim.claimed.record.as_ref())?;
    which.put(tx, &claim.content)?;
    let from = accounts::account(&pool.spread_rewards_address)?;
    accounts::send(tx, now, &from, owner, &claim.coins)?;
    Ok(claim.coins)
}

pub(super) fn collect_all(
    tx: &mut Tx<'_>,
    now: i64,
    pool: &mut Pool,
    position: &Position,
    owner: &Address<'_>,
) -> Result<IncentiveClaim, Error> {
    let uptimes = incentives::accrue_and_store(tx, now, pool)?;
    let claim = claims::incentives_of(tx, now, pool, &uptimes, position)?;
    for (which, claimed) in &claim.shares {
        which.set_share(tx, position.id, claimed.record.as_ref())?;
    }
    let from = accounts::account(&pool.incentives_address)?;
    accounts::send(tx, now, &from, owner, &claim.incentives.collected)?;
    Ok(claim)
}

/// Adds the forfeited incentives of a withdrawal to the remaining liquidity, or pays them to the
/// owner if less than one unit remains.
pub(super) fn redeposit(
    tx: &mut Tx<'_>,
    now: i64,
    pool: &Pool,
    owner: &Address<'_>,
    claim: &IncentiveClaim,
) -> Result<(), Error> {
    if pool.liquidity < crate::math::Dec::ONE {
        let from = accounts::account(&pool.incentives_address)?;
        return accounts::send(tx, now, &from, owner, &claim.incentives.forfeited);
    }
    for (uptime, coins) in (0..).zip(&claim.scaled) {
        if coins.is_empty() {
            continue;
        }
        let which = Which::Uptime { pool: pool.id, uptime };
        let mut content = which.get(tx)?;
        for (denom, amount) in coins {
            let each = crate::math::Dec::from_int(*amount)?.quo_truncate(pool.liquidity)?;
            content.value = content.value.plus(&crate::values::DecCoins::one(denom, each))?;
        }
        which.put(tx, &content)?;
    }
    Ok(())
}
