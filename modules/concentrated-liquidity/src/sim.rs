//! A simulation: blocks of random operations over the whole keeper.
//!
//! A block depends only on the seed, its height and the state, so a stopped run can continue. Valid
//! operations must succeed, unless rounding or a lack of liquidity makes them impossible. The
//! others must be rejected with the right error. A rejected operation must write nothing.

mod draw;
mod invalid;
mod valid;

use crate::{Error, ErrorKind, keeper, math::Dec, values::Params};
use draw::Draw;
use keyscape::{U256, store::Tx};
use keyscape_sim::{Fault, Tally, attempt, check};

/// Writes the state before the first block: accounts with coins, and pools without positions.
///
/// # Errors
/// [`Unexpected`](keyscape_sim::Unexpected) if an operation had the wrong outcome.
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
    let mut draw = Draw::new(seed, 0);
    keeper::initialize(tx, &Params::launch(), 0, 0)?;
    let owners = (0..draw::ACCOUNTS).map(|index| draw.account_at(index));
    let coins = draw::DENOMS.map(|denom| format!("{}{denom}", draw::FUNDS)).join(",");
    keyscape_bank::sim::fund(tx, &owners.collect::<Result<Vec<_>, _>>()?, &coins.parse()?)?;
    for id in draw::POOLS {
        valid::pool(tx, &mut draw, id)?;
    }
    Ok(())
}

/// Runs a block of random operations.
///
/// # Errors
/// [`Unexpected`](keyscape_sim::Unexpected) if an operation had the wrong outcome.
pub fn block(tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
    let mut draw = Draw::new(seed, height);
    let mut tally = Tally::default();
    for _ in 0..6 + draw.below(10) {
        let is_done = match draw.below(20) {
            0..3 => invalid::operation(tx, &mut draw)?,
            3 => read(tx, &mut draw)?,
            _ => valid::operation(tx, &mut draw)?,
        };
        match is_done {
            Some(true) => tally.done += 1,
            Some(false) => tally.refused += 1,
            None => {}
        }
    }
    Ok(tally)
}

/// Whether an operation was done or rejected, or `None` if the state has nothing to operate on.
type Done = Result<Option<bool>, Fault>;

/// Runs an operation that must succeed, or be rejected with an allowed error.
fn run<T>(
    tx: &mut Tx<'_>,
    operation: &str,
    may_refuse: impl Fn(&ErrorKind) -> bool,
    act: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
) -> Done {
    Ok(Some(attempt(tx, operation, may_refuse, act)?.is_some()))
}

/// Runs an operation that must be rejected for this reason.
fn refused<T>(
    tx: &mut Tx<'_>,
    operation: &str,
    reason: impl Fn(&ErrorKind) -> bool,
    act: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
) -> Done {
    keyscape_sim::refused(tx, operation, reason, act).map(|()| Some(false))
}

/// Compares queries with each other.
fn read(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let pool = draw.pool(tx)?;
    match draw.below(4) {
        0 => {
            let owner = draw.account()?;
            let all = keeper::user_positions(tx, &owner, None)?;
            let here = keeper::user_positions(tx, &owner, Some(pool.id))?;
            let expected: Vec<_> =
                all.into_iter().filter(|position| position.pool == pool.id).collect();
            check("user positions", here == expected, || format!("{here:?} is not {expected:?}"))?;
        }
        1 => {
            let ticks = keeper::ticks(tx, pool.id)?;
            let sum = ticks.iter().try_fold(Dec::ZERO, |sum, (_, info)| sum.plus(info.net))?;
            check("ticks", sum.is_zero(), || format!("the net liquidity of all ticks is {sum}"))?;
        }
        2 if pool.has_position() => {
            let (base, quote) = draw.tokens(&pool)?;
            match keeper::spot_price(tx, pool.id, &base, &quote) {
                Ok(price) => check("spot price", price.is_positive(), || price.to_string())?,
                Err(error) if error.is_refusal() => {}
                Err(error) => return Err(error.into()),
            }
            let largest = match keeper::max_in(tx, pool.id, &base, 3) {
                Ok(largest) => largest,
                Err(error) if error.is_refusal() => return Ok(Some(true)),
                Err(error) => return Err(error.into()),
            };
            check("max in", !largest.amount_in.is_negative(), || format!("{largest:?}"))?;
        }
        _ => balancer(tx, draw, pool.id)?,
    }
    Ok(Some(true))
}

/// Links a balancer pool and reads it again. Compares the total of a denomination with the balances
/// of all pools.
fn balancer(tx: &mut Tx<'_>, draw: &mut Draw, pool: u64) -> Result<(), Fault> {
    let (id, uptime) = (draw.below(3), 60_000_000_000);
    let liquidity = Dec::from(i64::try_from(draw.below(1_000)).unwrap_or(0));
    keeper::set_balancer_full_range(tx, pool, id, uptime, liquidity)?;
    let all = keeper::balancer_full_range(tx, pool)?;
    let found = all.iter().find(|(balancer, at, _)| (*balancer, *at) == (id, uptime));
    let found = found.map_or(Dec::ZERO, |(.., liquidity)| *liquidity);
    check("balancer", found == liquidity, || format!("{found} is not {liquidity}"))?;
    let usdc = draw.denom("usdc")?;
    let total = keeper::total_liquidity(tx, &usdc)?;
    let mut sum = U256::ZERO;
    for pool in draw::POOLS {
        let [account, ..] = keeper::pool_addresses(pool)?;
        sum = sum.saturating_add(keyscape_bank::keeper::get_balance(tx, &account, &usdc)?);
    }
    check("total liquidity", total == sum, || format!("{total} is not {sum}"))?;
    let full = keeper::full_range_liquidity(tx, pool)?;
    check("full range", !full.is_negative(), || full.to_string())?;
    keeper::set_params(tx, &keeper::get_params(tx)?)?;
    Ok(())
}
