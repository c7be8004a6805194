//! Incentives: coins that are paid over time to the active liquidity.

use crate::{
    Error, ErrorKind,
    keeper::{
        accounts,
        accumulators::{self, Uptimes, nanoseconds, uptime_of},
        issued, pools,
    },
    layout::concentratedliquidity::{
        ACCUMULATORS, Accumulator, INCENTIVE_SCALE_FROM, INCENTIVES, NEXT_INCENTIVE,
        SPREAD_SCALE_FROM, Uptime,
    },
    math::{Dec, Int, MathError},
    values::{DecCoin, DecCoins, IncentiveRecordBody, Pool},
};
use keyscape::store::{Read, Tx};
use keyscape_bank::{Address, Coin, Coins, keeper as bank};

/// Pools whose accumulators Osmosis scaled after their creation. The thresholds do not apply to
/// them.
const SCALED_INCENTIVES: [u64; 10] = [1423, 1213, 1298, 1297, 1292, 1431, 1281, 1276, 1275, 1260];
const SCALED_SPREAD: [u64; 7] = [1264, 1477, 1134, 1261, 1281, 1423, 1260];

/// An incentive to create.
#[derive(Clone, Debug)]
pub struct NewIncentive<'a> {
    /// The account that pays.
    pub sender: &'a Address<'a>,
    /// The pool.
    pub pool: u64,
    /// The coin that is paid in total.
    pub coin: &'a Coin,
    /// The amount that is paid in a second.
    pub rate: Dec,
    /// The start, in nanoseconds since 1970.
    pub start: i64,
    /// The age that a position must have, in nanoseconds.
    pub uptime: i64,
}

/// The incentives of a pool until now, computed and not written.
#[derive(Debug)]
pub(super) struct Accrued {
    now: i64,
    /// The accumulators with the incentives until now.
    pub(super) uptimes: Uptimes,
    /// The changed incentives, with their uptimes and ids.
    paid: Vec<(Uptime, u64, IncentiveRecordBody)>,
}

/// Returns the incentives of a pool: ids, uptimes in nanoseconds, and remaining amounts.
///
/// # Errors
/// If a row is corrupt.
pub fn incentives(
    state: &(impl Read + ?Sized),
    pool: u64,
) -> Result<Vec<(u64, i64, IncentiveRecordBody)>, Error> {
    let mut incentives = Vec::new();
    for row in INCENTIVES.scan_pool(state, pool)? {
        let (key, body) = row?;
        incentives.push((key.incentive, nanoseconds(key.uptime), body));
    }
    incentives.sort_unstable_by_key(|(id, ..)| *id);
    Ok(incentives)
}

/// Creates an incentive, and transfers its coins to the pool. Returns its id.
///
/// # Errors
/// [`PoolNotFound`](ErrorKind::PoolNotFound), [`IncentiveCoin`](ErrorKind::IncentiveCoin),
/// [`StartTooEarly`](ErrorKind::StartTooEarly), [`Rate`](ErrorKind::Rate),
/// [`Uptime`](ErrorKind::Uptime), [`IncentiveBalance`](ErrorKind::IncentiveBalance).
pub fn create_incentive(tx: &mut Tx<'_>, now: i64, new: &NewIncentive<'_>) -> Result<u64, Error> {
    tx.attempt(|tx| {
        let mut pool = pools::get_pool(tx, new.pool)?;
        let uptime = check(tx, now, new)?;
        accrue_and_store(tx, now, &mut pool)?;
        let incentive = issued("next_incentive", NEXT_INCENTIVE.next(tx)?)?;
        let amount = Dec::from_int(Int::from(new.coin.amount))?;
        let remaining = DecCoin { denom: new.coin.denom.to_string(), amount };
        let body = IncentiveRecordBody { remaining, rate: new.rate, start: new.start };
        INCENTIVES.put(tx, (pool.id, uptime, incentive), &body)?;
        let coins = Coins::try_from(new.coin.clone())?;
        let to = accounts::account(&pool.incentives_address)?;
        accounts::send(tx, now, new.sender, &to, &coins)?;
        Ok(incentive)
    })
}

/// Checks a new incentive. Returns its uptime.
fn check(state: &(impl Read + ?Sized), now: i64, new: &NewIncentive<'_>) -> Result<Uptime, Error> {
    let coin = new.coin;
    if coin.amount == keyscape::U256::ZERO {
        return Err(ErrorKind::IncentiveCoin(coin.denom.to_string()).into());
    }
    if new.start < now {
        return Err(ErrorKind::StartTooEarly { start: new.start, now }.into());
    }
    if !new.rate.is_positive() {
        return Err(ErrorKind::Rate(Box::new(new.rate)).into());
    }
    if !pools::get_params(state)?.uptimes.contains(&new.uptime) {
        return Err(ErrorKind::Uptime(new.uptime).into());
    }
    let uptime = uptime_of(new.uptime)?;
    if bank::get_balance(state, new.sender, &coin.denom)? < coin.amount {
        return Err(ErrorKind::IncentiveBalance(coin.clone()).into());
    }
    Ok(uptime)
}

