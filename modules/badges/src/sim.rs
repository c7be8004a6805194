//! A simulation: blocks of random operations over the whole keeper.
//!
//! A block depends only on the seed, its height and the state, so a stopped run can continue. Most
//! operations are possible in the state in which they are drawn. They must succeed and make exactly
//! the expected changes. The others must be rejected with the right error and write nothing.

mod draw;
mod invalid;
mod records;
mod valid;

use crate::{keeper, values::UserBalanceStore};
use draw::Draw;
use keyscape::store::Tx;
use keyscape_sim::{Fault, Tally};

/// Writes the state before the first block: two collections and a dynamic store.
///
/// # Errors
/// Errors of the module.
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
    let mut draw = Draw::new(seed, 0);
    for _ in 0..2 {
        let manager = draw.address()?;
        let changes = draw.template(&manager);
        keeper::create_collection(tx, &manager, &UserBalanceStore::default(), changes)?;
    }
    keeper::create_dynamic_store(tx, &draw.address()?, false)?;
    Ok(())
}

/// Runs a block of 20 to 60 operations.
///
/// # Errors
/// [`Unexpected`](keyscape_sim::Unexpected) if an operation had the wrong outcome.
pub fn block(tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
    let mut draw = Draw::new(seed, height);
    let mut tally = Tally::default();
    for _ in 0..20 + draw.below(41) {
        if draw.below(100) < 15 {
            invalid::operation(tx, &mut draw)?;
            tally.refused += 1;
        } else {
            valid::operation(tx, &mut draw)?;
            tally.done += 1;
        }
    }
    Ok(tally)
}
