//! Positions: reading, creating and transferring them, and changing their liquidity.

use crate::{
    Error, ErrorKind,
    keeper::{
        accounts,
        accumulators::{self, change_shares},
        incentives, issued, locks, pools, ticks, totals,
    },
    layout::concentratedliquidity::{
        Accumulator, NEXT_POSITION, OWNER_POSITIONS, Owner, POOL_POSITIONS, POSITIONS,
    },
    math::{self, Dec, Int, MAX_TICK, MIN_TICK, MathError},
    values::{Pool, Position},
};
use keyscape::store::{Read, Tx};
use keyscape_bank::{Address, Coin, Coins};
use std::collections::BTreeSet;

/// A position to create.
#[derive(Clone, Debug)]
pub struct NewPosition<'a> {
    /// The account that pays for and owns the position.
    pub owner: &'a Address<'a>,
    /// The pool.
    pub pool: u64,
    /// The most that is paid.
    pub tokens: &'a Coins,
    /// The least that is paid of token0.
    pub min0: Int,
    /// The least that is paid of token1.
    pub min1: Int,
    /// The first tick of the range.
    pub lower: i64,
    /// The tick after the range.
    pub upper: i64,
}

/// A position that was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created {
    /// The id.
    pub id: u64,
    /// The amount of token0 that was paid.
    pub amount0: Int,
    /// The amount of token1 that was paid.
    pub amount1: Int,
    /// The liquidity.
    pub liquidity: Dec,
    /// The first tick of the range.
    pub lower: i64,
    /// The tick after the range.
    pub upper: i64,
}

/// The sender of a transfer.
#[derive(Clone, Copy, Debug)]
pub enum Authority<'a> {
    /// The owner of the positions.
    Owner(&'a Address<'a>),
    /// Governance, which may transfer any position.
    Governance,
}

/// The result of a change of a position's liquidity.
#[derive(Debug)]
pub(super) struct Updated {
    /// The amounts of both tokens: paid in if positive, paid out if negative.
    pub(super) amounts: (Int, Int),
    /// Both ticks after the change.
    pub(super) ends: ticks::Ends,
}

/// Returns a position.
///
/// # Errors
/// [`PositionNotFound`](ErrorKind::PositionNotFound).
pub fn get_position(state: &(impl Read + ?Sized), position: u64) -> Result<Position, Error> {
    POSITIONS.get(state, position)?.ok_or_else(|| ErrorKind::PositionNotFound(position).into())
}

/// Returns the positions of an owner, in one pool or in all, in order of their ids.
///
/// # Errors
/// If a row is corrupt.
pub fn user_positions(
    state: &(impl Read + ?Sized),
    owner: &Address<'_>,
    pool: Option<u64>,
) -> Result<Vec<Position>, Error> {
    let owner = Owner::new(owner.as_bytes())?;
    let mut ids = BTreeSet::new();
    match pool {
        Some(pool) => {
            for row in OWNER_POSITIONS.scan_owner_pool(state, &owner, pool)? {
                ids.insert(row?.0.position);
            }
        }
        None => {
            for row in OWNER_POSITIONS.scan_owner(state, &owner)? {
                ids.insert(row?.0.position);
            }
        }
    }
    ids.into_iter().map(|id| get_position(state, id)).collect()
}

/// Returns the ids of the positions in a pool, in ascending order.
///
/// # Errors
/// If a row is corrupt.
pub fn pool_positions(state: &(impl Read + ?Sized), pool: u64) -> Result<Vec<u64>, Error> {
    let rows = POOL_POSITIONS.scan_pool(state, pool)?;
    rows.map(|row| Ok(row?.0.position)).collect()
}

/// Returns the positions in a pool, in order of their ids.
pub(crate) fn positions_in(
    state: &(impl Read + ?Sized),
    pool: u64,
) -> Result<Vec<Position>, Error> {
    let ids = pool_positions(state, pool)?;
    ids.into_iter().map(|id| get_position(state, id)).collect()
}

/// Counts the positions in a pool, up to `most`.
pub(crate) fn count_up_to(
    state: &(impl Read + ?Sized),
    pool: u64,
    most: u64,
) -> Result<u64, Error> {
    Ok(POOL_POSITIONS.prefix_pool(pool).limit(most).count(state)?)
}

/// Returns a position. Rejects an address that is not its owner.
pub(super) fn get_owned(
    state: &(impl Read + ?Sized),
    id: u64,
    owner: &Address<'_>,
) -> Result<Position, Error> {
    let position = get_position(state, id)?;
    if position.owner.as_bytes() == owner.as_bytes() {
        return Ok(position);
    }
    Err(ErrorKind::NotOwner(id).into())
}

