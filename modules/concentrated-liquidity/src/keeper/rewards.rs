//! The rewards of positions: claims, which are computed without writing, and their collection.

use crate::{
    Error, ErrorKind,
    keeper::{
        accounts,
        accumulators::{self, Claimed, Uptimes},
        incentives::{self, incentive_scale, spread_scale},
        pools,
        positions::{get_owned, get_position},
        ticks,
    },
    layout::concentratedliquidity::{ACCUMULATORS, Accumulator},
    math::{Dec, Int},
    values::{AccumulatorContent, DecCoins, Pool, Position},
};
use keyscape::store::{Read, Tx};
use keyscape_bank::{Address, Coins};

/// The incentives of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incentives {
    /// Incentives of uptimes that the position has reached.
    pub collected: Coins,
    /// Incentives of uptimes that the position is too young for.
    pub forfeited: Coins,
}

/// A claim of incentives.
#[derive(Debug, Default)]
pub(super) struct IncentiveClaim {
    incentives: Incentives,
    /// The claim of each uptime, and whether the position has reached it. The coins of the other
    /// uptimes are forfeited.
    shares: Vec<(Accumulator, bool, Claimed)>,
}

/// A claim of spread rewards.
#[derive(Debug)]
struct SpreadClaim {
    coins: Coins,
    claimed: Claimed,
    /// The accumulator, which receives the dust if it is not scaled.
    content: AccumulatorContent,
}

/// Returns the spread rewards that a position can collect.
///
/// # Errors
/// [`PositionNotFound`](ErrorKind::PositionNotFound).
pub fn claimable_spread_rewards(
    state: &(impl Read + ?Sized),
    position: u64,
) -> Result<Coins, Error> {
    let position = get_position(state, position)?;
    let pool = pools::get_pool(state, position.pool)?;
    Ok(spread_claim(state, &pool, &position)?.coins)
}

/// Returns the incentives that a position can collect now, and those that it would forfeit.
///
/// # Errors
/// [`PositionNotFound`](ErrorKind::PositionNotFound).
pub fn claimable_incentives(
    state: &(impl Read + ?Sized),
    now: i64,
    position: u64,
) -> Result<Incentives, Error> {
    let position = get_position(state, position)?;
    let pool = pools::get_pool(state, position.pool)?;
    let uptimes = incentives::accrue(state, now, &pool)?.uptimes;
    Ok(incentive_claim(state, now, &pool, &uptimes, &position)?.incentives)
}

/// Returns the incentives of a position without those since the last update of its pool.
pub(crate) fn incentives_at_last_update(
    state: &(impl Read + ?Sized),
    now: i64,
    pool: &Pool,
    position: &Position,
) -> Result<Incentives, Error> {
    let uptimes = accumulators::get_uptimes(state, pool.id)?;
    Ok(incentive_claim(state, now, pool, &uptimes, position)?.incentives)
}

fn spread_claim(
    state: &(impl Read + ?Sized),
    pool: &Pool,
    position: &Position,
) -> Result<SpreadClaim, Error> {
    let accumulator = Accumulator::Spread { pool: pool.id };
    let mut content = accumulators::get(state, accumulator)?;
    let record = accumulators::get_share(state, accumulator, position.id)?;
    let record = record.ok_or_else(|| {
        Error::corrupt(format!("position {} has no share in the spread rewards", position.id))
    })?;
    let ends = ticks::ends(state, pool, position, &content, &Uptimes::default())?;
    let growth = ticks::spread_growth(pool, position, &ends, &content)?;
    let claimed = accumulators::claim(&content, &record, &growth.outside)?;
    let scale = spread_scale(state, pool.id)?;
    if scale == Dec::ONE && !content.shares.is_zero() {
        let each = claimed.dust.map_amounts(|dust| dust.quo_truncate(content.shares))?;
        content.value = content.value.plus(&each)?;
    }
    let coins = accounts::coins(&scaled_down(&claimed.coins, scale)?)?;
    Ok(SpreadClaim { coins, claimed, content })
}

/// Computes a claim of incentives in a pool that is accrued until now.
fn incentive_claim(
    state: &(impl Read + ?Sized),
    now: i64,
    pool: &Pool,
    uptimes: &Uptimes,
    position: &Position,
) -> Result<IncentiveClaim, Error> {
    let age = now.checked_sub(position.join).filter(|age| *age >= 0);
    let age = age.ok_or(ErrorKind::TimeBackwards { now, earlier: position.join })?;
    let ends = ticks::ends(state, pool, position, &AccumulatorContent::default(), uptimes)?;
    let growths = ticks::uptime_growth(pool, position, &ends, uptimes)?;
    let scale = incentive_scale(state, pool.id)?;
    let mut claim = IncentiveClaim::default();
    for (uptime, (content, growth)) in accumulators::uptimes().zip(uptimes.iter().zip(&growths)) {
        let accumulator = Accumulator::Uptime { pool: pool.id, uptime };
        let Some(record) = accumulators::get_share(state, accumulator, position.id)? else {
            continue;
        };
        let claimed = accumulators::claim(content, &record, &growth.outside)?;
        let coins = accounts::coins(&scaled_down(&claimed.coins, scale)?)?;
        let is_reached = age >= accumulators::nanoseconds(uptime);
        let Incentives { collected, forfeited } = &mut claim.incentives;
        let sum = if is_reached { collected } else { forfeited };
        *sum = sum.plus(&coins)?;
        claim.shares.push((accumulator, is_reached, claimed));
    }
    Ok(claim)
}

