//! Checks that existing rows fit a keyspace, for the function `fits` of generated modules.
//!
//! Each function returns `None` for rows of other keyspaces.

use crate::{
    BadValue, EntryError, Field, HashKeyspace, QueueKeyspace, Rows, Scores, SetKeyspace, Structure,
    ZsetKeyspace,
    record::{self, Family, Record, take_score},
};
use keyscape_codec::Malformed;

/// The reason why a row does not fit a layout.
///
/// ```
/// # use keyscape_samples::shop::layout::Motto;
/// use keyscape_runtime::{ItemRows, Keyspace, Misfit, fits::row};
///
/// assert!(matches!(row::<Motto>(Motto::SPACE, Motto::KEY, b"ink"), Some(Ok(()))));
/// let misfit = row::<Motto>(Motto::SPACE, Motto::KEY, b"\xff");
/// assert!(matches!(misfit, Some(Err(Misfit::Value { keyspace: "motto", .. }))));
/// assert!(row::<Motto>("another store", Motto::KEY, b"ink").is_none());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// No keyspace of the layout has this key.
    #[error("no keyspace has this key")]
    Key,
    /// The key belongs to a keyspace, but the value does not have its form.
    #[error("it is a row of `{keyspace}` with a wrong value: {source}")]
    Value {
        /// The keyspace.
        keyspace: &'static str,
        /// The error of decoding the row.
        source: BadValue,
    },
    /// The record does not belong to its structure.
    #[error("it is not a record of `{keyspace}`: {source}")]
    Record {
        /// The keyspace.
        keyspace: &'static str,
        /// The error of decoding the row.
        source: Malformed,
    },
}

/// Whether a row fits a keyspace; `None` for rows of other keyspaces.
type Fit = Option<Result<(), Misfit>>;

/// A check of one keyspace.
pub type Check = fn(&str, &[u8], &[u8]) -> Fit;

/// Checks that a row fits one of several keyspaces.
///
/// # Errors
/// [`Misfit`] of the last keyspace that has the key.
pub fn any(checks: &[Check], space: &str, key: &[u8], value: &[u8]) -> Result<(), Misfit> {
    let mut misfit = Misfit::Key;
    for check in checks {
        match check(space, key, value) {
            Some(Ok(())) => return Ok(()),
            Some(Err(found)) => misfit = found,
            None => {}
        }
    }
    Err(misfit)
}

/// Checks a row that is not part of a structure.
#[must_use]
pub fn row<K: Rows>(space: &str, key: &[u8], value: &[u8]) -> Fit {
    if space != K::SPACE || K::decode(key).is_err() {
        return None;
    }
    let read = <K::Value as crate::ValueForm>::decode_row(key, value).map(drop);
    Some(read.map_err(|source| Misfit::Value { keyspace: K::NAME, source }))
}

/// Checks a record of a hash.
#[must_use]
pub fn hash<K: HashKeyspace>(space: &str, key: &[u8], value: &[u8]) -> Fit {
    let record = record_of::<K>(space, key)?;
    let keyspace = K::NAME;
    Some(match K::entry(record.rest, value).map(drop) {
        Ok(()) => Ok(()),
        Err(EntryError::Field(source)) => Err(Misfit::Record { keyspace, source }),
        Err(EntryError::Value(source)) => Err(Misfit::Value { keyspace, source }),
    })
}

/// Checks a record of a set.
#[must_use]
pub fn set<K: SetKeyspace>(space: &str, key: &[u8], value: &[u8]) -> Fit {
    let record = record_of::<K>(space, key)?;
    Some(fit::<K>(match record.family {
        Some(Family::Member) => K::Member::decode(record.rest).and_then(|_| of_length(value, 0)),
        Some(Family::Count) if K::COUNTED => number(&record, value),
        _ => Err(FAMILY),
    }))
}

/// Checks a record of a sorted set on its own, without counts.
#[must_use]
pub fn zset<K: ZsetKeyspace>(space: &str, key: &[u8], value: &[u8]) -> Fit {
    let record = record_of::<K>(space, key)?;
    Some(fit::<K>(match record.family {
        Some(Family::Member) => {
            K::Member::decode(record.rest).and_then(|_| K::Score::decode(value).map(drop))
        }
        Some(Family::Score) => scored::<K>(record.rest).and_then(|()| of_length(value, 0)),
        Some(Family::Count) if K::COUNTED => number(&record, value),
        Some(Family::Rank) if K::RANKED => of_length(value, 16),
        _ => Err(FAMILY),
    }))
}

/// Checks a record of a queue.
#[must_use]
pub fn queue<K: QueueKeyspace>(space: &str, key: &[u8], value: &[u8]) -> Fit {
    let record = record_of::<K>(space, key)?;
    let member = |bytes: &[u8]| K::Member::decode(bytes).map(drop);
    let empty = |()| of_length(value, 0);
    Some(fit::<K>(match record.family {
        Some(Family::Item) => member(record.rest).and_then(|()| {
            let item = record::Item::read(value, K::SCORE_WIDTH)?;
            K::Score::decode(&item.score)?;
            item.again.map_or(Ok(()), |again| K::Score::decode(&again).map(drop))
        }),
        Some(Family::Ready) => scored::<K>(record.rest).and_then(empty),
        Some(Family::Waiting | Family::Leased) => match record.rest.split_at_checked(8) {
            Some((_, rest)) => member(rest).and_then(empty),
            None => Err(SHORT),
        },
        Some(Family::Dead) => member(record.rest).and_then(empty),
        Some(Family::Token) => number(&record, value),
        _ => Err(FAMILY),
    }))
}

const FAMILY: Malformed = Malformed { reason: "such structures have no records of this family" };
const LENGTH: Malformed = Malformed { reason: "a value has the wrong length" };
const SHORT: Malformed = Malformed { reason: "a time is too short" };

/// Splits a record if it belongs to a structure of the keyspace.
fn record_of<'r, K: Structure>(space: &str, key: &'r [u8]) -> Option<Record<'r>> {
    let record = record::split(key).ok().filter(|_| space == K::SPACE)?;
    (record.kind == K::KIND && K::decode(&record.structure).is_ok()).then_some(record)
}

fn fit<K: Structure>(read: Result<(), Malformed>) -> Result<(), Misfit> {
    read.map_err(|source| Misfit::Record { keyspace: K::NAME, source })
}

/// Checks a score and the member after it.
fn scored<K: Scores>(mut rest: &[u8]) -> Result<(), Malformed> {
    let score = take_score(&mut rest, K::SCORE_WIDTH)?;
    K::Score::decode(&score)?;
    K::Member::decode(rest).map(drop)
}

/// Checks the record of a number.
fn number(record: &Record<'_>, value: &[u8]) -> Result<(), Malformed> {
    of_length(record.rest, 0).and_then(|()| of_length(value, 8))
}

fn of_length(bytes: &[u8], length: usize) -> Result<(), Malformed> {
    if bytes.len() == length { Ok(()) } else { Err(LENGTH) }
}
