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
use keyscape_bank::{Coins, Permission, keeper as bank};
use keyscape_sim::{Fault, Tally};

const MINT: &str = "mint";

/// Writes the state before the first block: accounts with coins, and pools without positions.
///
/// # Errors
/// [`Unexpected`](keyscape_sim::Unexpected) if an operation had the wrong outcome.
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
    let mut draw = Draw::new(seed, 0);
    keeper::initialize(tx, &Params::launch(), 0, 0)?;
    let mint = bank::module_address(MINT)?;
    // Another system may have created the account in the same bank.
    if !bank::has_account(tx, &mint)? {
        bank::create_module_account(tx, MINT, &[Permission::Minter])?;
    }
    for place in 0..draw::ACCOUNTS {
        let text = draw::DENOMS.map(|denom| format!("{}{denom}", draw::FUNDS)).join(",");
        let coins: Coins = text.parse()?;
        bank::mint(tx, MINT, &coins)?;
        bank::send(tx, 0, &mint, &draw.account_at(place)?, &coins)?;
    }
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
