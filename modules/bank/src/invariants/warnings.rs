//! Conditions that a state of a real chain may violate.

use super::SHOWN;
use crate::{Account, AccountKind, Address, Denom, Error, Prefix, Rules, keeper, layout::bank};
use keyscape::store::Read;

/// A condition of the SDK that its own code does not enforce.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Metadata that the SDK rejects in a genesis but stores otherwise. Vouchers of IBC are an
    /// example.
    #[error("metadata of `{denom}`: {why}")]
    Metadata {
        /// The denomination.
        denom: Denom<'static>,
        /// The violated condition.
        why: &'static str,
    },
    /// An account at the address of a module of the SDK that is not the account of the module.
    #[error(
        "account `{address}`: the address belongs to the module `{module}`, and the account does not"
    )]
    Module {
        /// The address.
        address: Address<'static>,
        /// The module.
        module: String,
    },
    /// Further metadata that are invalid.
    #[error("metadata: {count} more")]
    More {
        /// Their number.
        count: u64,
    },
}

impl Warning {
    /// Returns the text with the address in the prefix of a chain.
    #[must_use]
    pub fn show(&self, prefix: &Prefix) -> String {
        let address = match self {
            Warning::Module { address, .. } => Some(address),
            _ => None,
        };
        prefix.show_in(&self.to_string(), address)
    }
}

/// Returns the conditions that a state violates although the SDK can produce it: metadata are
/// [valid](crate::Metadata::validate), and the addresses of [the modules of the SDK](Rules::sdk)
/// have module accounts or none. Rows that cannot be read are skipped;
/// [`check`](super::check) reports them.
///
/// # Errors
/// Errors of the database.
pub fn warnings(state: &(impl Read + ?Sized)) -> Result<Vec<Warning>, Error> {
    let mut warnings = Vec::new();
    for module in Rules::sdk()?.registered() {
        match keeper::get_account(state, &module.address) {
            Ok(Some(account)) if !is_module(&account, &module.name) => {
                let (address, module) = (module.address.clone(), module.name.clone());
                warnings.push(Warning::Module { address, module });
            }
            Err(error) if !error.is_corrupt() => return Err(error),
            _ => {}
        }
    }
    let mut more = 0;
    let mut scan = bank::METADATA.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let Ok(metadata) = row.value() else { continue };
        if let Err(why) = metadata.validate() {
            match warnings.len() < SHOWN {
                true => {
                    let denom = row.key.denom.into_owned();
                    warnings.push(Warning::Metadata { denom, why });
                }
                false => more += 1,
            }
        }
    }
    if more > 0 {
        warnings.push(Warning::More { count: more });
    }
    Ok(warnings)
}

/// Whether an account is that of a module, or cannot be decoded.
fn is_module(account: &Account, name: &str) -> bool {
    match account.kind() {
        Ok(AccountKind::Module(module)) => module.name == name,
        Ok(_) => false,
        Err(_) => true,
    }
}
