//! Exact arithmetic: decimals, ticks and prices, liquidity and amounts, the steps of a swap.
//!
//! Every function rounds as the Osmosis code does, digit for digit. Nothing panics: a division by
//! zero or a number that leaves its range is a [`MathError`].

mod decimal;
mod error;
mod liquidity;
mod number;
mod step;
mod tick;

pub use decimal::{BigDec, Dec, Decimal, Int};
pub use error::{BadNumber, MathError};
pub use liquidity::{
    amount0_delta, amount1_delta, liquidity_from_amounts, liquidity0, liquidity1, position_amounts,
};
pub use step::{
    Step, SwapMath, next_sqrt_price_amount0_in, next_sqrt_price_amount0_out,
    next_sqrt_price_amount1_in, next_sqrt_price_amount1_out, sqrt_price_limit,
};
pub use tick::{
    MAX_TICK, MIN_CURRENT_TICK, MIN_CURRENT_TICK_V2, MIN_TICK, MIN_TICK_V2, price_to_tick,
    round_down_to_spacing, spot_prices, sqrt_price_to_tick, sqrt_price_to_tick_spacing,
    tick_to_price, tick_to_sqrt_price, ticks_to_sqrt_prices,
};
