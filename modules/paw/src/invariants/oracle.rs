//! Invariants of the oracle.

use super::{Breaches, Broken};
use crate::{
    Error,
    keeper::{account_of, balance, oracle},
    layout::paw::{
        AGGREGATE_VOTES, AVERAGES, DELEGATES, FEEDERS, MISSES, PREVOTES, PRICES, SLASHES,
        SNAPSHOTS, VALIDATORS, VOTES,
    },
    number,
};
use keyscape::{U256, store::Read};

/// Every validator has a stake, the account of the module covers all stakes, and votes, prevotes,
/// feeders and misses belong to registered validators. No penalty is above the stake that it was
/// taken from.
///
/// # Errors
/// Errors of the database.
pub fn validators(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("validators");
    let mut sum = U256::ZERO;
    for row in VALIDATORS.scan_all(state)?.rows() {
        let key = row?.0;
        let has_stake = DELEGATES.contains(state, key.validator.by_ref())?;
        breaches.unless(has_stake, || format!("`{}` has no stake", key.validator));
    }
    macro_rules! registered {
        ($($map:ident),*) => {$(
            for row in $map.scan_all(state)?.rows() {
                let validator = row?.0.validator;
                let is_registered = VALIDATORS.contains(state, validator.by_ref())?;
                breaches.unless(is_registered, || {
                    format!("{} of `{validator}`, which is not registered", stringify!($map))
                });
            }
        )*};
    }
    registered!(DELEGATES, FEEDERS, MISSES, AGGREGATE_VOTES, PREVOTES, VOTES);
    for row in DELEGATES.scan_all(state)?.rows() {
        sum = number::add(sum, row?.1)?;
    }
    if sum > U256::ZERO {
        let held = balance(state, &account_of("oracle")?, &oracle::params(state)?.denom)?;
        breaches.unless(held >= sum, || format!("the account holds {held}, expected {sum}"));
    }
    for row in SLASHES.scan_all(state)?.rows() {
        let (key, slash) = row?;
        let is_sane = slash.last <= slash.stake && slash.last <= slash.total;
        breaches.unless(is_sane, || format!("`{}` has an impossible penalty", key.validator));
    }
    Ok(breaches.reported())
}

/// A price is the price of its source's vote in the same period, the last snapshot has it, and so
/// has the average.
///
/// # Errors
/// Errors of the database.
pub fn prices(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("prices");
    let mut count = 0;
    for row in PRICES.scan_all(state)?.rows() {
        let (key, price) = row?;
        let asset = &key.denom;
        count += 1;
        if let Some(vote) = AGGREGATE_VOTES.get(state, price.source.by_ref())? {
            let voted = vote.prices.iter().find(|vote| vote.asset == *asset).map(|vote| vote.price);
            let is_revealed = voted == Some(price.price);
            let is_sound =
                vote.period > price.period || (vote.period == price.period && is_revealed);
            breaches.unless(is_sound, || {
                format!("the price {} of `{asset}` is not in a revealed vote", price.price)
            });
        }
        let average = AVERAGES.get(state, asset.by_ref())?;
        let agrees = average.as_ref().is_some_and(|average| average.price == price.price);
        breaches.unless(agrees, || format!("the average of `{asset}` has another price"));
        let last = SNAPSHOTS.prefix_denom(asset.by_ref()).reverse().first(state)?;
        // Old snapshots are deleted, the last one included.
        let is_same = last.is_none_or(|(_, last)| {
            last.price == price.price
                && average.is_some_and(|sum| sum.cumulative == last.cumulative)
        });
        breaches.unless(is_same, || format!("the last snapshot of `{asset}` differs"));
    }
    let averages = AVERAGES.prefix_all().count(state)?;
    breaches.unless(averages == count, || format!("{count} prices have {averages} averages"));
    Ok(breaches.reported())
}
