//! The values of rows.
//!
//! Rows contain protobuf messages with the field numbers and the bytes of Osmosis.

mod coins;
mod message;

pub use coins::{DecCoin, DecCoins, NegativeCoins};
pub(crate) use message::owner_from_text;

use crate::{
    layout::concentratedliquidity::Owner,
    math::{BigDec, Dec},
};
use keyscape::{BadValue, DomainError, ValueForm};
use message::{
    AsField, AsMessage, DecCoinMessage, Options, Timestamp, UptimeTrackers, encoded_as_message,
    message,
};
use prost::Message as _;

/// The uptimes that an incentive can require, in nanoseconds. Keys contain indexes into this list.
pub const UPTIMES: [i64; 6] = [
    1,
    60_000_000_000,
    3_600_000_000_000,
    86_400_000_000_000,
    604_800_000_000_000,
    1_209_600_000_000_000,
];

message! {
    /// A pool of two denominations: `osmosis.concentratedliquidity.v1beta1.Pool`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    Pool {
        /// The id.
        id: u64 = (uint64, tag = "4") u64,
        /// The account of the liquidity, as text.
        address: String = (string, tag = "1") String,
        /// The account of the incentives, as text.
        incentives_address: String = (string, tag = "2") String,
        /// The account of the spread rewards, as text.
        spread_rewards_address: String = (string, tag = "3") String,
        /// The first denomination.
        token0: String = (string, tag = "6") String,
        /// The second denomination, in which prices are.
        token1: String = (string, tag = "7") String,
        /// The liquidity of the positions whose range contains the current tick.
        liquidity: Dec = (string, tag = "5") String,
        /// The square root of the price, or zero if the pool has no position.
        sqrt_price: BigDec = (string, tag = "8") String,
        /// The tick of the price; zero if the pool has no position.
        tick: i64 = (int64, tag = "9") i64,
        /// Ticks of positions are multiples of it.
        spacing: u64 = (uint64, tag = "10") u64,
        /// The exponent of the distance between the prices at ticks 0 and 1; -6 in every pool.
        exponent_at_price_one: i64 = (int64, tag = "11") i64,
        /// The fraction of the amount in that positions earn.
        spread_factor: Dec = (string, tag = "12") String,
        /// The time of the last distribution of incentives, in nanoseconds since 1970.
        last_update: i64 = (message, optional, tag = "13") Option<Timestamp>,
    }
}

message! {
    /// The state of a tick that positions use: `osmosis.concentratedliquidity.v1beta1.TickInfo`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    TickInfo {
        /// The liquidity of all positions that use the tick as an end of their range.
        gross: Dec = (string, tag = "1") String,
        /// The change of the active liquidity when the price rises over the tick.
        net: Dec = (string, tag = "2") String,
        /// The spread growth on the side of the tick without the current price.
        spread: DecCoins = (message, repeated, tag = "3") Vec<DecCoinMessage>,
        /// The growth for each uptime on that side.
        uptimes: [DecCoins; UPTIMES.len()] = (message, optional, tag = "4") Option<UptimeTrackers>,
    }
}

message! {
    /// The liquidity of one owner in one range of a pool:
    /// `osmosis.concentratedliquidity.v1beta1.Position`.
    ///
    /// The type has its own value form instead of `proto`, because an index uses the owner. A
    /// position whose owner is not an address cannot be created.
    #[derive(Clone, Debug, PartialEq, Eq)]
    Position {
        /// The id.
        id: u64 = (uint64, tag = "1") u64,
        /// The owner.
        owner: Owner<'static> = (string, tag = "2") String,
        /// The pool.
        pool: u64 = (uint64, tag = "3") u64,
        /// The first tick of the range.
        lower: i64 = (int64, tag = "4") i64,
        /// The tick after the range.
        upper: i64 = (int64, tag = "5") i64,
        /// The time of its creation, in nanoseconds since 1970.
        join: i64 = (message, optional, tag = "6") Option<Timestamp>,
        /// The liquidity.
        liquidity: Dec = (string, tag = "7") String,
    }
}

