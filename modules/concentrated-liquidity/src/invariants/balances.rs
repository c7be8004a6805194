//! Coins in the accounts of pools.

use super::{Broken, pools};
use crate::{
    Error,
    keeper::{self, incentives_at_last_update, unpaid},
    layout::concentratedliquidity::TOTAL_LIQUIDITY,
    math::{self, Int},
    values::Pool,
};
use keyscape::{U256, store::Read};
use keyscape_bank::{Address, Denom, keeper as bank};
use keyscape_sim::Breaches;
use std::collections::BTreeMap;

/// Checks that the total of a denomination covers all possible withdrawals, and is at most the sum
/// of the pools' accounts. The accounts contain more if somebody has sent coins to them.
///
/// The total exceeds the withdrawals by the amounts that operations have rounded in favour of the
/// pools. The state does not count operations, so no upper bound of the difference can be checked
/// here.
///
/// # Errors
/// Errors of the database.
pub fn total_liquidity(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("total liquidity");
    let (mut held, mut owed) = (Amounts::new(), Amounts::new());
    for id in pools(state)? {
        let pool = keeper::get_pool(state, id)?;
        let [account, ..] = keeper::pool_addresses(id)?;
        for token in [&pool.token0, &pool.token1] {
            add(&mut held, token, Int::from(balance(state, &account, token)?))?;
        }
        for (denom, amount) in withdrawals(state, &pool)? {
            add(&mut owed, &denom, amount)?;
        }
    }
    for row in TOTAL_LIQUIDITY.scan_all(state)? {
        let (key, total) = row?;
        let denom = key.denom.as_str();
        let (held, owed) =
            (held.get(denom).copied().unwrap_or_default(), owed.remove(denom).unwrap_or_default());
        let total = Int::from(total);
        breaches.unless((owed..=held).contains(&total), || {
            format!("`{denom}` is {total}, expected {owed} to {held}")
        });
    }
    for (denom, owed) in owed.into_iter().filter(|(_, owed)| owed.is_positive()) {
        breaches.add(format_args!("`{denom}` is missing, expected at least {owed}"));
    }
    Ok(breaches.reported())
}

/// Checks that the accounts of a pool cover all possible withdrawals, all spread rewards and
/// incentives that positions can claim, and the unpaid incentives.
///
/// # Errors
/// Errors of the database.
pub fn pool_balances(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("pool balances");
    for id in pools(state)? {
        let pool = keeper::get_pool(state, id)?;
        let accounts = keeper::pool_addresses(id)?;
        let owed = [
            ("liquidity", withdrawals(state, &pool)?),
            ("incentives", incentives(state, &pool)?),
            ("spread rewards", spread(state, &pool)?),
        ];
        for (account, (name, owed)) in accounts.iter().zip(owed) {
            for (denom, owed) in owed {
                let held = Int::from(balance(state, account, &denom)?);
                breaches.unless(held >= owed, || {
                    format!(
                        "`{denom}` of the {name} of pool {id} is {held}, expected at least {owed}"
                    )
                });
            }
        }
    }
    Ok(breaches.reported())
}

/// Amounts by denomination.
type Amounts = BTreeMap<String, Int>;

fn add(sums: &mut Amounts, denom: &str, amount: Int) -> Result<(), Error> {
    let sum = sums.entry(denom.to_owned()).or_default();
    *sum = sum.plus(amount)?;
    Ok(())
}

/// Returns the amounts that the positions of a pool can withdraw.
fn withdrawals(state: &(impl Read + ?Sized), pool: &Pool) -> Result<Amounts, Error> {
    let mut owed = Amounts::new();
    for position in keeper::positions_in(state, pool.id)? {
        let range = (position.lower, position.upper);
        let all = position.liquidity.negated();
        let (amount0, amount1) = math::position_amounts(pool.tick, pool.sqrt_price, range, all)?;
        add(&mut owed, &pool.token0, amount0.truncate()?.negated())?;
        add(&mut owed, &pool.token1, amount1.truncate()?.negated())?;
    }
    Ok(owed)
}

/// Returns the spread rewards that the positions of a pool can claim.
fn spread(state: &(impl Read + ?Sized), pool: &Pool) -> Result<Amounts, Error> {
    let mut owed = Amounts::new();
    for position in keeper::pool_positions(state, pool.id)? {
        for coin in &keeper::claimable_spread_rewards(state, position)? {
            add(&mut owed, coin.denom.as_str(), Int::from(coin.amount))?;
        }
    }
    Ok(owed)
}

/// Returns the incentives that the positions of a pool can claim as of its last update, and the
/// unpaid incentives. An invariant does not know the current time.
fn incentives(state: &(impl Read + ?Sized), pool: &Pool) -> Result<Amounts, Error> {
    let mut owed = Amounts::new();
    for position in keeper::positions_in(state, pool.id)? {
        let now = pool.last_update.max(position.join);
        let claim = incentives_at_last_update(state, now, pool, &position)?;
        for coin in claim.collected.iter().chain(claim.forfeited.iter()) {
            add(&mut owed, coin.denom.as_str(), Int::from(coin.amount))?;
        }
    }
    for (_, _, body) in keeper::incentives(state, pool.id)? {
        add(&mut owed, &body.remaining.denom, unpaid(&body)?)?;
    }
    Ok(owed)
}

fn balance(
    state: &(impl Read + ?Sized),
    account: &Address<'_>,
    denom: &str,
) -> Result<U256, Error> {
    Ok(bank::get_balance(state, account, &Denom::new(denom)?)?)
}
