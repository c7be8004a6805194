//! The operations of the bank, for other modules: they may move any coins that are not locked. What
//! users ask for passes through [`messages`](crate::messages), which has more rules.
//!
//! Every operation is whole: if it fails, nothing of it is written, and the transaction can go on.
//! Reading and writing goes by keys: what an operation costs depends on the coins that it is given,
//! not on how many denominations an account holds. [`get_all_balances`], [`spendable_coins`] and the
//! scans are the exceptions; they read what they return, and there are pages for it.
//!
//! An account with coins that vest is one row, which lists all that vests and what of it is delegated:
//! that is the format of the Cosmos SDK. Whatever asks what is locked in it, a send from it for instance,
//! reads that row, and a delegation from it or back to it writes it again. So these cost bytes and time for
//! every denomination of its original vesting, whatever coins they are given; the number of rows stays
//! the same. Whoever makes the account chooses what vests; sending coins to it later lengthens nothing.
//!
//! `now` is the time of the block, in seconds of Unix time.

mod accounts;
mod balances;
mod denoms;
mod modules;
mod staking;
mod supply;
mod transfers;

pub use accounts::{account_at, create_account, create_vesting_account, get_account, has_account};
pub use balances::{
    Balances, balances, balances_page, get_all_balances, get_balance, holders, locked_coin,
    locked_coins, set_balance, spendable_coin, spendable_coins,
};
pub use denoms::{
    get_metadata, get_params, is_send_enabled, set_metadata, set_params, set_send_enabled,
};
pub use modules::{Permission, create_module_account, get_module_account, module_address};
pub use staking::{delegate, undelegate};
pub use supply::{burn, get_supply, mint, supplies};
pub use transfers::{Output, multi_send, send};

use crate::{Coins, Error, ErrorKind};

/// Refuses an empty list of coins.
fn some(coins: &Coins) -> Result<(), Error> {
    if coins.is_empty() { Err(ErrorKind::NoCoins.into()) } else { Ok(()) }
}
