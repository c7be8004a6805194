//! Accumulators, and shares in them.

use super::{
    DecCoins, as_message, coins, dec,
    messages::{AccumulatorMessage, Options, RecordMessage},
};
use crate::math::Dec;
use prost::DecodeError;

/// An accumulator of rewards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccumulatorContent {
    /// The reward of one share since the beginning.
    pub value: DecCoins,
    /// The number of shares.
    pub shares: Dec,
}

/// The share of a position in an accumulator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The number of shares.
    pub shares: Dec,
    /// The value of a share when its rewards were last moved; it can be negative.
    pub value: DecCoins,
    /// Rewards that were moved and not paid.
    pub unclaimed: DecCoins,
    /// Whether the record has empty options. Records of uptimes have them, records of spread
    /// rewards do not.
    pub has_options: bool,
}

impl From<&AccumulatorContent> for AccumulatorMessage {
    fn from(accumulator: &AccumulatorContent) -> AccumulatorMessage {
        AccumulatorMessage {
            accum_value: coins::write(&accumulator.value),
            total_shares: accumulator.shares.to_scaled(),
        }
    }
}

impl TryFrom<AccumulatorMessage> for AccumulatorContent {
    type Error = DecodeError;

    fn try_from(message: AccumulatorMessage) -> Result<AccumulatorContent, DecodeError> {
        let shares = dec(&message.total_shares)?;
        Ok(AccumulatorContent { value: coins::read(message.accum_value)?, shares })
    }
}

impl From<&Record> for RecordMessage {
    fn from(record: &Record) -> RecordMessage {
        RecordMessage {
            num_shares: record.shares.to_scaled(),
            accum_value_per_share: coins::write(&record.value),
            unclaimed_rewards_total: coins::write(&record.unclaimed),
            options: record.has_options.then_some(Options {}),
        }
    }
}

impl TryFrom<RecordMessage> for Record {
    type Error = DecodeError;

    fn try_from(message: RecordMessage) -> Result<Record, DecodeError> {
        Ok(Record {
            shares: dec(&message.num_shares)?,
            value: coins::read(message.accum_value_per_share)?,
            unclaimed: coins::read(message.unclaimed_rewards_total)?,
            has_options: message.options.is_some(),
        })
    }
}

as_message!(AccumulatorContent, AccumulatorMessage);
as_message!(Record, RecordMessage);