/// Divides whole coins by the scale of their accumulator.
fn scaled_down(coins: &[(String, Int)], scale: Dec) -> Result<Vec<(String, Int)>, Error> {
    let down = |(denom, amount): &(String, Int)| {
        let amount = Dec::from_int(*amount)?.quo_truncate(scale)?.truncate()?;
        Ok((denom.clone(), amount))
    };
    coins.iter().map(down).collect()
}

/// Pays the spread rewards of positions to their owner. Returns the sum.
///
/// # Errors
/// [`PositionNotFound`](ErrorKind::PositionNotFound), [`NotOwner`](ErrorKind::NotOwner).
pub fn collect_spread_rewards(
    tx: &mut Tx<'_>,
    now: i64,
    sender: &Address<'_>,
    positions: &[u64],
) -> Result<Coins, Error> {
    tx.attempt(|tx| {
        let mut sum = Coins::none();
        for id in positions {
            let position = get_owned(tx, *id, sender)?;
            let pool = pools::get_pool(tx, position.pool)?;
            sum = sum.plus(&collect_spread(tx, now, &pool, &position, sender)?)?;
        }
        Ok(sum)
    })
}

/// Pays the incentives of positions to their owner. Incentives of uptimes that a position is too
/// young for are lost. Returns the sums.
///
/// # Errors
/// [`PositionNotFound`](ErrorKind::PositionNotFound), [`NotOwner`](ErrorKind::NotOwner).
pub fn collect_incentives(
    tx: &mut Tx<'_>,
    now: i64,
    sender: &Address<'_>,
    positions: &[u64],
) -> Result<Incentives, Error> {
    tx.attempt(|tx| {
        let mut sum = Incentives::default();
        for id in positions {
            let position = get_owned(tx, *id, sender)?;
            let mut pool = pools::get_pool(tx, position.pool)?;
            let claim = collect_from_pool(tx, now, &mut pool, &position, sender)?.incentives;
            sum.collected = sum.collected.plus(&claim.collected)?;
            sum.forfeited = sum.forfeited.plus(&claim.forfeited)?;
        }
        Ok(sum)
    })
}

/// Pays the spread rewards of a position. Returns them.
pub(super) fn collect_spread(
    tx: &mut Tx<'_>,
    now: i64,
    pool: &Pool,
    position: &Position,
    owner: &Address<'_>,
) -> Result<Coins, Error> {
    let claim = spread_claim(tx, pool, position)?;
    let accumulator = Accumulator::Spread { pool: pool.id };
    accumulators::set_share(tx, accumulator, position.id, claim.claimed.record.as_ref())?;
    ACCUMULATORS.put(tx, accumulator, &claim.content)?;
    let from = accounts::account(&pool.spread_rewards_address)?;
    accounts::send(tx, now, &from, owner, &claim.coins)?;
    Ok(claim.coins)
}

/// Pays the incentives of a position until now.
pub(super) fn collect_from_pool(
    tx: &mut Tx<'_>,
    now: i64,
    pool: &mut Pool,
    position: &Position,
    owner: &Address<'_>,
) -> Result<IncentiveClaim, Error> {
    let uptimes = incentives::accrue_and_store(tx, now, pool)?;
    let claim = incentive_claim(tx, now, pool, &uptimes, position)?;
    for (accumulator, _, claimed) in &claim.shares {
        accumulators::set_share(tx, *accumulator, position.id, claimed.record.as_ref())?;
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
    if pool.liquidity < Dec::ONE {
        let from = accounts::account(&pool.incentives_address)?;
        return accounts::send(tx, now, &from, owner, &claim.incentives.forfeited);
    }
    for (accumulator, is_reached, claimed) in &claim.shares {
        if *is_reached || claimed.coins.is_empty() {
            continue;
        }
        let mut growth = DecCoins::default();
        for (denom, amount) in &claimed.coins {
            let each = Dec::from_int(*amount)?.quo_truncate(pool.liquidity)?;
            growth = growth.plus(&DecCoins::one(denom, each))?;
        }
        accumulators::grow(tx, *accumulator, &growth)?;
    }
    Ok(())
}
