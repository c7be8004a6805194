//! The exchange: pools with a constant product.
//!
//! Every operation on a pool holds its lock, so no operation can run inside another one on the same
//! pool. A swap that would move the price too far pauses the pool instead. This is an [`Outcome`]
//! and not an error, so the pause is committed.

mod breaker;
mod liquidity;
mod pools;
mod swap;

pub use breaker::{get_breaker, pause_pool, resume_pool};
pub use liquidity::{
    Amounts, add_liquidity, claim_fees, claimable_fees, get_shares, remove_liquidity,
};
pub use pools::{
    Observation, average_price, create_pool, find_pool, get_pool, observe, spot_price,
};
pub use swap::{Outcome, Swap, collect_protocol_fees, flash_loan, quote, swap};

pub(crate) use liquidity::pending;
pub(crate) use pools::{MAX_CUMULATIVE, MAX_RESERVE, price};

use super::{Block, initialized, only};
use crate::{
    Error, ErrorKind,
    layout::paw::{Account, DEX_PARAMS, LOCKS},
    number::{self, MAX_BLOCKS, MAX_SECONDS, within},
    values::{DexParams, PoolLock, PoolOperation},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The name of the account for the fees of the protocol.
pub(super) const MODULE: &str = "dex";

/// The largest `lp_fee_bp` and `protocol_fee_bp`: 10 % each.
const MAX_FEE_BP: u64 = 1_000;
/// The largest `min_reserve`. A pool always keeps the minimum, so a large minimum locks coins.
const MAX_MIN_RESERVE: U256 = U256::new(1_000_000_000_000);
/// The largest `max_ratio`. Prices have 18 decimals, so they stay above zero.
const MAX_RATIO: u64 = 1_000_000_000_000;
/// The largest `max_pools`.
const MAX_POOLS: u64 = 1_000_000_000;
/// The largest number of locks that the end of a block deletes.
const LOCKS_PER_BLOCK: u64 = 100;

/// Returns the parameters.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid) before [`initialize`](super::initialize).
pub fn params(state: &(impl Read + ?Sized)) -> Result<DexParams, Error> {
    initialized(DEX_PARAMS.get(state)?)
}

/// Sets the parameters, by governance.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Parameter`](ErrorKind::Parameter).
pub fn set_params(tx: &mut Tx<'_>, by: &Account<'_>, new: &DexParams) -> Result<(), Error> {
    only(by, &params(tx)?.governance)?;
    check_params(new)?;
    Ok(DEX_PARAMS.put(tx, new)?)
}

pub(super) fn check_params(new: &DexParams) -> Result<(), Error> {
    within("lp_fee_bp", new.lp_fee_bp, 0..=MAX_FEE_BP)?;
    within("protocol_fee_bp", new.protocol_fee_bp, 0..=MAX_FEE_BP)?;
    within("min_reserve", new.min_reserve, U256::ONE..=MAX_MIN_RESERVE)?;
    within("max_ratio", new.max_ratio, 1..=MAX_RATIO)?;
    within("max_swap_bp", new.max_swap_bp, 1..=number::BASIS)?;
    within("max_pools", new.max_pools, 0..=MAX_POOLS)?;
    within("liquidity_delay", new.liquidity_delay, 0..=MAX_BLOCKS)?;
    within("breaker_bp", new.breaker_bp, 1..=number::BASIS)?;
    within("breaker_window", new.breaker_window, 0..=MAX_BLOCKS)?;
    within("pause_seconds", new.pause_seconds, 1..=MAX_SECONDS)
}

/// Runs an operation while the pool is locked. Nothing else can use the pool until it returns.
fn locked<T>(
    tx: &mut Tx<'_>,
    block: Block,
    pool: u64,
    operation: PoolOperation,
    run: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    // A lock of an earlier block is stale: no operation outlives its block.
    if let Some(held) = LOCKS.get(tx, pool)?.filter(|held| held.height == block.height) {
        return Err(ErrorKind::PoolLocked { pool, operation: held.operation }.into());
    }
    tx.attempt(|tx| {
        LOCKS.put(tx, pool, &PoolLock { operation, height: block.height })?;
        let result = run(tx)?;
        LOCKS.delete(tx, pool)?;
        Ok(result)
    })
}

/// Deletes locks. At the end of a block every lock is stale.
pub(super) fn end_block(tx: &mut Tx<'_>) -> Result<(), Error> {
    LOCKS.prefix_all().limit(LOCKS_PER_BLOCK).delete(tx)?;
    Ok(())
}
