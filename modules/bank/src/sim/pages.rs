//! Compares listings in pages with scans.

use super::draw::Draw;
use crate::{
    Address, Error, PageRequest, PageResponse, keeper,
    layout::bank::{METADATA, SEND_ENABLED},
};
use keyscape::store::Read;
use keyscape_sim::{Fault, same};

/// Reads all pages of a listing, in a drawn direction, and compares their rows with a scan.
fn compare<T>(
    draw: &mut Draw,
    what: &str,
    expected: impl IntoIterator<Item = Result<String, Error>>,
    page: impl Fn(&PageRequest) -> Result<PageResponse<T>, Error>,
    row: impl Fn(T) -> String,
) -> Result<(), Fault> {
    let size = 1 + usize::try_from(draw.below(4)).unwrap_or(0);
    let mut request = PageRequest { reverse: draw.below(2) == 0, ..PageRequest::of(size) };
    let mut found = Vec::new();
    loop {
        let page = page(&request)?;
        same(what, "whether a page has at most its size", &true, &(page.rows.len() <= size))?;
        found.extend(page.rows.into_iter().map(&row));
        request.after = page.next;
        if request.after.is_none() {
            break;
        }
    }
    if request.reverse {
        found.reverse();
    }
    same(what, "all pages", &expected.into_iter().collect::<Result<Vec<_>, _>>()?, &found)
}

/// Compares the pages of supplies, holders, metadata, send settings and spendable coins.
pub(super) fn check(state: &impl Read, draw: &mut Draw, owner: &Address<'_>) -> Result<(), Fault> {
    let expected = keeper::supplies(state)?.map(|row| {
        let (key, amount) = row?;
        Ok(format!("{amount}{}", key.denom))
    });
    let pages = |page: &PageRequest| keeper::supply_page(state, page);
    compare(draw, "supplies", expected, pages, |coin| coin.to_string())?;

    let denom = draw.denom()?;
    let expected = keeper::holders(state, &denom)?.map(|row| {
        let owner = row?.0.owner;
        Ok(format!("{owner}:{}", keeper::get_balance(state, &owner, &denom)?))
    });
    let pages = |page: &PageRequest| keeper::holders_page(state, &denom, page);
    compare(draw, "holders", expected, pages, |(owner, amount)| format!("{owner}:{amount}"))?;

    let expected = METADATA.scan_all(state)?.map(|row| Ok(row?.0.denom.to_string()));
    let pages = |page: &PageRequest| keeper::metadata_page(state, page);
    compare(draw, "metadata", expected, pages, |metadata| metadata.base)?;

    let expected = SEND_ENABLED.scan_all(state)?.map(|row| {
        let (key, on) = row?;
        Ok(format!("{}:{on}", key.denom))
    });
    let pages = |page: &PageRequest| keeper::send_enabled_page(state, page);
    compare(draw, "send settings", expected, pages, |(denom, on)| format!("{denom}:{on}"))?;

    let now = draw.now();
    let expected = keeper::spendable_coins(state, now, owner)?;
    let expected = expected.iter().map(|coin| Ok(coin.to_string()));
    let pages = |page: &PageRequest| keeper::spendable_page(state, now, owner, page);
    compare(draw, "spendable coins", expected, pages, |coin| coin.to_string())
}
