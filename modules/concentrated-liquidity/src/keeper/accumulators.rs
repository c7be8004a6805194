//! Accumulators and the shares of positions in them.
//!
//! The value of an accumulator is the reward of one share since the beginning. A position stores
//! this value, so its reward is the difference multiplied by the number of its shares. A position
//! earns only while the price is in its range. Growth outside the range is added to the stored
//! value before rewards are computed.
//!
//! A pool has one accumulator for spread rewards, and one for the incentives of each uptime.

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

/// The growth of all uptimes of a pool.
pub(super) type UptimeGrowths = [Growth; UPTIMES.len()];

/// Growth inside and outside a range.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    pub(super) inside: DecCoins,
    pub(super) outside: DecCoins,
}

/// The result of claiming all rewards of a share.
#[derive(Clone, Debug, Default)]
pub(super) struct Claimed {
    /// Whole coins, scaled like the accumulator.
    pub(super) coins: Vec<(String, Int)>,
    /// The unpaid fractions of coins.
    pub(super) dust: DecCoins,
    /// The share after the claim; `None` if the share has no liquidity.
    pub(super) record: Option<Record>,
}

/// Returns all uptimes in order.
pub(crate) fn uptimes() -> impl Iterator<Item = Uptime> {
    (0..).map_while(|index| Uptime::new(index).ok())
}

/// Returns the accumulators of all uptimes of a pool, in order.
pub(super) fn of_uptimes(pool: u64) -> impl Iterator<Item = Accumulator> {
    uptimes().map(move |uptime| Accumulator::Uptime { pool, uptime })
}

/// Returns the nanoseconds of an uptime.
pub(super) fn nanoseconds(uptime: Uptime) -> i64 {
    UPTIMES.get(usize::from(uptime.get())).copied().unwrap_or_default()
}

/// Returns the uptime with a number of nanoseconds.
pub(super) fn uptime_of(nanos: i64) -> Result<Uptime, Error> {
    let uptime = uptimes().find(|uptime| nanoseconds(*uptime) == nanos);
    uptime.ok_or_else(|| ErrorKind::Uptime(nanos).into())
}

/// Reads an accumulator.
pub(crate) fn get(
    state: &(impl Read + ?Sized),
    accumulator: Accumulator,
) -> Result<AccumulatorContent, Error> {
    let content = ACCUMULATORS.get(state, accumulator)?;
    content.ok_or_else(|| Error::corrupt(format!("the accumulator {accumulator:?} is missing")))
}

/// Reads the accumulators of all uptimes.
pub(super) fn get_uptimes(state: &(impl Read + ?Sized), pool: u64) -> Result<Uptimes, Error> {
    let mut contents = Uptimes::default();
    for (accumulator, content) in of_uptimes(pool).zip(&mut contents) {
        *content = get(state, accumulator)?;
    }
    Ok(contents)
}

/// Creates the accumulators of a pool.
pub(super) fn create(tx: &mut Tx<'_>, pool: u64) -> Result<(), Error> {
    for accumulator in std::iter::once(Accumulator::Spread { pool }).chain(of_uptimes(pool)) {
        if ACCUMULATORS.contains(tx, accumulator)? {
            return Err(ErrorKind::PoolExists(pool).into());
        }
        ACCUMULATORS.put(tx, accumulator, &AccumulatorContent::default())?;
    }
    Ok(())
}

/// Adds a reward per share to an accumulator.
pub(super) fn grow(
    tx: &mut Tx<'_>,
    accumulator: Accumulator,
    growth: &DecCoins,
) -> Result<(), Error> {
    let mut content = get(tx, accumulator)?;
    content.value = content.value.plus(growth)?;
    Ok(ACCUMULATORS.put(tx, accumulator, &content)?)
}

/// Reads the share of a position.
pub(super) fn get_share(
    state: &(impl Read + ?Sized),
    accumulator: Accumulator,
    position: u64,
) -> Result<Option<Record>, Error> {
    Ok(match accumulator {
        Accumulator::Spread { pool } => SPREAD_POSITIONS.get(state, (pool, position))?,
        Accumulator::Uptime { pool, uptime } => {
            UPTIME_POSITIONS.get(state, (pool, uptime, position))?
        }
    })
}

/// Writes the share of a position, or deletes it.
pub(super) fn set_share(
    tx: &mut Tx<'_>,
    accumulator: Accumulator,
    position: u64,
    record: Option<&Record>,
) -> Result<(), Error> {
    let written = match (accumulator, record) {
        (Accumulator::Spread { pool }, Some(record)) => {
            SPREAD_POSITIONS.put(tx, (pool, position), record)
        }
        (Accumulator::Spread { pool }, None) => SPREAD_POSITIONS.delete(tx, (pool, position)),
        (Accumulator::Uptime { pool, uptime }, Some(record)) => {
            UPTIME_POSITIONS.put(tx, (pool, uptime, position), record)
        }
        (Accumulator::Uptime { pool, uptime }, None) => {
            UPTIME_POSITIONS.delete(tx, (pool, uptime, position))
        }
    };
    Ok(written?)
}

/// Changes the shares of a position and the total. Moves the rewards so far to the unclaimed
/// rewards.
pub(super) fn change_shares(
    tx: &mut Tx<'_>,
    accumulator: Accumulator,
    content: &mut AccumulatorContent,
    position: u64,
    change: Dec,
    growth: &Growth,
) -> Result<(), Error> {
    let record = match get_share(tx, accumulator, position)? {
        None => Record {
            shares: change,
            has_options: matches!(accumulator, Accumulator::Uptime { .. }),
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
    set_share(tx, accumulator, position, Some(&record))?;
    content.shares = content.shares.plus(change)?;
    Ok(ACCUMULATORS.put(tx, accumulator, &*content)?)
}

/// Returns all unpaid rewards of a share.
fn rewards(
    content: &AccumulatorContent,
    record: &Record,
    outside: &DecCoins,
) -> Result<DecCoins, Error> {
    let grown = content.value.minus(&record.value.plus(outside)?)?.not_negative()?;
    let earned = grown.map_amounts(|growth| growth.mul_even(record.shares))?;
    Ok(record.unclaimed.plus(&earned)?)
}

/// Computes a claim of all rewards of a share without writing.
pub(super) fn claim(
    content: &AccumulatorContent,
    record: &Record,
    outside: &DecCoins,
) -> Result<Claimed, Error> {
    let (coins, dust) = rewards(content, record, outside)?.not_negative()?.split()?;
    let record = if record.shares.is_zero() {
        None
    } else {
        let value = content.value.minus(outside)?;
        let (shares, has_options) = (record.shares, record.has_options);
        Some(Record { shares, value, unclaimed: DecCoins::default(), has_options })
    };
    Ok(Claimed { coins, dust, record })
}
