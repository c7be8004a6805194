//! Incentives.

use super::{DecCoin, as_message, coins, dec, messages::IncentiveMessage, nanoseconds, timestamp};
use crate::math::Dec;
use prost::DecodeError;

/// Coins that are paid out over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncentiveRecordBody {
    /// The coin that is left.
    pub remaining: DecCoin,
    /// The amount that is paid in a second.
    pub rate: Dec,
    /// The start, in nanoseconds since 1970.
    pub start: i64,
}

impl From<&IncentiveRecordBody> for IncentiveMessage {
    fn from(incentive: &IncentiveRecordBody) -> IncentiveMessage {
        IncentiveMessage {
            remaining_coin: Some(coins::write_one(&incentive.remaining)),
            emission_rate: incentive.rate.to_scaled(),
            start_time: timestamp(incentive.start),
        }
    }
}

impl TryFrom<IncentiveMessage> for IncentiveRecordBody {
    type Error = DecodeError;

    fn try_from(message: IncentiveMessage) -> Result<IncentiveRecordBody, DecodeError> {
        Ok(IncentiveRecordBody {
            remaining: coins::read_one(message.remaining_coin.unwrap_or_default())?,
            rate: dec(&message.emission_rate)?,
            start: nanoseconds(message.start_time)?,
        })
    }
}

as_message!(IncentiveRecordBody, IncentiveMessage);
