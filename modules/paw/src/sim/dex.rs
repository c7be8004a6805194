//! Operations of the exchange.

use super::{Done, Fault, attempt, check, draw::Draw, is, is_poor, never, refused, run};
use crate::{
    Error, ErrorKind, invariants,
    keeper::dex::{self, Amounts, Outcome, Swap},
    layout::paw::{NEXT_POOL, PROTOCOL_FEES, SHARES},
    values::Pool,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    match draw.below(20) {
        0 | 1 => create(tx, draw),
        2..6 => liquidity(tx, draw),
        6..8 => claim(tx, draw),
        8..15 => swap(tx, draw),
        15..17 => loan(tx, draw),
        17 => governance(tx, draw),
        _ => look(tx, draw),
    }
}

fn pool(state: &(impl Read + ?Sized), draw: &mut Draw) -> Result<Option<(u64, Pool)>, Fault> {
    let count = NEXT_POOL.peek(state)?.saturating_sub(1);
    if count == 0 {
        return Ok(None);
    }
    let id = 1 + draw.below(count);
    Ok(Some((id, dex::get_pool(state, id)?)))
}

fn create(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (block, account) = (draw.block, draw.account()?);
    let (one, other) = (draw.token()?, draw.token()?);
    let deposit = |draw: &mut Draw| U256::from(1_000 + draw.below(1_000_000_000));
    let (a, b) = (deposit(draw), deposit(draw));
    let make =
        |tx: &mut Tx<'_>| dex::create_pool(tx, block, &account, (&one, a), (&other, b)).map(drop);
    let existing = dex::find_pool(tx, &one, &other)?;
    if one == other {
        return refused(tx, "one token", is!(Invalid), make);
    }
    if existing.is_some() {
        return refused(tx, "second pool", is!(PoolExists), make);
    }
    let done = run(tx, "create pool", is_poor, make)?;
    let (there, back) = (dex::find_pool(tx, &one, &other)?, dex::find_pool(tx, &other, &one)?);
    let is_found = there == back && there.is_some() == (done == Some(true));
    check("create pool", is_found, || format!("{there:?} and {back:?}"))?;
    Ok(done)
}

fn liquidity(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((id, pool)) = pool(tx, draw)? else { return Ok(None) };
    let (block, account) = (draw.block, draw.account()?);
    if draw.chance(2) {
        let most = Amounts { a: draw.amount(pool.reserve_a), b: draw.amount(pool.reserve_b) };
        let may = |kind: &ErrorKind| is!(PoolPaused | Invalid | Overflow)(kind) || is_poor(kind);
        let added = attempt(tx, "add", may, |tx| {
            dex::add_liquidity(tx, block, id, &account, most, U256::ONE)
        })?;
        let Some((shares, used)) = added else { return Ok(Some(false)) };
        check("add", used.a <= most.a && used.b <= most.b, || format!("{used:?} of {most:?}"))?;
        // The same shares are never worth more than they have cost.
        let worth = |reserve: U256, used: U256| {
            let (reserve, total) = (reserve + used, pool.shares + shares);
            shares * reserve / total <= used
        };
        let no_gain = worth(pool.reserve_a, used.a) && worth(pool.reserve_b, used.b);
        check("add", no_gain, || format!("{shares} shares for {used:?}"))?;
        return refused(tx, "remove at once", is!(TooSoon), |tx| {
            dex::remove_liquidity(tx, block, id, &account, shares, Amounts::default())
        });
    }
    let from = SHARES.prefix_pool(id).range(account.by_ref()..).first(tx)?;
    let Some((key, owned)) = from else { return Ok(None) };
    let removed = draw.amount(owned);
    let may = is!(PoolPaused | TooSoon | Reserve);
    run(tx, "remove", may, |tx| {
        dex::remove_liquidity(tx, block, id, &key.provider, removed, Amounts::default())
    })
}

fn claim(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((id, _)) = pool(tx, draw)? else { return Ok(None) };
    let (block, account) = (draw.block, draw.account()?);
    if dex::get_shares(tx, id, &account)? == U256::ZERO {
        return refused(tx, "claim", is!(Shares), |tx| dex::claim_fees(tx, block, id, &account));
    }
    let expected = dex::claimable_fees(tx, id, &account)?;
    let paid = attempt(tx, "claim", never, |tx| dex::claim_fees(tx, block, id, &account))?;
    check("claim", paid == Some(expected), || format!("{paid:?}, not {expected:?}"))?;
    let left = dex::claimable_fees(tx, id, &account)?;
    check("claim", left == Amounts::default(), || format!("{left:?} is left"))?;
    Ok(Some(true))
}

