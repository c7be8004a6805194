//! Errors of the module.

use crate::{
    layout::paw::{Account, Token},
    values::{EscrowState, PoolOperation, Status},
};
use keyscape::{DomainError, U256};

/// A failed operation, which has written nothing. The type is one pointer wide.
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
    /// The bank failed or rejected an operation.
    #[error(transparent)]
    Bank(#[from] keyscape_bank::Error),
    /// A number would exceed its type or its bound.
    #[error("the {0} is too large")]
    Overflow(&'static str),
    /// An argument is invalid, or the parameters are not set.
    #[error("{0}")]
    Invalid(&'static str),
    /// A parameter is out of its range.
    #[error("`{name}` is {value}, expected {least} to {most}")]
    Parameter {
        /// The name of the parameter.
        name: &'static str,
        /// Its value.
        value: U256,
        /// The smallest allowed value.
        least: U256,
        /// The largest allowed value.
        most: U256,
    },
    /// The account is not allowed to call the operation.
    #[error("`{0}` is not allowed to do this")]
    Unauthorized(Account<'static>),
    /// The provider is not registered.
    #[error("`{0}` is not a registered provider")]
    NoProvider(Account<'static>),
    /// The provider or the validator is registered already.
    #[error("`{0}` is already registered")]
    AlreadyRegistered(Account<'static>),
    /// The provider is not active, or no provider is.
    #[error("no active provider for this request")]
    NoActiveProvider,
    /// A stake is below the minimum, or below the amount to withdraw.
    #[error("a stake of {stake} is not enough: {needed} is needed")]
    Stake {
        /// The stake.
        stake: U256,
        /// The minimum, or the amount to withdraw.
        needed: U256,
    },
    /// The provider has open jobs or is active.
    #[error("the provider is active or has {open_jobs} open jobs")]
    Busy {
        /// The number of accepted jobs that are not settled.
        open_jobs: u64,
    },
    /// The request does not exist.
    #[error("request {0} does not exist")]
    NoRequest(u64),
    /// The request does not exist or is not completed.
    #[error("request {0} has no result")]
    NoResult(u64),
    /// The status of the job does not allow the operation.
    #[error("request {request} is {status}")]
    Status {
        /// The request.
        request: u64,
        /// Its status.
        status: Status,
    },
    /// The state of the escrow does not allow the operation.
    #[error("the escrow of request {request} is {state} until second {expires}")]
    Escrow {
        /// The request.
        request: u64,
        /// The state of the escrow.
        state: EscrowState,
        /// The second in which the state ends.
        expires: u64,
    },
    /// The payment does not cover the price.
    #[error("a payment of {offered} is below {needed}")]
    Payment {
        /// The offered payment.
        offered: U256,
        /// The needed payment.
        needed: U256,
    },
    /// A nonce is not above the last one, or was used before.
    #[error("nonce {nonce} was used before, or is not above {last}")]
    Replay {
        /// The nonce.
        nonce: u64,
        /// The last nonce, or the floor of a provider.
        last: u64,
    },
    /// A nonce is not the one that the job has reserved.
    #[error("request {request} has not reserved nonce {nonce}")]
    NotReserved {
        /// The request.
        request: u64,
        /// The nonce.
        nonce: u64,
    },
    /// The time of a packet is too far from the time of the block.
    #[error("the packet is of second {timestamp}, too far from second {now}")]
    Timestamp {
        /// The time of the packet.
        timestamp: u64,
        /// The time of the block.
        now: u64,
    },
    /// A name is outside the domain of its field.
    #[error(transparent)]
    Name(DomainError),
    /// A proof was used for another request.
    #[error("the proof was used for request {0}")]
    ProofUsed(u64),
    /// The pool does not exist.
    #[error("pool {0} does not exist")]
    NoPool(u64),
    /// The pair has a pool.
    #[error("pool {0} already has these tokens")]
    PoolExists(u64),
    /// A token does not belong to the pool.
    #[error("`{token}` is not a token of pool {pool}")]
    NotInPool {
        /// The token.
        token: Token<'static>,
        /// The pool.
        pool: u64,
    },
    /// The pool is paused.
    #[error("pool {pool} is paused until second {until}")]
    PoolPaused {
        /// The pool.
        pool: u64,
        /// The second in which the pause ends.
        until: u64,
    },
    /// Another operation on the pool is running.
    #[error("pool {pool} is locked by the operation `{operation}`")]
    PoolLocked {
        /// The pool.
        pool: u64,
        /// The operation that holds the lock.
        operation: PoolOperation,
    },
    /// The last action of the provider is too recent.
    #[error("liquidity can be removed from height {0} on")]
    TooSoon(u64),
    /// The result is worse than the limit of the caller.
    #[error("the result {result} is worse than the limit {limit}")]
    Slippage {
        /// The result.
        result: U256,
        /// The limit.
        limit: U256,
    },
    /// The account has no shares, or fewer than it removes.
    #[error("{0} shares are not enough")]
    Shares(U256),
    /// A reserve would be below the minimum, which the last provider cannot remove either.
    #[error("a reserve of {left} is below the {min} of each token that a pool always keeps")]
    Reserve {
        /// The reserve after the operation.
        left: U256,
        /// The minimum.
        min: U256,
    },
    /// The validator is not registered or not active.
    #[error("`{0}` is not an active validator")]
    NoValidator(Account<'static>),
    /// The oracle is paused.
    #[error("the oracle is paused: {0}")]
    OraclePaused(String),
    /// The oracle is not paused.
    #[error("the oracle is not paused")]
    NotPaused,
    /// The prevote is missing, or belongs to another period than the previous one.
    #[error("no prevote of the previous voting period")]
    NoPrevote,
    /// The prevote of the previous period must be revealed first.
    #[error("the prevote of period {0} is not revealed yet")]
    Unrevealed(u64),
    /// The reveal does not match the prevote.
    #[error("the vote does not have the hash of the prevote")]
    Hash,
    /// A validator with misses in the current window cannot withdraw its stake.
    #[error("{0} votes were missed in this window")]
    Missed(u64),
    /// The asset has no price.
    #[error("`{0}` has no price")]
    NoPrice(Token<'static>),
}

keyscape_sim::boxed_error!(Error, ErrorKind, Bank);

impl Error {
    /// Whether the operation is not possible in this state. Otherwise the database failed or a row
    /// is corrupt.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match &*self.0 {
            ErrorKind::Access(_) => false,
            ErrorKind::Bank(error) => error.is_refusal(),
            _ => true,
        }
    }
}

impl From<DomainError> for ErrorKind {
    fn from(error: DomainError) -> ErrorKind {
        ErrorKind::Name(error)
    }
}

impl From<keyscape_bank::CoinsError> for ErrorKind {
    fn from(error: keyscape_bank::CoinsError) -> ErrorKind {
        ErrorKind::Bank(error.into())
    }
}
