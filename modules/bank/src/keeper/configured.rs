//! A keeper with the rules of a program.

use super::{
    Output, PageRequest, PageResponse, accounts, get_all_balances, get_balance, modules, pages,
    staking, supply, transfers,
};
use crate::{
    Account, AccountKind, Address, Coin, Coins, Denom, Error, ErrorKind, Event, Rules,
    invariants::Broken, rules::Context, vesting::Schedule,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The operations of [`keeper`](crate::keeper) under the [`Rules`] of a program. Every operation
/// returns its [events](Event).
///
/// Registered modules need no account: the first operation that needs one creates it.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, empty};
/// use keyscape_bank::{Coins, ErrorKind, Keeper, Rules, keeper};
///
/// # let (db, now) = (empty(), 0);
/// # let (ann, bob) = (address(1), address(2));
/// let keeper = Keeper::new(
///     Rules::default().with_module("mint", &["minter"])?.with_blocked(bob.clone()),
/// );
/// let coins: Coins = "5uatom".parse()?;
/// let events = db.write(|tx| {
///     keeper.mint(tx, "mint", &coins)?;
///     keeper.send_from_module_to_account(tx, now, "mint", &ann, &coins)
/// })?;
/// assert_eq!(events.iter().map(|event| event.name()).collect::<Vec<_>>(), [
///     "coin_spent", "coin_received", "transfer",
/// ]);
/// let refused = db.write(|tx| keeper.send_from_module_to_account(tx, now, "mint", &bob, &coins));
/// assert!(matches!(refused, Err(error) if matches!(error.kind(), ErrorKind::Blocked { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Keeper {
    rules: Rules,
}

impl Keeper {
    /// Creates a keeper.
    #[must_use]
    pub fn new(rules: Rules) -> Keeper {
        Keeper { rules }
    }

    /// Returns the rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    fn run(
        &self,
        operation: impl FnOnce(&mut Context<'_>) -> Result<(), Error>,
    ) -> Result<Vec<Event>, Error> {
        Context::run(&self.rules, operation)
    }

    /// Sends coins; see [`send`](super::send).
    ///
    /// # Errors
    /// As [`send`](super::send); [`Restricted`](crate::ErrorKind::Restricted).
    pub fn send(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &Address<'_>,
        to: &Address<'_>,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        self.run(|context| transfers::send_in(tx, context, now, from, to, coins))
    }

    /// Sends coins of one account to several others; see [`multi_send`](super::multi_send).
    ///
    /// # Errors
    /// As [`multi_send`](super::multi_send); [`Restricted`](crate::ErrorKind::Restricted).
    pub fn multi_send(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &Address<'_>,
        input: &Coins,
        outputs: &[Output],
    ) -> Result<Vec<Event>, Error> {
        self.run(|context| transfers::multi_send_in(tx, context, now, from, input, outputs))
    }

    /// Sends coins of a module to an account that may receive coins.
    ///
    /// # Errors
    /// [`Blocked`](crate::ErrorKind::Blocked), [`NoModule`](crate::ErrorKind::NoModule), and as
    /// [`Keeper::send`].
    pub fn send_from_module_to_account(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        module: &str,
        to: &Address<'_>,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        self.rules.may_receive(to)?;
        tx.attempt(|tx| {
            let from = self.module(tx, module)?;
            self.send(tx, now, &from, to, coins)
        })
    }

    /// Sends coins of an account to a module. The blocked addresses do not matter.
    ///
    /// # Errors
    /// [`NoModule`](crate::ErrorKind::NoModule), and as [`Keeper::send`].
    pub fn send_from_account_to_module(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &Address<'_>,
        module: &str,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        tx.attempt(|tx| {
            let to = self.module(tx, module)?;
            self.send(tx, now, from, &to, coins)
        })
    }

    /// Sends coins of a module to another one. The blocked addresses do not matter.
    ///
    /// # Errors
    /// [`NoModule`](crate::ErrorKind::NoModule), and as [`Keeper::send`].
    pub fn send_from_module_to_module(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &str,
        to: &str,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        tx.attempt(|tx| {
            let (from, to) = (self.module(tx, from)?, self.module(tx, to)?);
            self.send(tx, now, &from, &to, coins)
        })
    }

