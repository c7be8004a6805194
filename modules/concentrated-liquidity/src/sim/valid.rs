//! Operations that must succeed, unless rounding or a lack of liquidity makes them impossible.

use super::{Done, draw, draw::Draw, run};
use crate::{
    ErrorKind,
    keeper::{self, Addition, Authority, NewIncentive, NewPool, NewPosition, SwapIn, SwapOut},
    math::{Dec, Int, MathError},
    values::{Pool, UPTIMES},
};
use keyscape::{U256, store::Tx};
use keyscape_bank::{Coin, Coins};
use keyscape_sim::{Fault, attempt, check, done, is};

/// Creates a pool.
pub(super) fn pool(tx: &mut Tx<'_>, draw: &mut Draw, id: u64) -> Result<(), Fault> {
    let params = keeper::get_params(tx)?;
    let spacing = draw.pick(&params.spacings).unwrap_or(1);
    let spread_factor = draw.pick(&params.spread_factors).unwrap_or_default();
    let first = draw.pick(&["eth", "osmo"]).unwrap_or("eth");
    let (token0, token1) = (draw.denom(first)?, draw.denom("usdc")?);
    let new = NewPool { id, token0: &token0, token1: &token1, spacing, spread_factor };
    let now = draw.now;
    done(tx, "create pool", |tx| keeper::create_pool(tx, now, &new))?;
    Ok(())
}

/// Draws an operation and runs it.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    match draw.below(24) {
        0..5 => create(tx, draw),
        5 => lock(tx, draw),
        6 => add(tx, draw),
        7..10 => withdraw(tx, draw),
        10..14 => swap_in(tx, draw),
        14..17 => swap_out(tx, draw),
        17 | 18 => spread_rewards(tx, draw),
        19 | 20 => incentives(tx, draw),
        21 => incentive(tx, draw),
        22 => transfer(tx, draw),
        _ => unlock(tx, draw),
    }
}

/// Whether a valid position may fail with this error, because its amounts are too small for the
/// range, or the price is out of bounds.
fn too_small(kind: &ErrorKind) -> bool {
    match kind {
        ErrorKind::Math(error) => is!(MathError: PriceOutOfBounds | TickBelow | EmptyRange)(error),
        kind => is!(NoLiquidity | NothingToLock)(kind),
    }
}

/// Whether a valid swap may fail with this error, because of rounding, the end of the liquidity, or
/// a price at which nobody can pay.
fn cannot_swap(kind: &ErrorKind) -> bool {
    is!(NoPrice
        | OutOfTicks
        | PastTick
        | NoProgress
        | TooManyEmptySteps
        | Overcharged
        | AmountNotPositive
        | SpreadTooLarge
        | SenderCannotPay
        | PoolCannotPay
        | Math)(kind)
}

fn both(draw: &mut Draw, pool: &Pool) -> Result<Coins, Fault> {
    let mut coins = vec![draw.coin(&pool.token0)?, draw.coin(&pool.token1)?];
    coins.sort_by(|a, b| a.denom.cmp(&b.denom));
    Ok(Coins::new(coins)?)
}

fn create(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let pool = draw.pool(tx)?;
    if !draw.has_room(tx, pool.id)? {
        return Ok(None);
    }
    let (owner, tokens, now) = (draw.account()?, both(draw, &pool)?, draw.now);
    let (lower, upper) = draw.range(&pool);
    let (owner, tokens, pool, none) = (&owner, &tokens, pool.id, Int::ZERO);
    let new = NewPosition { owner, pool, tokens, min0: none, min1: none, lower, upper };
    let made =
        attempt(tx, "create position", too_small, |tx| keeper::create_position(tx, now, &new))?;
    let Some(made) = made else { return Ok(Some(false)) };
    let position = keeper::get_position(tx, made.id)?;
    let same = position.liquidity == made.liquidity && position.join == now;
    check("create position", same, || format!("{position:?} is not {made:?}"))?;
    let mine = keeper::user_positions(tx, owner, Some(pool))?;
    check("create position", mine.contains(&position), || "it is not in the index".to_owned())?;
    Ok(Some(true))
}

