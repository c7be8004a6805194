//! Prices, snapshots and averages.

use crate::{
    Error, ErrorKind,
    keeper::Block,
    layout::paw::{
        AGGREGATE_VOTES, AVERAGES, Account, PRICES, SNAPSHOTS, SNAPSHOTS_BY_HEIGHT, Token,
        VALIDATORS,
    },
    number,
    values::{Average, OracleParams, Price, Snapshot},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// Returns the price of an asset, in units of 10^-18.
///
/// # Errors
/// [`NoPrice`](ErrorKind::NoPrice).
pub fn get_price(state: &(impl Read + ?Sized), asset: &Token<'_>) -> Result<Price, Error> {
    let price = PRICES.get(state, asset)?;
    Ok(price.ok_or_else(|| ErrorKind::NoPrice(asset.clone().into_owned()))?)
}

/// Writes a price with its snapshot, and adds the previous price times its seconds to the average.
pub(super) fn record(
    tx: &mut Tx<'_>,
    block: Block,
    period: u64,
    asset: &Token<'_>,
    price: U256,
    source: Account<'static>,
) -> Result<(), Error> {
    let (cumulative, time) = match AVERAGES.get(tx, asset)? {
        Some(before) => (cumulative_at(&before, block.time)?, before.time.max(block.time)),
        None => (U256::ZERO, block.time),
    };
    let before = PRICES.get(tx, asset)?;
    AVERAGES.put(tx, asset, &Average { cumulative, price, time })?;
    PRICES.put(tx, asset, &Price { price, period, time, source })?;
    let key = (asset, block.height);
    SNAPSHOTS.put(tx, key, &Snapshot { price, time, cumulative })?;
    before.map_or(Ok(()), |before| delete_unneeded_vote(tx, &before.source))
}

/// Deletes the last vote of a validator that is not registered, unless it is the source of a price:
/// every price is in the vote of its source. Reads all prices.
pub(super) fn delete_unneeded_vote(tx: &mut Tx<'_>, validator: &Account<'_>) -> Result<(), Error> {
    if VALIDATORS.contains(tx, validator)? {
        return Ok(());
    }
    for row in PRICES.scan_all(tx)? {
        if row?.1.source == *validator {
            return Ok(());
        }
    }
    Ok(AGGREGATE_VOTES.delete(tx, validator)?)
}

fn cumulative_at(average: &Average, time: u64) -> Result<U256, Error> {
    number::accumulated(average.cumulative, average.price, average.time, time)
}

/// Returns the time-weighted average price of an asset since the first snapshot of the last
/// `blocks` blocks. Each price counts for the time until the next one, and the last one until now.
/// If no time has passed, returns the current price. Reads two rows, regardless of the number of
/// snapshots.
///
/// # Errors
/// [`NoPrice`](ErrorKind::NoPrice) if no snapshot is that recent.
pub fn average_price(
    state: &(impl Read + ?Sized),
    block: Block,
    asset: &Token<'_>,
    blocks: u64,
) -> Result<U256, Error> {
    let none = || ErrorKind::NoPrice(asset.clone().into_owned());
    let average = AVERAGES.get(state, asset)?.ok_or_else(none)?;
    let from = block.height.saturating_sub(blocks);
    let first = SNAPSHOTS.prefix_denom(asset.by_ref()).range(from..).first(state)?;
    let (_, first) = first.ok_or_else(none)?;
    let sum = number::sub(cumulative_at(&average, block.time)?, first.cumulative)?;
    let seconds = U256::from(block.time.saturating_sub(first.time));
    Ok(sum.checked_div(seconds).unwrap_or(average.price))
}

/// Deletes the oldest snapshots whose retention has ended. Returns their number.
pub(super) fn prune(tx: &mut Tx<'_>, block: Block, params: &OracleParams) -> Result<u64, Error> {
    let before = block.height.saturating_sub(params.snapshot_retention);
    let old = SNAPSHOTS_BY_HEIGHT.prefix_all().range(..before).limit(params.per_block);
    old.walk(tx, |tx, row| Ok(SNAPSHOTS.delete(tx, row.owner()?)?))
}
