//! The price oracle.
//!
//! A validator commits to its prices in one voting period and reveals them in the next one. The
//! last block of the period tallies the revealed votes: the price of an asset is the weighted
//! median of the votes that are not outliers, so it is a price that some validator voted for. The
//! work of a tally depends on the number of validators and assets, which parameters bound.
//!
//! The weight of a vote is the stake at the tally. Coins that are withdrawn after the reveal do not
//! count, and every coin that counts can be slashed for the vote.
//!
//! A vote without a price for one of the assets counts for the others, but is a miss. Misses are
//! counted per window of voting periods. A window ends even during a pause.

mod prices;
mod tally;
mod validators;
mod votes;

pub use prices::{average_price, get_price};
pub use tally::{is_outlier_of, weighted_median};
pub use validators::{bond, get_stake, register, set_feeder, unbond};
pub use votes::{emergency_pause, is_paused, prevote, resume, reveal, vote_hash};

pub(crate) use votes::{MAX_PRICE, check_prices};

use super::{Block, initialized, only, require};
use crate::{
    Error, ErrorKind,
    layout::paw::{Account, DELEGATES, ORACLE_PARAMS},
    number::{self, MAX_AMOUNT, MAX_BLOCKS, MAX_PER_BLOCK, within},
    values::OracleParams,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The name of the account for the stakes of validators.
pub(super) const MODULE: &str = "oracle";

/// The largest number of assets.
pub(crate) const MAX_ASSETS: u64 = 100;
/// The largest `max_validators`.
pub(crate) const MAX_VALIDATORS: u64 = 1_000;
/// The largest `outlier_mads`.
const MAX_MADS: u64 = 1_000;

/// Returns the parameters.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid) before [`initialize`](super::initialize).
pub fn params(state: &(impl Read + ?Sized)) -> Result<OracleParams, Error> {
    initialized(ORACLE_PARAMS.get(state)?)
}

/// Sets the parameters, by governance. The voting period and the denomination of stakes cannot
/// change. A new minimum stake applies to all validators at once.
///
/// `assets_since` is not taken from `new`. After a change of the assets, no vote is a miss until
/// validators could commit to the new ones.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Parameter`](ErrorKind::Parameter),
/// [`Invalid`](ErrorKind::Invalid).
pub fn set_params(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    new: &OracleParams,
) -> Result<(), Error> {
    let current = params(tx)?;
    only(by, &current.governance)?;
    check_params(new)?;
    let keeps = new.denom == current.denom && new.vote_period == current.vote_period;
    require(keeps, || ErrorKind::Invalid("the denomination and the period cannot change"))?;
    let now = period(&current, block);
    let assets_since = if new.assets == current.assets { current.assets_since } else { now };
    let new = OracleParams { assets_since, ..new.clone() };
    tx.attempt(|tx| {
        ORACLE_PARAMS.put(tx, &new)?;
        if new.min_stake != current.min_stake {
            let stakes = DELEGATES.scan_all(tx)?.collect::<Result<Vec<_>, _>>()?;
            for (key, stake) in stakes {
                validators::set_stake(tx, &new, now, &key.validator, stake)?;
            }
        }
        Ok(())
    })
}

pub(super) fn check_params(new: &OracleParams) -> Result<(), Error> {
    let is_sorted = new.assets.windows(2).all(|pair| pair[0] < pair[1]);
    require(is_sorted, || ErrorKind::Invalid("the assets are not sorted, or one is repeated"))?;
    within("assets", new.assets.len() as u64, 0..=MAX_ASSETS)?;
    within("vote_period", new.vote_period, 2..=MAX_BLOCKS)?;
    within("window", new.window, 1..=MAX_BLOCKS)?;
    within("max_misses", new.max_misses, 1..=new.window)?;
    within("min_stake", new.min_stake, U256::ONE..=MAX_AMOUNT)?;
    within("max_validators", new.max_validators, 1..=MAX_VALIDATORS)?;
    within("threshold_bp", new.threshold_bp, 1..=number::BASIS)?;
    within("outlier_mads", new.outlier_mads, 0..=MAX_MADS)?;
    within("outlier_floor_bp", new.outlier_floor_bp, 0..=number::BASIS)?;
    within("slash_bp", new.slash_bp, 0..=number::BASIS)?;
    within("slash_cap_bp", new.slash_cap_bp, 0..=number::BASIS)?;
    within("snapshot_retention", new.snapshot_retention, 0..=MAX_BLOCKS)?;
    within("per_block", new.per_block, 1..=MAX_PER_BLOCK)
}

/// Returns the voting period of a block.
fn period(params: &OracleParams, block: Block) -> u64 {
    block.height.checked_div(params.vote_period).unwrap_or(0)
}

/// Tallies at the end of a period unless the oracle is paused, ends the window if it is over, and
/// deletes old snapshots. Returns the numbers of prices and snapshots.
pub(super) fn end_block(tx: &mut Tx<'_>, block: Block) -> Result<(u64, u64), Error> {
    let params = params(tx)?;
    let next = Block { height: block.height.saturating_add(1), ..block };
    let is_last = period(&params, next) != period(&params, block);
    let written = if is_last && !is_paused(tx)? { tally::run(tx, block, &params)? } else { 0 };
    if is_last {
        tally::end_window(tx, block, &params)?;
    }
    Ok((written, prices::prune(tx, block, &params)?))
}
