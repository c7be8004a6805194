//! The compute market.
//!
//! The status of a request changes from `pending` to `assigned`, `processing` and `completed`. The
//! state of its escrow changes from `locked` to `challenged`, and then to `released` or `refunded`.
//! A dispute is an additional state. Every state has an expiry, after which the end of a block ends
//! it.

mod escrow;
mod providers;
mod requests;

pub use escrow::{dispute, get_escrow, release, release_now, resolve};
pub(crate) use providers::check_provider;
pub use providers::{
    ProviderUpdate, add_stake, deactivate, get_provider, register, update, withdraw_stake,
};
pub use requests::{
    NewRequest, assign, cancel, complete, fail, get_request, get_result, get_status, start, submit,
    submit_batch,
};

use super::{Block, initialized, only, require};
use crate::{
    Error, ErrorKind,
    layout::paw::{Account, COMPUTE_PARAMS, Party},
    number::{self, MAX_AMOUNT, MAX_BLOCKS, MAX_PER_BLOCK, MAX_SECONDS, within},
    values::ComputeParams,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The name of the account for stakes and escrowed coins.
pub(super) const MODULE: &str = "compute";

/// The largest `max_batch`.
const MAX_BATCH: u64 = 1_000;

/// Returns the parameters.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid) before [`initialize`](super::initialize).
pub fn params(state: &(impl Read + ?Sized)) -> Result<ComputeParams, Error> {
    initialized(COMPUTE_PARAMS.get(state)?)
}

/// Sets the parameters, by governance. The denomination cannot change. The minimum stake cannot
/// rise, because active providers have staked the old one and may be too many to check.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Parameter`](ErrorKind::Parameter),
/// [`Invalid`](ErrorKind::Invalid).
pub fn set_params(tx: &mut Tx<'_>, by: &Account<'_>, new: &ComputeParams) -> Result<(), Error> {
    let current = params(tx)?;
    only(by, &current.governance)?;
    check_params(new)?;
    // Stakes and escrows are of the old denomination.
    require(new.denom == current.denom, || ErrorKind::Invalid("the denomination cannot change"))?;
    require(new.min_stake <= current.min_stake, || {
        ErrorKind::Invalid("the minimum stake of providers cannot rise")
    })?;
    Ok(COMPUTE_PARAMS.put(tx, new)?)
}

pub(super) fn check_params(new: &ComputeParams) -> Result<(), Error> {
    within("escrow_timeout", new.escrow_timeout, 1..=MAX_SECONDS)?;
    within("challenge_period", new.challenge_period, 1..=MAX_SECONDS)?;
    within("dispute_timeout", new.dispute_timeout, 1..=MAX_SECONDS)?;
    within("retention", new.retention, 0..=MAX_SECONDS)?;
    within("nonce_retention", new.nonce_retention, 0..=MAX_BLOCKS)?;
    within("max_batch", new.max_batch, 1..=MAX_BATCH)?;
    within("per_block", new.per_block, 1..=MAX_PER_BLOCK)?;
    within("slash_bp", new.slash_bp, 0..=number::BASIS)?;
    within("min_stake", new.min_stake, U256::ZERO..=MAX_AMOUNT)?;
    within("min_payment", new.min_payment, U256::ONE..=MAX_AMOUNT)
}

/// Settles expired escrows and deletes old rows. Returns the numbers of escrows and nonces.
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
