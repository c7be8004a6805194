//! Accumulators and the shares of positions in them.
//!
//! The value of an accumulator is the reward of one share since the beginning. A position stores
//! this value, so its reward is the difference times the number of its shares. A position earns
//! only while the price is in its range: growth outside the range is added to its stored value
//! before rewards are moved.

use crate::{
    Error, ErrorKind,
    layout::concentratedliquidity::{
        ACCUMULATORS, Accumulator, SPREAD_POSITIONS, UPTIME_POSITIONS, Uptime,
    },
    math::{Dec, Int},
    values::{AccumulatorContent, DecCoins, Record, UPTIMES},
};
use keyscape::store::{Read, Tx};

/// The accumulators of all uptimes of a pool.
pub(super) type Uptimes = [AccumulatorContent; UPTIMES.len()];

/// An accumulator of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// The accumulator of spread rewards.
    Spread { pool: u64 },
    /// The accumulator of incentives for one uptime, by its index in [`UPTIMES`].
    Uptime { pool: u64, uptime: u8 },
}

/// Rewards that a share has given.
#[derive(Clone, Debug, Default)]
pub(super) struct Claimed {
    /// Whole coins, scaled as the accumulator is.
    pub(super) coins: Vec<(String, Int)>,
    /// The fractions that are left.
    pub(super) dust: DecCoins,
    /// The share after the claim, or `None` if it has ended.
    pub(super) record: Option<Record>,
}

pub(crate) fn uptime(place: u8) -> Result<Uptime, Error> {
    Ok(Uptime::new(place).map_err(keyscape::Error::from)?)
}

/// Returns the places of all uptimes.
pub(crate) fn places() -> impl Iterator<Item = u8> {
    (0..).take(UPTIMES.len())
}

impl Which {
    fn name(self) -> Result<Accumulator, Error> {
        Ok(match self {
            Which::Spread { pool } => Accumulator::Spread { pool },
            Which::Uptime { pool, uptime: place } => {
                Accumulator::Uptime { pool, uptime: uptime(place)? }
            }
        })
    }

    pub(crate) fn get(self, state: &(impl Read + ?Sized)) -> Result<AccumulatorContent, Error> {
        let found = ACCUMULATORS.get(state, self.name()?)?;
        found.ok_or_else(|| Error::corrupt(format!("the accumulator {self:?} is missing")))
    }

    pub(super) fn put(self, tx: &mut Tx<'_>, content: &AccumulatorContent) -> Result<(), Error> {
        Ok(ACCUMULATORS.put(tx, self.name()?, content)?)
    }

    pub(super) fn share(
        self,
        state: &(impl Read + ?Sized),
        position: u64,
    ) -> Result<Option<Record>, Error> {
        Ok(match self {
            Which::Spread { pool } => SPREAD_POSITIONS.get(state, (pool, position))?,
            Which::Uptime { pool, uptime: place } => {
                UPTIME_POSITIONS.get(state, (pool, uptime(place)?, position))?
            }
        })
    }

    /// Writes the share of a position, or deletes it.
    pub(super) fn set_share(
        self,
        tx: &mut Tx<'_>,
        position: u64,
        record: Option<&Record>,
    ) -> Result<(), Error> {
        match (self, record) {
            (Which::Spread { pool }, Some(record)) => {
                SPREAD_POSITIONS.put(tx, (pool, position), record)?;
            }
            (Which::Spread { pool }, None) => SPREAD_POSITIONS.delete(tx, (pool, position))?,
            (Which::Uptime { pool, uptime: place }, Some(record)) => {
                UPTIME_POSITIONS.put(tx, (pool, uptime(place)?, position), record)?;
            }
            (Which::Uptime { pool, uptime: place }, None) => {
                UPTIME_POSITIONS.delete(tx, (pool, uptime(place)?, position))?;
            }
        }
        Ok(())
    }

    /// Changes the shares of a position and the total. Rewards until now become unclaimed rewards.
    pub(super) fn change_shares(
        self,
        tx: &mut Tx<'_>,
        content: &mut AccumulatorContent,
        position: u64,
        change: Dec,
        growth: &Growth,
    ) -> Result<(), Error> {
        let record = match self.share(tx, position)? {
            None => Record {
                shares: change,
                has_options: matches!(self, Which::Uptime { .. }),
                ..Record::default()
            },
            Some(_) if change.is_zero() => return Err(ErrorKind::ZeroShares.into()),
            Some(record) => {
                let unclaimed = rewards(content, &record, &growth.outside)?;
                Record { shares: record.shares.plus(change)?, unclaimed, ..record }
            }
        };
        if record.shares.is_negative() {
            return Err(Error::corrupt(format!("position {position} has negative shares")));
        }
        let record = Record { value: growth.inside.clone(), ..record };
        self.set_share(tx, position, Some(&record))?;
        content.shares = content.shares.plus(change)?;
        self.put(tx, content)
    }
}

/// The growth of all uptimes of a pool.
pub(super) type UptimeGrowths = [Growth; UPTIMES.len()];

/// Growth inside and outside of a range.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    pub(super) inside: DecCoins,
    pub(super) outside: DecCoins,
}

/// Creates the accumulators of a pool.
pub(super) fn create(tx: &mut Tx<'_>, pool: u64) -> Result<(), Error> {
    let uptimes = places().map(|uptime| Which::Uptime { pool, uptime });
    for which in std::iter::once(Which::Spread { pool }).chain(uptimes) {
        if ACCUMULATORS.contains(tx, which.name()?)? {
            return Err(ErrorKind::PoolExists { pool }.into());
        }
        which.put(tx, &AccumulatorContent::default())?;
    }
    Ok(())
}

/// Returns the accumulators of all uptimes.
pub(super) fn uptimes(state: &(impl Read + ?Sized), pool: u64) -> Result<Uptimes, Error> {
    let mut found = Uptimes::default();
    for (uptime, content) in places().zip(&mut found) {
        *content = Which::Uptime { pool, uptime }.get(state)?;
    }
    Ok(found)
}

/// Returns all rewards of a share that are not paid.
fn rewards(
    content: &AccumulatorContent,
    record: &Record,
    outside: &DecCoins,
) -> Result<DecCoins, Error> {
    let grown = strict(content.value.minus(&record.value.plus(outside)?)?)?;
    let earned = grown.each(|growth| growth.mul_even(record.shares))?;
    Ok(record.unclaimed.plus(&earned)?)
}

/// Computes a claim of all rewards of a share. Nothing is written.
pub(super) fn claim(
    content: &AccumulatorContent,
    record: &Record,
    outside: &DecCoins,
) -> Result<Claimed, Error> {
    let total = strict(rewards(content, record, outside)?)?;
    let (coins, dust) = total.split()?;
    let record = if record.shares.is_zero() {
        None
    } else {
        let value = content.value.minus(outside)?;
        let (shares, has_options) = (record.shares, record.has_options);
        Some(Record { shares, value, unclaimed: DecCoins::default(), has_options })
    };
    Ok(Claimed { coins, dust, record })
}

/// Rejects negative amounts.
pub(super) fn strict(coins: DecCoins) -> Result<DecCoins, Error> {
    match coins.negative() {
        Some(negative) => Err(negative.into()),
        None => Ok(coins),
    }
}
