//! Operations that must be rejected, each with its error.

use super::{Done, draw::Draw, refused};
use crate::{
    ErrorKind,
    keeper::{self, Addition, Authority, NewIncentive, NewPool, NewPosition, SwapIn},
    math::{Dec, Int, MIN_TICK},
};
use keyscape::{U256, store::Tx};
use keyscape_bank::{Coin, Coins};
use keyscape_sim::is;

/// Draws an operation that must be rejected.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    match draw.below(4) {
        0 => on_pools(tx, draw),
        1 => on_swaps(tx, draw),
        _ => on_positions(tx, draw),
    }
}

fn on_pools(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (pool, now) = (draw.pool(tx)?, draw.now);
    let (token0, token1) = (draw.denom("eth")?, draw.denom("usdc")?);
    let (token0, token1, id) = (&token0, &token1, pool.id);
    let good = NewPool { id, token0, token1, spacing: 100, spread_factor: Dec::ZERO };
    let (sender, coin) = (&draw.account()?, &"1eth".parse()?);
    let nothing = &Coin { denom: token0.clone(), amount: U256::ZERO };
    let incentive = NewIncentive { sender, pool: id, coin, rate: Dec::ONE, start: now, uptime: 1 };
    match draw.below(6) {
        0 => refused(tx, "create a pool twice", is!(PoolExists), |tx| {
            keeper::create_pool(tx, now, &good)
        }),
        1 => refused(tx, "create a pool of one denomination", is!(MatchingDenom), |tx| {
            keeper::create_pool(tx, now, &NewPool { id: 7, token1: token0, ..good })
        }),
        2 => refused(tx, "create a pool with a spacing of 3", is!(SpacingNotAllowed), |tx| {
            keeper::create_pool(tx, now, &NewPool { id: 7, spacing: 3, ..good })
        }),
        3 => refused(tx, "create an incentive of nothing", is!(IncentiveCoin), |tx| {
            keeper::create_incentive(tx, now, &NewIncentive { coin: nothing, ..incentive })
        }),
        4 => refused(tx, "create an incentive in the past", is!(StartTooEarly), |tx| {
            keeper::create_incentive(tx, now, &NewIncentive { start: now - 1, ..incentive })
        }),
        _ => refused(tx, "create an incentive with another uptime", is!(Uptime), |tx| {
            keeper::create_incentive(tx, now, &NewIncentive { uptime: 2, ..incentive })
        }),
    }
}

fn on_swaps(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (pool, sender, now) = (draw.pool(tx)?, draw.account()?, draw.now);
    if !pool.has_position() {
        return Ok(None);
    }
    let (denom_in, denom_out) = draw.tokens(&pool)?;
    let other = draw.denom("atom")?;
    let coin = Coin { denom: denom_in.clone(), amount: draw.amount() };
    let (sender, coin, min_out, price_limit) = (&sender, &coin, Int::ZERO, None);
    let swap = SwapIn { sender, pool: pool.id, coin, denom_out: &denom_out, min_out, price_limit };
    match draw.below(3) {
        0 => refused(tx, "swap in a missing pool", is!(PoolNotFound), |tx| {
            keeper::swap_in(tx, now, &SwapIn { pool: 3, ..swap })
        }),
        1 => refused(tx, "swap a coin for itself", is!(SameDenom), |tx| {
            keeper::swap_in(tx, now, &SwapIn { denom_out: &denom_in, ..swap })
        }),
        _ => refused(tx, "swap for a coin of no pool", is!(DenomNotInPool), |tx| {
            keeper::swap_in(tx, now, &SwapIn { denom_out: &other, ..swap })
        }),
    }
}

fn on_positions(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((position, owner)) = draw.position(tx)? else { return Ok(None) };
    let (now, id) = (draw.now, position.id);
    let stranger = draw.account_at(99)?;
    let atom: Coins = "1atom".parse()?;
    let usdc: Coins = "1usdc".parse()?;
    let (pool, lower, upper, none) = (position.pool, position.lower, position.upper, Int::ZERO);
    let new =
        NewPosition { owner: &owner, pool, tokens: &usdc, min0: none, min1: none, lower, upper };
    let add = Addition { amount0: none, amount1: none, min0: none, min1: none };
    let more = position.liquidity.plus(Dec::SMALLEST)?;
    match draw.below(9) {
        0 => refused(tx, "withdraw from the position of another account", is!(NotOwner), |tx| {
            keeper::withdraw_position(tx, now, &stranger, id, Dec::ONE)
        }),
        1 => refused(tx, "collect rewards of another account", is!(NotOwner), |tx| {
            keeper::collect_spread_rewards(tx, now, &stranger, &[id])
        }),
        2 => refused(tx, "transfer the position of another account", is!(OwnerMismatch), |tx| {
            keeper::transfer_positions(tx, now, Authority::Owner(&stranger), &[id], &owner)
        }),
        3 => refused(tx, "transfer a position twice", is!(DuplicatePosition), |tx| {
            keeper::transfer_positions(tx, now, Authority::Governance, &[id, id], &owner)
        }),
        4 => refused(tx, "withdraw too much", is!(InsufficientLiquidity | Locked), |tx| {
            keeper::withdraw_position(tx, now, &owner, id, more)
        }),
        5 => refused(tx, "add nothing to a position", is!(NothingAdded), |tx| {
            keeper::add_to_position(tx, now, &owner, id, &add)
        }),
        6 => refused(tx, "create a position of other coins", is!(NotAPoolToken), |tx| {
            keeper::create_position(tx, now, &NewPosition { tokens: &atom, ..new })
        }),
        7 => refused(tx, "create a position below all ticks", is!(TickOutOfBounds), |tx| {
            let lower = MIN_TICK - 1_000;
            keeper::create_position(tx, now, &NewPosition { lower, ..new })
        }),
        _ => refused(tx, "collect incentives of a missing position", is!(PositionNotFound), |tx| {
            keeper::collect_incentives(tx, now, &owner, &[u64::MAX])
        }),
    }
}
