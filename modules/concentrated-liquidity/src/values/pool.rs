//! Pools.

use super::{as_message, big_dec, dec, messages::PoolMessage, nanoseconds, timestamp};
use crate::math::{BigDec, Dec};
use prost::DecodeError;

/// A pool of two denominations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// The id.
    pub id: u64,
    /// The account of the liquidity, as text.
    pub address: String,
    /// The account of the incentives, as text.
    pub incentives_address: String,
    /// The account of the spread rewards, as text.
    pub spread_rewards_address: String,
    /// The first denomination.
    pub token0: String,
    /// The second denomination, in which prices are.
    pub token1: String,
    /// The liquidity of the positions whose range contains the current tick.
    pub liquidity: Dec,
    /// The square root of the price, or zero if the pool has no position.
    pub sqrt_price: BigDec,
    /// The tick of the price; zero if the pool has no position.
    pub tick: i64,
    /// Ticks of positions are multiples of it.
    pub spacing: u64,
    /// The exponent of the distance of prices at tick 0; -6 in every pool.
    pub exponent_at_price_one: i64,
    /// The fraction of the amount in that positions earn.
    pub spread_factor: Dec,
    /// The time of the last distribution of incentives, in nanoseconds since 1970.
    pub last_update: i64,
}

impl Pool {
    /// Whether the pool has a position, and thus a price.
    #[must_use]
    pub fn has_position(&self) -> bool {
        !self.sqrt_price.is_zero() || self.tick != 0
    }

    /// Whether the current tick is in a range.
    #[must_use]
    pub fn is_active(&self, lower: i64, upper: i64) -> bool {
        (lower..upper).contains(&self.tick)
    }
}

impl From<&Pool> for PoolMessage {
    fn from(pool: &Pool) -> PoolMessage {
        PoolMessage {
            address: pool.address.clone(),
            incentives_address: pool.incentives_address.clone(),
            spread_rewards_address: pool.spread_rewards_address.clone(),
            id: pool.id,
            current_tick_liquidity: pool.liquidity.to_scaled(),
            token0: pool.token0.clone(),
            token1: pool.token1.clone(),
            current_sqrt_price: pool.sqrt_price.to_scaled(),
            current_tick: pool.tick,
            tick_spacing: pool.spacing,
            exponent_at_price_one: pool.exponent_at_price_one,
            spread_factor: pool.spread_factor.to_scaled(),
            last_liquidity_update: timestamp(pool.last_update),
        }
    }
}

impl TryFrom<PoolMessage> for Pool {
    type Error = DecodeError;

    fn try_from(message: PoolMessage) -> Result<Pool, DecodeError> {
        Ok(Pool {
            id: message.id,
            address: message.address,
            incentives_address: message.incentives_address,
            spread_rewards_address: message.spread_rewards_address,
            token0: message.token0,
            token1: message.token1,
            liquidity: dec(&message.current_tick_liquidity)?,
            sqrt_price: big_dec(&message.current_sqrt_price)?,
            tick: message.current_tick,
            spacing: message.tick_spacing,
            exponent_at_price_one: message.exponent_at_price_one,
            spread_factor: dec(&message.spread_factor)?,
            last_update: nanoseconds(message.last_liquidity_update)?,
        })
    }
}

as_message!(Pool, PoolMessage);
