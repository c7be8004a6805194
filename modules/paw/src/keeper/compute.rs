//! The compute market.
//!
//! A request goes from `pending` over `assigned` and `processing` to `completed`. Its escrow goes
//! from `locked` over `challenged` to `released` or `refunded`; a dispute is a detour. Every state
//! has an expiry: at the latest then, the end of a block leaves it.

mod escrow;
mod providers;
mod requests;

pub use escrow::{dispute, get_escrow, release, release_now, resolve};
pub use providers::{
    ProviderUpdate, add_stake, deactivate, get_provider, register, update, withdraw_stake,
};
pub use requests::{
    NewRequest, assign, cancel, complete, fail, get_request, get_result, get_status, start, submit,
    submit_batch,
};

use super::{Block, only, require, set};
use crate::{
    Error, ErrorKind,
    layout::paw::{Account, COMPUTE_PARAMS, Party},
    number,
    values::ComputeParams,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The name of the account that holds stakes and escrowed coins.
pub(super) const MODULE: &str = "compute";

/// Returns the parameters.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid) before [`initialize`](super::initialize).
pub fn params(state: &(impl Read + ?Sized)) -> Result<ComputeParams, Error> {
    set(COMPUTE_PARAMS.get(state)?)
}

/// Sets the parameters, by governance.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Invalid`](ErrorKind::Invalid).
pub fn set_params(tx: &mut Tx<'_>, by: &Account<'_>, new: &ComputeParams) -> Result<(), Error> {
    let current = params(tx)?;
    only(by, &current.governance)?;
    check_params(new)?;
    // Stakes and escrows are of the old denomination.
    require(new.denom == current.denom, || ErrorKind::Invalid("the denomination cannot change"))?;
    Ok(COMPUTE_PARAMS.put(tx, new)?)
}

pub(super) fn check_params(new: &ComputeParams) -> Result<(), Error> {
    let counts = [new.escrow_timeout, new.challenge_period, new.dispute_timeout];
    let is_valid = counts.iter().all(|count| *count > 0)
        && new.per_block > 0
        && new.max_batch > 0
        && new.min_payment > U256::ZERO
        && new.slash_bp <= number::BASIS;
    require(is_valid, || ErrorKind::Invalid("a parameter of the compute market is out of range"))
}

/// Settles expired escrows and deletes old rows. Returns how many escrows and nonces.
pub(super) fn end_block(tx: &mut Tx<'_>, block: Block) -> Result<(u64, u64), Error> {
    let params = params(tx)?;
    let escrows = escrow::expire(tx, block, &params)?;
    let nonces = providers::prune_nonces(tx, block, &params)?;
    Ok((escrows, nonces))
}

fn party(account: &Account<'_>) -> Result<Party<'static>, Error> {
    Ok(Party::new(account.as_bytes().to_vec())?)
}

fn account(party: &Party<'_>) -> Result<Account<'static>, Error> {
    Ok(Account::new(party.as_bytes().to_vec())?)
}
