//! Module accounts that are created late, and accounts of types that the bank does not know.

use super::{
    draw::{Draw, Which},
    valid::sent,
};
use crate::{
    Account, BaseAccount, Coins, Error, ErrorKind, ModuleAccount, keeper,
    layout::acc::{ACCOUNTS, NEXT_ACCOUNT_NUMBER},
    values::Any,
};
use keyscape::store::Tx;
use keyscape_sim::{Fault, done, same};

/// Sends coins to the address of a module that does not exist yet, and creates the module after it.
pub(super) fn late_module(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    if !draw.room_for_accounts(tx)? {
        return Ok(false);
    }
    let Some((from, coins)) = draw.holder(tx, Which::Spendable)? else { return Ok(false) };
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
    let (address, number) = (draw.new_address()?, NEXT_ACCOUNT_NUMBER.next(tx)?);
    let base = BaseAccount {
        address: address.to_string(),
        account_number: number,
        ..BaseAccount::default()
    };
    // An account with a text after its base account, such as a code hash.
    let message = ModuleAccount {
        base_account: Some(base),
        name: "0xff".to_owned(),
        permissions: Vec::new(),
    };
    let any = Any {
        type_url: "/ethermint.types.v1.EthAccount".to_owned(),
        value: prost::Message::encode_to_vec(&message),
    };
    let account = Account::from_any(any).map_err(|source| {
        Error::from(ErrorKind::BadAccount { address: address.clone(), source })
    })?;
    ACCOUNTS.put(tx, address.as_bytes(), &account)?;
    let locked = keeper::locked_coins(tx, draw.now(), &address)?;
    let operation = format!("an account of another type at `{address}`");
    same(&operation, "its locked coins", &Coins::none(), &locked)?;
    Ok(true)
}
