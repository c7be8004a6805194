//! Pools and parameters.

use crate::{
    Error, ErrorKind, Role,
    keeper::accumulators,
    layout::{
        concentratedliquidity::{
            INCENTIVE_SCALE_FROM, NEXT_INCENTIVE, NEXT_POSITION, Owner, POOLS, SPREAD_SCALE_FROM,
        },
        lockup::NEXT_LOCK,
        params::CL_PARAMS,
    },
    math::{self, Dec, MathError},
    values::{Params, Pool},
};
use keyscape::store::{Read, Tx};
use keyscape_bank::{Address, Denom};
use sha2::{Digest, Sha256};

/// The exponent of the distance between the prices at ticks 0 and 1.
const EXPONENT_AT_PRICE_ONE: i64 = -6;

/// A pool to create.
#[derive(Clone, Debug)]
pub struct NewPool<'a> {
    /// The id, which no pool has yet.
    pub id: u64,
    /// The first denomination.
    pub token0: &'a Denom<'a>,
    /// The second denomination, in which prices are.
    pub token1: &'a Denom<'a>,
    /// Ticks of positions are multiples of it.
    pub spacing: u64,
    /// The fraction of the amount in that positions earn.
    pub spread_factor: Dec,
}

/// Writes the rows that must exist before the first operation: the parameters, and the id
/// sequences, which start at one.
///
/// Accumulators of pools up to `incentive_scale_from` and `spread_scale_from` are not scaled by
/// 10^27.
///
/// # Errors
/// Errors of the database.
pub fn initialize(
    tx: &mut Tx<'_>,
    params: &Params,
    incentive_scale_from: u64,
    spread_scale_from: u64,
) -> Result<(), Error> {
    tx.attempt(|tx| {
        NEXT_POSITION.set(tx, 1)?;
        NEXT_INCENTIVE.set(tx, 1)?;
        NEXT_LOCK.set(tx, 1)?;
        INCENTIVE_SCALE_FROM.put(tx, incentive_scale_from)?;
        SPREAD_SCALE_FROM.put(tx, spread_scale_from)?;
        set_params(tx, params)
    })
}

/// Returns the parameters. Without stored parameters, returns empty ones, which allow no operation.
///
/// # Errors
/// If the row is corrupt.
pub fn get_params(state: &(impl Read + ?Sized)) -> Result<Params, Error> {
    Ok(CL_PARAMS.get(state)?.unwrap_or_default())
}

/// Sets the parameters.
///
/// # Errors
/// Errors of the database.
pub fn set_params(tx: &mut Tx<'_>, params: &Params) -> Result<(), Error> {
    Ok(CL_PARAMS.put(tx, params)?)
}

/// Creates a pool without positions.
///
/// # Errors
/// [`MatchingDenom`](ErrorKind::MatchingDenom), [`SpreadFactor`](ErrorKind::SpreadFactor),
/// [`SpacingNotAllowed`](ErrorKind::SpacingNotAllowed),
/// [`SpreadFactorNotAllowed`](ErrorKind::SpreadFactorNotAllowed),
/// [`PoolExists`](ErrorKind::PoolExists).
pub fn create_pool(tx: &mut Tx<'_>, now: i64, new: &NewPool<'_>) -> Result<(), Error> {
    let (spacing, factor) = (new.spacing, new.spread_factor);
    if new.token0 == new.token1 {
        return Err(ErrorKind::MatchingDenom(new.token0.to_string()).into());
    }
    if factor.is_negative() || factor >= Dec::ONE {
        return Err(ErrorKind::SpreadFactor(Box::new(factor)).into());
    }
    let params = get_params(tx)?;
    if !params.spacings.contains(&spacing) {
        return Err(ErrorKind::SpacingNotAllowed(spacing).into());
    }
    if !params.spread_factors.contains(&factor) {
        return Err(ErrorKind::SpreadFactorNotAllowed(Box::new(factor)).into());
    }
    tx.attempt(|tx| {
        accumulators::create(tx, new.id)?;
        let [address, incentives_address, spread_rewards_address] =
            pool_owners(new.id)?.map(|owner| owner.to_string());
        let pool = Pool {
            id: new.id,
            address,
            incentives_address,
            spread_rewards_address,
            token0: new.token0.to_string(),
            token1: new.token1.to_string(),
            spacing,
            exponent_at_price_one: EXPONENT_AT_PRICE_ONE,
            spread_factor: factor,
            last_update: now,
            ..Pool::default()
        };
        put(tx, &pool)
    })
}

