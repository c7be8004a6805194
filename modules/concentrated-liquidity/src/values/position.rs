//! Positions.

use super::{dec, messages::PositionMessage, nanoseconds, timestamp};
use crate::{address, layout::concentratedliquidity::Owner, math::Dec};
use keyscape::{BadValue, DomainError, ValueForm};
use prost::{DecodeError, Message};

/// The liquidity of one owner in one range of a pool.
///
/// The type has its own value form instead of `proto`, because an index uses the owner. A position
/// whose owner is not an address cannot be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The id.
    pub id: u64,
    /// The owner.
    pub owner: Owner<'static>,
    /// The pool.
    pub pool: u64,
    /// The first tick of the range.
    pub lower: i64,
    /// The tick after the range.
    pub upper: i64,
    /// The time of its creation, in nanoseconds since 1970.
    pub join: i64,
    /// The liquidity.
    pub liquidity: Dec,
}

/// A reason why a message is not a position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPosition {
    /// The bytes are not such a message, or contain a malformed number.
    #[error(transparent)]
    Message(#[from] DecodeError),
    /// The owner is not an address.
    #[error("`{0}` is not an address")]
    Owner(String),
}

impl From<&Position> for PositionMessage {
    fn from(position: &Position) -> PositionMessage {
        PositionMessage {
            position_id: position.id,
            address: address::text(position.owner.as_bytes()),
            pool_id: position.pool,
            lower_tick: position.lower,
            upper_tick: position.upper,
            join_time: timestamp(position.join),
            liquidity: position.liquidity.to_scaled(),
        }
    }
}

impl TryFrom<PositionMessage> for Position {
    type Error = BadPosition;

    fn try_from(message: PositionMessage) -> Result<Position, BadPosition> {
        let owner = address::bytes(&message.address).and_then(|bytes| Owner::new(bytes).ok());
        Ok(Position {
            id: message.position_id,
            owner: owner.ok_or(BadPosition::Owner(message.address))?,
            pool: message.pool_id,
            lower: message.lower_tick,
            upper: message.upper_tick,
            join: nanoseconds(message.join_time)?,
            liquidity: dec(&message.liquidity)?,
        })
    }
}

impl ValueForm for Position {
    type View<'v> = Position;
    type Owned = Position;
    type Input<'v> = &'v Position;

    fn encode(position: &Position, out: &mut Vec<u8>) -> Result<(), DomainError> {
        out.extend_from_slice(&PositionMessage::from(position).encode_to_vec());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Position, BadValue> {
        let message = PositionMessage::decode(bytes).map_err(BadPosition::from);
        message.and_then(Position::try_from).map_err(BadValue::new)
    }

    fn into_owned(position: Position) -> Position {
        position
    }

    fn encode_owned(position: &Position, out: &mut Vec<u8>) -> Result<(), DomainError> {
        Self::encode(position, out)
    }
}