    /// Mints coins; see [`mint`](super::mint).
    ///
    /// # Errors
    /// As [`mint`](super::mint); [`Restricted`](crate::ErrorKind::Restricted).
    pub fn mint(&self, tx: &mut Tx<'_>, module: &str, coins: &Coins) -> Result<Vec<Event>, Error> {
        tx.attempt(|tx| {
            self.module(tx, module)?;
            self.run(|context| supply::mint_in(tx, context, module, coins))
        })
    }

    /// Burns coins; see [`burn`](super::burn).
    ///
    /// # Errors
    /// As [`burn`](super::burn).
    pub fn burn(&self, tx: &mut Tx<'_>, module: &str, coins: &Coins) -> Result<Vec<Event>, Error> {
        self.run(|context| supply::burn_in(tx, context, module, coins))
    }

    /// Delegates coins to a module; see [`delegate`](super::delegate).
    ///
    /// # Errors
    /// As [`delegate`](super::delegate); [`AccountType`](crate::ErrorKind::AccountType).
    pub fn delegate(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        delegator: &Address<'_>,
        module: &str,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        tx.attempt(|tx| {
            self.module(tx, module)?;
            self.run(|context| staking::delegate_in(tx, context, now, delegator, module, coins))
        })
    }

    /// Ends a delegation; see [`undelegate`](super::undelegate).
    ///
    /// # Errors
    /// As [`undelegate`](super::undelegate); [`AccountType`](crate::ErrorKind::AccountType).
    pub fn undelegate(
        &self,
        tx: &mut Tx<'_>,
        module: &str,
        delegator: &Address<'_>,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        self.run(|context| staking::undelegate_in(tx, context, module, delegator, coins))
    }

    /// Creates a vesting account; see [`create_vesting_account`](super::create_vesting_account).
    ///
    /// # Errors
    /// As [`create_vesting_account`](super::create_vesting_account);
    /// [`ModuleAddress`](crate::ErrorKind::ModuleAddress).
    pub fn create_vesting_account(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &Address<'_>,
        to: &Address<'_>,
        coins: &Coins,
        schedule: Schedule,
    ) -> Result<Vec<Event>, Error> {
        self.run(|context| accounts::create_vesting(tx, context, now, from, to, coins, schedule))
    }

    /// Creates a base account; see [`create_account`](super::create_account).
    ///
    /// # Errors
    /// As [`create_account`](super::create_account);
    /// [`ModuleAddress`](crate::ErrorKind::ModuleAddress).
    pub fn create_account(&self, tx: &mut Tx<'_>, address: &Address<'_>) -> Result<u64, Error> {
        self.rules.is_free(address)?;
        accounts::create(tx, Some(&self.rules), address, |base| Ok(Account::base(&base)))
    }

    /// Returns the locked coins of an account, including those of registered account types.
    ///
    /// # Errors
    /// [`BadAccount`](crate::ErrorKind::BadAccount),
    /// [`AccountType`](crate::ErrorKind::AccountType).
    pub fn locked_coins(
        &self,
        state: &(impl Read + ?Sized),
        now: i64,
        owner: &Address<'_>,
    ) -> Result<Coins, Error> {
        Ok(accounts::locks_of(state, Some(&self.rules), now, owner)?.coins(now))
    }

    /// Returns the spendable coins of an account; see [`spendable_coins`](super::spendable_coins).
    ///
    /// # Errors
    /// As [`Keeper::locked_coins`].
    pub fn spendable_coins(
        &self,
        state: &(impl Read + ?Sized),
        now: i64,
        owner: &Address<'_>,
    ) -> Result<Coins, Error> {
        Ok(get_all_balances(state, owner)?.without(&self.locked_coins(state, now, owner)?))
    }

