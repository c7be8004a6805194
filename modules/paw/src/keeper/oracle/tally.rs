//! The tally at the end of a voting period.

use super::{period, prices, validators};
use crate::{
    Error,
    keeper::Block,
    layout::paw::{
        AGGREGATE_VOTES, Account, DELEGATES, MISSES, PAUSE, PREVOTES, Token, VALIDATORS, VOTES,
    },
    number,
    values::{AggregateVote, OracleParams, Vote},
};
use keyscape::{U256, store::Tx};

/// A validator in a tally.
struct Voter {
    validator: Account<'static>,
    since: u64,
    stake: U256,
    vote: Option<Vote>,
    is_outlier: bool,
}

impl Voter {
    fn price(&self, asset: &Token<'_>) -> Option<U256> {
        let prices = &self.vote.as_ref()?.prices;
        let index = prices.binary_search_by(|vote| vote.asset.as_str().cmp(asset.as_str()));
        Some(prices.get(index.ok()?)?.price)
    }
}

/// Tallies the revealed votes of a period: writes prices and counts misses. Returns the number of
/// prices.
pub(super) fn run(tx: &mut Tx<'_>, block: Block, params: &OracleParams) -> Result<u64, Error> {
    let now = period(params, block);
    let mut voters = voters(tx, now)?;
    let total = voters.iter().try_fold(U256::ZERO, |sum, voter| number::add(sum, voter.stake))?;
    let needed = number::mul_div_up(total, params.threshold_bp.into(), number::BASIS.into())?;
    let mut written = 0;
    for asset in &params.assets {
        if let Some((price, source)) = price(&mut voters, params, asset, needed)? {
            prices::record(tx, block, now, asset, price, source)?;
            written += 1;
        }
    }
    let resumed = PAUSE.get(tx)?.map_or(0, |pause| pause.period);
    for voter in &voters {
        // A prevote needs a full period before the reveal.
        let since = voter.since.max(resumed).max(params.assets_since);
        let owes = now >= since.saturating_add(2);
        let is_complete = params.assets.iter().all(|asset| voter.price(asset).is_some());
        count(tx, now, voter, (owes && !is_complete) || voter.is_outlier)?;
    }
    Ok(written)
}

/// Slashes the validators with too many misses, including inactive ones, if the period of a block
/// is the last one of a window.
pub(super) fn end_window(
    tx: &mut Tx<'_>,
    block: Block,
    params: &OracleParams,
) -> Result<(), Error> {
    let period_of_window = period(params, block).checked_rem(params.window);
    if period_of_window != Some(params.window.saturating_sub(1)) {
        return Ok(());
    }
    let rows = VALIDATORS.scan_all(tx)?.collect::<Result<Vec<_>, _>>()?;
    for (key, _) in rows {
        judge(tx, block, params, &key.validator)?;
    }
    Ok(())
}

/// Takes the votes of all active validators, and deletes prevotes that can no longer be revealed.
fn voters(tx: &mut Tx<'_>, now: u64) -> Result<Vec<Voter>, Error> {
    let rows = VALIDATORS.scan_all(tx)?.collect::<Result<Vec<_>, _>>()?;
    let mut active = Vec::new();
    for (key, row) in rows {
        let validator = key.validator;
        let vote = VOTES.take(tx, &validator)?.filter(|vote| vote.period == now);
        let prevote = PREVOTES.get(tx, &validator)?;
        if prevote.is_some_and(|prevote| prevote.period < now) {
            PREVOTES.delete(tx, &validator)?;
        }
        if row.active {
            let stake = DELEGATES.get(tx, &validator)?.unwrap_or(U256::ZERO);
            active.push(Voter { validator, since: row.since, stake, vote, is_outlier: false });
        }
    }
    Ok(active)
}

