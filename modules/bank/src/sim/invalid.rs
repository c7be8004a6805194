//! Invalid operations.

use super::{
    FEES, KEEPER, MINT, POOL,
    draw::{Draw, DrawnFrom},
    rules,
};
use crate::{
    Address, Coin, Coins, Error, ErrorKind, Keeper, Output, Permission, Rules, keeper,
    layout::bank::{BALANCES, SUPPLY},
    messages,
    vesting::Schedule,
};
use keyscape::{U256, store::Tx};
use keyscape_sim::{Fault, Unexpected, is, refused};

/// Draws and runs an operation that must be rejected.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let from = draw.address()?;
    match draw.below(15) {
        0 | 1 => too_much(tx, draw, &from),
        2 => second_coin_missing(tx, draw, &from),
        3 => unbalanced(tx, draw, &from),
        4 => nothing(tx, draw, &from),
        5 => blocked(tx, draw, &from),
        6 => switched_off(tx, draw, &from),
        7 => not_permitted(tx, draw, &from),
        8 => too_much_supply(tx, draw),
        9 => burnt_too_much(tx, draw),
        10 => delegated_too_much(tx, draw, &from),
        11 => undelegated_to_nobody(tx, draw),
        12 => rules::mint_restricted(tx, draw),
        13 => rules::blank_metadata(tx, draw),
        _ => account_exists(tx, draw, &from),
    }
}

fn coins(coin: Coin) -> Result<Coins, Error> {
    Ok(Coins::try_from(coin)?)
}

/// Sends one more than is spendable.
fn too_much(tx: &mut Tx<'_>, draw: &mut Draw, from: &Address<'_>) -> Result<(), Fault> {
    let (denom, now, to) = (draw.denom()?, draw.now(), draw.address()?);
    let amount = KEEPER.spendable_coin(tx, now, from, &denom)?.saturating_add(U256::ONE);
    let coins = coins(Coin { denom, amount })?;
    let operation = format!("send {coins}, which is one too much for `{from}`");
    refused(tx, &operation, is!(Insufficient), |tx| KEEPER.send(tx, now, from, &to, &coins))
}

/// Sends a coin that exists, and one more than the balance of a later denomination.
fn second_coin_missing(tx: &mut Tx<'_>, draw: &mut Draw, from: &Address<'_>) -> Result<(), Fault> {
    let (now, to) = (draw.now(), draw.new_address()?);
    let mut coins = draw.coins_of(tx, from, DrawnFrom::Spendable)?;
    let last = crate::Denom::new("zzz")?;
    coins.set(&last, U256::ONE);
    let operation = format!("send {coins}, of which `{from}` has no `zzz`");
    refused(tx, &operation, is!(Insufficient), |tx| KEEPER.send(tx, now, from, &to, &coins))
}

fn unbalanced(tx: &mut Tx<'_>, draw: &mut Draw, from: &Address<'_>) -> Result<(), Fault> {
    let (now, to) = (draw.now(), draw.address()?);
    let coin = draw.coin()?;
    let more = Coin { denom: coin.denom.clone(), amount: coin.amount.saturating_add(U256::ONE) };
    let (input, outputs) = (coins(coin)?, [Output { to, coins: coins(more)? }]);
    let operation = format!("a multi-send of {input} with one more in its output");
    refused(tx, &operation, is!(Unbalanced), |tx| {
        KEEPER.multi_send(tx, now, from, &input, &outputs)
    })
}

fn nothing(tx: &mut Tx<'_>, draw: &mut Draw, from: &Address<'_>) -> Result<(), Fault> {
    let (now, to) = (draw.now(), keeper::module_address(FEES)?);
    let none = Coins::none();
    let operation = "a message that sends nothing";
    each_message(tx, &KEEPER, now, (from, &to, &none), operation, is!(NoCoins))?;
    // For modules, an empty list moves nothing. The recipient has an account.
    let before = tx.changes().clone();
    KEEPER.send(tx, now, from, &to, &none)?;
    KEEPER.mint(tx, MINT, &none)?;
    KEEPER.burn(tx, POOL, &none)?;
    if tx.changes().iter().eq(before.iter()) {
        return Ok(());
    }
    Err(Unexpected::Trace { operation: "an operation of modules without coins".to_owned() }.into())
}

fn blocked(tx: &mut Tx<'_>, draw: &mut Draw, from: &Address<'_>) -> Result<(), Fault> {
    let (now, fees) = (draw.now(), keeper::module_address(FEES)?);
    let bank = Keeper::new(Rules::default().with_blocked(fees.clone()));
    // No operation disables this denomination.
    let coins = coins(Coin::new("zzz", 1_u32)?)?;
    let operation = format!("a message that sends {coins} to a blocked address");
    each_message(tx, &bank, now, (from, &fees, &coins), &operation, is!(Blocked))
}

/// Runs each kind of message that moves coins: all must be rejected for the same reason.
fn each_message(
    tx: &mut Tx<'_>,
    bank: &Keeper,
    now: i64,
    (from, to, coins): (&Address<'_>, &Address<'static>, &Coins),
    operation: &str,
    reason: impl Fn(&ErrorKind) -> bool,
) -> Result<(), Fault> {
    refused(tx, operation, &reason, |tx| messages::send(tx, bank, now, from, to, coins))?;
    let outputs = [Output { to: to.clone(), coins: coins.clone() }];
    refused(tx, operation, &reason, |tx| {
        messages::multi_send(tx, bank, now, from, coins, &outputs)
    })?;
    refused(tx, operation, &reason, |tx| {
        let schedule = Schedule::Permanent;
        messages::create_vesting_account(tx, bank, now, from, to, coins, schedule)
    })
}