fn lock(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let pool = draw.pool(tx)?;
    if !draw.has_room(tx, pool.id)? {
        return Ok(None);
    }
    let (owner, tokens, now) = (draw.account()?, both(draw, &pool)?, draw.now);
    let unlocking = draw.below(2) == 0;
    let duration = i64::try_from(draw.below(200_000_000_000_000)).unwrap_or(0);
    let made = attempt(tx, "lock", too_small, |tx| {
        keeper::create_locked_position(tx, now, &owner, pool.id, &tokens, duration, unlocking)
    })?;
    let Some(made) = made else { return Ok(Some(false)) };
    let found = keeper::lock_of(tx, made.created.id)?;
    check("lock", found == Some(made.lock), || format!("{found:?} is not {}", made.lock))?;
    Ok(Some(true))
}

fn unlock(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((position, _)) = draw.position(tx)? else { return Ok(None) };
    let Some(lock) = keeper::lock_of(tx, position.id)? else { return Ok(None) };
    let now = draw.now;
    run(tx, "unlock", is!(Unlocking), |tx| keeper::begin_unlock(tx, now, lock))
}

/// Withdraws liquidity. Only a lock may prevent a withdrawal.
fn withdraw(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((position, owner)) = draw.position(tx)? else { return Ok(None) };
    let part = Dec::from(i64::try_from(1 + draw.below(4)).unwrap_or(1));
    let liquidity = position.liquidity.quo_truncate(part)?;
    if liquidity.is_zero() {
        return Ok(None);
    }
    let (now, id) = (draw.now, position.id);
    run(tx, "withdraw", is!(Locked), |tx| keeper::withdraw_position(tx, now, &owner, id, liquidity))
}

fn add(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((position, owner)) = draw.position(tx)? else { return Ok(None) };
    let (amount0, amount1) = (Int::from(draw.amount()), Int::from(draw.amount()));
    let add = Addition { amount0, amount1, min0: Int::ZERO, min1: Int::ZERO };
    let (now, id) = (draw.now, position.id);
    let may = |kind: &ErrorKind| {
        is!(AddToLastPosition | AddToLocked | BelowMinimum)(kind) || too_small(kind)
    };
    run(tx, "add", may, |tx| keeper::add_to_position(tx, now, &owner, id, &add))
}

fn swap_in(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (pool, sender, now) = (draw.pool(tx)?, draw.account()?, draw.now);
    let (denom_in, denom_out) = draw.tokens(&pool)?;
    let coin = Coin { denom: denom_in, amount: draw.amount() };
    let quote = keeper::estimate_out(tx, pool.id, &coin, &denom_out).ok();
    let (sender, pool, coin, denom_out) = (&sender, pool.id, &coin, &denom_out);
    let (min_out, price_limit) = (Int::ZERO, None);
    let swap = SwapIn { sender, pool, coin, denom_out, min_out, price_limit };
    let swapped = attempt(tx, "swap in", cannot_swap, |tx| keeper::swap_in(tx, now, &swap))?;
    let Some(swapped) = swapped else { return Ok(Some(false)) };
    let same = quote.is_some_and(|quote| {
        (quote.amount_in, quote.amount_out) == (swapped.amount_in, swapped.amount_out)
    });
    check("swap in", same, || format!("{quote:?} was estimated, not {swapped:?}"))?;
    check("swap in", swapped.amount_in <= Int::from(coin.amount), || format!("{swapped:?}"))?;
    Ok(Some(true))
}

