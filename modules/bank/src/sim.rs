//! A simulation: blocks of random operations of the keeper and of messages.
//!
//! [`set_balance`](keeper::set_balance) is excluded: it is for genesis, and would break the supply.
//!
//! A block depends only on the seed, its height and the state, so a stopped run continues with the
//! same results. Most operations are valid in the state in which they are drawn; they must succeed
//! and have exactly the expected effects. The others must be rejected for the right reason, without
//! a trace.

mod draw;
mod expect;
mod invalid;
mod reads;
mod rules;
mod valid;

use crate::{Address, Coins, Error, Keeper, Params, Permission, keeper};
use draw::Draw;
use keyscape::store::Tx;
use keyscape_sim::{Fault, Tally};
use std::sync::LazyLock;

/// A keeper without rules.
static KEEPER: LazyLock<Keeper> = LazyLock::new(Keeper::default);

/// The module that mints coins.
const MINT: &str = "mint";
/// The module that receives delegations, and burns slashed coins.
const POOL: &str = "bonded_tokens_pool";
/// A module without permissions, to which users cannot send.
const FEES: &str = "fee_collector";

/// The modules and their permissions.
const MODULES: [(&str, &[Permission]); 3] = [
    (MINT, &[Permission::Minter]),
    (POOL, &[Permission::Burner, Permission::Staking]),
    (FEES, &[]),
];

/// Returns the time of a block, in seconds.
fn time(height: u64) -> i64 {
    i64::try_from(height.saturating_mul(5)).unwrap_or(i64::MAX)
}

/// Writes the initial state: modules, and some coins in some accounts.
///
/// # Errors
/// Errors of the bank.
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
    keeper::set_params(tx, &Params { default_send_enabled: true, ..Params::default() })?;
    for (module, permissions) in MODULES {
        keeper::create_module_account(tx, module, permissions)?;
    }
    let mint = keeper::module_address(MINT)?;
    let mut draw = Draw::new(seed, 0);
    for index in 0..draw.accounts() {
        let address = draw.address_at(index)?;
        let coins = Coins::try_from(draw.coin()?)?;
        KEEPER.mint(tx, MINT, &coins)?;
        KEEPER.send(tx, time(0), &mint, &address, &coins)?;
    }
    Ok(())
}

/// Mints coins for each of some accounts. Simulations of other systems on the same bank call it.
///
/// # Errors
/// Errors of the bank.
pub fn fund(tx: &mut Tx<'_>, owners: &[Address<'_>], coins: &Coins) -> Result<(), Error> {
    let mint = keeper::module_address(MINT)?;
    // Another system may have created the account in the same bank.
    if !keeper::has_account(tx, &mint)? {
        keeper::create_module_account(tx, MINT, &[Permission::Minter])?;
    }
    owners.iter().try_for_each(|owner| {
        KEEPER.mint(tx, MINT, coins)?;
        KEEPER.send(tx, 0, &mint, owner, coins).map(drop)
    })
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
            tally.done += valid::operation(tx, &mut draw)?;
        }
    }
    Ok(tally)
}