fn swap(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((id, before)) = pool(tx, draw)? else { return Ok(None) };
    let (block, account) = (draw.block, draw.account()?);
    let is_a = draw.chance(2);
    let (token, reserve) = if is_a {
        (before.token_a.clone(), before.reserve_a)
    } else {
        (before.token_b.clone(), before.reserve_b)
    };
    let amount_in = draw.amount(reserve / 9);
    let quoted = dex::quote(tx, id, &token, amount_in).ok();
    let min_out = if draw.chance(10) { U256::MAX } else { U256::ZERO };
    let order = Swap { pool: id, trader: &account, token_in: &token, amount_in, min_out };
    let may =
        |kind: &ErrorKind| is!(PoolPaused | Invalid | Slippage | Reserve)(kind) || is_poor(kind);
    let outcome = attempt(tx, "swap", may, |tx| dex::swap(tx, block, &order))?;
    let after = dex::get_pool(tx, id)?;
    let broken = invariants::product_never_falls(id, &before, &after);
    check("swap", broken.is_empty(), || format!("{broken:?}"))?;
    match outcome {
        Some(Outcome::Done(out)) => {
            check("swap", quoted == Some(out), || format!("{out}, not {quoted:?}"))?;
            Ok(Some(true))
        }
        Some(Outcome::Paused { until }) => {
            check("swap", after == before, || "a paused pool has changed".to_owned())?;
            let breaker = dex::get_breaker(tx, id)?;
            check("swap", breaker.paused_until == until, || format!("{breaker:?}"))?;
            refused(tx, "swap in a pause", is!(PoolPaused), |tx| dex::swap(tx, block, &order))
        }
        None => Ok(Some(false)),
    }
}

/// Borrows from a pool. During the loan, every operation on the same pool is rejected.
fn loan(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((id, pool)) = pool(tx, draw)? else { return Ok(None) };
    let (block, account) = (draw.block, draw.account()?);
    let amount = draw.amount(pool.reserve_a);
    let inner = draw.below(3);
    let mut is_locked = false;
    let may = |kind: &ErrorKind| is!(PoolPaused)(kind) || is_poor(kind);
    let fee = attempt(tx, "loan", may, |tx| {
        dex::flash_loan(tx, block, id, &account, &pool.token_a, amount, |tx| {
            let most = Amounts { a: amount, b: amount };
            let result: Result<(), Error> = match inner {
                0 => dex::add_liquidity(tx, block, id, &account, most, U256::ONE).map(drop),
                1 => dex::claim_fees(tx, block, id, &account).map(drop),
                _ => dex::swap(
                    tx,
                    block,
                    &Swap {
                        pool: id,
                        trader: &account,
                        token_in: &pool.token_a,
                        amount_in: U256::ONE,
                        min_out: U256::ZERO,
                    },
                )
                .map(drop),
            };
            is_locked = result.is_err_and(|error| is!(PoolLocked)(error.kind()));
            Ok(())
        })
    })?;
    let Some(fee) = fee else { return Ok(Some(false)) };
    check("loan", is_locked && fee > U256::ZERO, || "an operation ran inside a loan".to_owned())?;
    let after = dex::get_pool(tx, id)?;
    let same = (after.reserve_a, after.reserve_b) == (pool.reserve_a, pool.reserve_b);
    check("loan", same, || format!("{after:?}"))?;
    Ok(Some(true))
}

fn governance(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((id, _)) = pool(tx, draw)? else { return Ok(None) };
    let (block, governance, account) = (draw.block, draw.governance()?, draw.account()?);
    let token = draw.token()?;
    match draw.below(6) {
        0 => run(tx, "pause", never, |tx| {
            dex::pause_pool(tx, block, &governance, id, block.time + 20)
        }),
        1 => run(tx, "resume", never, |tx| dex::resume_pool(tx, block, &governance, id)),
        2 => {
            let expected = PROTOCOL_FEES.get(tx, &token)?.unwrap_or(U256::ZERO);
            let paid = attempt(tx, "collect", never, |tx| {
                dex::collect_protocol_fees(tx, block, &governance, &token, &account)
            })?;
            check("collect", paid == Some(expected), || format!("{paid:?}, not {expected}"))?;
            Ok(Some(true))
        }
        3 => {
            let params = dex::params(tx)?;
            run(tx, "parameters", never, |tx| dex::set_params(tx, &governance, &params))
        }
        _ => refused(tx, "collect", is!(Unauthorized), |tx| {
            dex::collect_protocol_fees(tx, block, &account, &token, &account)
        }),
    }
}

/// Checks that the average over a time without changes is the price.
fn look(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((id, _)) = pool(tx, draw)? else { return Ok(None) };
    let now = draw.block;
    let later = crate::Block { time: now.time + 100, ..now };
    let (first, last) = (dex::observe(tx, now, id)?, dex::observe(tx, later, id)?);
    let (average, price) = (dex::average_price(&first, &last), dex::spot_price(tx, id)?);
    check("average", average == Some(price), || format!("{average:?}, not {price}"))?;
    Ok(Some(true))
}
