//! Denominations: their supply, their metadata, and which of them may be sent.

use super::{Keeper, Permission, balances, modules};
use crate::{
    Coins, Denom, Error, ErrorKind, Event, Metadata, Params,
    layout::bank::{self, METADATA, PARAMS, SEND_ENABLED, SUPPLY},
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

impl Keeper {
    /// Mints coins for a module with [`Permission::Minter`]. An empty list of coins changes no row.
    ///
    /// ```
    /// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
    /// # use setup::{address, bank, fund};
    /// use keyscape_bank::{Coins, Denom, Keeper, Permission, keeper};
    ///
    /// # let db = setup::empty();
    /// let keeper = Keeper::default();
    /// db.write(|tx| {
    ///     keeper::create_module_account(tx, "mint", &[Permission::Minter])?;
    ///     keeper.mint(tx, "mint", &"100uatom".parse::<Coins>()?)
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
    /// [`Overflow`](ErrorKind::Overflow), [`Restricted`](ErrorKind::Restricted).
    pub fn mint(&self, tx: &mut Tx<'_>, module: &str, coins: &Coins) -> Result<Vec<Event>, Error> {
        tx.attempt(|tx| {
            modules::ensure(tx, &self.rules, module)?;
            let minter = modules::permitted(tx, module, Permission::Minter)?;
            self.rules.may_mint(tx, module, coins)?;
            for coin in coins {
                SUPPLY.update(tx, &coin.denom, |supply| {
                    let supply = supply.unwrap_or(U256::ZERO).checked_add(coin.amount);
                    let overflow =
                        || ErrorKind::Overflow { what: "supply", denom: coin.denom.clone() };
                    Ok::<_, Error>(balances::row(supply.ok_or_else(overflow)?))
                })?;
                balances::credit(tx, &minter, coin)?;
            }
            let received = Event::received(&minter, coins);
            Ok(vec![received, Event::Coinbase { minter, coins: coins.clone() }])
        })
    }

    /// Burns coins of a module with [`Permission::Burner`]. An empty list of coins changes no row.
    ///
    /// ```
    /// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
    /// # use setup::{address, bank, fund};
    /// use keyscape_bank::{Coins, Denom, Keeper, keeper};
    ///
    /// # let db = bank();
    /// # let pool = keeper::module_address("pool")?;
    /// # db.write(|tx| fund(tx, &pool, "100uatom"))?;
    /// // `pool` has 100uatom and may burn.
    /// let keeper = Keeper::default();
    /// db.write(|tx| keeper.burn(tx, "pool", &"30uatom".parse::<Coins>()?))?;
    /// assert_eq!(keeper::get_supply(&db.read()?, &Denom::new("uatom")?)?, 70_u128);
    ///
    /// let refused = db.write(|tx| keeper.burn(tx, "mint", &"1uatom".parse::<Coins>()?));
    /// let error = refused.err().ok_or("it may not")?;
    /// assert_eq!(error.to_string(), "the module `mint` has no permission `burner`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Insufficient`](ErrorKind::Insufficient), [`Supply`](ErrorKind::Supply),
    /// [`NoModule`](ErrorKind::NoModule), [`NotPermitted`](ErrorKind::NotPermitted).
    pub fn burn(&self, tx: &mut Tx<'_>, module: &str, coins: &Coins) -> Result<Vec<Event>, Error> {
        let burner = modules::permitted(tx, module, Permission::Burner)?;
        tx.attempt(|tx| {
            for coin in coins {
                balances::debit(tx, &burner, coin, U256::ZERO)?;
                SUPPLY.update(tx, &coin.denom, |supply| {
                    let supply = supply.unwrap_or(U256::ZERO);
                    let (denom, asked) = (coin.denom.clone(), coin.amount);
                    match supply.checked_sub(asked) {
                        Some(left) => Ok(balances::row(left)),
                        None => Err(Error::from(ErrorKind::Supply { denom, supply, asked })),
                    }
                })?;
            }
            let spent = Event::spent(&burner, coins);
            Ok(vec![spent, Event::Burn { burner, coins: coins.clone() }])
        })
    }
}

/// Returns the parameters. By default, every denomination may be sent.
///
/// # Errors
/// If the row is corrupt.
pub fn get_params(state: &(impl Read + ?Sized)) -> Result<Params, Error> {
    let default = || Params { default_send_enabled: true, ..Params::default() };
    Ok(PARAMS.get(state)?.unwrap_or_else(default))
}

/// Sets the parameters.
///
/// # Errors
/// Errors of the database.
pub fn set_params(tx: &mut Tx<'_>, params: &Params) -> Result<(), Error> {
    Ok(PARAMS.put(tx, params)?)
}

/// Whether messages may send a denomination, by its own row or else by the parameters.
///
/// # Errors
/// If a row is corrupt.
pub fn is_send_enabled(state: &(impl Read + ?Sized), denom: &Denom<'_>) -> Result<bool, Error> {
    match SEND_ENABLED.get(state, denom)? {
        Some(enabled) => Ok(enabled),
        None => Ok(get_params(state)?.default_send_enabled),
    }
}

/// Sets whether a denomination may be sent; `None` leaves it to the parameters.
///
/// # Errors
/// Errors of the database.
pub fn set_send_enabled(
    tx: &mut Tx<'_>,
    denom: &Denom<'_>,
    enabled: Option<bool>,
) -> Result<(), Error> {
    match enabled {
        Some(enabled) => SEND_ENABLED.put(tx, denom, enabled)?,
        None => SEND_ENABLED.delete(tx, denom)?,
    }
    Ok(())
}

/// Returns the metadata of a denomination.
///
/// # Errors
/// If the row is corrupt.
pub fn get_metadata(
    state: &(impl Read + ?Sized),
    denom: &Denom<'_>,
) -> Result<Option<Metadata>, Error> {
    Ok(METADATA.get(state, denom)?)
}

/// Sets the metadata of a denomination, which is their base.
///
/// # Errors
/// [`Metadata`](ErrorKind::Metadata) unless they are [valid](Metadata::validate).
pub fn set_metadata(tx: &mut Tx<'_>, metadata: &Metadata) -> Result<(), Error> {
    let wrong = |what| ErrorKind::Metadata { denom: metadata.base.clone(), what };
    let base = metadata.validate().map_err(wrong)?;
    Ok(METADATA.put(tx, &base, metadata)?)
}
