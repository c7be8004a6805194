//! A store of measurements: ranges, the latest point, averages per hour, and retention.
//!
//! The layout proves that a scan of one series returns no point of another, even if the name of one
//! series begins with the name of another, and that points come in the order of time.

keyscape::layout!("metrics.keys");

use keyscape::{
    Error,
    store::{Db, Read, Tx},
};
use metrics::{COUNTS, HOURS, POINTS, Series};
use std::ops::Range;

const HOUR: u64 = 3_600_000;

/// Adds a point, or replaces the point of the same time. Keeps the sums of its hour in step.
///
/// # Errors
/// Errors of the database.
pub fn record(tx: &mut Tx<'_>, series: &Series<'_>, time: u64, value: i64) -> Result<(), Error> {
    let hour = (series, time / HOUR);
    let old = POINTS.get(tx, (series, time))?;
    POINTS.put(tx, (series, time), value)?;
    let sum = HOURS.get(tx, hour)?.unwrap_or(0);
    HOURS.put(tx, hour, sum.saturating_sub(old.unwrap_or(0)).saturating_add(value))?;
    if old.is_none() {
        let count = COUNTS.get(tx, hour)?.unwrap_or(0);
        COUNTS.put(tx, hour, count + 1)?;
    }
    Ok(())
}

/// Returns the points of a series in a range of times, oldest first.
///
/// # Errors
/// Errors of the database.
pub fn range(
    state: &impl Read,
    series: &Series<'_>,
    times: Range<u64>,
) -> Result<Vec<(u64, i64)>, Error> {
    let rows = POINTS.prefix_series(series).range(times).scan(state)?;
    rows.map(|row| row.map(|(key, value)| (key.time, value))).collect()
}

/// Returns the latest point of a series. Reads one row.
///
/// # Errors
/// Errors of the database.
pub fn latest(state: &impl Read, series: &Series<'_>) -> Result<Option<(u64, i64)>, Error> {
    let row = POINTS.prefix_series(series).reverse().first(state)?;
    Ok(row.map(|(key, value)| (key.time, value)))
}

/// Returns the hours of a series with their averages. Reads two rows per hour.
///
/// # Errors
/// Errors of the database.
pub fn averages(state: &impl Read, series: &Series<'_>) -> Result<Vec<(u64, f64)>, Error> {
    let mut averages = Vec::new();
    for row in HOURS.scan_series(state, series)? {
        let (key, sum) = row?;
        let count = COUNTS.get(state, (series, key.hour))?.unwrap_or(1);
        averages.push((key.hour, sum as f64 / count as f64));
    }
    Ok(averages)
}

/// Deletes the points of a series before a time. The averages of their hours stay.
///
/// # Errors
/// Errors of the database.
pub fn retain(db: &Db, series: &Series<'_>, from: u64) -> Result<u64, Error> {
    db.write(|tx| POINTS.prefix_series(series).range(..from).delete(tx))
}
