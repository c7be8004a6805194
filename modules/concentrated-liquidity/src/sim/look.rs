//! Queries, compared with each other.

use super::draw::Draw;
use crate::{keeper, math::Dec};
use keyscape::store::Tx;
use keyscape_sim::{Fault, check};

/// Draws a query.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<Option<bool>, Fault> {
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
                Err(error) => return Err(error.into_kind().into()),
            }
            let most = match keeper::max_in(tx, pool.id, &base, 3) {
                Ok(most) => most,
                Err(error) if error.is_refusal() => return Ok(Some(true)),
                Err(error) => return Err(error.into_kind().into()),
            };
            check("max in", !most.amount_in.is_negative(), || format!("{most:?}"))?;
        }
        _ => balancer(tx, draw, pool.id)?,
    }
    Ok(Some(true))
}

/// Links a balancer pool, reads it again, and compares totals with the sums of single reads.
fn balancer(tx: &mut Tx<'_>, draw: &mut Draw, pool: u64) -> Result<(), Fault> {
    let (id, uptime) = (draw.below(3), 60_000_000_000);
    let liquidity = Dec::from_i64(i64::try_from(draw.below(1_000)).unwrap_or(0));
    keeper::set_balancer_full_range(tx, pool, id, uptime, liquidity)?;
    let all = keeper::balancer_full_range(tx, pool)?;
    let found = all.iter().find(|(balancer, at, _)| (*balancer, *at) == (id, uptime));
    let found = found.map_or(Dec::ZERO, |(.., liquidity)| *liquidity);
    check("balancer", found == liquidity, || format!("{found} is not {liquidity}"))?;
    let usdc = draw.denom("usdc")?;
    let total = keeper::total_liquidity(tx, &usdc)?;
    let mut sum = keyscape::U256::ZERO;
    for pool in super::draw::POOLS {
        let [account, ..] = keeper::pool_addresses(pool)?;
        sum = sum.saturating_add(keyscape_bank::keeper::get_balance(tx, &account, &usdc)?);
    }
    check("total liquidity", total == sum, || format!("{total} is not {sum}"))?;
    let full = keeper::full_range_liquidity(tx, pool)?;
    check("full range", !full.is_negative(), || full.to_string())?;
    keeper::set_params(tx, &keeper::get_params(tx)?)?;
    Ok(())
}
