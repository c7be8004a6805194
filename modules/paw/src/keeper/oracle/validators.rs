//! Validators, their stakes and their feeders.

use super::{MODULE, params, period, prices, tally};
use crate::{
    Error, ErrorKind,
    keeper::{Block, account_of, coins, require},
    layout::paw::{Account, DELEGATES, FEEDERS, MISSES, PREVOTES, SLASHES, VALIDATORS, VOTES},
    number::{self, bounded},
    values::{OracleParams, Slash, Validator},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// Returns the stake of a validator, or 0.
///
/// # Errors
/// Errors of the database.
pub fn get_stake(state: &(impl Read + ?Sized), validator: &Account<'_>) -> Result<U256, Error> {
    Ok(DELEGATES.get(state, validator)?.unwrap_or(U256::ZERO))
}

/// Returns an active validator.
pub(super) fn active(
    state: &(impl Read + ?Sized),
    validator: &Account<'_>,
) -> Result<Validator, Error> {
    let row = VALIDATORS.get(state, validator)?.filter(|row| row.active);
    Ok(row.ok_or_else(|| ErrorKind::NoValidator(validator.clone().into_owned()))?)
}

/// Returns the stake of a registered validator, active or not.
fn registered_stake(state: &(impl Read + ?Sized), validator: &Account<'_>) -> Result<U256, Error> {
    let exists = VALIDATORS.contains(state, validator)?;
    require(exists, || ErrorKind::NoValidator(validator.clone().into_owned()))?;
    get_stake(state, validator)
}

/// Writes the stake of a validator. The validator is active if the stake reaches the minimum.
pub(super) fn set_stake(
    tx: &mut Tx<'_>,
    params: &OracleParams,
    period: u64,
    validator: &Account<'_>,
    stake: U256,
) -> Result<(), Error> {
    bounded("stake", stake)?;
    let was_active = VALIDATORS.get(tx, validator)?.filter(|row| row.active);
    let active = stake >= params.min_stake;
    let since = was_active.map_or(period, |row| row.since);
    VALIDATORS.put(tx, validator, &Validator { active, since })?;
    Ok(DELEGATES.put(tx, validator, stake)?)
}

/// Registers a validator with a stake. It votes for itself until it sets a feeder.
///
/// # Errors
/// [`AlreadyRegistered`](ErrorKind::AlreadyRegistered), [`Stake`](ErrorKind::Stake),
/// [`Invalid`](ErrorKind::Invalid) if the maximum number of validators is registered,
/// [`Overflow`](ErrorKind::Overflow), errors of the bank.
pub fn register(
    tx: &mut Tx<'_>,
    block: Block,
    validator: &Account<'_>,
    stake: U256,
) -> Result<(), Error> {
    let params = params(tx)?;
    let exists = VALIDATORS.contains(tx, validator)?;
    require(!exists, || ErrorKind::AlreadyRegistered(validator.clone().into_owned()))?;
    let needed = params.min_stake;
    require(stake >= needed, || ErrorKind::Stake { stake, needed })?;
    let count = VALIDATORS.prefix_all().limit(params.max_validators).count(tx)?;
    let has_room = count < params.max_validators;
    require(has_room, || ErrorKind::Invalid("no more validators are allowed"))?;
    tx.attempt(|tx| {
        coins::send(tx, block, validator, &account_of(MODULE)?, &params.denom, stake)?;
        set_stake(tx, &params, period(&params, block), validator, stake)
    })
}

/// Adds to the stake of a registered validator. An inactive validator that reaches the minimum
/// stake becomes active.
///
/// # Errors
/// [`NoValidator`](ErrorKind::NoValidator), [`Overflow`](ErrorKind::Overflow), errors of the bank.
pub fn bond(
    tx: &mut Tx<'_>,
    block: Block,
    validator: &Account<'_>,
    amount: U256,
) -> Result<(), Error> {
    let params = params(tx)?;
    let stake = number::add(registered_stake(tx, validator)?, amount)?;
    tx.attempt(|tx| {
        coins::send(tx, block, validator, &account_of(MODULE)?, &params.denom, amount)?;
        set_stake(tx, &params, period(&params, block), validator, stake)
    })
}

/// Pays back a part of the stake of a validator that has no misses in the current window. A
/// validator without a stake is no longer registered. The record of its penalties stays, and its
/// last vote stays while it is the source of a price.
///
/// # Errors
/// [`NoValidator`](ErrorKind::NoValidator), [`Missed`](ErrorKind::Missed),
/// [`Stake`](ErrorKind::Stake).
pub fn unbond(
    tx: &mut Tx<'_>,
    block: Block,
    validator: &Account<'_>,
    amount: U256,
) -> Result<(), Error> {
    let params = params(tx)?;
    let stake = registered_stake(tx, validator)?;
    let missed = MISSES.get(tx, validator)?.unwrap_or(0);
    require(missed == 0, || ErrorKind::Missed(missed))?;
    let left = stake.checked_sub(amount).ok_or(ErrorKind::Stake { stake, needed: amount })?;
    tx.attempt(|tx| {
        coins::send(tx, block, &account_of(MODULE)?, validator, &params.denom, amount)?;
        if left > U256::ZERO {
            return set_stake(tx, &params, period(&params, block), validator, left);
        }
        VALIDATORS.delete(tx, validator)?;
        DELEGATES.delete(tx, validator)?;
        FEEDERS.delete(tx, validator)?;
        PREVOTES.delete(tx, validator)?;
        VOTES.delete(tx, validator)?;
        tally::reset_counts(tx, validator)?;
        prices::delete_unneeded_vote(tx, validator)
    })
}

/// Sets the account that votes on behalf of a validator. If `feeder` is the validator, it votes for
/// itself again.
///
/// # Errors
/// [`NoValidator`](ErrorKind::NoValidator).
pub fn set_feeder(
    tx: &mut Tx<'_>,
    validator: &Account<'_>,
    feeder: &Account<'_>,
) -> Result<(), Error> {
    active(tx, validator)?;
    if validator == feeder {
        return Ok(FEEDERS.delete(tx, validator)?);
    }
    Ok(FEEDERS.put(tx, validator, feeder.as_bytes())?)
}

/// Burns a part of the stake of a validator. The penalty never exceeds the cap, regardless of other
/// parameters.
pub(super) fn slash(
    tx: &mut Tx<'_>,
    block: Block,
    params: &OracleParams,
    validator: &Account<'_>,
) -> Result<(), Error> {
    let stake = get_stake(tx, validator)?;
    let penalty = number::part(stake, params.slash_bp.min(params.slash_cap_bp))?;
    coins::burn(tx, MODULE, &params.denom, penalty)?;
    let left = number::sub(stake, penalty)?;
    set_stake(tx, params, period(params, block), validator, left)?;
    let before = SLASHES.get(tx, validator)?;
    let (count, total) = before.map_or((0, U256::ZERO), |row| (row.count, row.total));
    let record = Slash {
        count: count.saturating_add(1),
        total: total.saturating_add(penalty),
        last: penalty,
        stake,
        height: block.height,
    };
    Ok(SLASHES.put(tx, validator, &record)?)
}
