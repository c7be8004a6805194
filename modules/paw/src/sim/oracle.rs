//! Operations of the oracle.

use super::{
    Done, Fault, attempt, check,
    draw::{self, Draw},
    is, is_poor, never, refused, run,
};
use crate::{
    ErrorKind,
    keeper::oracle,
    layout::paw::{Account, FEEDERS, PREVOTES, PRICES, Token, VALIDATORS},
    values::PriceVote,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    match draw.below(24) {
        0..3 => stake(tx, draw),
        3..21 => vote(tx, draw),
        21 => pause(tx, draw),
        22 => invalid(tx, draw),
        _ => look(tx, draw),
    }
}

fn stake(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (block, account) = (draw.block, draw.account()?);
    let amount = U256::from(1_000_000 + draw.below(3_000_000));
    if !VALIDATORS.contains(tx, &account)? {
        let may = |kind: &ErrorKind| is!(Invalid)(kind) || is_poor(kind);
        return run(tx, "register", may, |tx| oracle::register(tx, block, &account, amount));
    }
    let stake = oracle::get_stake(tx, &account)?;
    match draw.below(5) {
        0 => run(tx, "bond", is_poor, |tx| oracle::bond(tx, block, &account, amount)),
        1 => {
            let part = if draw.chance(3) { stake } else { draw.amount(stake) };
            run(tx, "unbond", is!(Missed), |tx| oracle::unbond(tx, block, &account, part))
        }
        2 => refused(tx, "register twice", is!(AlreadyRegistered), |tx| {
            oracle::register(tx, block, &account, amount)
        }),
        _ => {
            let feeder = draw.account()?;
            run(tx, "feeder", is!(NoValidator), |tx| oracle::set_feeder(tx, &account, &feeder))
        }
    }
}

fn validator(
    state: &(impl Read + ?Sized),
    draw: &mut Draw,
) -> Result<Option<(Account<'static>, Account<'static>)>, Fault> {
    let from = draw.account()?;
    let row = match VALIDATORS.prefix_all().range(from..).first(state)? {
        Some(row) => Some(row),
        None => VALIDATORS.prefix_all().first(state)?,
    };
    let Some((key, _)) = row else { return Ok(None) };
    let feeder = match FEEDERS.get(state, &key.validator)? {
        Some(feeder) => Account::new(feeder)?,
        None => key.validator.clone(),
    };
    Ok(Some((key.validator, feeder)))
}

/// Returns the vote of a validator that commits in a period.
fn vote_of(
    draw: &Draw,
    validator: &Account<'_>,
    period: u64,
) -> Result<([u8; 32], Vec<PriceVote>), Fault> {
    let mut salt = [7; 32];
    salt[..8].copy_from_slice(&period.to_be_bytes());
    let mut prices = Vec::new();
    for (index, asset) in (0..).zip(draw::ASSETS) {
        let price = draw.price_of(validator, index, period);
        prices.push(PriceVote { asset: Token::new(asset)?, price });
    }
    Ok((salt, prices))
}

/// Reveals a vote if possible, otherwise commits to one.
fn vote(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let Some((validator, feeder)) = validator(tx, draw)? else { return Ok(None) };
    let block = draw.block;
    let period = block.height / oracle::params(tx)?.vote_period;
    let may = is!(OraclePaused | NoValidator);
    let open = PREVOTES.get(tx, &validator)?;
    if let Some(open) = open.filter(|open| open.period + 1 == period) {
        let (salt, mut prices) = vote_of(draw, &validator, open.period)?;
        if draw.chance(8) {
            if let Some(first) = prices.first_mut() {
                first.price += 1;
            }
            let reason = is!(Hash | OraclePaused | NoValidator);
            return refused(tx, "another vote", reason, |tx| {
                oracle::reveal(tx, block, &feeder, &validator, &salt, prices)
            });
        }
        return run(tx, "reveal", may, |tx| {
            oracle::reveal(tx, block, &feeder, &validator, &salt, prices)
        });
    }
    let (salt, prices) = vote_of(draw, &validator, period)?;
    let hash = oracle::vote_hash(&salt, &prices, &validator);
    if draw.chance(10) {
        let stranger = draw.governance()?;
        let reason = is!(Unauthorized | OraclePaused | NoValidator);
        return refused(tx, "stranger", reason, |tx| {
            oracle::prevote(tx, block, &stranger, &validator, hash)
        });
    }
    run(tx, "prevote", may, |tx| oracle::prevote(tx, block, &feeder, &validator, hash))
}

/// Pauses only for short times, so most periods have a tally.
fn pause(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (block, governance) = (draw.block, draw.governance()?);
    if oracle::is_paused(tx)? {
        let again = attempt(tx, "pause twice", is!(OraclePaused), |tx| {
            oracle::emergency_pause(tx, block, &governance, "again")
        })?;
        check("pause twice", again.is_none(), || "a pause was overwritten".to_owned())?;
        return run(tx, "resume", never, |tx| oracle::resume(tx, block, &governance));
    }
    if draw.chance(4) {
        return run(tx, "pause", never, |tx| {
            oracle::emergency_pause(tx, block, &governance, "simulated")
        });
    }
    refused(tx, "resume", is!(NotPaused), |tx| oracle::resume(tx, block, &governance))
}

fn invalid(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (block, account) = (draw.block, draw.account()?);
    let params = oracle::params(tx)?;
    match draw.below(3) {
        0 => refused(tx, "pause", is!(Unauthorized), |tx| {
            oracle::emergency_pause(tx, block, &account, "mine")
        }),
        1 => {
            let governance = draw.governance()?;
            run(tx, "parameters", never, |tx| oracle::set_params(tx, block, &governance, &params))
        }
        _ => {
            let reason = is!(Unauthorized);
            refused(tx, "parameters", reason, |tx| oracle::set_params(tx, block, &account, &params))
        }
    }
}

/// Checks that an average is between the smallest and the largest price that a validator can vote
/// for.
fn look(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let asset = draw.pick(&draw::ASSETS).unwrap_or("BTC");
    let asset = Token::new(asset)?;
    if !PRICES.contains(tx, &asset)? {
        return refused(tx, "price", is!(NoPrice), |tx| oracle::get_price(tx, &asset));
    }
    let price = oracle::get_price(tx, &asset)?.price;
    let (block, blocks) = (draw.block, 1 + draw.below(60));
    let may = is!(NoPrice);
    let average =
        attempt(tx, "average", may, |tx| oracle::average_price(tx, block, &asset, blocks))?;
    let is_near = average.is_none_or(|average| average <= price * 4 && average >= price / 4);
    check("average", is_near, || format!("{average:?} is far from {price}"))?;
    Ok(Some(average.is_some()))
}
