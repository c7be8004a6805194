//! Valid operations.

use super::{
    KEEPER, MINT, POOL,
    draw::{Draw, DrawnFrom},
    expect::{Expect, delegated},
    reads, rules,
};
use crate::{
    AccountKind, Address, BadAccount, BaseAccount, Coins, Error, Metadata, Output, keeper,
    layout::acc::NEXT_ACCOUNT_NUMBER, messages, values::DenomUnit,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use keyscape_sim::{Fault, done, same};

/// Draws and runs an operation, and checks its effects. If no account has the coins for the
/// operation, mints some instead. Returns the number of operations.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<u64, Fault> {
    let done = match draw.below(100) {
        0..40 => send(tx, draw)?,
        40..52 => multi_send(tx, draw)?,
        52..66 => delegate(tx, draw)?,
        66..76 => undelegate(tx, draw)?,
        76..82 => vesting_account(tx, draw)?,
        82..86 => slash(tx, draw)?,
        86..90 => send_enabled(tx, draw)?,
        90..92 => metadata(tx, draw)?,
        92..94 => account(tx, draw)?,
        94..96 => reads::operation(tx, draw)?,
        96 => rules::late_module(tx, draw)?,
        97 => rules::foreign(tx, draw)?,
        98 => rules::operation(tx, draw)?,
        _ => false,
    };
    if done { Ok(1) } else { fund(tx, draw) }
}

