//! Parameters, locks, and decimals that are whole rows.

use super::{
    UPTIMES, as_message, dec,
    messages::{DecMessage, ParamsMessage},
};
use crate::math::Dec;
use prost::DecodeError;

/// A decimal as the value of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecProto(pub Dec);

/// The parameters of operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// The tick spacings that a pool can have.
    pub spacings: Vec<u64>,
    /// The spread factors that a pool can have.
    pub spread_factors: Vec<Dec>,
    /// The uptimes that an incentive can ask for, in nanoseconds.
    pub uptimes: Vec<i64>,
}

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

impl Params {
    /// Returns the parameters of Osmosis at its launch, with all uptimes.
    #[must_use]
    pub fn launch() -> Params {
        let factors = [0, 1, 5, 10, 20, 30, 50].map(|basis_points| {
            Dec::from_i64(basis_points).quo_truncate(Dec::from_i64(10_000)).unwrap_or_default()
        });
        Params {
            spacings: vec![1, 10, 100, 1_000],
            spread_factors: factors.to_vec(),
            uptimes: UPTIMES.to_vec(),
        }
    }
}

impl From<&DecProto> for DecMessage {
    fn from(value: &DecProto) -> DecMessage {
        DecMessage { dec: value.0.to_scaled() }
    }
}

impl TryFrom<DecMessage> for DecProto {
    type Error = DecodeError;

    fn try_from(message: DecMessage) -> Result<DecProto, DecodeError> {
        Ok(DecProto(dec(&message.dec)?))
    }
}

impl From<&Params> for ParamsMessage {
    fn from(params: &Params) -> ParamsMessage {
        ParamsMessage {
            authorized_tick_spacing: params.spacings.clone(),
            authorized_spread_factors: params
                .spread_factors
                .iter()
                .map(|factor| factor.to_scaled())
                .collect(),
            authorized_uptimes: params.uptimes.clone(),
        }
    }
}

impl TryFrom<ParamsMessage> for Params {
    type Error = DecodeError;

    fn try_from(message: ParamsMessage) -> Result<Params, DecodeError> {
        let factors = message.authorized_spread_factors.iter().map(|factor| dec(factor));
        Ok(Params {
            spacings: message.authorized_tick_spacing,
            spread_factors: factors.collect::<Result<_, _>>()?,
            uptimes: message.authorized_uptimes,
        })
    }
}

as_message!(DecProto, DecMessage);
as_message!(Params, ParamsMessage);
