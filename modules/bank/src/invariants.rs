//! What always holds, whatever was done: each invariant as a function, and all of them together.
//!
//! They read rows in order and hold a few of them at a time, so that they run on states of any size.
//! Each reports its first breaches, and then how many more there are.

use crate::{
    Account, AccountKind, Address, Coins, Denom, Error, keeper,
    layout::{auth, bank},
    values,
};
use keyscape::{
    BadValue, IndexFault, IndexReport, Keyspace, MapRows, Rows, U256, ValueForm,
    store::{KeyRange, Read, Row, StoreId},
};
use std::{cmp::Ordering, fmt};

/// How many breaches of an invariant are reported one by one.
pub const SHOWN: usize = 100;

/// Something that should hold and does not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// A supply is not the sum of the balances.
    Supply {
        /// The denomination.
        denom: Denom<'static>,
        /// What the row of the supply says.
        stated: U256,
        /// What the balances add up to; `None` if that is more than 256 bits hold.
        summed: Option<U256>,
    },
    /// A row is not one of the layout, or holds what it must not.
    Row {
        /// The store.
        store: &'static str,
        /// The key.
        key: Box<[u8]>,
        /// What is wrong with it.
        why: String,
    },
    /// An index is not what its map says.
    Index {
        /// The index.
        index: &'static str,
        /// What is wrong with it.
        fault: IndexFault,
    },
    /// More is noted as delegated out of what vests than vests at all.
    DelegatedVesting {
        /// Whose account.
        address: Address<'static>,
        /// What is noted.
        delegated: Coins,
        /// What vests.
        original: Coins,
    },
    /// An account has a number that the sequence has not given yet.
    Number {
        /// Whose account.
        address: Address<'static>,
        /// Its number.
        number: u64,
        /// What the sequence gives next.
        next: u64,
    },
    /// More of the same.
    More {
        /// The invariant.
        invariant: &'static str,
        /// How many more breaches there are.
        count: u64,
    },
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Supply { denom, stated, summed: Some(summed) } => write!(
                f,
                "supply: {stated}{denom} are stated, and the balances add up to {summed}{denom}"
            ),
            Broken::Supply { denom, stated, summed: None } => write!(
                f,
                "supply: {stated}{denom} are stated, and the balances add up to more than 2^256 - 1"
            ),
            Broken::Row { store, key, why } => {
                write!(f, "row: ")?;
                key.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                write!(f, " in the store `{store}`: {why}")
            }
            Broken::Index { index, fault } => write!(f, "index `{index}`: {fault}"),
            Broken::DelegatedVesting { address, delegated, original } => write!(
                f,
                "delegated vesting: `{address}` has `{delegated}` noted as delegated out of `{original}` that vest"
            ),
            Broken::Number { address, number, next } => write!(
                f,
                "account number: `{address}` has the number {number}, but the next one is {next}"
            ),
            Broken::More { invariant, count } => write!(f, "{invariant}: {count} more"),
        }
    }
}

/// Breaches of one invariant.
struct Breaches {
    invariant: &'static str,
    first: Vec<Broken>,
    more: u64,
}

impl Breaches {
    fn of(invariant: &'static str) -> Breaches {
        Breaches { invariant, first: Vec::new(), more: 0 }
    }

    fn add(&mut self, broken: Broken) {
        if self.first.len() < SHOWN { self.first.push(broken) } else { self.more += 1 }
    }

    fn reported(mut self) -> Vec<Broken> {
        if self.more > 0 {
            self.first.push(Broken::More { invariant: self.invariant, count: self.more });
        }
        self.first
    }
}

/// Checks all invariants.
///
/// # Errors
/// What the database reports. A corrupt row is not an error but a [`Broken`]; then what cannot be
/// computed without it is not reported.
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut broken = rows(state)?;
    if !broken.is_empty() {
        return Ok(broken);
    }
    broken.extend(holders(state)?);
    broken.extend(supply(state)?);
    broken.extend(account_numbers(state)?);
    broken.extend(delegated_vesting(state)?);
    Ok(broken)
}

