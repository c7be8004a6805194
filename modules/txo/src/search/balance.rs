//! Balances of search results.

use super::{Query, search};
use crate::{error::Error, layout::txo::SATOSHIS_AMOUNT};
use keyscape::store::Read;

/// The balance of unspent outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// The sum of their satoshis.
    pub satoshis: u128,
    /// The number of outputs.
    pub outputs: u64,
}

/// Returns the balance of the unspent outputs of a query, even if the query includes spent ones.
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
