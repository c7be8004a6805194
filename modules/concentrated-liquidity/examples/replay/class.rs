//! The names of errors in Osmosis.

use keyscape_concentrated_liquidity::{Error, ErrorKind, Role, math::MathError};
use serde_json::Value;
use std::fmt::Display;

/// The class of an error, and for errors without a type the beginning of its message.
pub(crate) type Class = (&'static str, &'static str);

/// Compares the class of an error with that of a line.
pub(crate) fn difference(
    (class, message): Class,
    error: &impl Display,
    line: &Value,
) -> Option<String> {
    let expected = line["msg"].as_str().unwrap_or_default();
    let is_same = line["err"] == class && expected.starts_with(message);
    (!is_same).then(|| format!("failed with {class} ({error}), not {}: {expected}", line["err"]))
}

const PANIC: Class = ("panic", "");

/// Returns the class of an error of arithmetic.
pub(crate) fn of_math(error: &MathError) -> Class {
    let class = match error {
        MathError::TickBelow { .. } => "TickIndexMinimumError",
        MathError::TickAbove { .. } => "TickIndexMaximumError",
        MathError::TickOutOfBounds { .. } => "TickIndexNotWithinBoundariesError",
        MathError::TickOrder { .. } => "InvalidLowerUpperTickError",
        MathError::PriceOutOfBounds { .. } => "PriceBoundError",
        MathError::SqrtPriceLimit { .. } => "SqrtPriceValidationError",
        MathError::SqrtPriceToTick { .. } => "SqrtPriceToTickError",
        MathError::NegativeRoot => {
            return ("error", "cannot take square root of negative number");
        }
        MathError::NegativePrice => return ("error", "price must be greater than zero"),
        MathError::ZeroLiquidity => return ("error", "liquidity cannot be 0"),
        // Overflows, divisions by zero and negative charges make the Go code panic.
        _ => return PANIC,
    };
    (class, "")
}