/// Returns a pool.
///
/// # Errors
/// [`PoolNotFound`](ErrorKind::PoolNotFound).
pub fn get_pool(state: &(impl Read + ?Sized), pool: u64) -> Result<Pool, Error> {
    POOLS.get(state, pool)?.ok_or_else(|| ErrorKind::PoolNotFound(pool).into())
}

/// Rejects a pool without a price.
pub(super) fn check_price(pool: &Pool) -> Result<(), Error> {
    if pool.has_position() { Ok(()) } else { Err(ErrorKind::NoPrice(pool.id).into()) }
}

pub(super) fn put(tx: &mut Tx<'_>, pool: &Pool) -> Result<(), Error> {
    Ok(POOLS.put(tx, pool.id, pool)?)
}

/// Returns the accounts of a pool: of its liquidity, its incentives and its spread rewards.
///
/// # Errors
/// Never: they are derived from the id.
pub fn pool_addresses(pool: u64) -> Result<[Address<'static>; 3], Error> {
    let [liquidity, incentives, spread] = pool_owners(pool)?;
    let address = |owner: Owner<'_>| Address::new(owner.as_bytes().to_vec());
    Ok([address(liquidity)?, address(incentives)?, address(spread)?])
}

/// Returns the accounts of a pool as the type whose text its row contains.
pub(crate) fn pool_owners(pool: u64) -> Result<[Owner<'static>; 3], Error> {
    // An address that a module derives from a key is the hash of the hashed type, and the key.
    let derived = |module: &str, prefix: &str| {
        let key = [module.as_bytes(), &[0], prefix.as_bytes(), &pool.to_be_bytes()].concat();
        Sha256::new().chain_update(Sha256::digest(b"module")).chain_update(key).finalize().to_vec()
    };
    Ok([
        Owner::new(derived("poolmanager", "pool"))?,
        Owner::new(derived("concentratedliquidity", "incentives"))?,
        Owner::new(derived("concentratedliquidity", "spreadRewards"))?,
    ])
}

/// Returns the price of one `base` in `quote`, the other token of the pool, truncated to 18 places.
///
/// # Errors
/// [`PoolNotFound`](ErrorKind::PoolNotFound), [`NoPrice`](ErrorKind::NoPrice),
/// [`DenomNotInPool`](ErrorKind::DenomNotInPool), and [`Math`](ErrorKind::Math) if the truncated
/// price is out of bounds.
pub fn spot_price(
    state: &(impl Read + ?Sized),
    pool: u64,
    base: &Denom<'_>,
    quote: &Denom<'_>,
) -> Result<Dec, Error> {
    let pool = get_pool(state, pool)?;
    check_price(&pool)?;
    for (denom, role) in [(base, Role::Base), (quote, Role::Quote)] {
        if ![&pool.token0, &pool.token1].iter().any(|token| *token == denom.as_str()) {
            let denom = denom.to_string();
            return Err(ErrorKind::DenomNotInPool { denom, pool: pool.id, role }.into());
        }
    }
    let (base0, base1) = math::spot_prices(pool.sqrt_price)?;
    let price = if pool.token0 == base.as_str() { base0 } else { base1 };
    let bounds = math::tick_to_price(math::MIN_TICK)?..=math::tick_to_price(math::MAX_TICK)?;
    let big = price.to_big()?;
    if !bounds.contains(&big) {
        return Err(MathError::PriceOutOfBounds(Box::new(big)).into());
    }
    Ok(price)
}
