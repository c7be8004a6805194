//! Errors of the bank.

use crate::{
    Address, BadAccount, CoinsError, Denom, Permission, Prefix, Reason, vesting::VestingError,
};
use keyscape::U256;

/// A failed operation. It has written nothing. The type is one pointer wide.
///
/// ```
/// use keyscape_bank::{Error, ErrorKind};
///
/// let error = Error::from(ErrorKind::NoCoins);
/// assert_eq!(error.to_string(), "no coins were given");
/// assert_eq!(size_of::<Error>(), size_of::<usize>());
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<ErrorKind>);

/// The reason why an operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Typed access failed: the database failed, or a row is corrupt.
    #[error(transparent)]
    Access(#[from] keyscape::Error),
    /// Invalid coins.
    #[error(transparent)]
    Coins(#[from] CoinsError),
    /// The list of coins is empty.
    #[error("no coins were given")]
    NoCoins,
    /// Less is spendable than requested.
    #[error(
        "`{address}` can spend {spendable}{denom} (has {balance}, of which {locked} are locked), which is less than {asked}{denom}"
    )]
    Insufficient {
        /// The owner of the coins.
        address: Address<'static>,
        /// The denomination.
        denom: Denom<'static>,
        /// The balance of the account.
        balance: U256,
        /// The locked amount; it can exceed the balance after a slashing.
        locked: U256,
        /// The spendable amount.
        spendable: U256,
        /// The requested amount.
        asked: U256,
    },
    /// An amount would exceed 256 bits.
    #[error("the {what} of `{denom}` would be more than 2^256 - 1")]
    Overflow {
        /// The name of the amount.
        what: &'static str,
        /// The denomination.
        denom: Denom<'static>,
    },
    /// More would be burnt than exists.
    #[error("{asked}{denom} cannot be burnt out of a supply of {supply}{denom}")]
    Supply {
        /// The denomination.
        denom: Denom<'static>,
        /// The existing supply.
        supply: U256,
        /// The requested amount.
        asked: U256,
    },
    /// The outputs of a multi-send do not add up to its input.
    #[error("the outputs add up to `{outputs}`, but the input is `{input}`")]
    Unbalanced {
        /// The input.
        input: crate::Coins,
        /// The sum of the outputs.
        outputs: crate::Coins,
    },
    /// A multi-send without outputs.
    #[error("a multi-send needs at least one output")]
    NoOutputs,
    /// Sending this denomination is disabled.
    #[error("sending `{0}` is disabled")]
    SendDisabled(Denom<'static>),
    /// The address may not receive coins.
    #[error("`{0}` may not receive coins")]
    Blocked(Address<'static>),
    /// The account does not exist.
    #[error("account `{0}` does not exist")]
    NoAccount(Address<'static>),
    /// The account already exists.
    #[error("account `{0}` already exists")]
    AccountExists(Address<'static>),
    /// The module account does not exist.
    #[error("the module `{0}` has no account")]
    NoModule(String),
    /// An invalid module name.
    #[error(
        "`{0}` is not the name of a module: expected 1 to 64 printable characters of ASCII without spaces"
    )]
    ModuleName(String),
    /// The module lacks a permission.
    #[error("the module `{module}` has no permission `{permission}`")]
    NotPermitted {
        /// The module.
        module: String,
        /// The missing permission.
        permission: Permission,
    },
    /// The row of an account is corrupt.
    #[error("the account `{address}` cannot be read: {source}")]
    BadAccount {
        /// The address.
        address: Address<'static>,
        /// The reason.
        source: BadAccount,
    },
    /// A registered account type rejects the operation.
    #[error("the account `{address}` of type `{type_url}` rejects the operation: {source}")]
    AccountType {
        /// The address.
        address: Address<'static>,
        /// Its type.
        type_url: String,
        /// The reason.
        source: Reason,
    },
    /// A restriction of the program rejects the operation.
    #[error("a restriction rejects the operation: {0}")]
    Restricted(#[source] Reason),
    /// The address is reserved for the account of a module.
    #[error("`{address}` is reserved for the module `{module}`")]
    ModuleAddress {
        /// The address.
        address: Address<'static>,
        /// The module.
        module: String,
    },
    /// A text that is not an address.
    #[error(
        "`{0}` is not an address: expected a prefix such as `cosmos`, `1`, and bech32 data with a valid checksum"
    )]
    AddressText(String),
    /// A text that cannot be the prefix of addresses.
    #[error("`{0}` cannot be the prefix of addresses: expected lower case ASCII such as `cosmos`")]
    Prefix(String),
    /// Invalid metadata.
    #[error("the metadata of `{denom}` are invalid: {what}")]
    Metadata {
        /// The denomination.
        denom: String,
        /// The reason.
        what: &'static str,
    },
    /// An invalid vesting schedule.
    #[error(transparent)]
    Vesting(#[from] VestingError),
}

impl ErrorKind {
    /// Returns the address that the message contains.
    fn address(&self) -> Option<&Address<'static>> {
        match self {
            ErrorKind::Insufficient { address, .. }
            | ErrorKind::Blocked(address)
            | ErrorKind::NoAccount(address)
            | ErrorKind::AccountExists(address)
            | ErrorKind::BadAccount { address, .. }
            | ErrorKind::AccountType { address, .. }
            | ErrorKind::ModuleAddress { address, .. } => Some(address),
            _ => None,
        }
    }
}

keyscape_sim::boxed_error!(Error, ErrorKind);

impl Error {
    /// Returns the message with the address in the prefix of a chain.
    /// [`Display`](std::fmt::Display) prints the prefix of the layout.
    #[must_use]
    pub fn show(&self, prefix: &Prefix) -> String {
        prefix.show_in(&self.to_string(), self.0.address())
    }

    /// Whether the bank rejected the operation because it is not possible in this state. Otherwise
    /// the database failed or is corrupt.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(&*self.0, ErrorKind::Access(_) | ErrorKind::BadAccount { .. })
    }
}
