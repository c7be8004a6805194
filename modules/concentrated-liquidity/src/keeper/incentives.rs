//! Incentives: coins that are paid over time to the active liquidity.

use crate::{
    Error, ErrorKind,
    keeper::{
        accounts,
        accumulators::{self, Uptimes, Which},
        issued, pools,
    },
    layout::concentratedliquidity::{
        INCENTIVE_SCALE_FROM, INCENTIVES, NEXT_INCENTIVE, SPREAD_SCALE_FROM,
    },
    math::{Dec, Int, MathError},
    values::{DecCoin, DecCoins, IncentiveRecordBody, Pool, UPTIMES},
};
use keyscape::store::{Read, Tx};
use keyscape_bank::{Address, Coin, Coins, keeper as bank};

/// Pools that were scaled after they were created. The thresholds do not apply to them.
const SCALED_INCENTIVES: [u64; 9] = [1423, 1213, 1298, 1297, 1292, 1431, 1281, 1276, 1275];
const SCALED_BOTH: u64 = 1260;
const SCALED_SPREAD: [u64; 6] = [1264, 1477, 1134, 1261, 1281, 1423];

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

/// An incentive whose remaining coins have changed.
#[derive(Clone, Debug)]
pub(super) struct Change {
    uptime: u8,
    incentive: u64,
    body: IncentiveRecordBody,
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
        let place = check(tx, now, new)?;
        accrue_and_store(tx, now, &mut pool)?;
        let incentive = issued("next_incentive", NEXT_INCENTIVE.next(tx)?)?;
        let amount = Dec::from_int(Int::from(new.coin.amount))?;
        let remaining = DecCoin { denom: new.coin.denom.to_string(), amount };
        let body = IncentiveRecordBody { remaining, rate: new.rate, start: new.start };
        INCENTIVES.put(tx, (pool.id, accumulators::uptime(place)?, incentive), &body)?;
        let coins = Coins::try_from(new.coin.clone()).map_err(keyscape_bank::Error::from)?;
        let to = accounts::account(&pool.incentives_address)?;
        accounts::send(tx, now, new.sender, &to, &coins)?;
        Ok(incentive)
    })
}

/// Returns the place of the uptime in the list.
fn check(state: &(impl Read + ?Sized), now: i64, new: &NewIncentive<'_>) -> Result<u8, Error> {
    let coin = new.coin;
    if coin.amount == keyscape::U256::ZERO {
        return Err(ErrorKind::IncentiveCoin { denom: coin.denom.to_string() }.into());
    }
    if new.start < now {
        return Err(ErrorKind::StartTooEarly { start: new.start, now }.into());
    }
    if !new.rate.is_positive() {
        return Err(ErrorKind::Rate { rate: Box::new(new.rate) }.into());
    }
    let allowed = pools::get_params(state)?.uptimes.contains(&new.uptime);
    let place = accumulators::places().zip(UPTIMES).find(|(_, uptime)| *uptime == new.uptime);
    let Some((place, _)) = place.filter(|_| allowed) else {
        return Err(ErrorKind::Uptime { uptime: new.uptime }.into());
    };
    if bank::get_balance(state, new.sender, &coin.denom)? < coin.amount {
        return Err(ErrorKind::IncentiveBalance { coin: coin.clone() }.into());
    }
    Ok(place)
}

/// Pays the incentives of a pool for the time since its last update into its accumulators, and
/// writes the changes. Returns the accumulators.
pub(super) fn accrue_and_store(
    tx: &mut Tx<'_>,
    now: i64,
    pool: &mut Pool,
) -> Result<Uptimes, Error> {
    let mut uptimes = accumulators::uptimes(tx, pool.id)?;
    let before = uptimes.clone();
    if let Some(changes) = accrue(tx, now, pool, &mut uptimes)? {
        store(tx, pool, &before, &uptimes, &changes)?;
    }
    Ok(uptimes)
}