/// Returns the class of an error of an operation.
pub(crate) fn of(error: &Error) -> Class {
    if let Some(message) = message(error.kind()) {
        return ("error", message);
    }
    let class = match error.kind() {
        ErrorKind::Math(error) => return of_math(error),
        ErrorKind::Negative(_) | ErrorKind::NothingToLock { .. } => return PANIC,
        ErrorKind::Bank(error) => of_bank(error),
        ErrorKind::PoolNotFound { .. } => "PoolNotFoundError",
        ErrorKind::MatchingDenom { .. } => "MatchingDenomError",
        ErrorKind::SpreadFactor { .. } => "InvalidSpreadFactorError",
        ErrorKind::SpreadFactorNotAllowed { .. } => "UnauthorizedSpreadFactorError",
        ErrorKind::SpacingNotAllowed { .. } => "UnauthorizedTickSpacingError",
        ErrorKind::NoPrice { .. } => "NoSpotPriceWhenNoLiquidityError",
        ErrorKind::DenomNotInPool { role: Role::In, .. } => "TokenInDenomNotInPoolError",
        ErrorKind::DenomNotInPool { role: Role::Out, .. } => "TokenOutDenomNotInPoolError",
        ErrorKind::SameDenom { .. } => "DenomDuplicatedError",
        ErrorKind::PositionNotFound { .. } => "PositionIdNotFoundError",
        ErrorKind::NotOwner { .. } => "NotPositionOwnerError",
        ErrorKind::OwnerMismatch { .. } => "PositionOwnerMismatchError",
        ErrorKind::DuplicatePosition { .. } => "DuplicatePositionIdsError",
        ErrorKind::LastPosition { .. } => "LastPositionTransferError",
        ErrorKind::AddToLastPosition { .. } => "AddToLastPositionInPoolError",
        ErrorKind::Locked { .. } => "LockNotMatureError",
        ErrorKind::AddToLocked { .. } => "PositionSuperfluidStakedError",
        ErrorKind::LockNotFound { .. } => "sdk/lockup/4",
        ErrorKind::CoinCount { .. } => "NumCoinsError",
        ErrorKind::NoAmount(0) => "Amount0IsNegativeError",
        ErrorKind::NoAmount { .. } => "Amount1IsNegativeError",
        ErrorKind::TickSpacing { .. } => "TickSpacingError",
        ErrorKind::TickOutOfBounds { .. } => "InvalidTickError",
        ErrorKind::NegativeMinimum { .. } => "NotPositiveRequireAmountError",
        ErrorKind::InitialLiquidity => "InitialLiquidityZeroError",
        ErrorKind::BelowMinimum { .. } => "InsufficientLiquidityCreatedError",
        ErrorKind::InsufficientLiquidity { .. } => "InsufficientLiquidityError",
        ErrorKind::NegativeAdded { .. } => "NegativeAmountAddedError",
        ErrorKind::AmountNotPositive { .. } => "InvalidAmountCalculatedError",
        ErrorKind::LessThanMinimum { .. } => "AmountLessThanMinError",
        ErrorKind::MoreThanMaximum { .. } => "AmountGreaterThanMaxError",
        ErrorKind::PriceLimit { .. } => "SqrtRootCalculationError",
        ErrorKind::OutOfTicks { .. } => "RanOutOfTicksForPoolError",
        ErrorKind::PastTick { .. } => "ComputedSqrtPriceInequalityError",
        ErrorKind::NoProgress { .. } => "SwapNoProgressWithConsumptionError",
        ErrorKind::TooManyEmptySteps { .. } => "SwapNoProgressError",
        ErrorKind::Overcharged { .. } => "OverChargeSwapOutGivenInError",
        ErrorKind::SenderCannotPay(_) => "InsufficientUserBalanceError",
        ErrorKind::PoolCannotPay(_) => "InsufficientPoolBalanceError",
        ErrorKind::IncentiveCoin { .. } => "InvalidIncentiveCoinError",
        ErrorKind::StartTooEarly { .. } => "StartTimeTooEarlyError",
        ErrorKind::Rate { .. } => "NonPositiveEmissionRateError",
        ErrorKind::Uptime { .. } => "InvalidMinUptimeError",
        ErrorKind::IncentiveBalance { .. } => "IncentiveInsufficientBalanceError",
        ErrorKind::TimeBackwards { .. } => "TimeElapsedNotPositiveError",
        _ => "database",
    };
    (class, "")
}

/// Returns the class of an error of the bank: its code in the Cosmos SDK.
fn of_bank(error: &keyscape_bank::Error) -> &'static str {
    use keyscape_bank::ErrorKind;
    match error.kind() {
        ErrorKind::Insufficient { .. } => "sdk/sdk/5",
        ErrorKind::Coins(_) | ErrorKind::NoCoins => "sdk/sdk/10",
        ErrorKind::Blocked { .. } => "sdk/sdk/4",
        ErrorKind::SendDisabled { .. } => "sdk/bank/5",
        _ => "bank",
    }
}

/// Returns the beginning of the message of an error without a type.
fn message(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::PoolExists { .. } => "Accumulator with given name already exists in store",
        ErrorKind::NotAPoolToken { .. } => "token provided is not one of the pool tokens",
        ErrorKind::NoTokens => "cannot create a position with zero amounts of both pool tokens",
        ErrorKind::NoLiquidity { amount0, .. } if amount0.is_zero() => {
            "failed to translate amount1"
        }
        ErrorKind::NoLiquidity { .. } => "failed to translate amount0",
        ErrorKind::ZeroShares => "shares must be non-zero",
        ErrorKind::NothingAdded { .. } => "liquidity cannot be 0",
        ErrorKind::Overpaid { .. } => "over charged problem swap in given out by",
        ErrorKind::Unlocking { .. } => "trying to unlock a lock that is already unlocking",
        ErrorKind::DenomNotInPool { role: Role::Base, .. } => "base asset denom (",
        ErrorKind::DenomNotInPool { role: Role::Quote, .. } => "quote asset denom (",
        ErrorKind::SpreadTooLarge { .. } => "failed to scale up spread reward charge",
        _ => return None,
    })
}
