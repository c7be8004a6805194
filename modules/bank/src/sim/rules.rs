//! Operations under the rules of a program, module accounts that are created late, and accounts
//! that only other modules write.

use super::{
    KEEPER, MINT,
    draw::{Draw, DrawnFrom},
    expect::Expect,
    valid::sent,
};
use crate::{
    Account, Address, BadAccount, BaseAccount, Coins, ErrorKind, Event, Keeper, Metadata,
    ModuleAccount, Rules, keeper,
    layout::acc::{ACCOUNTS, NEXT_ACCOUNT_NUMBER},
    values::Any,
};
use keyscape::store::Tx;
use keyscape_sim::{Fault, done, is, refused, same};

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
    let Some((from, coins)) = draw.holder(tx, DrawnFrom::Spendable)? else { return Ok(false) };
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
    let Some((from, coins)) = draw.holder(tx, DrawnFrom::Spendable)? else { return Ok(false) };
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
    same(&operation, "the foreign modules", &[""; 0].as_slice(), &bank.foreign_modules(tx)?)?;
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
    write_account(tx, &address, |base_account| {
        let (name, permissions) = (address.to_string(), vec!["voter".to_owned()]);
        Account::module(&ModuleAccount { base_account, name, permissions })
    })?;
    Ok(true)
}

/// Writes an account with the next number, as another module does.
fn write_account(
    tx: &mut Tx<'_>,
    address: &Address<'_>,
    account: impl FnOnce(Option<BaseAccount>) -> Result<Account, BadAccount>,
) -> Result<(), Fault> {
    let account_number = NEXT_ACCOUNT_NUMBER.next(tx)?;
    let base =
        BaseAccount { address: address.to_string(), account_number, ..BaseAccount::default() };
    Ok(ACCOUNTS.put(tx, address.as_bytes(), &account(Some(base))?)?)
}

/// Sends coins to the address of a module that does not exist yet, and creates the module after it.
pub(super) fn late_module(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    if !draw.room_for_accounts(tx)? {
        return Ok(false);
    }
    let Some((from, coins)) = draw.holder(tx, DrawnFrom::Spendable)? else { return Ok(false) };
    let name = format!("late_{}", draw.below(u64::MAX));
    let address = keeper::module_address(&name)?;
    sent(tx, draw, &from, &address, &coins)?;
    let operation = format!("the account of the module `{name}` after coins for it");
    done(tx, &operation, |tx| keeper::create_module_account(tx, &name, &[]))?;
    let found = keeper::get_module_account(tx, &name)?.name;
    same(&operation, "the name", &name, &found)?;
    same(&operation, "its coins", &coins, &keeper::get_all_balances(tx, &address)?)?;
    Ok(true)
}

/// Writes an account of a type that the bank does not know. Later operations use it as any other.
pub(super) fn foreign(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    if !draw.room_for_accounts(tx)? {
        return Ok(false);
    }
    let address = draw.new_address()?;
    write_account(tx, &address, |base_account| {
        // An account with a text after its base account, such as a code hash.
        let message = ModuleAccount { base_account, name: "0xff".to_owned(), permissions: vec![] };
        Account::from_any(Any {
            type_url: "/ethermint.types.v1.EthAccount".to_owned(),
            value: prost::Message::encode_to_vec(&message),
        })
    })?;
    let locked = KEEPER.locked_coins(tx, draw.now(), &address)?;
    let operation = format!("an account of another type at `{address}`");
    same(&operation, "its locked coins", &Coins::none(), &locked)?;
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
