//! The invariant of supplies and balances.

use crate::{
    Denom, Error, keeper,
    layout::bank::{self, HOLDERS},
};
use keyscape::{
    U256,
    store::{KeyRange, Read, StoreId},
    traits::{IndexRows, Keyspace, MapRows},
};
use keyscape_sim::{Breaches, Broken, readable};

/// Checks that every supply is the sum of the balances of its denomination.
///
/// It reads the balances in the order of the index of holders, one denomination at a time.
/// [`holders`](super::holders()) checks that the index is complete. A denomination with an
/// unreadable row is skipped: [`rows`](super::rows()) reports the row.
///
/// # Errors
/// Errors of the database.
pub fn supply(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("supply");
    let mut current: Option<Sum> = None;
    let range = KeyRange::prefix(<bank::Holders as IndexRows>::PREFIX);
    let mut entries = state.rows(StoreId::of(bank::Holders::SPACE), range)?;
    while let Some(row) = entries.next()? {
        let Ok(key) = bank::Holders::decode(row.key) else { continue };
        if let Some(ended) = current.take_if(|sum| sum.denom != key.denom) {
            ended.compare(state, &mut breaches)?;
        }
        let sum = current.get_or_insert_with(|| Sum::of(key.denom.clone().into_owned()));
        match readable(keeper::get_balance(state, &key.owner, &key.denom))? {
            Some(balance) => sum.amount = sum.amount.and_then(|sum| sum.checked_add(balance)),
            None => sum.is_complete = false,
        }
    }
    if let Some(last) = current {
        last.compare(state, &mut breaches)?;
    }
    let mut supplies =
        state.rows(StoreId::of(bank::Supply::SPACE), KeyRange::prefix(bank::Supply::PREFIX))?;
    while let Some(row) = supplies.next()? {
        let Ok(key) = bank::Supply::decode(row.key) else { continue };
        let first = HOLDERS.prefix_denom(&key.denom).first(state).map_err(Error::from);
        if let Some(None) = readable(first)? {
            Sum::of(key.denom.into_owned()).compare(state, &mut breaches)?;
        }
    }
    Ok(breaches.reported())
}

/// The sum of the balances of a denomination.
struct Sum {
    denom: Denom<'static>,
    /// `None` if the sum exceeds 256 bits.
    amount: Option<U256>,
    /// Whether all balances can be read.
    is_complete: bool,
}

impl Sum {
    fn of(denom: Denom<'static>) -> Sum {
        Sum { denom, amount: Some(U256::ZERO), is_complete: true }
    }

    fn compare(self, state: &(impl Read + ?Sized), breaches: &mut Breaches) -> Result<(), Error> {
        let Sum { denom, amount, is_complete } = self;
        let stated = readable(keeper::get_supply(state, &denom))?.filter(|_| is_complete);
        if let Some(stated) = stated.filter(|stated| amount != Some(*stated)) {
            let sum = amount.map_or_else(
                || "more than 2^256 - 1".to_owned(),
                |amount| format!("{amount}{denom}"),
            );
            breaches
                .add(format_args!("{stated}{denom} are stated, and the balances add up to {sum}"));
        }
        Ok(())
    }
}