/// Every supply is the sum of the balances of its denomination.
///
/// Balances are found through the index of holders, in step with the supplies, so that one
/// denomination is held at a time. That the index is complete is what [`holders`] checks.
///
/// # Errors
/// What the database reports, or a corrupt row.
pub fn supply(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("supply");
    let mut supplies = bank::SUPPLY.scan_all(state)?.rows();
    let mut sums = Sums { state, entries: bank::HOLDERS.scan_all(state)?.rows(), ahead: None };
    let (mut stated, mut summed) = (supplies.next().transpose()?, sums.next()?);
    loop {
        let order = match (&stated, &summed) {
            (None, None) => return Ok(breaches.reported()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((key, _)), Some((denom, _))) => key.denom.cmp(denom),
        };
        let (left, right) = (
            if order == Ordering::Greater { None } else { stated.take() },
            if order == Ordering::Less { None } else { summed.take() },
        );
        let denom = match (&left, &right) {
            (Some((key, _)), _) => key.denom.clone(),
            (None, Some((denom, _))) => denom.clone(),
            (None, None) => return Ok(breaches.reported()),
        };
        let stated_amount = left.as_ref().map_or(U256::ZERO, |(_, amount)| *amount);
        let summed_amount = right.as_ref().map_or(Some(U256::ZERO), |(_, sum)| *sum);
        if summed_amount != Some(stated_amount) {
            let (stated, summed) = (stated_amount, summed_amount);
            breaches.add(Broken::Supply { denom, stated, summed });
        }
        if left.is_some() {
            stated = supplies.next().transpose()?;
        }
        if right.is_some() {
            summed = sums.next()?;
        }
    }
}

/// The sums of balances, denomination by denomination.
struct Sums<'s, R: Read + ?Sized> {
    state: &'s R,
    entries: keyscape::OwnedRows<'s, bank::Holders, bank::HoldersAll>,
    /// The first entry of the next denomination.
    ahead: Option<bank::HoldersKey<'static>>,
}

impl<R: Read + ?Sized> Sums<'_, R> {
    /// The next denomination with its sum, which is `None` if 256 bits do not hold it.
    fn next(&mut self) -> Result<Option<(Denom<'static>, Option<U256>)>, Error> {
        let first = match self.ahead.take() {
            Some(first) => Some(first),
            None => self.entries.next().transpose()?.map(|(key, ())| key),
        };
        let Some(first) = first else { return Ok(None) };
        let denom = first.denom.clone();
        let mut sum = self.with(Some(U256::ZERO), &first)?;
        while let Some((key, ())) = self.entries.next().transpose()? {
            if key.denom != denom {
                self.ahead = Some(key);
                break;
            }
            sum = self.with(sum, &key)?;
        }
        Ok(Some((denom, sum)))
    }

    fn with(&self, sum: Option<U256>, key: &bank::HoldersKey<'_>) -> Result<Option<U256>, Error> {
        let balance = keeper::get_balance(self.state, &key.owner, &key.denom)?;
        Ok(sum.and_then(|sum| sum.checked_add(balance)))
    }
}

/// The index of holders has an entry for each balance and no other.
///
/// # Errors
/// What the database reports.
pub fn holders(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    Ok(index("holders", bank::HOLDERS.check(state)?))
}

/// The index of account numbers has an entry for each account and no other, and the sequence is past
/// all of them.
///
/// # Errors
/// What the database reports, or a corrupt row.
pub fn account_numbers(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut broken = index("account_numbers", auth::ACCOUNT_NUMBERS.check(state)?);
    let next = auth::NEXT_ACCOUNT_NUMBER.peek(state)?;
    let last = auth::ACCOUNT_NUMBERS.prefix_all().reverse().first(state)?;
    if let Some((key, address)) = last
        && key.number >= next
    {
        let address = Address::new(address).map_err(keyscape::Error::from)?;
        broken.push(Broken::Number { address, number: key.number, next });
    }
    Ok(broken)
}

fn index(index: &'static str, report: IndexReport) -> Vec<Broken> {
    let shown = report.first.len() as u64;
    let faults = report.first.into_iter().map(|fault| Broken::Index { index, fault });
    let mut broken: Vec<Broken> = faults.collect();
    if report.faults > shown {
        broken.push(Broken::More { invariant: index, count: report.faults - shown });
    }
    broken
}

