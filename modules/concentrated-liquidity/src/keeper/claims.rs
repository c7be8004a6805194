//! Rewards that a position can claim, computed without writing.

use crate::{
    Error, ErrorKind,
    keeper::{
        accounts,
        accumulators::{self, Claimed, Uptimes, Which},
        growth,
        incentives::{self, incentive_scale, spread_scale},
        pools,
        positions::{self, get_position},
        ticks,
    },
    math::{Dec, Int},
    values::{AccumulatorContent, Pool, Position, UPTIMES},
};
use keyscape::store::Read;
use keyscape_bank::Coins;

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
    pub(super) incentives: Incentives,
    /// The coins of each uptime that are forfeited, scaled as its accumulator is.
    pub(super) scaled: [Vec<(String, Int)>; UPTIMES.len()],
    /// The share of each uptime after the claim.
    pub(super) shares: Vec<(Which, Claimed)>,
}

/// A claim of spread rewards.
#[derive(Debug)]
pub(super) struct SpreadClaim {
    pub(super) coins: Coins,
    pub(super) claimed: Claimed,
    /// The accumulator, which receives the dust if it is not scaled.
    pub(super) content: AccumulatorContent,
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
    Ok(spread_rewards(state, &pool, &position)?.coins)
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
    let mut pool = pools::get_pool(state, position.pool)?;
    let mut uptimes = accumulators::uptimes(state, pool.id)?;
    incentives::accrue(state, now, &mut pool, &mut uptimes)?;
    Ok(incentives_of(state, now, &pool, &uptimes, &position)?.incentives)
}

/// Returns the incentives of a position without paying those since the last update of its pool.
pub(crate) fn incentives_in(
    state: &(impl Read + ?Sized),
    now: i64,
    pool: &Pool,
    position: &Position,
) -> Result<Incentives, Error> {
    let uptimes = accumulators::uptimes(state, pool.id)?;
    Ok(incentives_of(state, now, pool, &uptimes, position)?.incentives)
}

pub(super) fn spread_rewards(
    state: &(impl Read + ?Sized),
    pool: &Pool,
    position: &Position,
) -> Result<SpreadClaim, Error> {
    let which = Which::Spread { pool: pool.id };
    let mut content = which.get(state)?;
    let record = which.share(state, position.id)?;
    let record = record.ok_or_else(|| {
        Error::corrupt(format!("position {} has no share in the spread rewards", position.id))
    })?;
    let none = Uptimes::default();
    let lower = ticks::get(state, pool, position.lower, &content, &none)?;
    let upper = ticks::get(state, pool, position.upper, &content, &none)?;
    let range = (position.lower, position.upper);
    let growth = growth::spread(pool, range, (&lower, &upper), &content)?;
    let claimed = accumulators::claim(&content, &record, &growth.outside)?;
    let scale = spread_scale(state, pool.id)?;
    if scale == Dec::ONE && !content.shares.is_zero() {
        let each = claimed.dust.each(|dust| dust.quo_truncate(content.shares))?;
        content.value = content.value.plus(&each)?;
    }
    let coins = accounts::coins(&scaled_down(&claimed.coins, scale)?)?;
    Ok(SpreadClaim { coins, claimed, content })
}

/// Computes a claim of incentives in a pool that is accrued until now.
pub(super) fn incentives_of(
    state: &(impl Read + ?Sized),
    now: i64,
    pool: &Pool,
    uptimes: &Uptimes,
    position: &Position,
) -> Result<IncentiveClaim, Error> {
    let age = now.checked_sub(position.join).filter(|age| *age >= 0);
    let age = age.ok_or(ErrorKind::TimeBackwards { now, earlier: position.join })?;
    let spread = AccumulatorContent::default();
    let lower = ticks::get(state, pool, position.lower, &spread, uptimes)?;
    let upper = ticks::get(state, pool, position.upper, &spread, uptimes)?;
    let growths = positions::uptime_growth(pool, position, (&lower, &upper), uptimes)?;
    let scale = incentive_scale(state, pool.id)?;
    let mut claim = IncentiveClaim::default();
    for (uptime, (content, growth)) in accumulators::places().zip(uptimes.iter().zip(&growths)) {
        let which = Which::Uptime { pool: pool.id, uptime };
        let Some(record) = which.share(state, position.id)? else { continue };
        let claimed = accumulators::claim(content, &record, &growth.outside)?;
        let coins = accounts::coins(&scaled_down(&claimed.coins, scale)?)?;
        let place = usize::from(uptime);
        let reached = UPTIMES.get(place).is_some_and(|uptime| age >= *uptime);
        let sum = if reached {
            &mut claim.incentives.collected
        } else {
            if let Some(scaled) = claim.scaled.get_mut(place) {
                scaled.clone_from(&claimed.coins);
            }
            &mut claim.incentives.forfeited
        };
        *sum = sum.plus(&coins).map_err(keyscape_bank::Error::from)?;
        claim.shares.push((which, claimed));
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
