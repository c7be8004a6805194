//! Operations under the rules of a program, and accounts that only other modules write.

use super::{
    MINT,
    draw::{Draw, Which},
    expect::Expect,
};
use crate::{
    Account, Address, BaseAccount, Coins, Error, ErrorKind, Event, Keeper, Metadata, ModuleAccount,
    Rules, keeper,
    layout::acc::{ACCOUNTS, NEXT_ACCOUNT_NUMBER},
};
use keyscape::store::Tx;
use keyscape_sim::{Fault, is, refused, same};

/// A registered module with a permission that the bank does not know.
const REGISTERED: &str = "registered";

/// Draws and runs an operation.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    match draw.below(3) {
        0 => redirected(tx, draw),
        1 => registered(tx, draw),
        _ => group_policy(tx, draw),
    }
}

/// Sends under a restriction that redirects coins for one address to another one, and checks the
/// events.
fn redirected(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    let Some((from, coins)) = draw.holder(tx, Which::Spendable)? else { return Ok(false) };
    let (closed, open) = (draw.address()?, draw.address()?);
    let (to, receiver) = (closed.clone(), open.clone());
    let rules = Rules::default().with_send_restriction(move |_, _, to, _| {
        Ok(if *to == closed { open.clone() } else { to.clone() })
    });
    let expect = Expect::transfer(tx, &from, &receiver, &coins)?;
    let operation = format!("a redirected send of {coins} from `{from}` to `{to}`");
    let (bank, now) = (Keeper::new(rules), draw.now());
    let events = expect.done(tx, &operation, |tx| bank.send(tx, now, &from, &to, &coins))?;
    let expected = [
        Event::CoinSpent { spender: from.clone(), coins: coins.clone() },
        Event::CoinReceived { receiver: receiver.clone(), coins: coins.clone() },
        Event::Transfer { from: Some(from.clone()), to: receiver, coins: coins.clone() },
    ];
    same(&operation, "the events", &expected.as_slice(), &events)?;
    Ok(true)
}

/// Sends coins to a registered module, whose account the first transfer creates.
fn registered(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    let Some((from, coins)) = draw.holder(tx, Which::Spendable)? else { return Ok(false) };
    let bank = Keeper::new(Rules::default().with_module(REGISTERED, &["other"])?);
    let address = keeper::module_address(REGISTERED)?;
    let expect = Expect::transfer(tx, &from, &address, &coins)?;
    let operation = format!("a send of {coins} from `{from}` to a registered module");
    let now = draw.now();
    expect.done(tx, &operation, |tx| {
        bank.send_from_account_to_module(tx, now, &from, REGISTERED, &coins)
    })?;
    let found = keeper::get_module_account(tx, REGISTERED)?.permissions.join(",");
    same(&operation, "its permissions", &"other".to_owned(), &found)?;
    same(&operation, "the faults", &0, &bank.module_faults(tx)?.len())?;
    Ok(true)
}

/// Writes the account of a group policy: a module account that is named by its own address, with a
/// permission that the bank does not know.
fn group_policy(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    if !draw.room_for_accounts(tx)? {
        return Ok(false);
    }
    let bytes: Vec<u8> = (0..4).flat_map(|_| draw.below(u64::MAX).to_be_bytes()).collect();
    let address = Address::new(bytes)?;
    if keeper::has_account(tx, &address)? {
        return Ok(false);
    }
    let account_number = NEXT_ACCOUNT_NUMBER.next(tx)?;
    let base =
        BaseAccount { address: address.to_string(), account_number, ..BaseAccount::default() };
    let account = Account::module(&ModuleAccount {
        base_account: Some(base),
        name: address.to_string(),
        permissions: vec!["voter".to_owned()],
    });
    let account = account.map_err(|source| {
        Error::from(ErrorKind::BadAccount { address: address.clone(), source })
    })?;
    ACCOUNTS.put(tx, address.as_bytes(), &account)?;
    Ok(true)
}

/// Mints under a restriction that rejects it.
pub(super) fn mint_restricted(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let coins = Coins::try_from(draw.coin()?)?;
    let rules = Rules::default().with_mint_restriction(|_, module, _| Err(module.into()));
    let operation = format!("mint {coins} under a restriction");
    refused(tx, &operation, is!(Restricted), |tx| Keeper::new(rules).mint(tx, MINT, &coins))
}

/// Sets metadata without units, as vouchers of IBC have them.
pub(super) fn blank_metadata(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let metadata = Metadata { base: draw.denom()?.to_string(), ..Metadata::default() };
    let operation = format!("set blank metadata of `{}`", metadata.base);
    refused(tx, &operation, is!(Metadata), |tx| keeper::set_metadata(tx, &metadata))
}