    /// Returns a page of the spendable coins of an account; see
    /// [`spendable_page`](super::spendable_page).
    ///
    /// # Errors
    /// As [`spendable_page`](super::spendable_page) and [`Keeper::locked_coins`].
    pub fn spendable_page(
        &self,
        state: &(impl Read + ?Sized),
        now: i64,
        owner: &Address<'_>,
        request: &PageRequest,
    ) -> Result<PageResponse<Coin>, Error> {
        let locks = accounts::locks_of(state, Some(&self.rules), now, owner)?;
        pages::spendable(state, now, owner, &locks, request)
    }

    /// Returns the spendable amount of one denomination.
    ///
    /// # Errors
    /// As [`Keeper::locked_coins`].
    pub fn spendable_coin(
        &self,
        state: &(impl Read + ?Sized),
        now: i64,
        owner: &Address<'_>,
        denom: &Denom<'_>,
    ) -> Result<U256, Error> {
        let locks = accounts::locks_of(state, Some(&self.rules), now, owner)?;
        Ok(get_balance(state, owner, denom)?.saturating_sub(locks.of(denom, now)))
    }

    /// Returns the address of a module. Creates the account of a registered module if it is
    /// missing.
    fn module(&self, tx: &mut Tx<'_>, name: &str) -> Result<Address<'static>, Error> {
        let address = modules::module_address(name)?;
        if let Some(module) = self.rules.module_at(&address)
            && !accounts::has_account(tx, &address)?
        {
            modules::create(tx, Some(&self.rules), name, &module.permissions)?;
        }
        modules::find(tx, name).map(|(address, _)| address)
    }

    /// Reports the registered modules whose address has another account, for example because coins
    /// were sent there before the module account existed. [`Keeper::repair_modules`] repairs them.
    ///
    /// # Errors
    /// Errors of the database, or a corrupt account.
    pub fn module_faults(&self, state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
        let mut broken = Vec::new();
        for module in self.rules.registered() {
            let address = &module.address;
            let Some(account) = accounts::get_account(state, address)? else { continue };
            let kind = account.kind().map_err(|source| accounts::bad(address, source))?;
            if !matches!(kind, AccountKind::Module(found) if found.name == module.name) {
                let why =
                    format!("the address of the module `{}` has another account", module.name);
                broken.push(Broken::Account { address: address.clone(), why });
            }
        }
        Ok(broken)
    }

    /// Creates the account of a registered module, or converts a base account that has never
    /// signed, and returns its number. Permissions are those of the registration.
    ///
    /// # Errors
    /// [`NoModule`](ErrorKind::NoModule) if the module is not registered,
    /// [`AccountExists`](ErrorKind::AccountExists).
    pub fn create_module_account(&self, tx: &mut Tx<'_>, name: &str) -> Result<u64, Error> {
        let address = modules::module_address(name)?;
        let missing = || ErrorKind::NoModule { module: name.to_owned() };
        let module = self.rules.module_at(&address).ok_or_else(missing)?;
        modules::create(tx, Some(&self.rules), name, &module.permissions)
    }

    /// Converts the base accounts at the addresses of registered modules to module accounts, with
    /// their numbers and coins. An account that cannot be converted does not prevent the others: it
    /// has signed a transaction, or it is a vesting account.
    ///
    /// # Errors
    /// Errors of the database, or a corrupt account.
    pub fn repair_modules(&self, tx: &mut Tx<'_>) -> Result<Repaired, Error> {
        tx.attempt(|tx| {
            let mut result = Repaired::default();
            for broken in self.module_faults(tx)? {
                let Broken::Account { address, .. } = broken else { continue };
                let Some(module) = self.rules.module_at(&address) else { continue };
                match self.create_module_account(tx, &module.name) {
                    Ok(_) => result.repaired.push(module.name.clone()),
                    Err(error) if matches!(error.kind(), ErrorKind::AccountExists { .. }) => {
                        result.failed.push(module.name.clone());
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(result)
        })
    }
}

/// The result of [`Keeper::repair_modules`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// The modules that have a module account now.
    pub repaired: Vec<String>,
    /// The modules whose address has an account that cannot be converted.
    pub failed: Vec<String>,
}