fn swap_out(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (pool, sender, now) = (draw.pool(tx)?, draw.account()?, draw.now);
    let (denom_in, denom_out) = draw.tokens(&pool)?;
    let coin = Coin { denom: denom_out, amount: draw.amount() };
    let quote = keeper::estimate_in(tx, pool.id, &denom_in, &coin).ok();
    let (sender, pool, denom_in, coin) = (&sender, pool.id, &denom_in, &coin);
    let (max_in, price_limit) = (Int::from(U256::MAX), None);
    let swap = SwapOut { sender, pool, denom_in, max_in, coin, price_limit };
    let swapped = attempt(tx, "swap out", cannot_swap, |tx| keeper::swap_out(tx, now, &swap))?;
    let Some(swapped) = swapped else { return Ok(Some(false)) };
    let same = quote.is_some_and(|quote| quote.amount_in == swapped.amount_in);
    check("swap out", same, || format!("{quote:?} was estimated, not {swapped:?}"))?;
    Ok(Some(true))
}

fn spread_rewards(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((position, owner)) = draw.position(tx)? else { return Ok(None) };
    let (now, id) = (draw.now, position.id);
    let expected = keeper::claimable_spread_rewards(tx, id)?;
    let collect = |tx: &mut Tx<'_>| keeper::collect_spread_rewards(tx, now, &owner, &[id]);
    let found = attempt(tx, "collect spread rewards", |_| false, collect)?.unwrap_or_default();
    let what = || format!("{expected} were claimable and {found} paid");
    check("collect spread rewards", found == expected, what)?;
    let again = keeper::claimable_spread_rewards(tx, id)?;
    check("collect spread rewards", again.is_empty(), || format!("{again} are left"))?;
    Ok(Some(true))
}

fn incentives(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((position, owner)) = draw.position(tx)? else { return Ok(None) };
    let (now, id) = (draw.now, position.id);
    let expected = keeper::claimable_incentives(tx, now, id)?;
    let collect = |tx: &mut Tx<'_>| keeper::collect_incentives(tx, now, &owner, &[id]);
    let found = attempt(tx, "collect incentives", |_| false, collect)?.unwrap_or_default();
    check("collect incentives", found == expected, || format!("{found:?} is not {expected:?}"))?;
    let again = keeper::claimable_incentives(tx, now, id)?;
    let none = again.collected.is_empty() && again.forfeited.is_empty();
    check("collect incentives", none, || format!("{again:?} are left"))?;
    Ok(Some(true))
}

fn incentive(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (pool, sender, now) = (draw.pool(tx)?, draw.account()?, draw.now);
    if keeper::incentives(tx, pool.id)?.len() >= 12 {
        return Ok(None);
    }
    let denom = draw.pick(&draw::DENOMS).unwrap_or("atom");
    let coin = draw.coin(denom)?;
    let rate = Dec::from_int(Int::from(draw.amount()))?.quo_truncate(Dec::from(1_000))?;
    let start = now + i64::try_from(draw.below(20_000_000_000_000)).unwrap_or(0);
    let uptime = draw.pick(&UPTIMES).unwrap_or(1);
    let (sender, coin, pool) = (&sender, &coin, pool.id);
    let new = NewIncentive { sender, pool, coin, rate, start, uptime };
    run(tx, "create incentive", is!(IncentiveBalance), |tx| keeper::create_incentive(tx, now, &new))
}

fn transfer(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((position, owner)) = draw.position(tx)? else { return Ok(None) };
    let (now, to, id) = (draw.now, draw.account()?, position.id);
    let authority =
        if draw.below(4) == 0 { Authority::Governance } else { Authority::Owner(&owner) };
    let done = run(tx, "transfer", is!(Locked | LastPosition), |tx| {
        keeper::transfer_positions(tx, now, authority, &[id], &to)
    })?;
    if done == Some(false) {
        return Ok(done);
    }
    let found = keeper::get_position(tx, id)?;
    let same = found.owner.as_bytes() == to.as_bytes() && found.join == position.join;
    check("transfer", same, || format!("{found:?} should belong to `{to}`"))?;
    Ok(done)
}
