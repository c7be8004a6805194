//! The circuit breaker of a pool.

use super::{params, pools};
use crate::{
    Error, ErrorKind,
    keeper::{Block, only, require},
    layout::paw::{Account, CIRCUIT_BREAKERS},
    number,
    values::{CircuitBreaker, DexParams, Pool},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// Returns the circuit breaker of a pool.
///
/// # Errors
/// [`NoPool`](ErrorKind::NoPool).
pub fn get_breaker(state: &(impl Read + ?Sized), pool: u64) -> Result<CircuitBreaker, Error> {
    CIRCUIT_BREAKERS.get(state, pool)?.ok_or_else(|| ErrorKind::NoPool(pool).into())
}

/// Starts a window at the price of the pool.
pub(super) fn begin(tx: &mut Tx<'_>, block: Block, id: u64, pool: &Pool) -> Result<(), Error> {
    let reference = pools::price(pool)?;
    let breaker = CircuitBreaker { reference, since: block.height, paused_until: 0 };
    Ok(CIRCUIT_BREAKERS.put(tx, id, &breaker)?)
}

/// Returns an error if the pool is paused. If a pause or a window is over, a new window starts at
/// the current price.
pub(super) fn open(
    tx: &mut Tx<'_>,
    block: Block,
    params: &DexParams,
    id: u64,
    pool: &Pool,
) -> Result<CircuitBreaker, Error> {
    let breaker = get_breaker(tx, id)?;
    let until = breaker.paused_until;
    require(until <= block.time, || ErrorKind::PoolPaused { pool: id, until })?;
    let window_end = breaker.since.saturating_add(params.breaker_window);
    if until == 0 && block.height <= window_end {
        return Ok(breaker);
    }
    begin(tx, block, id, pool)?;
    get_breaker(tx, id)
}

/// Whether a price is too far from that at the beginning of the window.
pub(super) fn is_tripped(
    params: &DexParams,
    breaker: &CircuitBreaker,
    price: U256,
) -> Result<bool, Error> {
    let change = number::distance(price, breaker.reference);
    Ok(change > number::part(breaker.reference, params.breaker_bp)?)
}

/// Pauses a pool that has tripped. Returns the end of the pause.
pub(super) fn trip(
    tx: &mut Tx<'_>,
    block: Block,
    params: &DexParams,
    id: u64,
    breaker: &CircuitBreaker,
) -> Result<u64, Error> {
    let until = block.time.saturating_add(params.pause_seconds);
    CIRCUIT_BREAKERS.put(tx, id, &CircuitBreaker { paused_until: until, ..breaker.clone() })?;
    Ok(until)
}

/// Pauses a pool until a later second, by governance.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`NoPool`](ErrorKind::NoPool),
/// [`Invalid`](ErrorKind::Invalid) if `until` is not after the block.
pub fn pause_pool(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    pool: u64,
    until: u64,
) -> Result<(), Error> {
    only(by, &params(tx)?.governance)?;
    require(until > block.time, || ErrorKind::Invalid("the pause would already be over"))?;
    let breaker = CircuitBreaker { paused_until: until, ..get_breaker(tx, pool)? };
    Ok(CIRCUIT_BREAKERS.put(tx, pool, &breaker)?)
}

/// Ends the pause of a pool, by governance.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`NoPool`](ErrorKind::NoPool).
pub fn resume_pool(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    pool: u64,
) -> Result<(), Error> {
    only(by, &params(tx)?.governance)?;
    let row = pools::get_pool(tx, pool)?;
    begin(tx, block, pool, &row)
}
