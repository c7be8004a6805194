//! Module accounts and their permissions.

use super::accounts;
use crate::{Account, AccountKind, Address, Error, ErrorKind, ModuleAccount};
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
    let digest = Sha256::digest(module.as_bytes());
    let address = digest.iter().copied().take(20).collect::<Vec<u8>>();
    Ok(Address::new(address).map_err(keyscape::Error::from)?)
}

/// Creates a module account, which includes its permissions.
///
/// # Errors
/// [`AccountExists`](ErrorKind::AccountExists), [`ModuleName`](ErrorKind::ModuleName).
pub fn create_module_account(
    tx: &mut Tx<'_>,
    module: &str,
    permissions: &[Permission],
) -> Result<u64, Error> {
    let address = module_address(module)?;
    accounts::create(tx, &address, |base| {
        Account::module(&ModuleAccount {
            base_account: Some(base),
            name: module.to_owned(),
            permissions: permissions.iter().map(|one| one.as_str().to_owned()).collect(),
        })
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
