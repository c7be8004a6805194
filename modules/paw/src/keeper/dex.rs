//! The exchange: pools with a constant product.
//!
//! Every operation on a pool holds its lock, so none can run inside another one on the same pool. A
//! swap that would move the price too far does not happen, but pauses the pool: this is an
//! [`Outcome`] and not an error, so the pause is committed.

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

use super::{Block, only, require, set};
use crate::{
    Error, ErrorKind,
    layout::paw::{Account, DEX_PARAMS, LOCKS},
    number,
    values::{DexParams, PoolLock, PoolOperation},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The name of the account that holds the fees of the protocol.
pub(super) const MODULE: &str = "dex";

/// Stale locks that the end of a block deletes.
const LOCKS_PER_BLOCK: u64 = 100;

/// Returns the parameters.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid) before [`initialize`](super::initialize).
pub fn params(state: &(impl Read + ?Sized)) -> Result<DexParams, Error> {
    set(DEX_PARAMS.get(state)?)
}

/// Sets the parameters, by governance.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Invalid`](ErrorKind::Invalid).
pub fn set_params(tx: &mut Tx<'_>, by: &Account<'_>, new: &DexParams) -> Result<(), Error> {
    only(by, &params(tx)?.governance)?;
    check_params(new)?;
    Ok(DEX_PARAMS.put(tx, new)?)
}

pub(super) fn check_params(new: &DexParams) -> Result<(), Error> {
    let is_valid = new.lp_fee_bp.saturating_add(new.protocol_fee_bp) < number::BASIS
        && new.max_swap_bp <= number::BASIS
        && new.breaker_bp > 0
        && new.min_reserve > U256::ZERO
        && new.min_reserve <= pools::MAX_RESERVE
        && new.max_ratio > 0;
    require(is_valid, || ErrorKind::Invalid("a parameter of the exchange is out of range"))
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

/// Deletes stale locks.
pub(super) fn end_block(tx: &mut Tx<'_>, _: Block) -> Result<(), Error> {
    LOCKS.prefix_all().limit(LOCKS_PER_BLOCK).delete(tx)?;
    Ok(())
}
