//! Module accounts and their permissions.

use super::{Keeper, accounts};
use crate::{
    Account, AccountKind, Address, BadAccount, BaseAccount, Error, ErrorKind, ModuleAccount, Rules,
    layout::acc::ACCOUNTS,
};
use keyscape::store::{Read, Tx};
use keyscape_sim::readable;
use sha2::{Digest, Sha256};
use std::fmt;

/// A permission of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Mint coins.
    Minter,
    /// Burn its own coins.
    Burner,
    /// Receive and return delegations.
    Staking,
}

impl Permission {
    /// All permissions.
    pub const ALL: [Permission; 3] = [Permission::Minter, Permission::Burner, Permission::Staking];

    /// Returns the name of the permission in rows.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Permission::Minter => "minter",
            Permission::Burner => "burner",
            Permission::Staking => "staking",
        }
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The maximum length of a module name.
const MAX_NAME_LENGTH: usize = 64;

/// Returns the address of a module: the first 20 bytes of the SHA-256 of its name.
///
/// ```
/// let address = keyscape_bank::keeper::module_address("mint")?;
/// assert_eq!(address.to_string(), "cosmos1m3h30wlvsf8llruxtpukdvsy0km2kum8g38c8q");
/// # Ok::<(), keyscape_bank::Error>(())
/// ```
///
/// # Errors
/// [`ModuleName`](ErrorKind::ModuleName).
pub fn module_address(module: &str) -> Result<Address<'static>, Error> {
    let has_valid_length = (1..=MAX_NAME_LENGTH).contains(&module.len());
    if !has_valid_length || !module.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ErrorKind::ModuleName(module.to_owned()).into());
    }
    Ok(Address::new(derived_address(module)).map_err(keyscape::Error::from)?)
}

/// Returns the bytes of the address of a module with any name.
pub(crate) fn derived_address(module: &str) -> Vec<u8> {
    Sha256::digest(module.as_bytes()).iter().copied().take(20).collect()
}

/// Creates a module account, which includes its permissions, and returns its number.
///
/// A transfer to the address before the module account exists creates a base account there. Nobody
/// can sign for it, because no key has the address of a module. Such an account becomes the module
/// account, with its number and its coins.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::keeper;
///
/// # let db = bank();
/// let gov = keeper::module_address("gov")?;
/// db.write(|tx| {
///     fund(tx, &gov, "5uatom")?; // too early
///     keeper::create_module_account(tx, "gov", &[])
/// })?;
/// assert_eq!(keeper::get_module_account(&db.read()?, "gov")?.name, "gov");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AccountExists`](ErrorKind::AccountExists), [`ModuleName`](ErrorKind::ModuleName).
pub fn create_module_account(
    tx: &mut Tx<'_>,
    module: &str,
    permissions: &[Permission],
) -> Result<u64, Error> {
    let permissions: Vec<&str> = permissions.iter().map(|one| one.as_str()).collect();
    create(tx, &Rules::default(), module, &permissions)
}

/// Creates a module account, or converts a base account that has never signed.
fn create(
    tx: &mut Tx<'_>,
    rules: &Rules,
    module: &str,
    permissions: &[impl AsRef<str>],
) -> Result<u64, Error> {
    let address = module_address(module)?;
    let made = |base| account(base, module, permissions);
    let Some(found) = accounts::get_account(tx, &address)? else {
        return accounts::create_missing(tx, rules, &address, made);
    };
    match found.kind().map_err(|source| accounts::bad(&address, source))? {
        AccountKind::Base(base) if base.sequence == 0 && base.pub_key.is_none() => {
            let account = made(base).map_err(|source| accounts::bad(&address, source))?;
            ACCOUNTS.put(tx, address.as_bytes(), &account)?;
            Ok(account.number())
        }
        _ => Err(ErrorKind::AccountExists(address).into()),
    }
}

/// Makes a module account out of a base account.
pub(super) fn account(
    base: BaseAccount,
    module: &str,
    permissions: &[impl AsRef<str>],
) -> Result<Account, BadAccount> {
    Account::module(&ModuleAccount {
        base_account: Some(base),
        name: module.to_owned(),
        permissions: permissions.iter().map(|one| one.as_ref().to_owned()).collect(),
    })
}

