//! Module accounts and their permissions.

use super::accounts;
use crate::{
    Account, AccountKind, Address, BadAccount, BaseAccount, Error, ErrorKind, ModuleAccount, Rules,
    layout::acc::ACCOUNTS,
};
use keyscape::store::{Read, Tx};
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
const LONGEST_NAME: usize = 64;

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
    let named = (1..=LONGEST_NAME).contains(&module.len());
    if !named || !module.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ErrorKind::ModuleName { name: module.to_owned() }.into());
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
    create(tx, None, module, &permissions)
}

/// Creates a module account, or converts a base account that has never signed.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    rules: Option<&Rules>,
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
        _ => Err(ErrorKind::AccountExists { address }.into()),
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

pub(super) fn find(
    state: &(impl Read + ?Sized),
    module: &str,
) -> Result<(Address<'static>, ModuleAccount), Error> {
    let address = module_address(module)?;
    let kind = accounts::get_account(state, &address)?.map(|account| account.kind()).transpose();
    match kind.map_err(|source| accounts::bad(&address, source))? {
        Some(AccountKind::Module(account)) if account.name == module => Ok((address, account)),
        _ => Err(ErrorKind::NoModule { module: module.to_owned() }.into()),
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