/// Mints coins and sends them to an account.
fn fund(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<u64, Fault> {
    let mint = keeper::module_address(MINT)?;
    let coins = Coins::try_from(draw.coin()?)?;
    let mut expect = Expect::default();
    expect.give(tx, &mint, &coins)?;
    expect.supply(tx, &coins, U256::saturating_add)?;
    expect.done(tx, format!("mint {coins}"), |tx| KEEPER.mint(tx, MINT, &coins))?;
    let to = draw.address()?;
    sent(tx, draw, &mint, &to, &coins)?;
    Ok(2)
}

/// Sends spendable coins with the keeper.
pub(super) fn sent(
    tx: &mut Tx<'_>,
    draw: &Draw,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
) -> Result<(), Fault> {
    let expect = Expect::transfer(tx, from, to, coins)?;
    let operation = format!("send {coins} from `{from}` to `{to}`");
    expect.done(tx, &operation, |tx| KEEPER.send(tx, draw.now(), from, to, coins))?;
    let there = keeper::has_account(tx, to)?;
    same(&operation, format!("whether `{to}` has an account"), &true, &there)
}

/// Sends coins to another account or to the same one. Uses a message if the coins may be sent,
/// otherwise the keeper.
fn send(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    let Some((from, coins)) = draw.holder(tx, DrawnFrom::Spendable)? else { return Ok(false) };
    let to = if draw.below(16) == 0 { from.clone() } else { draw.address()? };
    if !may_be_sent(tx, &coins)? {
        return sent(tx, draw, &from, &to, &coins).map(|()| true);
    }
    let expect = Expect::transfer(tx, &from, &to, &coins)?;
    let operation = format!("a message that sends {coins} from `{from}` to `{to}`");
    let now = draw.now();
    expect.done(tx, &operation, |tx| messages::send(tx, &KEEPER, now, &from, &to, &coins))?;
    Ok(true)
}

/// Whether users may send these coins.
fn may_be_sent(state: &impl Read, coins: &Coins) -> Result<bool, Error> {
    for coin in coins {
        if !keeper::is_send_enabled(state, &coin.denom)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Sends with a message or with the keeper. A message needs coins that may be sent.
fn multi_send(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    let Some((from, input)) = draw.holder(tx, DrawnFrom::Spendable)? else { return Ok(false) };
    let mut left = input.clone();
    let mut outputs = Vec::new();
    for _ in 0..1 + draw.below(4) {
        let mut coins = Coins::none();
        for coin in &left {
            if draw.below(2) == 0 {
                let amount = draw.amount(coin.amount);
                coins.set(&coin.denom, amount);
            }
        }
        if !coins.is_empty() {
            left = left.without(&coins);
            outputs.push(Output { to: draw.address()?, coins });
        }
    }
    if !left.is_empty() {
        outputs.push(Output { to: draw.address()?, coins: left });
    }
    let mut expect = Expect::default();
    expect.take(tx, &from, &input)?;
    for output in &outputs {
        expect.give(tx, &output.to, &output.coins)?;
    }
    let message = may_be_sent(tx, &input)? && draw.below(2) == 0;
    let by = if message { "a message" } else { "the keeper" };
    let operation = format!("{by} sends {input} from `{from}` to {} others", outputs.len());
    let now = draw.now();
    expect.done(tx, &operation, |tx| match message {
        true => messages::multi_send(tx, &KEEPER, now, &from, &input, &outputs),
        false => KEEPER.multi_send(tx, now, &from, &input, &outputs),
    })?;
    Ok(true)
}

/// Delegates coins, including locked ones.
fn delegate(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    let Some((from, coins)) = draw.holder(tx, DrawnFrom::All)? else { return Ok(false) };
    let now = draw.now();
    let (pool, before) = (keeper::module_address(POOL)?, delegated(tx, &from)?);
    let locked = KEEPER.locked_coins(tx, now, &from)?;
    let expect = Expect::transfer(tx, &from, &pool, &coins)?;
    let operation = format!("delegate {coins} of `{from}`");
    expect.done(tx, &operation, |tx| KEEPER.delegate(tx, now, &from, POOL, &coins))?;
    let (Some((free, vesting)), Some(after)) = (before, delegated(tx, &from)?) else {
        return Ok(true);
    };
    // Locked coins are delegated first.
    let unlocked = coins.without(&locked);
    same(&operation, "the free delegation", &free.plus(&unlocked)?, &after.0)?;
    let expected = vesting.plus(&coins.without(&unlocked))?;
    same(&operation, "the vesting delegation", &expected, &after.1)?;
    Ok(true)
}

/// Undelegates from the pool, sometimes more than the account has delegated.
fn undelegate(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    let pool = keeper::module_address(POOL)?;
    let (coins, to) = (draw.coins_of(tx, &pool, DrawnFrom::All)?, draw.account(tx)?);
    let Some(to) = to.filter(|_| !coins.is_empty()) else { return Ok(false) };
    let before = delegated(tx, &to)?;
    let expect = Expect::transfer(tx, &pool, &to, &coins)?;
    let operation = format!("undelegate {coins} to `{to}`");
    expect.done(tx, &operation, |tx| KEEPER.undelegate(tx, POOL, &to, &coins))?;
    let (Some((free, vesting)), Some(after)) = (before, delegated(tx, &to)?) else {
        return Ok(true);
    };
    // Free coins return first. An amount above both delegations is not recorded.
    let rest = coins.without(&free);
    same(&operation, "the free delegation", &free.without(&coins), &after.0)?;
    same(&operation, "the vesting delegation", &vesting.without(&rest), &after.1)?;
    Ok(true)
}

fn vesting_account(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    if !draw.room_for_accounts(tx)? {
        return Ok(false);
    }
    let Some((from, coins)) = draw.holder(tx, DrawnFrom::Spendable)? else { return Ok(false) };
    let (to, schedule, now) = (draw.new_address()?, draw.schedule(&coins), draw.now());
    let expect = Expect::transfer(tx, &from, &to, &coins)?;
    let message = may_be_sent(tx, &coins)? && draw.below(2) == 0;
    let by = if message { "a message" } else { "the keeper" };
    let operation = format!("{by} makes `{to}`, in which {coins} vest as {schedule:?}");
    let plan = schedule.clone();
    expect.done(tx, &operation, |tx| match message {
        true => messages::create_vesting_account(tx, &KEEPER, now, &from, &to, &coins, plan),
        false => KEEPER.create_vesting_account(tx, now, &from, &to, &coins, plan),
    })?;
    let account = keeper::get_account(tx, &to)?.map(|account| account.vesting_account());
    let account = account.transpose()?.flatten();
    let found = account.as_ref().map(|of| (of.vesting.original(), of.vesting.schedule()));
    let expected = format!("{:?}", Some((&coins, &schedule)));
    same(&operation, format!("the vesting of `{to}`"), &expected, &format!("{found:?}"))?;
    Ok(true)
}

/// Creates an account without coins, at an unused address.
fn account(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    if !draw.room_for_accounts(tx)? {
        return Ok(false);
    }
    let (address, expected) = (draw.new_address()?, NEXT_ACCOUNT_NUMBER.peek(tx)?);
    let operation = format!("an account for `{address}`");
    let number = done(tx, &operation, |tx| KEEPER.create_account(tx, &address))?;
    same(&operation, "its number", &expected, &number)?;
    let (found, own) = (keeper::account_at(tx, expected)?, Some(address.clone()));
    same(&operation, format!("the account with the number {expected}"), &own, &found)?;
    let found = keeper::get_account(tx, &address)?.map(|account| account.kind());
    let base = BaseAccount {
        address: address.to_string(),
        account_number: expected,
        ..BaseAccount::default()
    };
    let expected = format!("{:?}", Some(Ok::<_, BadAccount>(AccountKind::Base(base))));
    same(&operation, "the account", &expected, &format!("{found:?}"))?;
    Ok(true)
}

/// Burns a part of the delegations, so accounts can have less than their locked amount.
fn slash(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    let pool = keeper::module_address(POOL)?;
    let coins = draw.coins_of(tx, &pool, DrawnFrom::All)?;
    if coins.is_empty() {
        return Ok(false);
    }
    let mut expect = Expect::default();
    expect.take(tx, &pool, &coins)?;
    expect.supply(tx, &coins, U256::saturating_sub)?;
    expect.done(tx, format!("burn {coins}"), |tx| KEEPER.burn(tx, POOL, &coins))?;
    Ok(true)
}

fn send_enabled(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    let denom = draw.denom()?;
    let enabled = match draw.below(4) {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    };
    let operation = format!("set send-enabled of `{denom}` to {enabled:?}");
    done(tx, &operation, |tx| keeper::set_send_enabled(tx, &denom, enabled))?;
    let default = keeper::get_params(tx)?.default_send_enabled;
    let found = keeper::is_send_enabled(tx, &denom)?;
    same(&operation, "send-enabled", &enabled.unwrap_or(default), &found)?;
    Ok(true)
}

fn metadata(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    let denom = draw.denom()?;
    let unit = |denom: &str, exponent| DenomUnit {
        denom: denom.to_owned(),
        exponent,
        aliases: Vec::new(),
    };
    let metadata = Metadata {
        description: format!("written at {}", draw.now()),
        denom_units: vec![unit(denom.as_str(), 0), unit("shown", 6)],
        base: denom.as_str().to_owned(),
        display: "shown".to_owned(),
        name: format!("The coin {denom}"),
        symbol: "SHOWN".to_owned(),
        ..Metadata::default()
    };
    let operation = format!("set the metadata of `{denom}`");
    done(tx, &operation, |tx| keeper::set_metadata(tx, &metadata))?;
    let found = keeper::get_metadata(tx, &denom)?.map(|found| found.description);
    let found = found.unwrap_or_default();
    same(&operation, "the description", &metadata.description, &found)?;
    Ok(true)
}