/// Sends a denomination that is disabled first.
fn switched_off(tx: &mut Tx<'_>, draw: &mut Draw, from: &Address<'_>) -> Result<(), Fault> {
    let (now, to, coin) = (draw.now(), draw.address()?, draw.coin()?);
    let denom = coin.denom.clone();
    let coins = coins(coin)?;
    let checkpoint = tx.checkpoint();
    keeper::set_send_enabled(tx, &denom, Some(false))?;
    let operation = format!("a message that sends {coins}, which is disabled");
    let tried = each_message(tx, &KEEPER, now, (from, &to, &coins), &operation, is!(SendDisabled));
    tx.rollback_to(checkpoint)?;
    tx.release(checkpoint)?;
    tried
}

fn not_permitted(tx: &mut Tx<'_>, draw: &mut Draw, from: &Address<'_>) -> Result<(), Fault> {
    let (now, coins) = (draw.now(), coins(draw.coin()?)?);
    let lacks = |wanted: Permission| move |kind: &ErrorKind| matches!(kind, ErrorKind::NotPermitted { permission, .. } if *permission == wanted);
    refused(tx, format!("{FEES} mints {coins}"), lacks(Permission::Minter), |tx| {
        KEEPER.mint(tx, FEES, &coins)
    })?;
    refused(tx, format!("{MINT} burns {coins}"), lacks(Permission::Burner), |tx| {
        KEEPER.burn(tx, MINT, &coins)
    })?;
    refused(tx, format!("delegate {coins} to {FEES}"), lacks(Permission::Staking), |tx| {
        KEEPER.delegate(tx, now, from, FEES, &coins)
    })?;
    refused(tx, format!("nobody mints {coins}"), is!(NoModule), |tx| {
        KEEPER.mint(tx, "nobody", &coins)
    })
}

/// Mints an amount that would make the supply exceed 256 bits.
fn too_much_supply(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    // The first denomination with a supply, starting at a drawn one.
    let from = draw.denom()?;
    let found = match SUPPLY.prefix_all().range(from..).first(tx)? {
        None => SUPPLY.prefix_all().first(tx)?,
        found => found,
    };
    let Some((key, _)) = found else { return burnt_too_much(tx, draw) };
    let coins = coins(Coin { denom: key.denom, amount: U256::MAX })?;
    let reason = |kind: &ErrorKind| matches!(kind, ErrorKind::Overflow { what: "supply", .. });
    refused(tx, format!("mint {coins}"), reason, |tx| KEEPER.mint(tx, MINT, &coins))
}

fn burnt_too_much(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let (denom, pool) = (draw.denom()?, keeper::module_address(POOL)?);
    let amount = keeper::get_balance(tx, &pool, &denom)?.saturating_add(U256::ONE);
    let coins = coins(Coin { denom, amount })?;
    refused(tx, format!("burn {coins}"), is!(Insufficient), |tx| KEEPER.burn(tx, POOL, &coins))
}

fn delegated_too_much(tx: &mut Tx<'_>, draw: &mut Draw, from: &Address<'_>) -> Result<(), Fault> {
    let (denom, now) = (draw.denom()?, draw.now());
    let amount = keeper::get_balance(tx, from, &denom)?.saturating_add(U256::ONE);
    let coins = coins(Coin { denom, amount })?;
    let operation = format!("delegate {coins} of `{from}`");
    refused(tx, &operation, is!(Insufficient), |tx| KEEPER.delegate(tx, now, from, POOL, &coins))
}

fn undelegated_to_nobody(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let (pool, to) = (keeper::module_address(POOL)?, draw.new_address()?);
    let Some((key, _)) = BALANCES.prefix_owner(&pool).first(tx)? else {
        return burnt_too_much(tx, draw);
    };
    let coins = coins(Coin { denom: key.denom, amount: U256::ONE })?;
    let operation = format!("undelegate {coins} to an address without an account");
    refused(tx, &operation, is!(NoAccount), |tx| KEEPER.undelegate(tx, POOL, &to, &coins))
}

/// Creates accounts that already exist, and one whose schedule ends before it starts.
fn account_exists(tx: &mut Tx<'_>, draw: &mut Draw, from: &Address<'_>) -> Result<(), Fault> {
    let (now, fees) = (draw.now(), keeper::module_address(FEES)?);
    let coins = coins(draw.coin()?)?;
    let operation = format!("a vesting account at `{fees}`");
    let reason = is!(AccountExists);
    refused(tx, &operation, reason, |tx| {
        let schedule = Schedule::Permanent;
        KEEPER.create_vesting_account(tx, now, from, &fees, &coins, schedule)
    })?;
    refused(tx, format!("an account at `{fees}`"), reason, |tx| KEEPER.create_account(tx, &fees))?;
    let to = draw.new_address()?;
    let reason = is!(Vesting);
    refused(tx, "a vesting account that ends as it begins", reason, |tx| {
        let schedule = Schedule::Continuous { start: now, end: now };
        KEEPER.create_vesting_account(tx, now, from, &to, &coins, schedule)
    })?;
    let end = -i64::try_from(draw.below(3)).unwrap_or_default();
    refused(tx, format!("a vesting account that ends at {end}"), reason, |tx| {
        let schedule = Schedule::Delayed { end };
        KEEPER.create_vesting_account(tx, now, from, &to, &coins, schedule)
    })
}
