//! Balances, and what of them can be spent.

use crate::{
    Address, Coin, Coins, Denom, Error, ErrorKind,
    keeper::accounts,
    layout::bank::{self, BALANCES, HOLDERS},
    values,
};
use keyscape::{
    Page, PageCursor, Scan, U256,
    store::{Direction, Read, ReadExt, StoreId, Tx},
    traits::{Buffer, Keyspace},
};

/// What an account has of a denomination.
///
/// # Errors
/// If the row is corrupt: that is never a balance of zero.
pub fn get_balance(
    state: &(impl Read + ?Sized),
    owner: &Address<'_>,
    denom: &Denom<'_>,
) -> Result<U256, Error> {
    let found = match BALANCES.get(state, (owner, denom)) {
        Err(error) if is_corrupt(&error) => stored(state, owner, denom)?,
        found => found?,
    };
    Ok(found.unwrap_or(U256::ZERO))
}

/// Whether typed access could not read a balance: then it is one in the older form, or corrupt.
fn is_corrupt(error: &keyscape::Error) -> bool {
    matches!(error.kind(), keyscape::ErrorKind::CorruptValue { .. })
}

/// A balance in any form, read beside its key.
fn stored(
    state: &(impl Read + ?Sized),
    owner: &Address<'_>,
    denom: &Denom<'_>,
) -> Result<Option<U256>, Error> {
    let mut key = <bank::Balances as Keyspace>::Buffer::default();
    bank::Balances::encode(&(owner, denom).into(), &mut key).map_err(keyscape::Error::from)?;
    let key = key.written().map_err(keyscape::Error::from)?;
    let store = StoreId::of(bank::Balances::SPACE);
    let found = state.get_with(store, key, |value| amount(key, denom, value))?;
    found.transpose()
}

/// The amount of a row.
fn amount(key: &[u8], denom: &Denom<'_>, value: &[u8]) -> Result<U256, Error> {
    values::balance(denom, value).map_err(|source| {
        let keyspace = bank::Balances::NAME;
        let corrupt = keyscape::ErrorKind::CorruptValue { keyspace, key: key.into(), source };
        keyscape::Error::from(corrupt).into()
    })
}

/// Everything that an account has. It reads as many rows as the account has; [`balances_page`] reads a
/// few. A row of zero, as v0.40 to v0.42 left behind, is no coin and is left out; the
/// [invariants](crate::invariants::rows()) report it.
///
/// # Errors
/// If a row is corrupt.
pub fn get_all_balances(state: &(impl Read + ?Sized), owner: &Address<'_>) -> Result<Coins, Error> {
    let coins = balances(state, owner)?.collect::<Result<Vec<Coin>, Error>>()?;
    Ok(Coins::new(coins)?)
}

/// The balances of an account, one by one, in order of denomination. Rows of zero are left out.
///
/// # Errors
/// What the database reports.
pub fn balances<'t>(
    state: &'t (impl Read + ?Sized),
    owner: &Address<'_>,
) -> Result<Balances<'t>, Error> {
    Ok(Balances { scan: BALANCES.scan_owner(state, owner)?, done: false })
}

/// The balances of an account. They end after an error: a row that is corrupt, or what the database
/// reports. See [`balances`].
#[derive(Debug)]
pub struct Balances<'t> {
    scan: Scan<'t, bank::Balances, bank::BalancesOwner>,
    done: bool,
}

impl Balances<'_> {
    fn step(&mut self) -> Result<Option<Coin>, Error> {
        while let Some(row) = self.scan.next()? {
            let amount = amount(row.key_bytes(), &row.key.denom, row.value_bytes())?;
            if amount != U256::ZERO {
                return Ok(Some(Coin { denom: row.key.denom.into_owned(), amount }));
            }
        }
        Ok(None)
    }
}

impl Iterator for Balances<'_> {
    type Item = Result<Coin, Error>;

    fn next(&mut self) -> Option<Result<Coin, Error>> {
        if self.done {
            return None;
        }
        let coin = self.step().transpose();
        self.done = !matches!(coin, Some(Ok(_)));
        coin
    }
}

impl std::iter::FusedIterator for Balances<'_> {}

/// Some of the balances of an account: the first ones, or those after a cursor. It reads one row more
/// than it is asked for, which is at least one. Rows of zero are left out, so that a page can have fewer
/// than it is asked for and not be the last.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::keeper;
///
/// # let (db, ann) = (bank(), address(1));
/// # db.write(|tx| fund(tx, &ann, "1bar,2foo,3stake"))?;
/// // `ann` has 1bar, 2foo and 3stake.
/// let state = db.read()?;
/// let first = keeper::balances_page(&state, &ann, None, 2)?;
/// let denoms: Vec<&str> = first.rows.iter().map(|(key, _)| key.denom.as_str()).collect();
/// assert_eq!(denoms, ["bar", "foo"]);
/// let second = keeper::balances_page(&state, &ann, first.next.as_ref(), 2)?;
/// assert_eq!((second.rows.len(), second.next), (1, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a row is corrupt, or the cursor is not one of this account.
pub fn balances_page(
    state: &(impl Read + ?Sized),
    owner: &Address<'_>,
    after: Option<&PageCursor>,
    rows: usize,
) -> Result<Page<bank::Balances>, Error> {
    let size = rows.max(1);
    let mut prefix = BALANCES.prefix_owner(owner).limit((size as u64).saturating_add(1));
    if let Some(cursor) = after {
        prefix = prefix.after(cursor);
    }
    let mut page = Page { rows: Vec::new(), next: None };
    let (mut read, mut last) = (0, Vec::new());
    let mut scan = prefix.scan(state)?;
    while let Some(row) = scan.next()? {
        if read == size {
            let (space, name) = (bank::Balances::SPACE, bank::Balances::NAME);
            page.next = Some(PageCursor::of(space, name, Direction::Forward, last));
            break;
        }
        read += 1;
        last.clear();
        last.extend_from_slice(row.key_bytes());
        let amount = amount(row.key_bytes(), &row.key.denom, row.value_bytes())?;
        if amount != U256::ZERO {
            page.rows.push((bank::Balances::into_owned(row.key), amount));
        }
    }
    Ok(page)
}

