//! The price oracle.
//!
//! A validator commits to its prices in one voting period and reveals them in the next one. The
//! last block of the period tallies the revealed votes: the price of an asset is the weighted
//! median of the votes that are not outliers, so it is a price that some validator voted for. The
//! work of a tally depends on the number of validators and assets, which parameters bound.

mod prices;
mod tally;
mod validators;
mod votes;

pub use prices::{average_price, get_price};
pub use tally::{is_outlier_of, weighted_median};
pub use validators::{bond, get_stake, register, set_feeder, unbond};
pub use votes::{emergency_pause, is_paused, prevote, resume, reveal, vote_hash};

use super::{Block, only, require, set};
use crate::{
    Error, ErrorKind,
    layout::paw::{Account, ORACLE_PARAMS},
    number,
    values::OracleParams,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The name of the account that holds the stakes of validators.
pub(super) const MODULE: &str = "oracle";

/// Returns the parameters.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid) before [`initialize`](super::initialize).
pub fn params(state: &(impl Read + ?Sized)) -> Result<OracleParams, Error> {
    set(ORACLE_PARAMS.get(state)?)
}

/// Sets the parameters, by governance. The voting period and the denomination of stakes cannot
/// change.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Invalid`](ErrorKind::Invalid).
pub fn set_params(tx: &mut Tx<'_>, by: &Account<'_>, new: &OracleParams) -> Result<(), Error> {
    let current = params(tx)?;
    only(by, &current.governance)?;
    check_params(new)?;
    let keeps = new.denom == current.denom && new.vote_period == current.vote_period;
    require(keeps, || ErrorKind::Invalid("the denomination and the period cannot change"))?;
    Ok(ORACLE_PARAMS.put(tx, new)?)
}

pub(super) fn check_params(new: &OracleParams) -> Result<(), Error> {
    let is_sorted = new.assets.windows(2).all(|pair| pair[0] < pair[1]);
    let is_valid = is_sorted
        && new.vote_period > 1
        && new.window > 0
        && new.max_misses > 0
        && new.min_stake > U256::ZERO
        && (1..=number::BASIS).contains(&new.threshold_bp)
        && new.slash_cap_bp <= number::BASIS
        && new.per_block > 0;
    require(is_valid, || ErrorKind::Invalid("a parameter of the oracle is out of range"))
}

/// Returns the voting period of a block.
fn period(params: &OracleParams, block: Block) -> u64 {
    block.height.checked_div(params.vote_period).unwrap_or(0)
}

/// Tallies at the end of a period, and deletes old snapshots. Returns how many prices and
/// snapshots.
pub(super) fn end_block(tx: &mut Tx<'_>, block: Block) -> Result<(u64, u64), Error> {
    let params = params(tx)?;
    let next = Block { height: block.height.saturating_add(1), ..block };
    let is_last = period(&params, next) != period(&params, block);
    let written = if is_last && !is_paused(tx)? { tally::run(tx, block, &params)? } else { 0 };
    Ok((written, prices::prune(tx, block, &params)?))
}
