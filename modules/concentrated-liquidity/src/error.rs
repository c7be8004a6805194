//! Errors of operations.

use crate::{
    math::{BigDec, Dec, Int, MathError},
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
    #[error("corrupt state: {what}")]
    Corrupt {
        /// The row and its error.
        what: String,
    },
    /// No pool has this id.
    #[error("pool {pool} does not exist")]
    PoolNotFound {
        /// The id.
        pool: u64,
    },
    /// A pool has this id already.
    #[error("pool {pool} exists already")]
    PoolExists {
        /// The id.
        pool: u64,
    },
    /// Both tokens of a pool are the same.
    #[error("a pool needs two denominations, not `{denom}` twice")]
    MatchingDenom {
        /// The denomination.
        denom: String,
    },
    /// A spread factor is not in `0..1`.
    #[error("the spread factor {factor} is not at least 0 and below 1")]
    SpreadFactor {
        /// The spread factor.
        factor: Box<Dec>,
    },
    /// The parameters do not allow a spread factor.
    #[error("the spread factor {factor} is not allowed")]
    SpreadFactorNotAllowed {
        /// The spread factor.
        factor: Box<Dec>,
    },
    /// The parameters do not allow a tick spacing.
    #[error("the tick spacing {spacing} is not allowed")]
    SpacingNotAllowed {
        /// The spacing.
        spacing: u64,
    },
    /// A pool without positions has no price.
    #[error("pool {pool} has no position, so it has no price")]
    NoPrice {
        /// The pool.
        pool: u64,
    },
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
    #[error("`{denom}` cannot be swapped for itself")]
    SameDenom {
        /// The denomination.
        denom: String,
    },
    /// No position has this id.
    #[error("position {position} does not exist")]
    PositionNotFound {
        /// The id.
        position: u64,
    },
    /// Another account owns the position.
    #[error("position {position} belongs to another account")]
    NotOwner {
        /// The position.
        position: u64,
    },
    /// Another account owns a position that is to be transferred.
    #[error("position {position} belongs to another account, so it cannot be transferred")]
    OwnerMismatch {
        /// The position.
        position: u64,
    },
    /// A position is named twice.
    #[error("position {position} is named twice")]
    DuplicatePosition {
        /// The position.
        position: u64,
    },
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
    #[error("lock {lock} does not exist")]
    LockNotFound {
        /// The id.
        lock: u64,
    },
    /// A lock is unlocking already, or has ended.
    #[error("lock {lock} is unlocking already, or has ended")]
    Unlocking {
        /// The lock.
        lock: u64,
    },
    /// The liquidity of a position to lock is below one.
    #[error("the liquidity of position {position} is below one, so there is nothing to lock")]
    NothingToLock {
        /// The position.
        position: u64,
    },
    /// A full-range position needs two coins.
    #[error("a full-range position needs two coins, not {count}")]
    CoinCount {
        /// The number of coins.
        count: usize,
    },
    /// A full-range position needs some of each token.
    #[error("a full-range position needs some of token{token}")]
    NoAmount {
        /// 0 or 1.
        token: u8,
    },
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
    #[error("tick {tick} cannot be the {} end of a range", if *.is_lower { "lower" } else { "upper" })]
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
    #[error("the minimum {amount} is negative")]
    NegativeMinimum {
        /// The minimum.
        amount: Box<Int>,
    },
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
    /// No liquidity was asked for.
    #[error("no liquidity was asked for")]
    ZeroShares,
    /// An amount to add is negative.
    #[error("an amount to add to position {position} is negative")]
    NegativeAdded {
        /// The position.
        position: u64,
    },
    /// Nothing is to be added.
    #[error("nothing is to be added to position {position}")]
    NothingAdded {
        /// The position.
        position: u64,
    },
    /// A swap computes an amount that is not positive.
    #[error("the swap would move {amount}, expected a positive amount")]
    AmountNotPositive {
        /// The amount.
        amount: Box<Int>,
    },
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
    /// A price limit is not a price.
    #[error("{limit} is not a price limit")]
    PriceLimit {
        /// The limit.
        limit: Box<BigDec>,
    },
    /// A swap needs more liquidity than the pool has in its direction.
    #[error("pool {pool} has no more liquidity in this direction")]
    OutOfTicks {
        /// The pool.
        pool: u64,
    },
    /// A step of a swap went past the next tick, by rounding.
    #[error("rounding takes the swap past tick {tick}")]
    PastTick {
        /// The tick.
        tick: i64,
    },
    /// A step of a swap moved coins, but not the price.
    #[error("a step moves {amount_in} in and {amount_out} out, but not the price")]
    NoProgress {
        /// The amount in.
        amount_in: Box<Dec>,
        /// The amount out.
        amount_out: Box<Dec>,
    },
    /// Too many steps of a swap had no effect.
    #[error("too many steps of the swap have no effect in pool {pool}")]
    TooManyEmptySteps {
        /// The pool.
        pool: u64,
    },
    /// The spread of a step is too large to be scaled for the accumulator.
    #[error("the spread {spread} is too large to be scaled by 10^27")]
    SpreadTooLarge {
        /// The spread.
        spread: Box<Dec>,
    },
    /// A swap took more than the amount in, by rounding.
    #[error("the swap takes {over} more than its amount in")]
    Overcharged {
        /// The difference.
        over: Box<Dec>,
    },
    /// A swap paid more than the amount out, by rounding.
    #[error("the swap pays {over} more than its amount out")]
    Overpaid {
        /// The difference.
        over: Box<Dec>,
    },
    /// The sender of a swap has too little.
    #[error("the sender cannot pay: {0}")]
    SenderCannotPay(#[source] keyscape_bank::Error),
    /// A pool has too little.
    #[error("the pool cannot pay: {0}")]
    PoolCannotPay(#[source] keyscape_bank::Error),
    /// The coin of an incentive has no amount.
    #[error("an incentive needs some of `{denom}`")]
    IncentiveCoin {
        /// The denomination.
        denom: String,
    },
    /// An incentive starts in the past.
    #[error("the incentive would start at {start}, before the block time {now}")]
    StartTooEarly {
        /// Its start.
        start: i64,
        /// The block time.
        now: i64,
    },
    /// A rate is not positive.
    #[error("the emission rate {rate} is not positive")]
    Rate {
        /// The rate.
        rate: Box<Dec>,
    },
    /// The parameters do not allow an uptime.
    #[error("the uptime of {uptime} ns is not allowed")]
    Uptime {
        /// The uptime.
        uptime: i64,
    },
    /// The sender of an incentive has too little.
    #[error("the sender has less than {coin}")]
    IncentiveBalance {
        /// The coin.
        coin: keyscape_bank::Coin,
    },
    /// The block time is before that of an earlier operation.
    #[error("the block time {now} is before {earlier}")]
    TimeBackwards {
        /// The block time.
        now: i64,
        /// The earlier time.
        earlier: i64,
    },
}

/// The role of a denomination in a swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The denomination in.
    In,
    /// The denomination out.
    Out,
    /// Its price is asked for.
    Base,
    /// A price is asked for in it.
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
        ErrorKind::Corrupt { what: what.into() }.into()
    }
}
