//! A rate limiter that bounds the requests per client, route and window.
//!
//! The counter of a window is one row. An index by time finds old windows, so expiry reads only the
//! rows that it deletes.

keyscape::layout!("limits.keys");

use keyscape::{Error, store::Db};
use limits::{BY_START, Client, Route, WINDOWS};

/// The limit of one route.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The maximum number of requests per window.
    pub requests: u32,
    /// The length of a window in seconds, at least 1.
    pub window: u64,
}

/// Counts a request. Returns whether it is within the limit.
///
/// # Errors
/// Errors of the database.
pub fn allow(
    db: &Db,
    client: &Client<'_>,
    route: &Route<'_>,
    now: u64,
    limit: Limit,
) -> Result<bool, Error> {
    let start = now - now % limit.window.max(1);
    db.write(|tx| {
        let key = (client, route, start);
        let count = WINDOWS.get(tx, key)?.unwrap_or(0);
        if count >= limit.requests {
            return Ok(false);
        }
        WINDOWS.put(tx, key, count + 1)?;
        Ok(true)
    })
}

/// Deletes up to `max` windows that start before `before`. Returns the number of deleted windows.
///
/// # Errors
/// Errors of the database.
pub fn expire(db: &Db, before: u64, max: u64) -> Result<u64, Error> {
    db.write(|tx| {
        let mut deleted = 0;
        BY_START.prefix_all().range(..before).limit(max).walk(tx, |tx, entry| {
            deleted += 1;
            WINDOWS.delete(tx, (entry.key.client, entry.key.route, entry.key.start))
        })?;
        Ok(deleted)
    })
}