/// Pays the incentives of a pool for the time since its last update into its accumulators, and
/// writes the changes. Returns the accumulators.
pub(super) fn accrue_and_store(
    tx: &mut Tx<'_>,
    now: i64,
    pool: &mut Pool,
) -> Result<Uptimes, Error> {
    let accrued = accrue(tx, now, pool)?;
    accrued.store(tx, pool)?;
    Ok(accrued.uptimes)
}

impl Accrued {
    /// Writes the incentives that have paid, the accumulators and the time of the update.
    pub(super) fn store(&self, tx: &mut Tx<'_>, pool: &mut Pool) -> Result<(), Error> {
        if pool.last_update == self.now {
            return Ok(());
        }
        for (uptime, incentive, body) in &self.paid {
            let key = (pool.id, *uptime, *incentive);
            if body.remaining.amount.is_zero() {
                INCENTIVES.delete(tx, key)?;
            } else {
                INCENTIVES.put(tx, key, body)?;
            }
        }
        for (uptime, content) in accumulators::uptimes().zip(&self.uptimes) {
            if self.paid.iter().any(|(paid, ..)| *paid == uptime) {
                ACCUMULATORS.put(tx, Accumulator::Uptime { pool: pool.id, uptime }, content)?;
            }
        }
        pool.last_update = self.now;
        pools::put(tx, pool)
    }
}

/// Computes the incentives of a pool until now. While the active liquidity is below one, nothing is
/// paid, and the time is lost.
pub(super) fn accrue(
    state: &(impl Read + ?Sized),
    now: i64,
    pool: &Pool,
) -> Result<Accrued, Error> {
    let uptimes = accumulators::get_uptimes(state, pool.id)?;
    let mut accrued = Accrued { now, uptimes, paid: Vec::new() };
    let earlier = pool.last_update;
    let elapsed = now.checked_sub(earlier).filter(|elapsed| *elapsed >= 0);
    let elapsed = elapsed.ok_or(ErrorKind::TimeBackwards { now, earlier })?;
    if elapsed == 0 || pool.liquidity < Dec::ONE {
        return Ok(accrued);
    }
    let elapsed = Dec::from(elapsed).quo_even(Dec::from(1_000_000_000))?;
    let scale = incentive_scale(state, pool.id)?;
    let mut scan = INCENTIVES.scan_pool(state, pool.id)?;
    while let Some(row) = scan.next_row()? {
        let mut body = row.value()?;
        if body.start >= now {
            continue;
        }
        let Some(paid) = pay(&mut body, elapsed, scale, pool.liquidity)? else { continue };
        let (uptime, incentive) = (row.key.uptime, row.key.incentive);
        if let Some(content) = accrued.uptimes.get_mut(usize::from(uptime.get())) {
            let paid = DecCoins::one(&body.remaining.denom, paid);
            content.value = content.value.plus(&paid)?;
        }
        accrued.paid.push((uptime, incentive, body));
    }
    Ok(accrued)
}

/// Subtracts the emission of some seconds from an incentive. Returns the reward of one unit of
/// liquidity. If an amount overflows, returns nothing and does not change the incentive.
fn pay(
    body: &mut IncentiveRecordBody,
    elapsed: Dec,
    scale: Dec,
    liquidity: Dec,
) -> Result<Option<Dec>, MathError> {
    let Ok(due) = elapsed.mul_truncate(body.rate) else { return Ok(None) };
    let Ok(scaled) = due.mul_truncate(scale) else { return Ok(None) };
    let remaining = body.remaining.amount;
    if due <= remaining {
        let each = scaled.quo_truncate(liquidity)?;
        body.remaining.amount = remaining.minus(due)?;
        return Ok(Some(each));
    }
    scaled.quo_truncate(liquidity)?;
    let Ok(scaled) = remaining.mul_truncate(scale) else { return Ok(None) };
    body.remaining.amount = Dec::ZERO;
    scaled.quo_truncate(liquidity).map(Some)
}

/// Returns the whole coins that an incentive has not paid yet.
pub(crate) fn unpaid(body: &IncentiveRecordBody) -> Result<Int, MathError> {
    body.remaining.amount.truncate()
}

/// Returns the scale of the incentive accumulators of a pool.
pub(super) fn incentive_scale(state: &(impl Read + ?Sized), pool: u64) -> Result<Dec, Error> {
    scale("incentive_scale_from", INCENTIVE_SCALE_FROM.get(state)?, &SCALED_INCENTIVES, pool)
}

/// Returns the scale of the spread accumulator of a pool.
pub(super) fn spread_scale(state: &(impl Read + ?Sized), pool: u64) -> Result<Dec, Error> {
    scale("spread_scale_from", SPREAD_SCALE_FROM.get(state)?, &SCALED_SPREAD, pool)
}

fn scale(item: &str, from: Option<u64>, scaled: &[u64], pool: u64) -> Result<Dec, Error> {
    let from = from.ok_or_else(|| Error::corrupt(format!("`{item}` is missing")))?;
    if pool <= from && !scaled.contains(&pool) {
        return Ok(Dec::ONE);
    }
    Ok(Dec::from(1_000_000_000_000_000).mul_even(Dec::from(1_000_000_000_000))?)
}