/// Writes the changes of [`accrue`].
pub(super) fn store(
    tx: &mut Tx<'_>,
    pool: &Pool,
    before: &Uptimes,
    uptimes: &Uptimes,
    changes: &[Change],
) -> Result<(), Error> {
    for change in changes {
        let key = (pool.id, accumulators::uptime(change.uptime)?, change.incentive);
        if change.body.remaining.amount.is_zero() {
            INCENTIVES.delete(tx, key)?;
        } else {
            INCENTIVES.put(tx, key, &change.body)?;
        }
    }
    for (uptime, (content, before)) in accumulators::places().zip(uptimes.iter().zip(before)) {
        if content != before {
            Which::Uptime { pool: pool.id, uptime }.put(tx, content)?;
        }
    }
    pools::put(tx, pool)
}

/// Pays the incentives for the time since the last update in memory. Returns the changed
/// incentives, or nothing if no time has passed.
///
/// While the active liquidity is below one, nothing is paid, and the time is lost.
pub(super) fn accrue(
    state: &(impl Read + ?Sized),
    now: i64,
    pool: &mut Pool,
    uptimes: &mut Uptimes,
) -> Result<Option<Vec<Change>>, Error> {
    let earlier = pool.last_update;
    if now == earlier {
        return Ok(None);
    }
    let elapsed = now.checked_sub(earlier).filter(|elapsed| *elapsed > 0);
    let elapsed = elapsed.ok_or(ErrorKind::TimeBackwards { now, earlier })?;
    let elapsed = Dec::from_i64(elapsed).quo_even(Dec::from_i64(1_000_000_000))?;
    pool.last_update = now;
    let mut changes = Vec::new();
    if pool.liquidity < Dec::ONE {
        return Ok(Some(changes));
    }
    let scale = incentive_scale(state, pool.id)?;
    let mut scan = INCENTIVES.scan_pool(state, pool.id)?;
    while let Some(row) = scan.next_row()? {
        let mut body = row.value()?;
        if body.start >= now {
            continue;
        }
        let Some(paid) = pay(&mut body, elapsed, scale, pool.liquidity)? else { continue };
        let uptime: u8 = row.key.uptime.get();
        if let Some(content) = uptimes.get_mut(usize::from(uptime)) {
            let paid = DecCoins::one(&body.remaining.denom, paid);
            content.value = content.value.plus(&paid)?;
        }
        changes.push(Change { uptime, incentive: row.key.incentive, body });
    }
    Ok(Some(changes))
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

/// Returns the remaining amount of an incentive, truncated to an integer.
pub(crate) fn unpaid(body: &IncentiveRecordBody) -> Result<Int, MathError> {
    body.remaining.amount.truncate()
}

/// Returns the scale of the incentive accumulators of a pool.
pub(super) fn incentive_scale(state: &(impl Read + ?Sized), pool: u64) -> Result<Dec, Error> {
    let scaled = pool == SCALED_BOTH || SCALED_INCENTIVES.contains(&pool);
    let from = INCENTIVE_SCALE_FROM.get(state)?;
    let from = from.ok_or_else(|| Error::corrupt("`incentive_scale_from` is missing"))?;
    scale(scaled || pool > from)
}

/// Returns the scale of the spread accumulator of a pool.
pub(super) fn spread_scale(state: &(impl Read + ?Sized), pool: u64) -> Result<Dec, Error> {
    let scaled = pool == SCALED_BOTH || SCALED_SPREAD.contains(&pool);
    let from = SPREAD_SCALE_FROM.get(state)?;
    let from = from.ok_or_else(|| Error::corrupt("`spread_scale_from` is missing"))?;
    scale(scaled || pool > from)
}

fn scale(is_scaled: bool) -> Result<Dec, Error> {
    if !is_scaled {
        return Ok(Dec::ONE);
    }
    Ok(Dec::from_i64(1_000_000_000_000_000).mul_even(Dec::from_i64(1_000_000_000_000))?)
}
