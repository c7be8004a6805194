//! Shares in accumulators.

use super::{Breaches, Broken, pools};
use crate::{
    Error,
    keeper::{Which, places, uptime},
    layout::concentratedliquidity::{POSITIONS, SPREAD_POSITIONS, UPTIME_POSITIONS},
    math::Dec,
    values::Record,
};
use keyscape::store::Read;

/// The shares of an accumulator are the sum of the shares of its positions. Each position has its
/// liquidity as shares in every accumulator of its pool; a share without a position is zero.
///
/// # Errors
/// Errors of the database.
pub fn shares(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("shares");
    let position_of = |breaches: &mut Breaches, which: Which, id: u64, record: &Record| {
        let position = POSITIONS.get(state, id)?;
        let expected = position.map_or(Dec::ZERO, |position| position.liquidity);
        breaches.equal(
            || format!("share of position {id} in {which:?}"),
            &record.shares,
            &expected,
        );
        Ok::<(), Error>(())
    };
    for pool in pools(state)? {
        let which = Which::Spread { pool };
        let mut sum = Dec::ZERO;
        for row in SPREAD_POSITIONS.scan_pool(state, pool)?.rows() {
            let (key, record) = row?;
            sum = sum.plus(record.shares)?;
            position_of(&mut breaches, which, key.position, &record)?;
        }
        breaches.equal(|| format!("{which:?}"), &which.get(state)?.shares, &sum);
        for place in places() {
            let which = Which::Uptime { pool, uptime: place };
            let mut sum = Dec::ZERO;
            for row in UPTIME_POSITIONS.scan_pool_uptime(state, pool, uptime(place)?)?.rows() {
                let (key, record) = row?;
                sum = sum.plus(record.shares)?;
                position_of(&mut breaches, which, key.position, &record)?;
            }
            breaches.equal(|| format!("{which:?}"), &which.get(state)?.shares, &sum);
        }
    }
    Ok(breaches.reported())
}
