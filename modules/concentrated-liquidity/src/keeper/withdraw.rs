//! Withdrawing liquidity, and adding to a position.

use crate::{
    Error, ErrorKind,
    keeper::{
        accounts, locks, pools,
        positions::{self, Created, NewPosition, change_liquidity, count_up_to, get_owned},
        rewards, ticks, totals,
    },
    layout::concentratedliquidity::POSITIONS,
    math::{BigDec, Dec, Int},
    values::{Pool, Position},
};
use keyscape::store::Tx;
use keyscape_bank::Address;

/// Coins to add to a position.
#[derive(Clone, Copy, Debug)]
pub struct Addition {
    /// The most that is added of token0.
    pub amount0: Int,
    /// The most that is added of token1.
    pub amount1: Int,
    /// The least that is added of token0.
    pub min0: Int,
    /// The least that is added of token1.
    pub min1: Int,
}

/// Withdraws liquidity of a position, and pays its tokens to the owner. Collects its incentives.
/// Forfeited incentives go to the remaining positions. Pays the spread rewards of a position
/// without liquidity, and deletes it. Returns the amounts of both tokens.
///
/// # Errors
/// [`PositionNotFound`](ErrorKind::PositionNotFound), [`NotOwner`](ErrorKind::NotOwner),
/// [`InsufficientLiquidity`](ErrorKind::InsufficientLiquidity), [`Locked`](ErrorKind::Locked),
/// [`ZeroShares`](ErrorKind::ZeroShares).
pub fn withdraw_position(
    tx: &mut Tx<'_>,
    now: i64,
    owner: &Address<'_>,
    position: u64,
    liquidity: Dec,
) -> Result<(Int, Int), Error> {
    tx.attempt(|tx| withdraw(tx, now, owner, position, liquidity))
}

fn withdraw(
    tx: &mut Tx<'_>,
    now: i64,
    owner: &Address<'_>,
    id: u64,
    liquidity: Dec,
) -> Result<(Int, Int), Error> {
    let mut position = get_owned(tx, id, owner)?;
    let insufficient = || {
        let (asked, available) = (Box::new(liquidity), Box::new(position.liquidity));
        Err(ErrorKind::InsufficientLiquidity { asked, available }.into())
    };
    if liquidity.is_negative() {
        return insufficient();
    }
    if let Some(lock) = locks::active(tx, now, id)? {
        return Err(ErrorKind::Locked { position: id, lock }.into());
    }
    let mut pool = pools::get_pool(tx, position.pool)?;
    if liquidity > position.liquidity {
        return insufficient();
    }
    let claim = rewards::collect_from_pool(tx, now, &mut pool, &position, owner)?;
    let updated = change_liquidity(tx, now, &mut pool, &mut position, liquidity.negated())?;
    let (amount0, amount1) = updated.amounts;
    let (amount0, amount1) = (amount0.negated(), amount1.negated());
    let coins = accounts::pool_coins(&pool, amount0, amount1)?;
    let from = accounts::account(&pool.address)?;
    accounts::send(tx, now, &from, owner, &coins)?;
    rewards::redeposit(tx, now, &pool, owner, &claim)?;
    if position.liquidity.is_zero() {
        rewards::collect_spread(tx, now, &pool, &position, owner)?;
        delete(tx, &mut pool, &position)?;
    }
    ticks::remove_if_empty(tx, &position, &updated.ends)?;
    totals::subtract(tx, &coins)?;
    Ok((amount0, amount1))
}

/// Deletes a position. A pool without positions has no price.
fn delete(tx: &mut Tx<'_>, pool: &mut Pool, position: &Position) -> Result<(), Error> {
    locks::unlink(tx, position.id)?;
    POSITIONS.delete(tx, position.id)?;
    if count_up_to(tx, pool.id, 1)? == 0 {
        (pool.sqrt_price, pool.tick) = (BigDec::ZERO, 0);
        pools::put(tx, pool)?;
    }
    Ok(())
}

/// Withdraws a position, and creates a new one in the same range with more coins. The new position
/// has a new id and a new join time.
///
/// # Errors
/// [`NotOwner`](ErrorKind::NotOwner), [`NegativeAdded`](ErrorKind::NegativeAdded),
/// [`NothingAdded`](ErrorKind::NothingAdded), [`AddToLocked`](ErrorKind::AddToLocked),
/// [`AddToLastPosition`](ErrorKind::AddToLastPosition), and as [`withdraw_position`] and
/// [`create_position`](super::create_position).
pub fn add_to_position(
    tx: &mut Tx<'_>,
    now: i64,
    owner: &Address<'_>,
    position: u64,
    add: &Addition,
) -> Result<Created, Error> {
    tx.attempt(|tx| {
        let Position { pool, liquidity, lower, upper, .. } = get_owned(tx, position, owner)?;
        if add.amount0.is_negative() || add.amount1.is_negative() {
            return Err(ErrorKind::NegativeAdded(position).into());
        }
        if add.amount0.is_zero() && add.amount1.is_zero() {
            return Err(ErrorKind::NothingAdded(position).into());
        }
        if let Some(lock) = locks::active(tx, now, position)? {
            return Err(ErrorKind::AddToLocked { position, lock }.into());
        }
        let (out0, out1) = withdraw(tx, now, owner, position, liquidity)?;
        let pool = pools::get_pool(tx, pool)?;
        if !pool.has_position() {
            return Err(ErrorKind::AddToLastPosition { position, pool: pool.id }.into());
        }
        let (most0, most1) = (out0.plus(add.amount0)?, out1.plus(add.amount1)?);
        let tokens = accounts::pool_coins(&pool, most0, most1)?;
        let new = NewPosition {
            owner,
            pool: pool.id,
            tokens: &tokens,
            min0: out0.plus(add.min0)?,
            min1: out1.plus(add.min1)?,
            lower,
            upper,
        };
        positions::create(tx, now, &new)
    })
}