/// Creates a position, and transfers its coins to the pool. The first position of a pool sets the
/// price.
///
/// # Errors
/// [`PoolNotFound`](ErrorKind::PoolNotFound), [`NotAPoolToken`](ErrorKind::NotAPoolToken),
/// [`TickSpacing`](ErrorKind::TickSpacing), [`TickOutOfBounds`](ErrorKind::TickOutOfBounds),
/// [`NoTokens`](ErrorKind::NoTokens), [`NegativeMinimum`](ErrorKind::NegativeMinimum),
/// [`InitialLiquidity`](ErrorKind::InitialLiquidity), [`NoLiquidity`](ErrorKind::NoLiquidity),
/// [`BelowMinimum`](ErrorKind::BelowMinimum), [`Bank`](ErrorKind::Bank) if the owner has too
/// little.
pub fn create_position(tx: &mut Tx<'_>, now: i64, new: &NewPosition<'_>) -> Result<Created, Error> {
    tx.attempt(|tx| create(tx, now, new))
}

pub(super) fn create(tx: &mut Tx<'_>, now: i64, new: &NewPosition<'_>) -> Result<Created, Error> {
    let mut pool = pools::get_pool(tx, new.pool)?;
    let (amount0, amount1) = check(&pool, new)?;
    let (a, b) = math::ticks_to_sqrt_prices(new.lower, new.upper)?;
    let lower = math::sqrt_price_to_tick_spacing(a, pool.spacing)?;
    let upper = math::sqrt_price_to_tick_spacing(b, pool.spacing)?;
    if (lower, upper) != (new.lower, new.upper) {
        check_range(pool.spacing, lower, upper)?;
    }
    let id = issued("next_position", NEXT_POSITION.next(tx)?)?;
    if !pool.has_position() {
        set_price(&mut pool, amount0, amount1)?;
    }
    let liquidity = math::liquidity_from_amounts(pool.sqrt_price, a, b, amount0, amount1)?;
    if liquidity.is_zero() {
        let (amount0, amount1) = (Box::new(amount0), Box::new(amount1));
        return Err(ErrorKind::NoLiquidity { amount0, amount1 }.into());
    }
    let mut position = Position {
        id,
        owner: Owner::new(new.owner.as_bytes().to_vec())?,
        pool: pool.id,
        lower,
        upper,
        join: now,
        liquidity: Dec::ZERO,
    };
    let updated = change_liquidity(tx, now, &mut pool, &mut position, liquidity)?;
    let (amount0, amount1) = updated.amounts;
    for (token, actual, minimum) in [(0, amount0, new.min0), (1, amount1, new.min1)] {
        if actual < minimum {
            let (actual, minimum) = (Box::new(actual), Box::new(minimum));
            return Err(ErrorKind::BelowMinimum { token, actual, minimum }.into());
        }
    }
    let coins = accounts::pool_coins(&pool, amount0, amount1)?;
    let to = accounts::account(&pool.address)?;
    accounts::send(tx, now, new.owner, &to, &coins)?;
    totals::add(tx, &coins)?;
    Ok(Created { id, amount0, amount1, liquidity, lower, upper })
}

/// Checks the tokens, the range and the minima. Returns the amounts of both tokens.
fn check(pool: &Pool, new: &NewPosition<'_>) -> Result<(Int, Int), Error> {
    let (token0, token1) = (accounts::denom(&pool.token0)?, accounts::denom(&pool.token1)?);
    let is_other = |coin: &&Coin| coin.denom != token0 && coin.denom != token1;
    if let Some(coin) = new.tokens.iter().find(is_other) {
        let denom = coin.denom.to_string();
        return Err(ErrorKind::NotAPoolToken { denom, pool: pool.id }.into());
    }
    check_range(pool.spacing, new.lower, new.upper)?;
    let amount = |denom| Int::from(new.tokens.amount_of(denom));
    let (amount0, amount1) = (amount(&token0), amount(&token1));
    if amount0.is_zero() && amount1.is_zero() {
        return Err(ErrorKind::NoTokens.into());
    }
    if let Some(minimum) = [new.min0, new.min1].into_iter().find(Int::is_negative) {
        return Err(ErrorKind::NegativeMinimum(Box::new(minimum)).into());
    }
    Ok((amount0, amount1))
}

