//! The values of rows.
//!
//! Balances and supplies are decimal text; before v0.46, a balance was a `Coin` message. All other
//! values are protobuf messages with the field numbers of Cosmos SDK v0.50.

mod account;
mod messages;
mod metadata;

pub use account::{Account, AccountKind, BadAccount, VestingAccount};
pub use messages::{
    Any, AuthParams, BaseAccount, BaseVestingMessage, CoinMessage, DenomUnit, Metadata,
    ModuleAccount, Params, PeriodMessage, SendEnabledMessage, VestingMessage,
};
