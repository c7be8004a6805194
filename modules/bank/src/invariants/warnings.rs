//! Conditions that a state of a real chain may violate.

use crate::{Error, Keeper, Prefix, Rules, keeper, layout::bank};
use keyscape::store::Read;
use keyscape_sim::{Breaches, Broken};

/// Returns the conditions that a state violates although the SDK can produce it: metadata are
/// [valid](crate::Metadata::validate), and the addresses of [the modules of the SDK](Rules::sdk)
/// have module accounts or none. Vouchers of IBC have metadata that the SDK rejects in a genesis
/// but stores otherwise. Rows that cannot be read are skipped; [`check`](super::check) reports
/// them. Addresses have the prefix of the chain.
///
/// # Errors
/// Errors of the database.
pub fn warnings(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let prefix = keyscape_sim::readable(Prefix::of(state))?.flatten().unwrap_or_default();
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
