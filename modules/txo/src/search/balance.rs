//! Sums of what was found.

use super::{Query, search};
use crate::{error::Error, layout::txo::SATOSHIS_AMOUNT};
use keyscape::store::Read;

/// What unspent outputs hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// The sum of their satoshis.
    pub satoshis: u128,
    /// How many there are.
    pub outputs: u64,
}

/// What the unspent outputs of a query hold, whether or not it says that they must be unspent.
///
/// # Errors
/// As [`search`]; [`Error::Overflow`].
pub fn balance(read: &impl Read, query: &Query) -> Result<Balance, Error> {
    let query = query.clone().unspent();
    let mut balance = Balance::default();
    for hit in search(read, &query)? {
        let held = SATOSHIS_AMOUNT.get(read, (), hit?.outpoint)?.unwrap_or_default();
        let sum = balance.satoshis.checked_add(u128::from(held));
        balance.satoshis = sum.ok_or(Error::Overflow("the balance"))?;
        balance.outputs += 1;
    }
    Ok(balance)
}