/// Returns the account of a module.
///
/// # Errors
/// [`NoModule`](ErrorKind::NoModule), even if another kind of account has its address.
pub fn get_module_account(
    state: &(impl Read + ?Sized),
    module: &str,
) -> Result<ModuleAccount, Error> {
    find(state, module).map(|(_, account)| account)
}

fn find(
    state: &(impl Read + ?Sized),
    module: &str,
) -> Result<(Address<'static>, ModuleAccount), Error> {
    let address = module_address(module)?;
    let kind = accounts::get_account(state, &address)?.map(|account| account.kind()).transpose();
    match kind.map_err(|source| accounts::bad(&address, source))? {
        Some(AccountKind::Module(account)) if account.name == module => Ok((address, account)),
        _ => Err(ErrorKind::NoModule(module.to_owned()).into()),
    }
}

/// Returns the address of a module after checking a permission.
pub(super) fn permitted(
    state: &(impl Read + ?Sized),
    module: &str,
    permission: Permission,
) -> Result<Address<'static>, Error> {
    let (address, account) = find(state, module)?;
    if account.permissions.iter().any(|one| one == permission.as_str()) {
        return Ok(address);
    }
    Err(ErrorKind::NotPermitted { module: module.to_owned(), permission }.into())
}

/// Creates the account of a registered module if it is missing.
pub(crate) fn ensure(tx: &mut Tx<'_>, rules: &Rules, module: &str) -> Result<(), Error> {
    let address = module_address(module)?;
    if rules.module_at(&address).is_some() {
        accounts::ensure(tx, rules, &address)?;
    }
    Ok(())
}

/// Returns the address of a module, whose account exists afterwards.
pub(super) fn ensured(
    tx: &mut Tx<'_>,
    rules: &Rules,
    module: &str,
) -> Result<Address<'static>, Error> {
    ensure(tx, rules, module)?;
    find(tx, module).map(|(address, _)| address)
}

impl Keeper {
    /// Returns the registered modules whose address has another account, for example because coins
    /// were sent there before the module account existed. [`Keeper::repair_modules`] repairs them.
    /// Accounts that cannot be read are skipped.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn foreign_modules(&self, state: &(impl Read + ?Sized)) -> Result<Vec<&str>, Error> {
        let mut foreign = Vec::new();
        for module in self.rules.registered() {
            let account = readable(accounts::get_account(state, &module.address))?.flatten();
            let is_foreign = match account.map(|account| account.kind()) {
                Some(Ok(AccountKind::Module(found))) => found.name != module.name,
                Some(Ok(_)) => true,
                Some(Err(_)) | None => false,
            };
            if is_foreign {
                foreign.push(&*module.name);
            }
        }
        Ok(foreign)
    }

    /// Creates the account of a registered module, or converts a base account that has never
    /// signed, and returns its number. Permissions are those of the registration.
    ///
    /// # Errors
    /// [`NoModule`](ErrorKind::NoModule) if the module is not registered,
    /// [`AccountExists`](ErrorKind::AccountExists).
    pub fn create_module_account(&self, tx: &mut Tx<'_>, name: &str) -> Result<u64, Error> {
        let address = module_address(name)?;
        let module = self.rules.module_at(&address);
        let module = module.ok_or_else(|| ErrorKind::NoModule(name.to_owned()))?;
        create(tx, &self.rules, name, &module.permissions)
    }

    /// Converts the base accounts at the addresses of registered modules to module accounts, with
    /// their numbers and coins. An account that cannot be converted does not prevent the others: it
    /// has signed a transaction, or it is a vesting account.
    ///
    /// # Errors
    /// Errors of the database, or a corrupt account.
    pub fn repair_modules(&self, tx: &mut Tx<'_>) -> Result<Repaired, Error> {
        tx.attempt(|tx| {
            for module in self.rules.registered() {
                let account = accounts::get_account(tx, &module.address)?;
                let kind = account.map(|account| account.kind()).transpose();
                kind.map_err(|source| accounts::bad(&module.address, source))?;
            }
            let mut result = Repaired::default();
            for module in self.foreign_modules(tx)? {
                match self.create_module_account(tx, module) {
                    Ok(_) => result.repaired.push(module.to_owned()),
                    Err(error) if matches!(error.kind(), ErrorKind::AccountExists { .. }) => {
                        result.failed.push(module.to_owned());
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
