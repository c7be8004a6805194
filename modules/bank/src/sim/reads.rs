//! Read-only operations: compares scans and pages with single lookups.

use super::{
    KEEPER, MODULES,
    draw::{Draw, is_own},
};
use crate::{
    Address, Coin, Coins, Denom, Error, ErrorKind, PageRequest, PageResponse, keeper,
    layout::bank::{METADATA, SEND_ENABLED},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use keyscape_sim::{Fault, is, refused, same};

/// Draws and runs a read-only check.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<bool, Fault> {
    match draw.below(10) {
        0..3 => {
            let Some(owner) = owner(tx, draw)? else { return Ok(false) };
            all_of(tx, draw, &owner)?;
        }
        3..5 => {
            let Some(owner) = owner(tx, draw)? else { return Ok(false) };
            pages_of(tx, draw, &owner)?;
        }
        5 => supplies(tx, draw)?,
        6 => holders(tx, &draw.denom()?)?,
        7 | 8 => {
            let Some(owner) = owner(tx, draw)? else { return Ok(false) };
            pages(tx, draw, &owner)?;
        }
        _ => modules(tx)?,
    }
    Ok(true)
}

/// Draws an account that holds no coins from another system.
fn owner(state: &impl Read, draw: &mut Draw) -> Result<Option<Address<'static>>, Fault> {
    let Some(owner) = draw.account(state)? else { return Ok(None) };
    let coins = keeper::get_all_balances(state, &owner)?;
    Ok(coins.iter().all(|coin| is_own(&coin.denom)).then_some(owner))
}

