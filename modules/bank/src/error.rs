//! What can go wrong in the bank.

use crate::{Address, BadAccount, CoinsError, Denom, Permission, vesting::VestingError};
use keyscape::{
    U256,
    store::{StoreError, StoreErrorKind},
};
use std::fmt;

/// An operation failed, and nothing of it is written. It is one pointer wide.
///
/// ```
/// use keyscape_bank::{Error, ErrorKind};
///
/// let error = Error::from(ErrorKind::NoCoins);
/// assert_eq!(error.to_string(), "no coins were given");
/// assert_eq!(size_of::<Error>(), size_of::<usize>());
/// ```
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Typed access failed: the database did, or a row is corrupt.
    #[error(transparent)]
    Access(#[from] keyscape::Error),
    /// The coins are none.
    #[error(transparent)]
    Coins(#[from] CoinsError),
    /// The list of coins is empty.
    #[error("no coins were given")]
    NoCoins,
    /// There is less to spend than was asked for.
    #[error(
        "`{address}` can spend {spendable}{denom} (has {balance}, of which {locked} are locked), which is less than {asked}{denom}"
    )]
    Insufficient {
        /// Whose coins.
        address: Address<'static>,
        /// The denomination.
        denom: Denom<'static>,
        /// What the account has.
        balance: U256,
        /// What of it is locked; it can be more than the balance after delegations were slashed.
        locked: U256,
        /// What it can spend.
        spendable: U256,
        /// What was asked for.
        asked: U256,
    },
    /// An amount would leave 256 bits.
    #[error("the {what} of `{denom}` would be more than 2^256 - 1")]
    Overflow {
        /// What has the amount.
        what: &'static str,
        /// The denomination.
        denom: Denom<'static>,
    },
    /// More is to be burnt than there is.
    #[error("{asked}{denom} cannot be burnt out of a supply of {supply}{denom}")]
    Supply {
        /// The denomination.
        denom: Denom<'static>,
        /// What there is.
        supply: U256,
        /// What was asked for.
        asked: U256,
    },
    /// The outputs of a multi-send do not add up to its input.
    #[error("the outputs add up to `{outputs}`, but the input is `{input}`")]
    Unbalanced {
        /// What goes in.
        input: crate::Coins,
        /// What comes out.
        outputs: crate::Coins,
    },
    /// A multi-send has no output.
    #[error("a multi-send needs at least one output")]
    NoOutputs,
    /// A denomination may not be sent.
    #[error("sending `{denom}` is switched off")]
    SendDisabled {
        /// The denomination.
        denom: Denom<'static>,
    },
    /// An address may not receive.
    #[error("`{address}` may not receive coins")]
    Blocked {
        /// The address.
        address: Address<'static>,
    },
    /// There is no such account.
    #[error("there is no account `{address}`")]
    NoAccount {
        /// The address.
        address: Address<'static>,
    },
    /// There is such an account already.
    #[error("there is an account `{address}` already")]
    AccountExists {
        /// The address.
        address: Address<'static>,
    },
    /// There is no such module account.
    #[error("there is no account of the module `{module}`")]
    NoModule {
        /// The module.
        module: String,
    },
    /// The name of a module is none.
    #[error(
        "`{name}` is not the name of a module: expected 1 to 64 printable characters of ASCII without spaces"
    )]
    ModuleName {
        /// What was given.
        name: String,
    },
    /// A module may not do what was asked of it.
    #[error("the module `{module}` has no permission `{permission}`")]
    NotPermitted {
        /// The module.
        module: String,
        /// What it lacks.
        permission: Permission,
    },
    /// The row of an account is corrupt.
    #[error("the account `{address}` cannot be read: {source}")]
    BadAccount {
        /// The address.
        address: Address<'static>,
        /// What is wrong with it.
        source: BadAccount,
    },
    /// The type of an account is not known, so nobody knows what is locked in it.
    #[error(
        "the account `{address}` is of the unknown type `{type_url}`: what is locked in it is not known"
    )]
    UnknownAccount {
        /// The address.
        address: Address<'static>,
        /// Its type.
        type_url: String,
    },
    /// Metadata do not fit their denomination.
    #[error("the metadata of `{denom}` do not fit: {what}")]
    Metadata {
        /// The denomination.
        denom: String,
        /// What does not fit.
        what: &'static str,
    },
    /// A schedule is none.
    #[error(transparent)]
    Vesting(#[from] VestingError),
}

impl Error {
    /// Why it failed.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether the same transaction, run again from its beginning, may succeed.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(&*self.0, ErrorKind::Access(error) if error.is_retryable())
    }

    /// Whether a row is at fault, and not the database.
    pub(crate) fn is_corrupt(&self) -> bool {
        match &*self.0 {
            ErrorKind::Access(error) => !matches!(error.kind(), keyscape::ErrorKind::Store(_)),
            kind => matches!(kind, ErrorKind::BadAccount { .. }),
        }
    }

    /// Whether the bank refused: the operation is not possible in this state. Otherwise the database
    /// failed or holds what it must not.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(&*self.0, ErrorKind::Access(_) | ErrorKind::BadAccount { .. })
    }
}

impl<K: Into<ErrorKind>> From<K> for Error {
    fn from(kind: K) -> Error {
        Error(Box::new(kind.into()))
    }
}

impl From<StoreError> for ErrorKind {
    fn from(error: StoreError) -> ErrorKind {
        ErrorKind::Access(error.into())
    }
}

impl From<StoreErrorKind> for ErrorKind {
    fn from(kind: StoreErrorKind) -> ErrorKind {
        ErrorKind::Access(kind.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