/// Who has a denomination, one by one. The length of an address sorts before its bytes.
///
/// # Errors
/// What the database reports.
pub fn holders<'t>(
    state: &'t (impl Read + ?Sized),
    denom: &Denom<'_>,
) -> Result<Scan<'t, bank::Holders, bank::HoldersDenom>, Error> {
    Ok(HOLDERS.scan_denom(state, denom)?)
}

/// Sets a balance, for a genesis and for tests. The supply stays what it is; an amount of zero deletes
/// the row.
///
/// # Errors
/// What the database reports. Then nothing has changed.
pub fn set_balance(tx: &mut Tx<'_>, owner: &Address<'_>, coin: &Coin) -> Result<(), Error> {
    put(tx, owner, &coin.denom, coin.amount)
}

/// What an account must keep. It can be more than the account has, namely after delegations were
/// slashed.
///
/// # Errors
/// [`UnknownAccount`](ErrorKind::UnknownAccount), [`BadAccount`](ErrorKind::BadAccount).
pub fn locked_coins(
    state: &(impl Read + ?Sized),
    now: i64,
    owner: &Address<'_>,
) -> Result<Coins, Error> {
    Ok(accounts::vesting_of(state, owner)?.map_or(Coins::none(), |vesting| vesting.locked(now)))
}

/// What an account must keep of a denomination.
///
/// # Errors
/// As [`locked_coins`].
pub fn locked_coin(
    state: &(impl Read + ?Sized),
    now: i64,
    owner: &Address<'_>,
    denom: &Denom<'_>,
) -> Result<U256, Error> {
    let vesting = accounts::vesting_of(state, owner)?;
    Ok(vesting.map_or(U256::ZERO, |vesting| vesting.locked_of(denom, now)))
}

/// What an account can spend: for each denomination what it has without what it must keep, or nothing of
/// it. It reads as many rows as the account has; [`spendable_coin`] reads two.
///
/// # Errors
/// As [`get_all_balances`] and [`locked_coins`].
pub fn spendable_coins(
    state: &(impl Read + ?Sized),
    now: i64,
    owner: &Address<'_>,
) -> Result<Coins, Error> {
    Ok(get_all_balances(state, owner)?.without(&locked_coins(state, now, owner)?))
}

/// What an account can spend of a denomination.
///
/// # Errors
/// As [`get_balance`] and [`locked_coins`].
pub fn spendable_coin(
    state: &(impl Read + ?Sized),
    now: i64,
    owner: &Address<'_>,
    denom: &Denom<'_>,
) -> Result<U256, Error> {
    let locked = locked_coin(state, now, owner, denom)?;
    Ok(get_balance(state, owner, denom)?.saturating_sub(locked))
}

/// Takes coins from an account of which some must stay there. Returns what it had.
pub(super) fn debit(
    tx: &mut Tx<'_>,
    owner: &Address<'_>,
    coin: &Coin,
    locked: U256,
) -> Result<U256, Error> {
    let mut had = U256::ZERO;
    update(tx, owner, &coin.denom, |balance| {
        had = balance;
        let spendable = balance.saturating_sub(locked);
        if spendable < coin.amount {
            return Err(Error::from(ErrorKind::Insufficient {
                address: owner.clone().into_owned(),
                denom: coin.denom.clone(),
                balance,
                locked,
                spendable,
                asked: coin.amount,
            }));
        }
        Ok(balance - coin.amount)
    })?;
    Ok(had)
}

/// Gives coins to an account.
pub(super) fn credit(tx: &mut Tx<'_>, owner: &Address<'_>, coin: &Coin) -> Result<(), Error> {
    update(tx, owner, &coin.denom, |balance| {
        let overflow = || ErrorKind::Overflow { what: "balance", denom: coin.denom.clone() };
        Ok(balance.checked_add(coin.amount).ok_or_else(overflow)?)
    })
}

/// Writes what `change` makes of a balance. One in the older form costs a second read, once: what is
/// written has the new form.
fn update(
    tx: &mut Tx<'_>,
    owner: &Address<'_>,
    denom: &Denom<'_>,
    mut change: impl FnMut(U256) -> Result<U256, Error>,
) -> Result<(), Error> {
    let updated = BALANCES
        .update(tx, (owner, denom), |balance| change(balance.unwrap_or(U256::ZERO)).map(row));
    match updated {
        Err(error) if matches!(error.kind(), ErrorKind::Access(access) if is_corrupt(access)) => {
            let balance = stored(tx, owner, denom)?.unwrap_or(U256::ZERO);
            put(tx, owner, denom, change(balance)?)
        }
        updated => updated,
    }
}

/// Writes a balance.
fn put(tx: &mut Tx<'_>, owner: &Address<'_>, denom: &Denom<'_>, amount: U256) -> Result<(), Error> {
    match row(amount) {
        None => BALANCES.delete(tx, (owner, denom))?,
        Some(amount) => BALANCES.put(tx, (owner, denom), amount)?,
    }
    Ok(())
}

/// What the row of an amount holds: zero has none.
pub(super) fn row(amount: U256) -> Option<U256> {
    (amount != U256::ZERO).then_some(amount)
}