fn check_range(spacing: u64, lower: i64, upper: i64) -> Result<(), Error> {
    let fits = |tick: i64| {
        let spacing = i64::try_from(spacing).ok();
        spacing.and_then(|spacing| tick.checked_rem(spacing)) == Some(0)
    };
    if !fits(lower) || !fits(upper) {
        return Err(ErrorKind::TickSpacing { lower, upper, spacing }.into());
    }
    if !(MIN_TICK..MAX_TICK).contains(&lower) {
        return Err(ErrorKind::TickOutOfBounds { tick: lower, is_lower: true }.into());
    }
    if upper > MAX_TICK || upper <= MIN_TICK {
        return Err(ErrorKind::TickOutOfBounds { tick: upper, is_lower: false }.into());
    }
    if lower >= upper {
        return Err(MathError::TickOrder { lower, upper }.into());
    }
    Ok(())
}

/// Sets the price of a pool without positions. The tick is a multiple of the spacing and may differ
/// from the tick of the price.
fn set_price(pool: &mut Pool, amount0: Int, amount1: Int) -> Result<(), Error> {
    if !amount0.is_positive() || !amount1.is_positive() {
        return Err(ErrorKind::InitialLiquidity.into());
    }
    let price = Dec::from_int(amount1)?.quo_even(Dec::from_int(amount0)?)?;
    let sqrt_price = price.sqrt()?.to_big()?;
    pool.tick = math::sqrt_price_to_tick_spacing(sqrt_price, pool.spacing)?;
    pool.sqrt_price = sqrt_price;
    Ok(())
}

/// Transfers positions to another owner. They keep their ids, ages and rewards.
///
/// # Errors
/// [`DuplicatePosition`](ErrorKind::DuplicatePosition),
/// [`PositionNotFound`](ErrorKind::PositionNotFound), [`OwnerMismatch`](ErrorKind::OwnerMismatch),
/// [`Locked`](ErrorKind::Locked), [`LastPosition`](ErrorKind::LastPosition).
pub fn transfer_positions(
    tx: &mut Tx<'_>,
    now: i64,
    authority: Authority<'_>,
    positions: &[u64],
    to: &Address<'_>,
) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    if let Some(id) = positions.iter().find(|id| !seen.insert(**id)) {
        return Err(ErrorKind::DuplicatePosition(*id).into());
    }
    let owner = Owner::new(to.as_bytes().to_vec())?;
    tx.attempt(|tx| {
        for &id in positions {
            let position = get_position(tx, id)?;
            let is_allowed = match authority {
                Authority::Owner(sender) => position.owner.as_bytes() == sender.as_bytes(),
                Authority::Governance => true,
            };
            if !is_allowed {
                return Err(ErrorKind::OwnerMismatch(id).into());
            }
            if let Some(lock) = locks::active(tx, now, id)? {
                return Err(ErrorKind::Locked { position: id, lock }.into());
            }
            if count_up_to(tx, position.pool, 2)? < 2 {
                return Err(ErrorKind::LastPosition { position: id, pool: position.pool }.into());
            }
            POSITIONS.put(tx, id, &Position { owner: owner.clone(), ..position })?;
        }
        Ok(())
    })
}

/// Changes the liquidity of a position, its ticks, its accumulators and its pool, and writes all of
/// them. A new position has no liquidity before the change.
pub(super) fn change_liquidity(
    tx: &mut Tx<'_>,
    now: i64,
    pool: &mut Pool,
    position: &mut Position,
    change: Dec,
) -> Result<Updated, Error> {
    let mut uptimes = incentives::accrue_and_store(tx, now, pool)?;
    let spread_rewards = Accumulator::Spread { pool: pool.id };
    let mut spread = accumulators::get(tx, spread_rewards)?;
    let mut ends = ticks::ends(tx, pool, position, &spread, &uptimes)?;
    ticks::change(tx, position, &mut ends, change)?;
    let growths = ticks::uptime_growth(pool, position, &ends, &uptimes)?;
    let contents = uptimes.iter_mut().zip(&growths);
    for (accumulator, (content, growth)) in accumulators::of_uptimes(pool.id).zip(contents) {
        change_shares(tx, accumulator, content, position.id, change, growth)?;
    }
    position.liquidity = position.liquidity.plus(change)?;
    POSITIONS.put(tx, position.id, &*position)?;
    totals::change_full_range(tx, position, change)?;
    let range = (position.lower, position.upper);
    let (amount0, amount1) = math::position_amounts(pool.tick, pool.sqrt_price, range, change)?;
    if pool.is_active(position.lower, position.upper) {
        pool.liquidity = pool.liquidity.plus(change)?;
    }
    pools::put(tx, pool)?;
    let growth = ticks::spread_growth(pool, position, &ends, &spread)?;
    change_shares(tx, spread_rewards, &mut spread, position.id, change, &growth)?;
    Ok(Updated { amounts: (amount0.truncate()?, amount1.truncate()?), ends })
}
