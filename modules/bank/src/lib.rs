//! A bank on Keyscape, with the bytes of the Cosmos SDK.
//!
//! As in ADR-004 of the Cosmos SDK, each account and denomination has its own row, so the cost of
//! an operation does not depend on the number of denominations of an account. Keys and values are
//! those of v0.50, and older value forms can be read, so the bank works on the state of a real
//! chain. Accounts are in a second store of the same database, in the same commit: a send looks up
//! locked coins there, and a delegation of locked coins is recorded there.
//!
//! ```
//! use keyscape_bank::{Address, Coins, Error, Keeper, Permission, keeper, layout::bank::LAYOUT};
//!
//! let db = keyscape::memory(&LAYOUT)?;
//! let ann = Address::new(vec![1; 20])?;
//! let bob = Address::new(vec![2; 20])?;
//! let (bank, now) = (Keeper::default(), 1_700_000_000);
//! db.write(|tx| {
//!     keeper::create_module_account(tx, "mint", &[Permission::Minter])?;
//!     bank.mint(tx, "mint", &"10stake,100uatom".parse::<Coins>()?)?;
//!     let mint = keeper::module_address("mint")?;
//!     bank.send(tx, now, &mint, &ann, &"100uatom".parse::<Coins>()?)?;
//!     bank.send(tx, now, &ann, &bob, &"30uatom".parse::<Coins>()?)?;
//!     // A rejected operation writes nothing, and the transaction continues.
//!     let refused = bank.send(tx, now, &bob, &ann, &"31uatom".parse::<Coins>()?);
//!     assert!(refused.is_err_and(|error| error.is_refusal()));
//!     Ok::<(), Error>(())
//! })?;
//! let state = db.read()?;
//! assert_eq!(keeper::get_all_balances(&state, &ann)?.to_string(), "70uatom");
//! assert_eq!(keyscape_bank::invariants::check(&state)?, []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`layout`]: the keyspaces; [`values`]: the values of rows.
//! - [`Coins`], and [`vesting`]: when they can be spent.
//! - [`keeper`]: the operations, for modules; [`Keeper`]: those that follow the [`Rules`] of a
//!   program, with their [events](Event); [`messages`]: the operations of users, with more rules.
//! - [`invariants`]: the invariants; [`cosmos`]: genesis documents of real chains.
//! - [`sim`]: random operations with checks.
//!
//! # Accounts of other types
//!
//! An account of an unknown type is kept byte for byte and locks no coins, as in the Cosmos SDK. A
//! program registers its own account types that lock coins in its [`Rules`].
//!
//! # Chains with other prefixes
//!
//! Addresses are bytes, and the layout shows them with the prefix `cosmos`. Accounts contain their
//! address as text, with the [`Prefix`] of the chain. New accounts get the prefix of the first
//! account, and those of an empty state the prefix of the [`Rules`].

mod coins;
pub mod cosmos;
mod error;
mod event;
pub mod invariants;
pub mod keeper;
pub mod layout;
pub mod messages;
mod prefix;
pub mod queries;
mod rules;
pub mod sim;
pub mod values;
pub mod vesting;

pub use coins::{Coin, Coins, CoinsError};
pub use error::{Error, ErrorKind};
pub use event::Event;
pub use keeper::{Keeper, Output, PageRequest, PageResponse, Permission, Repaired};
pub use layout::bank::{Address, Denom};
pub use prefix::Prefix;
pub use rules::{AccountType, MessageType, MintRestriction, Reason, Rules, SendRestriction};
pub use values::{
    Account, AccountKind, AuthParams, BadAccount, BaseAccount, CoinMessage, Metadata,
    ModuleAccount, Params, VestingAccount,
};
