//! The supply.

use super::{Permission, balances, modules};
use crate::{
    Coins, Denom, Error, ErrorKind, Event,
    layout::bank::{self, SUPPLY},
    rules::Context,
};
use keyscape::{
    Scan, U256,
    store::{Read, Tx},
};

/// Returns the supply of a denomination.
///
/// # Errors
/// If the row is corrupt.
pub fn get_supply(state: &(impl Read + ?Sized), denom: &Denom<'_>) -> Result<U256, Error> {
    Ok(SUPPLY.get(state, denom)?.unwrap_or(U256::ZERO))
}

/// Iterates over all supplies, in order of denomination.
///
/// # Errors
/// Errors of the database.
pub fn supplies<'t>(
    state: &'t (impl Read + ?Sized),
) -> Result<Scan<'t, bank::Supply, bank::SupplyAll>, Error> {
    Ok(SUPPLY.scan_all(state)?)
}

/// Mints coins for a module with [`Permission::Minter`]. An empty list of coins changes no row.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, Denom, Permission, keeper};
///
/// # let db = setup::empty();
/// db.write(|tx| {
///     keeper::create_module_account(tx, "mint", &[Permission::Minter])?;
///     keeper::mint(tx, "mint", &"100uatom".parse::<Coins>()?)
/// })?;
/// let state = db.read()?;
/// assert_eq!(keeper::get_supply(&state, &Denom::new("uatom")?)?, 100_u128);
/// let mint = keeper::module_address("mint")?;
/// assert_eq!(keeper::get_all_balances(&state, &mint)?.to_string(), "100uatom");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`NoModule`](ErrorKind::NoModule), [`NotPermitted`](ErrorKind::NotPermitted),
/// [`Overflow`](ErrorKind::Overflow).
pub fn mint(tx: &mut Tx<'_>, module: &str, coins: &Coins) -> Result<(), Error> {
    mint_in(tx, &mut Context::default(), module, coins)
}

/// Mints coins under the rules of a context.
pub(crate) fn mint_in(
    tx: &mut Tx<'_>,
    context: &mut Context<'_>,
    module: &str,
    coins: &Coins,
) -> Result<(), Error> {
    let address = modules::permitted(tx, module, Permission::Minter)?;
    context.may_mint(tx, module, coins)?;
    tx.attempt(|tx| {
        for coin in coins {
            SUPPLY.update(tx, &coin.denom, |supply| {
                let supply = supply.unwrap_or(U256::ZERO).checked_add(coin.amount);
                let overflow = || ErrorKind::Overflow { what: "supply", denom: coin.denom.clone() };
                Ok::<_, Error>(balances::row(supply.ok_or_else(overflow)?))
            })?;
            balances::credit(tx, &address, coin)?;
        }
        context.received(&address, coins);
        context.events.push(Event::Coinbase { minter: address, coins: coins.clone() });
        Ok(())
    })
}

/// Burns coins of a module with [`Permission::Burner`]. An empty list of coins changes no row.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, Denom, keeper};
///
/// # let db = bank();
/// # let pool = keeper::module_address("pool")?;
/// # db.write(|tx| fund(tx, &pool, "100uatom"))?;
/// // `pool` has 100uatom and may burn.
/// db.write(|tx| keeper::burn(tx, "pool", &"30uatom".parse::<Coins>()?))?;
/// assert_eq!(keeper::get_supply(&db.read()?, &Denom::new("uatom")?)?, 70_u128);
///
/// let refused = db.write(|tx| keeper::burn(tx, "mint", &"1uatom".parse::<Coins>()?));
/// let error = refused.err().ok_or("it may not")?;
/// assert_eq!(error.to_string(), "the module `mint` has no permission `burner`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Insufficient`](ErrorKind::Insufficient), [`Supply`](ErrorKind::Supply),
/// [`NoModule`](ErrorKind::NoModule), [`NotPermitted`](ErrorKind::NotPermitted).
pub fn burn(tx: &mut Tx<'_>, module: &str, coins: &Coins) -> Result<(), Error> {
    burn_in(tx, &mut Context::default(), module, coins)
}

/// Burns coins under the rules of a context.
pub(crate) fn burn_in(
    tx: &mut Tx<'_>,
    context: &mut Context<'_>,
    module: &str,
    coins: &Coins,
) -> Result<(), Error> {
    let address = modules::permitted(tx, module, Permission::Burner)?;
    tx.attempt(|tx| {
        for coin in coins {
            balances::debit(tx, &address, coin, U256::ZERO)?;
            SUPPLY.update(tx, &coin.denom, |supply| {
                let supply = supply.unwrap_or(U256::ZERO);
                let (denom, asked) = (coin.denom.clone(), coin.amount);
                match supply.checked_sub(asked) {
                    Some(left) => Ok(balances::row(left)),
                    None => Err(Error::from(ErrorKind::Supply { denom, supply, asked })),
                }
            })?;
        }
        context.spent(&address, coins);
        context.events.push(Event::Burn { burner: address, coins: coins.clone() });
        Ok(())
    })
}
