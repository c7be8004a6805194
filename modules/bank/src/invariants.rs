//! Invariants of the bank: each as a function, and all of them together.
//!
//! They read rows in order with bounded memory, so they run on states of any size. Each reports its
//! first violations and the number of further ones.

mod accounts;
mod rows;
mod supply;

pub use accounts::{account_numbers, accounts, delegated_vesting, next_number};
pub use rows::rows;
pub use supply::supply;

use crate::{Error, Keeper, Prefix, Rules, keeper, layout::bank};
use keyscape::{IndexReport, store::Read};
pub use keyscape_sim::Broken;
use keyscape_sim::{Breaches, joined, readable};

/// Checks all invariants.
///
/// # Errors
/// Errors of the database. A corrupt row is a [`Broken`], not an error: checks that need the row
/// are skipped, and all others run.
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    joined([
        ("row", rows(state)),
        ("holders", holders(state)),
        ("supply", supply(state)),
        ("account_numbers", account_numbers(state)),
        ("account number", next_number(state)),
        ("account", accounts(state)),
        ("delegated vesting", delegated_vesting(state)),
    ])
}

/// Returns the conditions that a state violates although the SDK can produce it: metadata are
/// [valid](crate::Metadata::validate), and the addresses of [the modules of the SDK](Rules::sdk)
/// have module accounts or none. Vouchers of IBC have metadata that the SDK rejects in a genesis
/// but stores otherwise. Rows that cannot be read are skipped; [`check`] reports them. Addresses
/// have the prefix of the chain.
///
/// # Errors
/// Errors of the database.
pub fn warnings(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let prefix = readable(Prefix::of(state))?.flatten().unwrap_or_default();
    let mut accounts = Breaches::of("account");
    for module in Keeper::new(Rules::sdk()?).foreign_modules(state)? {
        let address = prefix.show(&keeper::module_address(module)?);
        accounts.add(format_args!(
            "`{address}`: the address belongs to the module `{module}`, and the account does not"
        ));
    }
    let mut metadata = Breaches::of("metadata");
    let mut scan = bank::METADATA.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let Ok(found) = row.value() else { continue };
        if let Err(why) = found.validate() {
            metadata.add(format_args!("`{}`: {why}", row.key.denom));
        }
    }
    Ok([accounts.reported(), metadata.reported()].concat())
}

/// Checks that the index of holders has an entry for each balance and no other.
///
/// # Errors
/// Errors of the database.
pub fn holders(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    Ok(index("holders", &bank::HOLDERS.check(state)?))
}

fn index(index: &str, report: &IndexReport) -> Vec<Broken> {
    let mut breaches = Breaches::of("index");
    breaches.add_index(index, report);
    breaches.reported()
}