/// Returns the price of an asset and the validator that voted for it, if enough stake has voted.
fn price(
    voters: &mut [Voter],
    params: &OracleParams,
    asset: &Token<'_>,
    needed: U256,
) -> Result<Option<(U256, Account<'static>)>, Error> {
    let vote = |voter: &Voter| Some((voter.price(asset)?, voter.stake));
    let mut all: Vec<(U256, U256)> = voters.iter().filter_map(vote).collect();
    let voted = all.iter().try_fold(U256::ZERO, |sum, (_, stake)| number::add(sum, *stake))?;
    if voted < needed {
        return Ok(None);
    }
    let Some(median) = weighted_median(&mut all) else { return Ok(None) };
    let mut deviations: Vec<_> =
        all.iter().map(|(price, stake)| (number::distance(*price, median), *stake)).collect();
    let deviation = weighted_median(&mut deviations).unwrap_or(U256::ZERO);
    let floor = number::part(median, params.outlier_floor_bp)?;
    let bound = deviation.saturating_mul(U256::from(params.outlier_mads)).max(floor);
    for voter in voters.iter_mut() {
        let is_far = voter.price(asset).is_some_and(|price| is_outlier_of(price, median, bound));
        voter.is_outlier |= is_far;
    }
    all.retain(|(price, _)| !is_outlier_of(*price, median, bound));
    let Some(price) = weighted_median(&mut all) else { return Ok(None) };
    let source = voters.iter().find(|voter| voter.price(asset) == Some(price));
    Ok(source.map(|voter| (price, voter.validator.clone())))
}

/// Whether a price is farther from the median than the bound.
#[must_use]
pub fn is_outlier_of(price: U256, median: U256, bound: U256) -> bool {
    number::distance(price, median) > bound
}

/// Returns the weighted median of values with their weights: the smallest value for which the
/// values up to and including it have at least half of the total weight. Sorts the values. Returns
/// `None` if the total weight is 0 or exceeds 256 bits.
#[must_use]
pub fn weighted_median(values: &mut [(U256, U256)]) -> Option<U256> {
    values.sort_unstable();
    let total = values.iter().try_fold(U256::ZERO, |sum, (_, weight)| sum.checked_add(*weight))?;
    let mut sum = U256::ZERO;
    for (value, weight) in values.iter() {
        sum = sum.checked_add(*weight)?;
        if sum > U256::ZERO && sum >= total - sum {
            return Some(*value);
        }
    }
    None
}

/// Writes the vote of a validator as its last one, and counts the vote, an outlier and a miss.
fn count(tx: &mut Tx<'_>, now: u64, voter: &Voter, is_miss: bool) -> Result<(), Error> {
    let before = AGGREGATE_VOTES.get(tx, &voter.validator)?;
    let (voted, outliers) = before.map_or((0, 0), |row| (row.voted, row.outliers));
    if let Some(vote) = &voter.vote {
        let row = AggregateVote {
            period: now,
            prices: vote.prices.clone(),
            voted: voted.saturating_add(1),
            outliers: outliers.saturating_add(voter.is_outlier.into()),
        };
        AGGREGATE_VOTES.put(tx, &voter.validator, &row)?;
    }
    if is_miss {
        MISSES.update(tx, &voter.validator, |misses| {
            Ok::<_, Error>(Some(misses.unwrap_or(0).saturating_add(1)))
        })?;
    }
    Ok(())
}

/// Ends the window of a validator: slashes too many misses, and resets all counts.
fn judge(
    tx: &mut Tx<'_>,
    block: Block,
    params: &OracleParams,
    validator: &Account<'_>,
) -> Result<(), Error> {
    if MISSES.take(tx, validator)?.unwrap_or(0) >= params.max_misses {
        validators::slash(tx, block, params, validator)?;
    }
    reset_counts(tx, validator)
}

/// Resets the counts of votes and outliers of a validator.
pub(super) fn reset_counts(tx: &mut Tx<'_>, validator: &Account<'_>) -> Result<(), Error> {
    if let Some(row) = AGGREGATE_VOTES.get(tx, validator)? {
        let row = AggregateVote { voted: 0, outliers: 0, ..row };
        AGGREGATE_VOTES.put(tx, validator, &row)?;
    }
    Ok(())
}
