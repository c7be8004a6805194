//! A simulation: blocks of random operations over the whole keeper.
//!
//! A block depends only on the seed, its height and the state, so a stopped run can continue. Valid
//! operations must succeed, unless rounding or a lack of liquidity makes them impossible. The
//! others must be rejected with the right error. A rejected operation must write nothing.

mod draw;
mod invalid;
mod look;
mod valid;

use crate::{keeper, values::Params};
use draw::Draw;
use keyscape::store::Tx;
use keyscape_sim::{Fault, Tally};

/// Writes the state before the first block: accounts with coins, and pools without positions.
///
/// # Errors
/// [`Unexpected`](keyscape_sim::Unexpected) if an operation had the wrong outcome.
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
    let mut draw = Draw::new(seed, 0);
    keeper::initialize(tx, &Params::launch(), 0, 0)?;
    let owners = (0..draw::ACCOUNTS).map(|place| draw.account_at(place));
    let coins = draw::DENOMS.map(|denom| format!("{}{denom}", draw::FUNDS)).join(",");
    keyscape_bank::sim::fund(tx, &owners.collect::<Result<Vec<_>, _>>()?, &coins.parse()?)?;
    for id in draw::POOLS {
        valid::pool(tx, &mut draw, id)?;
    }
    Ok(())
}

/// Runs a block of random operations.
///
/// # Errors
/// [`Unexpected`](keyscape_sim::Unexpected) if an operation had the wrong outcome.
pub fn block(tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
    let mut draw = Draw::new(seed, height);
    let mut tally = Tally::default();
    for _ in 0..6 + draw.below(10) {
        let is_done = match draw.below(20) {
            0..3 => invalid::operation(tx, &mut draw)?,
            3 => look::operation(tx, &mut draw)?,
            _ => valid::operation(tx, &mut draw)?,
        };
        match is_done {
            Some(true) => tally.done += 1,
            Some(false) => tally.refused += 1,
            None => {}
        }
    }
    Ok(tally)
}
