//! Ticks.

use super::{
    DecCoins, UPTIMES, as_message, coins, dec,
    messages::{TickInfoMessage, UptimeTracker, UptimeTrackers},
    refused,
};
use crate::math::Dec;
use prost::DecodeError;

/// The state of a tick that positions use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TickInfo {
    /// The liquidity of all positions that use the tick as an end of their range.
    pub gross: Dec,
    /// The change of the active liquidity when the price rises over the tick.
    pub net: Dec,
    /// The spread growth on the other side of the tick than the current price.
    pub spread: DecCoins,
    /// The growth for each uptime on that side.
    pub uptimes: [DecCoins; UPTIMES.len()],
}

impl From<&TickInfo> for TickInfoMessage {
    fn from(tick: &TickInfo) -> TickInfoMessage {
        let tracker = |growth| UptimeTracker { uptime_growth_outside: coins::write(growth) };
        TickInfoMessage {
            liquidity_gross: tick.gross.to_scaled(),
            liquidity_net: tick.net.to_scaled(),
            spread_reward_growth_opposite_direction_of_last_traversal: coins::write(&tick.spread),
            uptime_trackers: Some(UptimeTrackers {
                list: tick.uptimes.iter().map(tracker).collect(),
            }),
        }
    }
}

impl TryFrom<TickInfoMessage> for TickInfo {
    type Error = DecodeError;

    fn try_from(message: TickInfoMessage) -> Result<TickInfo, DecodeError> {
        let trackers = message.uptime_trackers.unwrap_or_default().list;
        let growth = |tracker: UptimeTracker| coins::read(tracker.uptime_growth_outside);
        let uptimes = trackers.into_iter().map(growth).collect::<Result<Vec<_>, _>>()?;
        Ok(TickInfo {
            gross: dec(&message.liquidity_gross)?,
            net: dec(&message.liquidity_net)?,
            spread: coins::read(message.spread_reward_growth_opposite_direction_of_last_traversal)?,
            uptimes: uptimes
                .try_into()
                .map_err(|_| refused("a tick has one tracker for each of six uptimes"))?,
        })
    }
}

as_message!(TickInfo, TickInfoMessage);
