//! Locks on full-range positions.

use crate::{
    Error, ErrorKind,
    keeper::{
        accounts, issued, pools,
        positions::{self, Created, NewPosition},
    },
    layout::{
        concentratedliquidity::{LOCK_POSITIONS, POSITION_LOCKS},
        lockup::{LOCKS, NEXT_LOCK},
    },
    math::{Int, MAX_TICK, MIN_TICK, MathError},
    values::{Lock, Pool},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use keyscape_bank::{Address, Coins};

/// A locked position that was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locked {
    /// The position.
    pub created: Created,
    /// The lock.
    pub lock: u64,
    /// The end of the lock, if it is unlocking already.
    pub end: Option<i64>,
}

/// Returns the lock of a position. It can have ended.
///
/// # Errors
/// If the row is corrupt.
pub fn lock_of(state: &(impl Read + ?Sized), position: u64) -> Result<Option<u64>, Error> {
    Ok(POSITION_LOCKS.get(state, position)?)
}

/// Creates a locked full-range position. Unlocking takes `duration` nanoseconds. It begins
/// immediately if `unlocking`, otherwise with [`begin_unlock`].
///
/// # Errors
/// [`CoinCount`](ErrorKind::CoinCount), [`NoAmount`](ErrorKind::NoAmount),
/// [`NothingToLock`](ErrorKind::NothingToLock), and as [`create_position`](super::create_position).
pub fn create_locked_position(
    tx: &mut Tx<'_>,
    now: i64,
    owner: &Address<'_>,
    pool: u64,
    tokens: &Coins,
    duration: i64,
    unlocking: bool,
) -> Result<Locked, Error> {
    tx.attempt(|tx| {
        if tokens.len() != 2 {
            return Err(ErrorKind::CoinCount(tokens.len()).into());
        }
        let Pool { token0, token1, .. } = pools::get_pool(tx, pool)?;
        for (token, denom) in [(0, token0), (1, token1)] {
            if tokens.amount_of(&accounts::denom(&denom)?) == U256::ZERO {
                return Err(ErrorKind::NoAmount(token).into());
            }
        }
        let (min0, min1) = (Int::ZERO, Int::ZERO);
        let (lower, upper) = (MIN_TICK, MAX_TICK);
        let new = NewPosition { owner, pool, tokens, min0, min1, lower, upper };
        let created = positions::create(tx, now, &new)?;
        if created.liquidity.truncate()?.is_zero() {
            return Err(ErrorKind::NothingToLock(created.id).into());
        }
        let lock = issued("next_lock", NEXT_LOCK.next(tx)?)?;
        let end = if unlocking { Some(end(now, duration)?) } else { None };
        LOCKS.put(tx, lock, &Lock { duration, end })?;
        POSITION_LOCKS.put(tx, created.id, lock)?;
        LOCK_POSITIONS.put(tx, lock, created.id)?;
        Ok(Locked { created, lock, end })
    })
}

/// Begins to unlock. Returns the end of the lock. A lock has no owner, so the caller must check
/// that the sender may unlock.
///
/// # Errors
/// [`LockNotFound`](ErrorKind::LockNotFound), [`Unlocking`](ErrorKind::Unlocking).
pub fn begin_unlock(tx: &mut Tx<'_>, now: i64, lock: u64) -> Result<i64, Error> {
    let locked = match LOCKS.get(tx, lock)? {
        Some(locked) if locked.end.is_none() => locked,
        Some(_) => return Err(ErrorKind::Unlocking(lock).into()),
        // A lock is deleted only after it has ended.
        None if (1..NEXT_LOCK.peek(tx)?).contains(&lock) => {
            return Err(ErrorKind::Unlocking(lock).into());
        }
        None => return Err(ErrorKind::LockNotFound(lock).into()),
    };
    let end = end(now, locked.duration)?;
    LOCKS.put(tx, lock, &Lock { end: Some(end), ..locked })?;
    Ok(end)
}

fn end(now: i64, duration: i64) -> Result<i64, Error> {
    now.checked_add(duration).ok_or_else(|| MathError::Overflow.into())
}

/// Returns the active lock of a position. Deletes a lock that has ended.
pub(super) fn active(tx: &mut Tx<'_>, now: i64, position: u64) -> Result<Option<u64>, Error> {
    let Some(lock) = POSITION_LOCKS.get(tx, position)? else { return Ok(None) };
    let holds = LOCKS.get(tx, lock)?.is_some_and(|lock| lock.end.is_none_or(|end| end >= now));
    if holds {
        return Ok(Some(lock));
    }
    unlink(tx, position)?;
    Ok(None)
}

/// Deletes the lock of a position, if it exists.
pub(super) fn unlink(tx: &mut Tx<'_>, position: u64) -> Result<(), Error> {
    if let Some(lock) = POSITION_LOCKS.take(tx, position)? {
        LOCK_POSITIONS.delete(tx, lock)?;
        LOCKS.delete(tx, lock)?;
    }
    Ok(())
}