/// Returns the coins of every denomination with a non-zero `amount`.
fn of_each(
    draw: &Draw,
    amount: impl Fn(&Denom<'_>) -> Result<U256, Error>,
) -> Result<Coins, Fault> {
    let mut coins = Coins::none();
    for index in 0..draw.denoms() {
        let denom = draw.denom_at(index)?;
        coins.set(&denom, amount(&denom)?);
    }
    Ok(coins)
}

fn coins(coins: impl Iterator<Item = Result<Coin, Error>>) -> Result<Coins, Error> {
    Ok(Coins::new(coins.collect::<Result<_, _>>()?)?)
}

/// Checks that all balances of an account equal its single balances, and checks its spendable
/// coins.
fn all_of(state: &impl Read, draw: &Draw, owner: &Address<'_>) -> Result<(), Fault> {
    let now = draw.now();
    let operation = format!("all balances of `{owner}`");
    let expected = of_each(draw, |denom| keeper::get_balance(state, owner, denom))?;
    let found = keeper::get_all_balances(state, owner)?;
    same(&operation, "together", &expected, &found)?;
    let found = coins(keeper::balances(state, owner)?)?;
    same(&operation, "one by one", &expected, &found)?;
    let expected = of_each(draw, |denom| KEEPER.spendable_coin(state, now, owner, denom))?;
    let found = KEEPER.spendable_coins(state, now, owner)?;
    same(&operation, "the spendable coins", &expected, &found)
}

/// Compares the pages of an account's balances with single balances.
fn pages_of(state: &impl Read, draw: &mut Draw, owner: &Address<'_>) -> Result<(), Fault> {
    let expected = of_each(draw, |denom| keeper::get_balance(state, owner, denom))?;
    let expected = expected.iter().map(|coin| Ok(coin.to_string()));
    let pages = |page: &PageRequest| keeper::balances_page(state, owner, &page.clone().count());
    compare(draw, &format!("the balances of `{owner}`"), expected, pages, |coin| coin.to_string())
}

fn supplies(state: &impl Read, draw: &Draw) -> Result<(), Fault> {
    let expected = of_each(draw, |denom| keeper::get_supply(state, denom))?;
    let found = keeper::supplies(state)?.map(|row| {
        let (key, amount) = row?;
        Ok(Coin { denom: key.denom, amount })
    });
    let found = found.filter(|coin| coin.as_ref().map_or(true, |coin| is_own(&coin.denom)));
    same("all supplies", "together", &expected, &coins(found)?)
}

/// Checks that each holder has a balance, and that the balances add up to the supply.
fn holders(state: &impl Read, denom: &Denom<'_>) -> Result<(), Fault> {
    let operation = format!("the holders of `{denom}`");
    let mut sum = U256::ZERO;
    for row in keeper::holders(state, denom)? {
        let owner = row?.0.owner;
        let balance = keeper::get_balance(state, &owner, denom)?;
        let what = format!("whether `{owner}` has some");
        same(&operation, what, &true, &(balance > U256::ZERO))?;
        sum = sum.saturating_add(balance);
    }
    let supply = keeper::get_supply(state, denom)?;
    same(&operation, "their sum", &supply, &sum)
}

/// Checks that module accounts are unchanged.
fn modules(tx: &mut Tx<'_>) -> Result<(), Fault> {
    for (module, permissions) in MODULES {
        let operation = format!("the account of the module `{module}`");
        let found = keeper::get_module_account(tx, module)?;
        same(&operation, "the name", &module.to_owned(), &found.name)?;
        let expected = permissions.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(",");
        same(&operation, "its permissions", &expected, &found.permissions.join(","))?;
        let expected = keeper::module_address(module)?.to_string();
        let base = found.base_account.unwrap_or_default();
        same(&operation, "the address", &expected, &base.address)?;
    }
    let operation = "the account of a module that does not exist";
    refused(tx, operation, is!(NoModule), |tx| keeper::get_module_account(tx, "nobody"))
}

/// Reads all pages of a listing in a random direction, and compares their rows with the expected
/// ones. A listing that counts its rows must omit none, so only its last page can be short.
fn compare<T>(
    draw: &mut Draw,
    what: &str,
    expected: impl IntoIterator<Item = Result<String, Error>>,
    page: impl Fn(&PageRequest) -> Result<PageResponse<T>, Error>,
    row: impl Fn(T) -> String,
) -> Result<(), Fault> {
    let expected = expected.into_iter().collect::<Result<Vec<_>, _>>()?;
    let size = 1 + usize::try_from(draw.below(4)).unwrap_or(0);
    let mut request = PageRequest { reverse: draw.below(2) == 0, ..PageRequest::of(size) };
    let mut found = Vec::new();
    loop {
        let page = page(&request)?;
        let (rows, is_last) = (page.rows.len(), page.next.is_none());
        same(what, "whether a page has at most its size", &true, &(rows <= size))?;
        if let Some(total) = page.total {
            same(what, "the total", &(expected.len() as u64), &total)?;
            same(what, "whether a page is full or the last", &true, &(rows == size || is_last))?;
        }
        found.extend(page.rows.into_iter().map(&row));
        request.after = page.next;
        if request.after.is_none() {
            break;
        }
    }
    if request.reverse {
        found.reverse();
    }
    same(what, "all pages", &expected, &found)
}

/// Compares the pages of supplies, holders, metadata, send settings and spendable coins.
fn pages(state: &impl Read, draw: &mut Draw, owner: &Address<'_>) -> Result<(), Fault> {
    let expected = keeper::supplies(state)?.map(|row| {
        let (key, amount) = row?;
        Ok(format!("{amount}{}", key.denom))
    });
    let pages = |page: &PageRequest| keeper::supply_page(state, page);
    compare(draw, "supplies", expected, pages, |coin| coin.to_string())?;

    let denom = draw.denom()?;
    let expected = keeper::holders(state, &denom)?.map(|row| {
        let owner = row?.0.owner;
        Ok(format!("{owner}:{}", keeper::get_balance(state, &owner, &denom)?))
    });
    let pages = |page: &PageRequest| keeper::holders_page(state, &denom, page);
    compare(draw, "holders", expected, pages, |(owner, amount)| format!("{owner}:{amount}"))?;

    let expected = METADATA.scan_all(state)?.map(|row| Ok(row?.0.denom.to_string()));
    let pages = |page: &PageRequest| keeper::metadata_page(state, page);
    compare(draw, "metadata", expected, pages, |metadata| metadata.base)?;

    let expected = SEND_ENABLED.scan_all(state)?.map(|row| {
        let (key, on) = row?;
        Ok(format!("{}:{on}", key.denom))
    });
    let pages = |page: &PageRequest| keeper::send_enabled_page(state, page);
    compare(draw, "send settings", expected, pages, |(denom, on)| format!("{denom}:{on}"))?;

    let now = draw.now();
    let expected = KEEPER.spendable_coins(state, now, owner)?;
    let expected = expected.iter().map(|coin| Ok(coin.to_string()));
    let pages = |page: &PageRequest| KEEPER.spendable_page(state, now, owner, page);
    compare(draw, "spendable coins", expected, pages, |coin| coin.to_string())
}
