//! The operations of the bank, for other modules. They may move all coins that are not locked.
//! Operations of users go through [`messages`](crate::messages), which has more rules. Operations
//! that the [`Rules`] of a program can change are methods of [`Keeper`].
//!
//! Every operation is atomic: if it fails, it has written nothing, and the transaction can
//! continue. The cost of an operation depends on the given coins, not on the number of
//! denominations of an account. Exceptions are [`get_all_balances`], [`Keeper::spendable_coins`]
//! and the scans, which read all rows that they return and are available in pages.
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
mod denoms;
mod modules;
mod pages;
mod staking;
mod transfers;

pub use accounts::{account_at, get_account, has_account};
pub use balances::{balances, get_all_balances, get_balance, holders, set_balance};
pub use denoms::{
    get_metadata, get_params, get_supply, is_send_enabled, set_metadata, set_params,
    set_send_enabled, supplies,
};
pub use modules::{
    Permission, Repaired, create_module_account, get_module_account, module_address,
};
pub(crate) use modules::{derived_address, ensure as ensure_module};
pub(crate) use pages::page;
pub use pages::{
    PageRequest, PageResponse, balances_page, each_balance, holders_page, metadata_page,
    send_enabled_page, supply_page,
};
pub use transfers::Output;
pub(crate) use transfers::reject_empty;

use crate::Rules;

/// The operations of the bank under the [`Rules`] of a program; by default without rules. Every
/// operation that moves coins returns its [events](crate::Event).
///
/// Registered modules need no account: the first operation that needs one creates it.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, empty};
/// use keyscape_bank::{Coins, ErrorKind, Keeper, Rules, keeper};
///
/// # let (db, now) = (empty(), 0);
/// # let (ann, bob) = (address(1), address(2));
/// let keeper = Keeper::new(
///     Rules::default().with_module("mint", &["minter"])?.with_blocked(bob.clone()),
/// );
/// let coins: Coins = "5uatom".parse()?;
/// let events = db.write(|tx| {
///     keeper.mint(tx, "mint", &coins)?;
///     keeper.send_from_module_to_account(tx, now, "mint", &ann, &coins)
/// })?;
/// assert_eq!(events.iter().map(|event| event.name()).collect::<Vec<_>>(), [
///     "coin_spent", "coin_received", "transfer",
/// ]);
/// let refused = db.write(|tx| keeper.send_from_module_to_account(tx, now, "mint", &bob, &coins));
/// assert!(matches!(refused, Err(error) if matches!(error.kind(), ErrorKind::Blocked { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Keeper {
    rules: Rules,
}

impl Keeper {
    /// Creates a keeper.
    #[must_use]
    pub fn new(rules: Rules) -> Keeper {
        Keeper { rules }
    }

    /// Returns the rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}
