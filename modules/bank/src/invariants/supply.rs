//! The invariant of supplies and balances.

use super::{Breaches, Broken};
use crate::{Denom, Error, keeper, layout::bank};
use keyscape::{
    U256, ValueForm,
    store::{self, KeyRange, Read, StoreId},
    traits::{IndexRows, Keyspace, MapRows, Rows},
};
use std::cmp::Ordering;

/// Checks that every supply is the sum of the balances of its denomination.
///
/// It reads the index of holders and the supplies in parallel, one denomination at a time.
/// [`holders`](super::holders()) checks that the index is complete. A denomination with an
/// unreadable row is skipped: [`rows`](super::rows()) reports the row.
///
/// # Errors
/// Errors of the database.
pub fn supply(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("supply");
    let mut supplies = Supplies(under(state, bank::Supply::SPACE, bank::Supply::PREFIX)?);
    let entries = under(state, bank::Holders::SPACE, <bank::Holders as IndexRows>::PREFIX)?;
    let mut sums = Sums { state, entries, ahead: None };
    let (mut stated, mut summed) = (supplies.next()?, sums.next()?);
    loop {
        let order = match (&stated, &summed) {
            (None, None) => return Ok(breaches.reported()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((stated, _)), Some((summed, _))) => stated.cmp(summed),
        };
        let left = if order == Ordering::Greater { None } else { stated.take() };
        let right = if order == Ordering::Less { None } else { summed.take() };
        if left.is_some() {
            stated = supplies.next()?;
        }
        if right.is_some() {
            summed = sums.next()?;
        }
        let amount = left.as_ref().map_or(Some(U256::ZERO), |(_, amount)| *amount);
        let sum = right.as_ref().map_or(Sum::Of(U256::ZERO), |(_, sum)| *sum);
        let Some(denom) = left.map(|(denom, _)| denom).or(right.map(|(denom, _)| denom)) else {
            return Ok(breaches.reported());
        };
        let (stated, summed) = match (amount, sum) {
            (None, _) | (_, Sum::Unknown) => continue,
            (Some(stated), Sum::Of(sum)) if stated == sum => continue,
            (Some(stated), Sum::Of(sum)) => (stated, Some(sum)),
            (Some(stated), Sum::TooMuch) => (stated, None),
        };
        breaches.add(Broken::Supply { denom, stated, summed });
    }
}

fn under<'t>(
    state: &'t (impl Read + ?Sized),
    store: &'static str,
    prefix: &[u8],
) -> Result<store::Rows<'t>, Error> {
    Ok(state.rows(StoreId::of(store), KeyRange::prefix(prefix))?)
}

/// The supplies in order of denomination, without rows with an invalid key.
struct Supplies<'t>(store::Rows<'t>);

impl Supplies<'_> {
    /// Returns the next denomination with its supply, which is `None` if it cannot be read.
    fn next(&mut self) -> Result<Option<(Denom<'static>, Option<U256>)>, Error> {
        while let Some(row) = self.0.next()? {
            if let Ok(key) = bank::Supply::decode(row.key) {
                let amount = <bank::Supply as Rows>::Value::decode(row.value).ok();
                return Ok(Some((key.denom.into_owned(), amount)));
            }
        }
        Ok(None)
    }
}

/// The sum of the balances of a denomination.
#[derive(Clone, Copy)]
enum Sum {
    Of(U256),
    /// The sum exceeds 256 bits.
    TooMuch,
    /// A balance cannot be read.
    Unknown,
}

/// The sums of balances by denomination.
struct Sums<'s, R: Read + ?Sized> {
    state: &'s R,
    entries: store::Rows<'s>,
    /// The first entry of the next denomination.
    ahead: Option<bank::HoldersKey<'static>>,
}

impl<R: Read + ?Sized> Sums<'_, R> {
    /// Returns the next denomination with its sum.
    fn next(&mut self) -> Result<Option<(Denom<'static>, Sum)>, Error> {
        let first = match self.ahead.take() {
            Some(first) => Some(first),
            None => self.entry()?,
        };
        let Some(first) = first else { return Ok(None) };
        let mut sum = self.with(Sum::Of(U256::ZERO), &first)?;
        while let Some(key) = self.entry()? {
            if key.denom != first.denom {
                self.ahead = Some(key);
                break;
            }
            sum = self.with(sum, &key)?;
        }
        Ok(Some((first.denom, sum)))
    }

    /// Returns the next entry of the index with a valid key.
    fn entry(&mut self) -> Result<Option<bank::HoldersKey<'static>>, Error> {
        while let Some(row) = self.entries.next()? {
            if let Ok(key) = bank::Holders::decode(row.key) {
                return Ok(Some(bank::Holders::into_owned(key)));
            }
        }
        Ok(None)
    }

    fn with(&self, sum: Sum, key: &bank::HoldersKey<'_>) -> Result<Sum, Error> {
        let balance = match keeper::get_balance(self.state, &key.owner, &key.denom) {
            Ok(balance) => balance,
            Err(error) if error.is_corrupt() => return Ok(Sum::Unknown),
            Err(error) => return Err(error),
        };
        Ok(match sum {
            Sum::Of(sum) => sum.checked_add(balance).map_or(Sum::TooMuch, Sum::Of),
            Sum::TooMuch | Sum::Unknown => sum,
        })
    }
}
