//! Queries in pages.

use super::{Keeper, get_balance};
use crate::{
    Address, Coin, Denom, Error, Metadata,
    layout::bank::{self, BALANCES, HOLDERS, METADATA, SEND_ENABLED, SUPPLY},
};
use keyscape::{
    OwnedRow, PageCursor, Prefix, U256,
    store::Read,
    traits::{Rows, ScanRows},
};

/// A request for one page.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{PageRequest, keeper};
///
/// # let db = bank();
/// # db.write(|tx| fund(tx, &address(1), "1bar,2foo,3stake"))?;
/// let state = db.read()?;
/// let last = keeper::supply_page(&state, &PageRequest::of(1).reverse().count())?;
/// assert_eq!((last.rows[0].to_string(), last.total), ("3stake".to_owned(), Some(3)));
/// let rest = PageRequest { after: last.next, ..PageRequest::of(10).reverse() };
/// assert_eq!(keeper::supply_page(&state, &rest)?.rows.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// The end of the previous page; `None` for the first page.
    pub after: Option<PageCursor>,
    /// The maximum number of rows; 0 means 1.
    pub size: usize,
    /// Whether the order is reversed. All pages of a listing have the same direction.
    pub reverse: bool,
    /// Whether to count the rows of all pages. Counting scans them.
    pub count: bool,
}

impl PageRequest {
    /// Requests the first page.
    #[must_use]
    pub fn of(size: usize) -> PageRequest {
        PageRequest { size, ..PageRequest::default() }
    }

    /// Reverses the order.
    #[must_use]
    pub fn reverse(self) -> PageRequest {
        PageRequest { reverse: true, ..self }
    }

    /// Requests the number of all rows.
    #[must_use]
    pub fn count(self) -> PageRequest {
        PageRequest { count: true, ..self }
    }
}

/// One page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageResponse<T> {
    /// The rows. Rows of zero are omitted, so a page before the last can have fewer rows than
    /// requested.
    pub rows: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<PageCursor>,
    /// The number of stored rows of all pages, if the request asks for it.
    pub total: Option<u64>,
}

/// Reads a page of a scan, and converts its rows. It reads one row more than requested.
pub(crate) fn page<K: Rows, B: ScanRows<K> + Clone, T>(
    state: &(impl Read + ?Sized),
    mut prefix: Prefix<K, B>,
    request: &PageRequest,
    row: impl Fn(OwnedRow<K>) -> Result<Option<T>, Error>,
) -> Result<PageResponse<T>, Error> {
    let total = request.count.then(|| prefix.count(state)).transpose()?;
    if request.reverse {
        prefix = prefix.reverse();
    }
    if let Some(cursor) = &request.after {
        prefix = prefix.after(cursor);
    }
    let page = prefix.page(state, request.size)?;
    let rows = page.rows.into_iter().filter_map(|found| row(found).transpose());
    Ok(PageResponse { rows: rows.collect::<Result<_, _>>()?, next: page.next, total })
}

fn coin(denom: Denom<'static>, amount: U256) -> Option<Coin> {
    (amount != U256::ZERO).then_some(Coin { denom, amount })
}

/// Returns a page of the balances of an account, in order of denomination.
///
/// # Errors
/// If a row is corrupt, or the cursor does not belong to this account.
pub fn balances_page(
    state: &(impl Read + ?Sized),
    owner: &Address<'_>,
    request: &PageRequest,
) -> Result<PageResponse<Coin>, Error> {
    page(state, BALANCES.prefix_owner(owner), request, |(key, amount)| Ok(coin(key.denom, amount)))
}

impl Keeper {
    /// Returns a page of the spendable coins of an account, in order of denomination. Denominations
    /// that are locked completely are omitted.
    ///
    /// # Errors
    /// As [`balances_page`]; [`BadAccount`](crate::ErrorKind::BadAccount).
    pub fn spendable_page(
        &self,
        state: &(impl Read + ?Sized),
        now: i64,
        owner: &Address<'_>,
        request: &PageRequest,
    ) -> Result<PageResponse<Coin>, Error> {
        let locked = self.locked_coins(state, now, owner)?;
        page(state, BALANCES.prefix_owner(owner), request, |(key, balance)| {
            let amount = balance.saturating_sub(locked.amount_of(&key.denom));
            Ok(coin(key.denom, amount))
        })
    }
}

/// Returns a page of the holders of a denomination with their balances. Addresses sort by length
/// first.
///
/// # Errors
/// If a row is corrupt, or the cursor does not belong to this denomination.
pub fn holders_page(
    state: &(impl Read + ?Sized),
    denom: &Denom<'_>,
    request: &PageRequest,
) -> Result<PageResponse<(Address<'static>, U256)>, Error> {
    page(state, HOLDERS.prefix_denom(denom), request, |(key, ())| {
        let amount = get_balance(state, &key.owner, denom)?;
        Ok((amount != U256::ZERO).then_some((key.owner, amount)))
    })
}

/// Returns a page of the total supply, in order of denomination.
///
/// # Errors
/// If a row is corrupt, or the cursor belongs to another listing.
pub fn supply_page(
    state: &(impl Read + ?Sized),
    request: &PageRequest,
) -> Result<PageResponse<Coin>, Error> {
    page(state, SUPPLY.prefix_all(), request, |(key, amount)| Ok(coin(key.denom, amount)))
}

/// Returns a page of the metadata of denominations.
///
/// # Errors
/// If a row is corrupt, or the cursor belongs to another listing.
pub fn metadata_page(
    state: &(impl Read + ?Sized),
    request: &PageRequest,
) -> Result<PageResponse<Metadata>, Error> {
    page(state, METADATA.prefix_all(), request, |(_, metadata)| Ok(Some(metadata)))
}

/// Returns a page of the denominations with an own send setting.
///
/// # Errors
/// If a row is corrupt, or the cursor belongs to another listing.
pub fn send_enabled_page(
    state: &(impl Read + ?Sized),
    request: &PageRequest,
) -> Result<PageResponse<(Denom<'static>, bool)>, Error> {
    page(state, SEND_ENABLED.prefix_all(), request, |(key, enabled)| Ok(Some((key.denom, enabled))))
}

/// Calls `visit` for every balance of every account, until it returns an error. Rows of zero are
/// omitted.
///
/// # Errors
/// If a row is corrupt, and errors of `visit`.
pub fn each_balance<E: From<Error>>(
    state: &(impl Read + ?Sized),
    mut visit: impl FnMut(&Address<'_>, &Denom<'_>, U256) -> Result<(), E>,
) -> Result<(), E> {
    let mut scan = BALANCES.scan_all(state).map_err(Error::from)?;
    while let Some(row) = scan.next_row().map_err(Error::from)? {
        let amount = row.value().map_err(Error::from)?;
        if amount != U256::ZERO {
            let bank::BalancesKey { owner, denom } = &row.key;
            visit(owner, denom, amount)?;
        }
    }
    Ok(())
}
