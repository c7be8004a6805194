//! What rows hold.
//!
//! Balances and supplies are decimal text and need nothing here but the message that balances were
//! before v0.46. Everything else is a protobuf message with the field numbers of the Cosmos SDK v0.50.

mod account;
mod messages;

pub(crate) use messages::balance;

pub use account::{Account, AccountKind, BadAccount, VestingAccount};
pub use messages::{
    Any, AuthParams, BaseAccount, BaseVestingMessage, CoinMessage, DenomUnit, Metadata,
    ModuleAccount, NeedsKey, Params, PeriodMessage, SendEnabledMessage, VestingMessage,
};