message! {
    /// Coins that are paid out over time:
    /// `osmosis.concentratedliquidity.v1beta1.IncentiveRecordBody`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    IncentiveRecordBody {
        /// The coin that is left.
        remaining: DecCoin = (message, optional, tag = "1") Option<DecCoinMessage>,
        /// The amount that is paid in a second.
        rate: Dec = (string, tag = "2") String,
        /// The start, in nanoseconds since 1970.
        start: i64 = (message, optional, tag = "3") Option<Timestamp>,
    }
}

message! {
    /// An accumulator of rewards: `osmosis.accum.v1beta1.AccumulatorContent`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    AccumulatorContent {
        /// The reward of one share since the beginning.
        value: DecCoins = (message, repeated, tag = "1") Vec<DecCoinMessage>,
        /// The number of shares.
        shares: Dec = (string, tag = "2") String,
    }
}

message! {
    /// The share of a position in an accumulator: `osmosis.accum.v1beta1.Record`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    Record {
        /// The number of shares.
        shares: Dec = (string, tag = "1") String,
        /// The growth in the range when rewards were last computed; it can be negative.
        value: DecCoins = (message, repeated, tag = "2") Vec<DecCoinMessage>,
        /// Rewards that were computed and not paid.
        unclaimed: DecCoins = (message, repeated, tag = "3") Vec<DecCoinMessage>,
        /// Whether the record has empty options. Records of uptimes have them, records of spread
        /// rewards do not.
        has_options: bool = (message, optional, tag = "4") Option<Options>,
    }
}

message! {
    /// A decimal as the value of a row: `cosmos.base.v1beta1.DecProto`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    DecProto {
        /// The decimal.
        dec: Dec = (string, tag = "1") String,
    }
}

message! {
    /// The parameters of operations.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    Params {
        /// The tick spacings that a pool can have.
        spacings: Vec<u64> = (uint64, repeated, tag = "1") Vec<u64>,
        /// The spread factors that a pool can have.
        spread_factors: Vec<Dec> = (string, repeated, tag = "2") Vec<String>,
        /// The uptimes that an incentive can require, in nanoseconds.
        uptimes: Vec<i64> = (int64, repeated, tag = "6") Vec<i64>,
    }
}

encoded_as_message!(
    Pool,
    TickInfo,
    IncentiveRecordBody,
    AccumulatorContent,
    Record,
    DecProto,
    Params
);

/// A lock on a position.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Lock {
    /// The duration of unlocking, in nanoseconds.
    #[prost(int64, tag = "1")]
    pub duration: i64,
    /// The end of the lock, in nanoseconds since 1970, or `None` before unlocking begins.
    #[prost(int64, optional, tag = "2")]
    pub end: Option<i64>,
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

impl Params {
    /// Returns the parameters of Osmosis at its launch, but with all uptimes.
    #[must_use]
    pub fn launch() -> Params {
        let factors = [0, 1, 5, 10, 20, 30, 50].map(|basis_points| {
            Dec::from(basis_points).quo_truncate(Dec::from(10_000)).unwrap_or_default()
        });
        Params {
            spacings: vec![1, 10, 100, 1_000],
            spread_factors: factors.to_vec(),
            uptimes: UPTIMES.to_vec(),
        }
    }
}

impl ValueForm for Position {
    type View<'v> = Position;
    type Owned = Position;
    type Input<'v> = &'v Position;

    fn encode(position: &Position, out: &mut Vec<u8>) -> Result<(), DomainError> {
        out.extend_from_slice(&position.to_message().encode_to_vec());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Position, BadValue> {
        let message = prost::Message::decode(bytes);
        message.and_then(Position::from_message).map_err(BadValue::new)
    }

    fn into_owned(position: Position) -> Position {
        position
    }

    fn encode_owned(position: &Position, out: &mut Vec<u8>) -> Result<(), DomainError> {
        Self::encode(position, out)
    }
}
