//! Prevotes, reveals and the emergency pause.

use super::{params, period, validators};
use crate::{
    Error, ErrorKind,
    keeper::{Block, only, require},
    layout::paw::{Account, FEEDERS, PAUSE, PREVOTES, VOTES},
    values::{EmergencyPause, Prevote, PriceVote, Vote},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use sha2::{Digest, Sha256};

/// The longest reason of a pause, in bytes.
const LONGEST_REASON: usize = 256;

/// Returns the hash that a prevote commits to.
#[must_use]
pub fn vote_hash(salt: &[u8; 32], prices: &[PriceVote], validator: &Account<'_>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(salt);
    hash.update((prices.len() as u64).to_be_bytes());
    for vote in prices {
        hash.update((vote.asset.as_str().len() as u64).to_be_bytes());
        hash.update(vote.asset.as_str());
        hash.update(vote.price.to_be_bytes());
    }
    hash.update(validator.as_bytes());
    hash.finalize().into()
}

fn check_not_paused(tx: &Tx<'_>) -> Result<(), Error> {
    match PAUSE.get(tx)?.filter(|pause| pause.paused) {
        Some(pause) => Err(ErrorKind::OraclePaused(pause.reason).into()),
        None => Ok(()),
    }
}

/// Rejects an account that is not the feeder of an active validator, and all votes during a pause.
fn check_feeder(tx: &Tx<'_>, by: &Account<'_>, validator: &Account<'_>) -> Result<(), Error> {
    check_not_paused(tx)?;
    validators::active(tx, validator)?;
    match FEEDERS.get(tx, validator)? {
        Some(feeder) => only(by, &Account::new(feeder)?),
        None => only(by, validator),
    }
}

/// Commits a validator to a vote, by its feeder. Within a period, a later commitment replaces an
/// earlier one.
///
/// # Errors
/// [`OraclePaused`](ErrorKind::OraclePaused), [`NoValidator`](ErrorKind::NoValidator),
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Unrevealed`](ErrorKind::Unrevealed).
pub fn prevote(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    validator: &Account<'_>,
    hash: [u8; 32],
) -> Result<(), Error> {
    check_feeder(tx, by, validator)?;
    let period = period(&params(tx)?, block);
    if let Some(open) = PREVOTES.get(tx, validator)? {
        let can_be_revealed = open.period.checked_add(1) == Some(period);
        require(!can_be_revealed, || ErrorKind::Unrevealed(open.period))?;
    }
    Ok(PREVOTES.put(tx, validator, &Prevote { hash, period })?)
}

/// Reveals the vote that a validator has committed to in the previous period, by its feeder.
///
/// # Errors
/// [`OraclePaused`](ErrorKind::OraclePaused), [`NoValidator`](ErrorKind::NoValidator),
/// [`Unauthorized`](ErrorKind::Unauthorized), [`NoPrevote`](ErrorKind::NoPrevote),
/// [`Hash`](ErrorKind::Hash), [`Invalid`](ErrorKind::Invalid) if the prices are unsorted, zero or
/// of other assets.
pub fn reveal(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    validator: &Account<'_>,
    salt: &[u8; 32],
    prices: Vec<PriceVote>,
) -> Result<(), Error> {
    check_feeder(tx, by, validator)?;
    let params = params(tx)?;
    let period = period(&params, block);
    let prevote = PREVOTES.get(tx, validator)?;
    let prevote = prevote.filter(|prevote| prevote.period.checked_add(1) == Some(period));
    let prevote = prevote.ok_or(ErrorKind::NoPrevote)?;
    require(prevote.hash == vote_hash(salt, &prices, validator), || ErrorKind::Hash)?;
    check_prices(&prices)?;
    let is_asked = prices.iter().all(|vote| params.assets.binary_search(&vote.asset).is_ok());
    require(is_asked, || ErrorKind::Invalid("a price is of an asset that is not asked for"))?;
    tx.attempt(|tx| {
        PREVOTES.delete(tx, validator)?;
        Ok(VOTES.put(tx, validator, &Vote { period, prices })?)
    })
}

/// Checks that the prices of a vote are sorted by asset and in range.
pub(crate) fn check_prices(prices: &[PriceVote]) -> Result<(), Error> {
    let is_sorted = prices.windows(2).all(|pair| pair[0].asset < pair[1].asset);
    let in_range = prices.iter().all(|vote| U256::ZERO < vote.price && vote.price <= MAX_PRICE);
    require(is_sorted && in_range, || {
        ErrorKind::Invalid("a price is zero, too large, unsorted or repeated")
    })
}

/// The largest price: sums of price times seconds stay far below 2^256.
pub(crate) const MAX_PRICE: U256 = U256::new(u128::MAX);

/// Whether the oracle is paused.
///
/// # Errors
/// Errors of the database.
pub fn is_paused(state: &(impl Read + ?Sized)) -> Result<bool, Error> {
    Ok(PAUSE.get(state)?.is_some_and(|pause| pause.paused))
}

/// Pauses the oracle, by its admin or governance. During a pause there are no votes, tallies and
/// misses.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`OraclePaused`](ErrorKind::OraclePaused),
/// [`Invalid`](ErrorKind::Invalid).
pub fn emergency_pause(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    reason: &str,
) -> Result<(), Error> {
    let params = params(tx)?;
    only(by, &params.admin).or_else(|_| only(by, &params.governance))?;
    check_not_paused(tx)?;
    let fits = (1..=LONGEST_REASON).contains(&reason.len());
    require(fits, || ErrorKind::Invalid("the reason is empty or longer than 256 bytes"))?;
    set_pause(tx, period(&params, block), by, true, reason)
}

/// Ends the pause, by governance.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`NotPaused`](ErrorKind::NotPaused).
pub fn resume(tx: &mut Tx<'_>, block: Block, by: &Account<'_>) -> Result<(), Error> {
    let params = params(tx)?;
    only(by, &params.governance)?;
    require(is_paused(tx)?, || ErrorKind::NotPaused)?;
    set_pause(tx, period(&params, block), by, false, "")
}

fn set_pause(
    tx: &mut Tx<'_>,
    period: u64,
    by: &Account<'_>,
    paused: bool,
    reason: &str,
) -> Result<(), Error> {
    let by = by.clone().into_owned();
    Ok(PAUSE.put(tx, &EmergencyPause { paused, by, reason: reason.to_owned(), period })?)
}
