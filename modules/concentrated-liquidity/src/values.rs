//! The values of rows.
//!
//! Rows contain protobuf messages with the field numbers and the bytes of Osmosis. The types of
//! this module contain numbers. The messages in [`messages`] contain text.

mod accumulator;
mod coins;
mod incentive;
pub mod messages;
mod parameters;
mod pool;
mod position;
mod tick;

pub use accumulator::{AccumulatorContent, Record};
pub use coins::{DecCoin, DecCoins, NegativeCoins};
pub use incentive::IncentiveRecordBody;
pub use parameters::{DecProto, Lock, Params};
pub use pool::Pool;
pub use position::{BadPosition, Position};
pub use tick::TickInfo;

use crate::math::{BadNumber, BigDec, Dec};
use messages::Timestamp;
use prost::DecodeError;

/// The uptimes that incentives can ask for, in nanoseconds. Keys have their places in this list.
pub const UPTIMES: [i64; 6] = [
    1,
    60_000_000_000,
    3_600_000_000_000,
    86_400_000_000_000,
    604_800_000_000_000,
    1_209_600_000_000_000,
];

const NANOS: i64 = 1_000_000_000;

/// Implements encoding and decoding of a type as its message. Decoding checks conditions that the
/// message does not express.
macro_rules! as_message {
    ($type:ident, $message:ident) => {
        impl prost::Message for $type {
            fn encode_raw(&self, buf: &mut impl prost::bytes::BufMut) {
                $message::from(self).encode_raw(buf);
            }

            fn merge_field(
                &mut self,
                tag: u32,
                wire_type: prost::encoding::WireType,
                buf: &mut impl prost::bytes::Buf,
                ctx: prost::encoding::DecodeContext,
            ) -> Result<(), prost::DecodeError> {
                let mut message = $message::from(&*self);
                message.merge_field(tag, wire_type, buf, ctx)?;
                *self = $type::try_from(message)?;
                Ok(())
            }

            fn encoded_len(&self) -> usize {
                $message::from(self).encoded_len()
            }

            fn encode_to_vec(&self) -> Vec<u8> {
                $message::from(self).encode_to_vec()
            }

            fn clear(&mut self) {
                *self = $type::default();
            }

            fn decode(buf: impl prost::bytes::Buf) -> Result<$type, prost::DecodeError> {
                $type::try_from($message::decode(buf)?)
            }
        }
    };
}
use as_message;

/// Returns the error for a message whose fields have the right types but wrong contents.
#[expect(deprecated, reason = "prost has no other way for a message of one's own to refuse bytes")]
fn refused(why: impl std::fmt::Display) -> DecodeError {
    DecodeError::new(why.to_string())
}

fn dec(text: &str) -> Result<Dec, DecodeError> {
    Dec::from_scaled(text).map_err(|bad: BadNumber| refused(bad))
}

fn big_dec(text: &str) -> Result<BigDec, DecodeError> {
    BigDec::from_scaled(text).map_err(|bad: BadNumber| refused(bad))
}

/// Returns the nanoseconds since 1970 of a timestamp.
fn nanoseconds(time: Option<Timestamp>) -> Result<i64, DecodeError> {
    let Timestamp { seconds, nanos } = time.unwrap_or_default();
    let whole = seconds.checked_mul(NANOS).filter(|_| (0..NANOS).contains(&i64::from(nanos)));
    whole
        .and_then(|whole| whole.checked_add(i64::from(nanos)))
        .ok_or_else(|| refused(format_args!("{seconds}s and {nanos}ns are not a time")))
}

/// Returns the timestamp of nanoseconds since 1970.
fn timestamp(time: i64) -> Option<Timestamp> {
    let nanos = i32::try_from(time.rem_euclid(NANOS)).unwrap_or_default();
    Some(Timestamp { seconds: time.div_euclid(NANOS), nanos })
}
