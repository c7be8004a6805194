//! Invariants of the oracle.

use crate::{
    Error,
    keeper::{account_of, balance, oracle},
    layout::paw::{
        AGGREGATE_VOTES, AVERAGES, Account, DELEGATES, FEEDERS, MISSES, PREVOTES, PRICES, SLASHES,
        SNAPSHOTS, SNAPSHOTS_BY_HEIGHT, VALIDATORS, VOTES,
    },
    number::{MAX_AMOUNT, MAX_TIME},
    values::{Average, Price},
};
use keyscape::{U256, store::Read};
use keyscape_sim::{Breaches, Broken};
use std::collections::BTreeSet;

/// Checks that every validator has a stake, and is active exactly if the stake reaches the minimum.
/// The account of the module contains exactly all stakes of their denomination. Feeders are
/// accounts. Votes, prevotes, feeders and misses belong to registered validators. No penalty
/// exceeds the penalised stake.
///
/// # Errors
/// Errors of the database.
pub fn validators(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("validators");
    let params = oracle::params(state)?;
    let (mut sum, mut count) = (U256::ZERO, 0_u64);
    for row in VALIDATORS.scan_all(state)? {
        let (key, row) = row?;
        let validator = key.validator;
        count += 1;
        let Some(stake) = DELEGATES.get(state, &validator)? else {
            breaches.add(format_args!("`{validator}` has no stake"));
            continue;
        };
        sum = sum.saturating_add(stake);
        breaches.unless(stake <= MAX_AMOUNT, || format!("the stake of `{validator}` is too large"));
        let is_right = row.active == (stake >= params.min_stake);
        breaches.unless(is_right, || {
            let state = if row.active { "active" } else { "inactive" };
            format!("`{validator}` is {state} with a stake of {stake}")
        });
    }
    let fits = count <= oracle::MAX_VALIDATORS;
    breaches.unless(fits, || format!("{count} validators are too many for a tally"));
    macro_rules! registered {
        ($($map:ident),*) => {$(
            for row in $map.scan_all(state)? {
                let validator = row?.0.validator;
                let is_registered = VALIDATORS.contains(state, &validator)?;
                breaches.unless(is_registered, || {
                    format!("{} of `{validator}`, which is not registered", stringify!($map))
                });
            }
        )*};
    }
    registered!(DELEGATES, FEEDERS, MISSES, PREVOTES, VOTES);
    let held = balance(state, &account_of("oracle")?, &params.denom)?;
    breaches
        .unless(held == sum, || format!("the account of `oracle` holds {held}, expected {sum}"));
    for row in FEEDERS.scan_all(state)? {
        let (key, feeder) = row?;
        let feeder = Account::new(feeder).map_err(Error::from);
        breaches.take(feeder, || format!("the feeder of `{}`", key.validator))?;
    }
    for row in SLASHES.scan_all(state)? {
        let (key, slash) = row?;
        let is_sane = slash.last <= slash.stake && slash.last <= slash.total;
        breaches.unless(is_sane, || format!("`{}` has an impossible penalty", key.validator));
    }
    Ok(breaches.reported())
}

/// Checks that the prices of every vote are sorted and in range. A tallied vote belongs to a
/// registered validator or to the source of a price.
///
/// # Errors
/// Errors of the database.
pub fn votes(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("votes");
    let mut sources = BTreeSet::new();
    for row in PRICES.scan_all(state)? {
        sources.insert(row?.1.source.as_bytes().to_vec());
    }
    macro_rules! checked {
        ($($map:ident),*) => {$(
            for row in $map.scan_all(state)? {
                let (key, vote) = row?;
                let checked = oracle::check_prices(&vote.prices);
                breaches.take(checked, || format!("{} of `{}`", stringify!($map), key.validator))?;
            }
        )*};
    }
    checked!(VOTES, AGGREGATE_VOTES);
    for row in AGGREGATE_VOTES.scan_all(state)? {
        let validator = row?.0.validator;
        let is_needed =
            VALIDATORS.contains(state, &validator)? || sources.contains(validator.as_bytes());
        breaches.unless(is_needed, || {
            format!("a tallied vote of `{validator}`, which is not registered")
        });
    }
    Ok(breaches.reported())
}

/// Checks that a price is in the vote of its source, unless the source has voted again since. Its
/// average and its last snapshot agree with it, and earlier snapshots are not ahead of it.
///
/// # Errors
/// Errors of the database.
pub fn prices(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("prices");
    let mut count = 0;
    for row in PRICES.scan_all(state)? {
        let (key, price) = row?;
        let asset = &key.denom;
        count += 1;
        let vote = AGGREGATE_VOTES.get(state, &price.source)?;
        let is_revealed = vote.is_some_and(|vote| {
            let mut voted = vote.prices.iter();
            vote.period > price.period
                || (vote.period == price.period
                    && voted.any(|vote| vote.asset == *asset && vote.price == price.price))
        });
        breaches.unless(is_revealed, || {
            format!("the price {} of `{asset}` is not in a revealed vote", price.price)
        });
        let average = AVERAGES.get(state, asset)?;
        let agrees = average.as_ref().is_some_and(|average| agree(&price, average));
        breaches.unless(agrees, || format!("the average of `{asset}` has another price or time"));
        let last = SNAPSHOTS.prefix_denom(asset.by_ref()).reverse().first(state)?;
        // Old snapshots are deleted, even the last one.
        let is_same = last.is_none_or(|(_, last)| {
            last.price == price.price
                && average.is_some_and(|sum| sum.cumulative == last.cumulative)
        });
        breaches.unless(is_same, || format!("the last snapshot of `{asset}` differs"));
    }
    let averages = AVERAGES.prefix_all().count(state)?;
    breaches.unless(averages == count, || format!("{count} prices have {averages} averages"));
    for row in SNAPSHOTS_BY_HEIGHT.scan_all(state)? {
        let key = row?.0;
        let (asset, height) = (&key.denom, key.height);
        let snapshot = SNAPSHOTS.get(state, (asset, height))?;
        let (Some(snapshot), Some(average)) = (snapshot, AVERAGES.get(state, asset)?) else {
            breaches.add(format_args!("a snapshot of `{asset}`, which has no price"));
            continue;
        };
        let is_before = snapshot.time <= average.time
            && snapshot.cumulative <= average.cumulative
            && is_price(snapshot.price);
        breaches.unless(is_before, || {
            format!("the snapshot of `{asset}` at height {height} is ahead of its price")
        });
    }
    Ok(breaches.reported())
}

fn is_price(price: U256) -> bool {
    U256::ZERO < price && price <= oracle::MAX_PRICE
}

/// Whether an average can belong to a price. A sum of prices times seconds is at most the largest
/// price at all times.
fn agree(price: &Price, average: &Average) -> bool {
    let most = oracle::MAX_PRICE.saturating_mul(U256::from(average.time));
    average.price == price.price
        && is_price(price.price)
        && average.time == price.time
        && average.time <= MAX_TIME
        && average.cumulative <= most
}
