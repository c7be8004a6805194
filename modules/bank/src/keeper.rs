//! The operations of the bank, for other modules. They may move all coins that are not locked.
//! Operations of users go through [`messages`](crate::messages), which has more rules.
//!
//! Every operation is atomic: if it fails, it has written nothing, and the transaction can
//! continue. The cost of an operation depends on the given coins, not on the number of
//! denominations of an account. Exceptions are [`get_all_balances`], [`spendable_coins`] and the
//! scans, which read all rows that they return and are available in pages.
//!
//! A vesting account is one row that lists all vesting coins and their delegated part, as in the
//! Cosmos SDK. Operations that need the locked coins, such as a send from the account, read that
//! row. A delegation from or to it rewrites the row. The cost of these operations grows with the
//! number of denominations of the original vesting, for any coins; the number of rows stays the
//! same. The creator of the account chooses the vesting coins; later payments to the account do not
//! lengthen the row.
//!
//! `now` is the time of the block, in seconds of Unix time.

mod accounts;
mod balances;
mod configured;
mod denoms;
mod modules;
mod pages;
mod staking;
mod supply;
mod transfers;

pub use accounts::{account_at, create_account, create_vesting_account, get_account, has_account};
pub use balances::{
    Balances, balances, get_all_balances, get_balance, has_balance, holders, locked_coin,
    locked_coins, set_balance, spendable_coin, spendable_coins,
};
pub use configured::{Keeper, Repaired};
pub use denoms::{
    get_metadata, get_params, is_send_enabled, set_metadata, set_params, set_send_enabled,
};
pub use modules::{Permission, create_module_account, get_module_account, module_address};
pub(crate) use modules::{create as create_module, derived_address};
pub(crate) use pages::page;
pub use pages::{
    PageRequest, PageResponse, balances_page, each_balance, holders_page, metadata_page,
    send_enabled_page, spendable_page, supply_page,
};
pub use staking::{delegate, undelegate};
pub use supply::{burn, get_supply, mint, supplies};
pub use transfers::{Output, multi_send, send};

pub(crate) use accounts::create_vesting;
pub(crate) use transfers::{multi_send_in, send_in};

use crate::{Coins, Error, ErrorKind};

/// Rejects an empty list of coins.
pub(crate) fn some(coins: &Coins) -> Result<(), Error> {
    if coins.is_empty() { Err(ErrorKind::NoCoins.into()) } else { Ok(()) }
}
