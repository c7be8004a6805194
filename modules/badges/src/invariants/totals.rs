//! `Total` is the sum of all users' badges.

use super::{Breaches, Broken};
use crate::{
    Amounts, Error,
    keeper::balances_of,
    layout::badges::{BALANCES, COLLECTIONS, Id, Owner},
};
use keyscape::store::Read;

/// The sum of one collection.
struct Sum {
    collection: Id,
    stated: Amounts,
    /// `None` if the sum exceeds 256 bits.
    summed: Option<Amounts>,
}

impl Sum {
    /// Compares both sides. A collection that is being deleted has lost some of its rows already.
    fn end(self, state: &(impl Read + ?Sized), breaches: &mut Breaches) -> Result<(), Error> {
        let Sum { collection, stated, summed } = self;
        if summed.as_ref() != Some(&stated)
            && COLLECTIONS.get_with(state, collection, |found| found.deleting)? != Some(true)
        {
            breaches.add(Broken::Total { collection, stated, summed });
        }
        Ok(())
    }
}

/// Checks that the total of every collection is the sum of its users' badges, for every id and
/// time.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn totals(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("total");
    let mut current: Option<Sum> = None;
    let mut scan = BALANCES.scan_all(state)?;
    // The rows of one collection are adjacent, because a scan of the collection is exact.
    while let Some(row) = scan.next_row()? {
        let collection = row.key.collection;
        if let Some(ended) = current.take_if(|sum| sum.collection != collection) {
            ended.end(state, &mut breaches)?;
        }
        let empty =
            || Sum { collection, stated: Amounts::default(), summed: Some(Amounts::default()) };
        let sum = current.get_or_insert_with(empty);
        let amounts = balances_of(&row.value()?)?;
        match row.key.owner {
            Owner::Total => sum.stated = amounts,
            _ => sum.summed = sum.summed.take().and_then(|sum| sum.checked_add(&amounts).ok()),
        }
    }
    if let Some(last) = current {
        last.end(state, &mut breaches)?;
    }
    Ok(breaches.reported())
}
