//! Genesis documents of chains of the Cosmos SDK: the members `app_state.auth` and `app_state.bank`
//! in protobuf JSON.
//!
//! [`import`] writes the rows that `InitGenesis` of x/auth and x/bank write, and [`export`] gives
//! the document back. Members have their names in snake case or lower camel case, as protobuf JSON
//! allows; `export` writes snake case.
//!
//! An account type is a message, and JSON cannot be converted to its bytes without its fields. A
//! program registers the types that are not built in, with
//! [`Rules::with_message_type`](crate::Rules::with_message_type).
//!
//! Deviations from `InitGenesis`, which does not validate its document:
//! - A document is rejected if all its addresses do not have one prefix, if metadata or a send
//!   setting occurs twice, or if the secp256k1 or ed25519 key of an account does not belong to its
//!   address. `GenesisState.Validate` of the SDK rejects these too.
//! - The account of `fee_collector` is created if the [`Rules`](crate::Rules) register this module.
//!   The SDK creates it if the program has that module.
//! - The prefix of a document without accounts is not stored, so `export` writes `cosmos`.

mod export;
mod import;
mod message;
mod schema;

pub use export::export;
pub use import::import;

use crate::{Coins, Error};
use std::io;

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The name of the chain.
    pub chain_id: String,
    /// The number of accounts.
    pub accounts: u64,
    /// The number of addresses with balances.
    pub balances: u64,
    /// Whether the supply was computed, because the document states none.
    pub supply_is_computed: bool,
    /// The modules of the document that were not read.
    pub skipped: Vec<String>,
}

/// The reason why a document cannot be imported or exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CosmosError {
    /// The document is not JSON, or has no `app_state`.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A value does not fit its message.
    #[error("`{path}`: {why}")]
    Value {
        /// The path of the value.
        path: String,
        /// The reason.
        why: String,
    },
    /// An account type without a known message.
    #[error(
        "`{path}`: the fields of the type `{type_url}` are unknown: a program registers them with `Rules::with_message_type`"
    )]
    UnknownType {
        /// The path of the value.
        path: String,
        /// The type.
        type_url: String,
    },
    /// A supply that differs from the sum of the balances.
    #[error("the document states the supply `{stated}`, but the balances add up to `{summed}`")]
    Supply {
        /// The stated supply.
        stated: Coins,
        /// The sum of the balances.
        summed: Coins,
    },
    /// The bank failed.
    #[error(transparent)]
    Bank(#[from] Error),
    /// The document could not be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

impl From<keyscape::Error> for CosmosError {
    fn from(error: keyscape::Error) -> CosmosError {
        CosmosError::Bank(error.into())
    }
}

impl From<keyscape::store::StoreError> for CosmosError {
    fn from(error: keyscape::store::StoreError) -> CosmosError {
        CosmosError::Bank(error.into())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "callers pass errors that they own")]
fn bad(path: &str, why: impl ToString) -> CosmosError {
    CosmosError::Value { path: path.to_owned(), why: why.to_string() }
}
