//! Errors of operations.

use crate::{
    math::{BigDec, Dec, Int, MAX_TICK, MIN_TICK, MathError},
    values::NegativeCoins,
};

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
    /// The bank rejected a transfer, or its rows are corrupt.
    #[error(transparent)]
    Bank(#[from] keyscape_bank::Error),
    /// Arithmetic has no result.
    #[error(transparent)]
    Math(#[from] MathError),
    /// A growth or a reward would be negative.
    #[error(transparent)]
    Negative(#[from] NegativeCoins),
    /// A row does not fit the others.
    #[error("corrupt state: {0}")]
    Corrupt(String),
    /// No pool has this id.
    #[error("pool {0} does not exist")]
    PoolNotFound(u64),
    /// A pool has this id already.
    #[error("pool {0} exists already")]
    PoolExists(u64),
    /// Both tokens of a pool are the same.
    #[error("a pool needs two denominations, not `{0}` twice")]
    MatchingDenom(String),
    /// A spread factor is not in `0..1`.
    #[error("the spread factor {0} is not at least 0 and below 1")]
    SpreadFactor(Box<Dec>),
    /// The parameters do not allow a spread factor.
    #[error("the spread factor {0} is not allowed")]
    SpreadFactorNotAllowed(Box<Dec>),
    /// The parameters do not allow a tick spacing.
    #[error("the tick spacing {0} is not allowed")]
    SpacingNotAllowed(u64),
    /// A pool without positions has no price.
    #[error("pool {0} has no position, so it has no price")]
    NoPrice(u64),
    /// A denomination does not belong to the pool.
    #[error("`{denom}` is not in pool {pool}")]
    DenomNotInPool {
        /// The denomination.
        denom: String,
        /// The pool.
        pool: u64,
        /// The role of the denomination.
        role: Role,
    },
    /// The same denomination is swapped in and out.
    #[error("`{0}` cannot be swapped for itself")]
    SameDenom(String),
    /// No position has this id.
    #[error("position {0} does not exist")]
    PositionNotFound(u64),
    /// Another account owns the position.
    #[error("position {0} belongs to another account")]
    NotOwner(u64),
    /// Another account owns a position that is to be transferred.
    #[error("position {0} belongs to another account, so it cannot be transferred")]
    OwnerMismatch(u64),
    /// A list contains a position twice.
    #[error("position {0} is listed twice")]
    DuplicatePosition(u64),
    /// A transfer would leave a pool without a position for a moment.
    #[error("position {position} is the last one of pool {pool}, so it cannot be transferred")]
    LastPosition {
        /// The position.
        position: u64,
        /// The pool.
        pool: u64,
    },
    /// The last position of a pool cannot be added to.
    #[error("position {position} is the last one of pool {pool}, so nothing can be added to it")]
    AddToLastPosition {
        /// The position.
        position: u64,
        /// The pool.
        pool: u64,
    },
    /// A lock holds the position.
    #[error("lock {lock} holds position {position}")]
    Locked {
        /// The position.
        position: u64,
        /// The lock.
        lock: u64,
    },
    /// A locked position cannot be added to.
    #[error("lock {lock} holds position {position}, so nothing can be added to it")]
    AddToLocked {
        /// The position.
        position: u64,
        /// The lock.
        lock: u64,
    },
    /// No lock has this id.
    #[error("lock {0} does not exist")]
    LockNotFound(u64),
    /// A lock is unlocking already, or has ended.
    #[error("lock {0} is unlocking already, or has ended")]
    Unlocking(u64),
    /// The liquidity of a position to lock is below one.
    #[error("the liquidity of position {0} is below one, so there is nothing to lock")]
    NothingToLock(u64),
    /// A full-range position needs two coins.
    #[error("a full-range position needs two coins, not {0}")]
    CoinCount(usize),
    /// A full-range position needs some of each token.
    #[error("a full-range position needs some of token{0}")]
    NoAmount(u8),
    /// Ticks are not multiples of the spacing.
    #[error("ticks {lower} and {upper} are not both multiples of the spacing {spacing}")]
    TickSpacing {
        /// The lower tick.
        lower: i64,
        /// The upper tick.
        upper: i64,
        /// The spacing of the pool.
        spacing: u64,
    },
    /// A tick is out of bounds.
    #[error(
        "tick {tick} cannot be the {} end of a range in {}..={}",
        if *.is_lower { "lower" } else { "upper" },
        MIN_TICK,
        MAX_TICK
    )]
    TickOutOfBounds {
        /// The tick.
        tick: i64,
        /// Whether it is the lower end.
        is_lower: bool,
    },
    /// A coin is not one of the pool's tokens.
    #[error("`{denom}` is not a token of pool {pool}")]
    NotAPoolToken {
        /// The denomination.
        denom: String,
        /// The pool.
        pool: u64,
    },
    /// No coins for a position.
    #[error("a position needs some of at least one token")]
    NoTokens,
    /// A minimum is negative.
    #[error("the minimum {0} is negative")]
    NegativeMinimum(Box<Int>),
    /// The first position of a pool needs both tokens, which set the price.
    #[error("the first position of a pool needs both tokens")]
    InitialLiquidity,
    /// Amounts are too small for any liquidity in their range.
    #[error("{amount0} of token0 and {amount1} of token1 give no liquidity in this range")]
    NoLiquidity {
        /// The amount of token0.
        amount0: Box<Int>,
        /// The amount of token1.
        amount1: Box<Int>,
    },
    /// A position would take less than its minimum.
    #[error("the position takes {actual} of token{token}, which is less than {minimum}")]
    BelowMinimum {
        /// 0 or 1.
        token: u8,
        /// The amount that it takes.
        actual: Box<Int>,
        /// The minimum.
        minimum: Box<Int>,
    },
    /// The requested liquidity exceeds that of the position, or is negative.
    #[error("{asked} of liquidity cannot be withdrawn from {available}")]
    InsufficientLiquidity {
        /// The requested liquidity.
        asked: Box<Dec>,
        /// The liquidity of the position.
        available: Box<Dec>,
    },
    /// The requested liquidity is zero.
    #[error("the requested liquidity is zero")]
    ZeroShares,
    /// An amount to add is negative.
    #[error("an amount to add to position {0} is negative")]
    NegativeAdded(u64),
    /// Both amounts to add are zero.
    #[error("both amounts to add to position {0} are zero")]
    NothingAdded(u64),
    /// A swap computes an amount that is not positive.
    #[error("the swap would move {0}, expected a positive amount")]
    AmountNotPositive(Box<Int>),
    /// A swap pays less than its minimum.
    #[error("the swap pays {amount}, which is less than {minimum}")]
    LessThanMinimum {
        /// The amount that it pays.
        amount: Box<Int>,
        /// The minimum.
        minimum: Box<Int>,
    },
    /// A swap takes more than its maximum.
    #[error("the swap takes {amount}, which is more than {maximum}")]
    MoreThanMaximum {
        /// The amount that it takes.
        amount: Box<Int>,
        /// The maximum.
        maximum: Box<Int>,
    },
    /// A price limit is out of bounds.
    #[error("the price limit {0} is out of bounds")]
    PriceLimit(Box<BigDec>),
    /// A swap needs more liquidity than the pool has in its direction.
    #[error("pool {0} has no more liquidity in this direction")]
    OutOfTicks(u64),
    /// A step of a swap went past the next tick, by rounding.
    #[error("rounding takes the swap past tick {0}")]
    PastTick(i64),
    /// A step of a swap moved coins, but not the price.
    #[error("a step moves {amount_in} in and {amount_out} out, but not the price")]
    NoProgress {
        /// The amount in.
        amount_in: Box<Dec>,
        /// The amount out.
        amount_out: Box<Dec>,
    },
    /// Too many steps of a swap had no effect.
    #[error("too many steps of the swap have no effect in pool {0}")]
    TooManyEmptySteps(u64),
    /// The spread of a step is too large to be scaled for the accumulator.
    #[error("the spread {0} is too large to be scaled by 10^27")]
    SpreadTooLarge(Box<Dec>),
    /// A swap took more than the amount in, by rounding.
    #[error("the swap takes {0} more than its amount in")]
    Overcharged(Box<Dec>),
    /// A swap paid more than the amount out, by rounding.
    #[error("the swap pays {0} more than its amount out")]
    Overpaid(Box<Dec>),
    /// The sender of a swap has too little.
    #[error("the sender cannot pay: {0}")]
    SenderCannotPay(#[source] keyscape_bank::Error),
    /// A pool has too little.
    #[error("the pool cannot pay: {0}")]
    PoolCannotPay(#[source] keyscape_bank::Error),
    /// The coin of an incentive has no amount.
    #[error("an incentive needs some of `{0}`")]
    IncentiveCoin(String),
    /// An incentive starts in the past.
    #[error("the incentive would start at {start}, before the block time {now}")]
    StartTooEarly {
        /// The start of the incentive.
        start: i64,
        /// The block time.
        now: i64,
    },
    /// A rate is not positive.
    #[error("the emission rate {0} is not positive")]
    Rate(Box<Dec>),
    /// The parameters do not allow an uptime.
    #[error("the uptime of {0} ns is not allowed")]
    Uptime(i64),
    /// The sender of an incentive has too little.
    #[error("the sender has less than {0}")]
    IncentiveBalance(keyscape_bank::Coin),
    /// The block time is before that of an earlier operation.
    #[error("the block time {now} is before {earlier}")]
    TimeBackwards {
        /// The block time.
        now: i64,
        /// The earlier time.
        earlier: i64,
    },
}

/// The role of a denomination in a swap or a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The denomination in.
    In,
    /// The denomination out.
    Out,
    /// The denomination that has the price.
    Base,
    /// The denomination of the price.
    Quote,
}

keyscape_sim::boxed_error!(Error, ErrorKind, Bank);

impl From<keyscape::DomainError> for ErrorKind {
    fn from(error: keyscape::DomainError) -> ErrorKind {
        ErrorKind::Access(error.into())
    }
}

impl From<keyscape_bank::CoinsError> for ErrorKind {
    fn from(error: keyscape_bank::CoinsError) -> ErrorKind {
        ErrorKind::Bank(error.into())
    }
}

impl Error {
    pub(crate) fn into_kind(self) -> ErrorKind {
        *self.0
    }

    /// Whether the operation is not possible in this state. Otherwise the database failed or
    /// contains corrupt rows.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match &*self.0 {
            ErrorKind::Access(_) | ErrorKind::Corrupt { .. } => false,
            ErrorKind::Bank(error) => error.is_refusal(),
            _ => true,
        }
    }

    pub(crate) fn corrupt(what: impl Into<String>) -> Error {
        ErrorKind::Corrupt(what.into()).into()
    }
}
