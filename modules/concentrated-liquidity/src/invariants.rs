//! Invariants, each as a function, and all of them together.
//!
//! Each invariant reports its first violations and the number of further ones. They read the state
//! in passes over pools, with the ids of all pools and the sums of one pool in memory.

mod balances;
mod liquidity;
mod rows;

pub use balances::{pool_balances, total_liquidity};
pub use liquidity::{active_liquidity, full_range, prices, shares, tick_liquidity};
pub use rows::{belonging, counters, locks};

use crate::{
    Error,
    layout::{
        concentratedliquidity::{
            INCENTIVE_SCALE_FROM, NEXT_INCENTIVE, NEXT_POSITION, OWNER_POSITIONS, POOL_POSITIONS,
            Pools, SPREAD_SCALE_FROM,
        },
        lockup::NEXT_LOCK,
    },
};
use keyscape::{
    store::{KeyRange, Read, StoreId},
    traits::{Keyspace, MapRows},
};
pub use keyscape_sim::Broken;
use keyscape_sim::{Breaches, joined};
use std::collections::BTreeSet;

/// Checks all invariants, including those of the bank.
///
/// # Errors
/// Errors of the database. A corrupt row is a [`Broken`].
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let reports = [
        ("setup", setup(state)),
        ("index", indexes(state)),
        ("belonging", belonging(state)),
        ("counters", counters(state)),
        ("prices", prices(state)),
        ("active liquidity", active_liquidity(state)),
        ("tick liquidity", tick_liquidity(state)),
        ("full range", full_range(state)),
        ("shares", shares(state)),
        ("locks", locks(state)),
        ("total liquidity", total_liquidity(state)),
        ("pool balances", pool_balances(state)),
    ];
    let mut broken = joined(reports)?;
    let bank = keyscape_bank::invariants::check(state)?;
    broken.extend(bank.iter().map(|found| Broken { invariant: "bank", what: found.to_string() }));
    Ok(broken)
}

/// Checks that the items that operations need exist.
///
/// # Errors
/// Errors of the database.
pub fn setup(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("setup");
    for (item, is_stored) in [
        ("incentive_scale_from", INCENTIVE_SCALE_FROM.get(state)?.is_some()),
        ("spread_scale_from", SPREAD_SCALE_FROM.get(state)?.is_some()),
        // A counter without a row would issue the id 0, which is reserved.
        ("next_position", NEXT_POSITION.peek(state)? > 0),
        ("next_incentive", NEXT_INCENTIVE.peek(state)? > 0),
        ("next_lock", NEXT_LOCK.peek(state)? > 0),
    ] {
        breaches.unless(is_stored, || format!("`{item}` is missing"));
    }
    Ok(breaches.reported())
}

/// Checks that the indexes of positions by owner and by pool have an entry for each position and no
/// other.
///
/// # Errors
/// Errors of the database.
pub fn indexes(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("index");
    breaches.add_index("owner_positions", &OWNER_POSITIONS.check(state)?);
    breaches.add_index("pool_positions", &POOL_POSITIONS.check(state)?);
    Ok(breaches.reported())
}

/// Returns the ids of all pools. [`belonging`] reports rows that cannot be read.
fn pools(state: &(impl Read + ?Sized)) -> Result<BTreeSet<u64>, Error> {
    let mut ids = BTreeSet::new();
    let mut rows = state.rows(StoreId::of(Pools::SPACE), KeyRange::prefix(Pools::PREFIX))?;
    while let Some(row) = rows.next()? {
        ids.extend(Pools::decode(row.key).map(|key| key.pool));
    }
    Ok(ids)
}
