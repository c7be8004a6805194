//! The protobuf messages of rows, with the names and field numbers of their origin.
//!
//! Decimals are text: the digits of the scaled integer. A number of zero is `0` and never empty, so
//! its field is always written.

/// `osmosis.concentratedliquidity.v1beta1.TickInfo`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TickInfoMessage {
    /// The liquidity of all positions that use the tick.
    #[prost(string, tag = "1")]
    pub liquidity_gross: String,
    /// The change of the active liquidity when the price rises over the tick.
    #[prost(string, tag = "2")]
    pub liquidity_net: String,
    /// The spread growth on the other side of the tick than the current price.
    #[prost(message, repeated, tag = "3")]
    pub spread_reward_growth_opposite_direction_of_last_traversal: Vec<DecCoinMessage>,
    /// The uptime growths on that side.
    #[prost(message, optional, tag = "4")]
    pub uptime_trackers: Option<UptimeTrackers>,
}

/// `osmosis.concentratedliquidity.v1beta1.UptimeTrackers`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UptimeTrackers {
    /// One tracker for each uptime in order, including empty ones.
    #[prost(message, repeated, tag = "1")]
    pub list: Vec<UptimeTracker>,
}

/// `osmosis.concentratedliquidity.v1beta1.UptimeTracker`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UptimeTracker {
    /// The growth.
    #[prost(message, repeated, tag = "1")]
    pub uptime_growth_outside: Vec<DecCoinMessage>,
}

/// `osmosis.concentratedliquidity.v1beta1.Position`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PositionMessage {
    /// The id.
    #[prost(uint64, tag = "1")]
    pub position_id: u64,
    /// The owner, as text.
    #[prost(string, tag = "2")]
    pub address: String,
    /// The pool.
    #[prost(uint64, tag = "3")]
    pub pool_id: u64,
    /// The first tick of the range.
    #[prost(int64, tag = "4")]
    pub lower_tick: i64,
    /// The tick after the range.
    #[prost(int64, tag = "5")]
    pub upper_tick: i64,
    /// The time of its creation.
    #[prost(message, optional, tag = "6")]
    pub join_time: Option<Timestamp>,
    /// The liquidity.
    #[prost(string, tag = "7")]
    pub liquidity: String,
}

/// `osmosis.concentratedliquidity.v1beta1.Pool`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PoolMessage {
    /// The account of the liquidity.
    #[prost(string, tag = "1")]
    pub address: String,
    /// The account of the incentives.
    #[prost(string, tag = "2")]
    pub incentives_address: String,
    /// The account of the spread rewards.
    #[prost(string, tag = "3")]
    pub spread_rewards_address: String,
    /// The id.
    #[prost(uint64, tag = "4")]
    pub id: u64,
    /// The active liquidity.
    #[prost(string, tag = "5")]
    pub current_tick_liquidity: String,
    /// The first denomination.
    #[prost(string, tag = "6")]
    pub token0: String,
    /// The second denomination, in which prices are.
    #[prost(string, tag = "7")]
    pub token1: String,
    /// The square root of the price, with 36 places.
    #[prost(string, tag = "8")]
    pub current_sqrt_price: String,
    /// The tick of the price.
    #[prost(int64, tag = "9")]
    pub current_tick: i64,
    /// Ticks of positions are multiples of it.
    #[prost(uint64, tag = "10")]
    pub tick_spacing: u64,
    /// The exponent of the distance of prices at tick 0; -6 in every pool.
    #[prost(int64, tag = "11")]
    pub exponent_at_price_one: i64,
    /// The fraction of the amount in that positions earn.
    #[prost(string, tag = "12")]
    pub spread_factor: String,
    /// The time of the last distribution of incentives.
    #[prost(message, optional, tag = "13")]
    pub last_liquidity_update: Option<Timestamp>,
}

/// `osmosis.concentratedliquidity.v1beta1.IncentiveRecordBody`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct IncentiveMessage {
    /// The coin that is left.
    #[prost(message, optional, tag = "1")]
    pub remaining_coin: Option<DecCoinMessage>,
    /// The amount that is paid in a second.
    #[prost(string, tag = "2")]
    pub emission_rate: String,
    /// The start.
    #[prost(message, optional, tag = "3")]
    pub start_time: Option<Timestamp>,
}

/// `osmosis.accum.v1beta1.AccumulatorContent`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct AccumulatorMessage {
    /// The reward of one share since the beginning.
    #[prost(message, repeated, tag = "1")]
    pub accum_value: Vec<DecCoinMessage>,
    /// The number of shares.
    #[prost(string, tag = "2")]
    pub total_shares: String,
}

/// `osmosis.accum.v1beta1.Record`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RecordMessage {
    /// The number of shares.
    #[prost(string, tag = "1")]
    pub num_shares: String,
    /// The value of a share when its rewards were last moved; it can be negative.
    #[prost(message, repeated, tag = "2")]
    pub accum_value_per_share: Vec<DecCoinMessage>,
    /// Rewards that were moved and not paid.
    #[prost(message, repeated, tag = "3")]
    pub unclaimed_rewards_total: Vec<DecCoinMessage>,
    /// Present and empty in records of uptimes, missing in those of spread rewards.
    #[prost(message, optional, tag = "4")]
    pub options: Option<Options>,
}

/// `osmosis.accum.v1beta1.Options`, which has no fields.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Options {}

/// `cosmos.base.v1beta1.DecCoin`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DecCoinMessage {
    /// The denomination.
    #[prost(string, tag = "1")]
    pub denom: String,
    /// The amount.
    #[prost(string, tag = "2")]
    pub amount: String,
}

/// `cosmos.base.v1beta1.DecProto`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DecMessage {
    /// The decimal.
    #[prost(string, tag = "1")]
    pub dec: String,
}

/// `google.protobuf.Timestamp`.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Timestamp {
    /// Seconds since 1970.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// The nanoseconds of the second.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

/// The parameters of the module.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ParamsMessage {
    /// The tick spacings that a pool can have.
    #[prost(uint64, repeated, tag = "1")]
    pub authorized_tick_spacing: Vec<u64>,
    /// The spread factors that a pool can have.
    #[prost(string, repeated, tag = "2")]
    pub authorized_spread_factors: Vec<String>,
    /// The uptimes that an incentive can ask for, in nanoseconds.
    #[prost(int64, repeated, tag = "6")]
    pub authorized_uptimes: Vec<i64>,
}
