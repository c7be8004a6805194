//! Shares in accumulators.

use super::{Breaches, Broken, pools};
use crate::{
    Error,
    keeper::{self, Which, places, uptime},
    layout::concentratedliquidity::{SPREAD_POSITIONS, UPTIME_POSITIONS},
    math::Dec,
};
use keyscape::store::Read;
use std::collections::BTreeMap;

/// Checks that the shares of an accumulator are the sum of the shares of its positions. Each
/// position of the pool has its liquidity as shares in every accumulator of the pool; any other
/// share is zero.
///
/// # Errors
/// Errors of the database.
pub fn shares(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("shares");
    for pool in pools(state)? {
        let mut positions = BTreeMap::new();
        for position in keeper::pool_positions(state, pool)? {
            positions.insert(position, keeper::get_position(state, position)?.liquidity);
        }
        let which = Which::Spread { pool };
        let mut all = Shares { which, missing: positions.clone(), sum: Dec::ZERO };
        for row in SPREAD_POSITIONS.scan_pool(state, pool)? {
            let (key, record) = row?;
            all.add(&mut breaches, key.position, record.shares)?;
        }
        all.end(state, &mut breaches)?;
        for place in places() {
            let which = Which::Uptime { pool, uptime: place };
            let mut all = Shares { which, missing: positions.clone(), sum: Dec::ZERO };
            for row in UPTIME_POSITIONS.scan_pool_uptime(state, pool, uptime(place)?)? {
                let (key, record) = row?;
                all.add(&mut breaches, key.position, record.shares)?;
            }
            all.end(state, &mut breaches)?;
        }
    }
    Ok(breaches.reported())
}

/// The shares of one accumulator.
struct Shares {
    which: Which,
    /// The liquidity of the positions whose share was not found yet.
    missing: BTreeMap<u64, Dec>,
    sum: Dec,
}

impl Shares {
    fn add(&mut self, breaches: &mut Breaches, id: u64, shares: Dec) -> Result<(), Error> {
        let which = self.which;
        self.sum = self.sum.plus(shares)?;
        let expected = self.missing.remove(&id).unwrap_or_default();
        breaches.equal(|| format!("share of position {id} in {which:?}"), &shares, &expected);
        Ok(())
    }

    fn end(self, state: &(impl Read + ?Sized), breaches: &mut Breaches) -> Result<(), Error> {
        let Shares { which, missing, sum } = self;
        for (id, liquidity) in missing {
            let of = || format!("share of position {id} in {which:?}");
            breaches.number(of, "missing", &liquidity.to_string());
        }
        breaches.equal(|| format!("{which:?}"), &which.get(state)?.shares, &sum);
        Ok(())
    }
}