/// No account has more noted as delegated out of what vests than vests.
///
/// # Errors
/// What the database reports, or a corrupt row.
pub fn delegated_vesting(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("delegated vesting");
    let mut accounts = auth::ACCOUNTS.scan_all(state)?;
    while let Some(row) = accounts.next()? {
        let account = row.value()?;
        if !account.can_lock() {
            continue;
        }
        let Ok(AccountKind::Vesting(account)) = account.kind() else { continue };
        let (original, delegated) =
            (account.vesting.original(), account.vesting.delegated_vesting());
        if !original.covers(delegated) {
            let address = Address::new(row.key.address.as_bytes().to_vec());
            breaches.add(Broken::DelegatedVesting {
                address: address.map_err(keyscape::Error::from)?,
                delegated: delegated.clone(),
                original: original.clone(),
            });
        }
    }
    Ok(breaches.reported())
}

/// Every row is one of the layout and can be read; no amount is zero; balances in their older form name
/// the denomination of their key; accounts can be read as what their type says.
///
/// # Errors
/// What the database reports.
pub fn rows(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("row");
    let mut each = |store: &'static str, fits: fn(Row<'_>) -> Result<(), String>| {
        let mut rows = state.rows(StoreId::of(store), KeyRange::all())?;
        while let Some(row) = rows.next()? {
            if let Err(why) = fits(row) {
                breaches.add(Broken::Row { store, key: row.key.into(), why });
            }
        }
        Ok::<(), Error>(())
    };
    each(bank::Balances::SPACE, fits_bank)?;
    each(auth::Accounts::SPACE, fits_auth)?;
    Ok(breaches.reported())
}

fn fits_bank(row: Row<'_>) -> Result<(), String> {
    if row.key.starts_with(bank::Balances::PREFIX) {
        let key = key::<bank::Balances>(row)?;
        let amount = values::balance(&key.denom, row.value);
        return not_zero(amount.map_err(|bad| bad_value::<bank::Balances>(&bad))?);
    }
    if row.key.starts_with(bank::Supply::PREFIX) {
        return not_zero(read::<bank::Supply>(row)?.1);
    }
    if row.key.starts_with(<bank::Holders as keyscape::IndexRows>::PREFIX) {
        return read::<bank::Holders>(row).map(drop);
    }
    if row.key.starts_with(bank::Metadata::PREFIX) {
        return read::<bank::Metadata>(row).map(drop);
    }
    if row.key.starts_with(bank::SendEnabled::PREFIX) {
        return read::<bank::SendEnabled>(row).map(drop);
    }
    read::<bank::Params>(row).map(drop)
}

fn fits_auth(row: Row<'_>) -> Result<(), String> {
    if row.key.starts_with(auth::Accounts::PREFIX) {
        let (_, account): (_, Account) = read::<auth::Accounts>(row)?;
        return account.kind().map(drop).map_err(|bad| bad.to_string());
    }
    if row.key.starts_with(<auth::AccountNumbers as keyscape::IndexRows>::PREFIX) {
        return read::<auth::AccountNumbers>(row).map(drop);
    }
    if row.key == <auth::NextAccountNumber as keyscape::ItemRows>::KEY {
        return read::<auth::NextAccountNumber>(row).map(drop);
    }
    read::<auth::AuthParams>(row).map(drop)
}

/// A row as one of a keyspace.
fn read<K: Rows>(row: Row<'_>) -> Result<(K::Key<'_>, <K::Value as ValueForm>::View<'_>), String> {
    let key = key::<K>(row)?;
    let value = K::Value::decode(row.value).map_err(|bad| bad_value::<K>(&bad))?;
    Ok((key, value))
}

fn key<K: Keyspace>(row: Row<'_>) -> Result<K::Key<'_>, String> {
    K::decode(row.key).map_err(|error| format!("the key is none of `{}`: {error}", K::NAME))
}

fn bad_value<K: Keyspace>(bad: &BadValue) -> String {
    format!("the value is none of `{}`: {bad}", K::NAME)
}

fn not_zero(amount: U256) -> Result<(), String> {
    if amount == U256::ZERO { Err("an amount of zero has no row".to_owned()) } else { Ok(()) }
}
