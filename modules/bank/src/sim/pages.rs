//! Compares listings in pages with scans.

use super::draw::Draw;
use crate::{
    Address, Error, PageRequest, PageResponse, keeper,
    layout::bank::{METADATA, SEND_ENABLED},
};
use keyscape::store::Read;
use keyscape_sim::{Fault, same};

/// Reads all pages of a listing, in a drawn direction, and returns the rows in order as text.
fn all<T>(
    draw: &mut Draw,
    what: &'static str,
    page: impl Fn(&PageRequest) -> Result<PageResponse<T>, Error>,
    row: impl Fn(T) -> String,
) -> Result<Vec<String>, Fault> {
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
    Ok(found)
}

fn compare(what: &'static str, expected: &[String], found: &[String]) -> Result<(), Fault> {
    same(what, "all pages", &expected.join(" "), &found.join(" "))
}

/// Compares the pages of supplies, holders, metadata, send settings and spendable coins.
pub(super) fn check(state: &impl Read, draw: &mut Draw, owner: &Address<'_>) -> Result<(), Fault> {
    let found =
        all(draw, "supplies", |page| keeper::supply_page(state, page), |coin| coin.to_string())?;
    let mut expected = Vec::new();
    for row in keeper::supplies(state)? {
        let (key, amount) = row?;
        expected.push(format!("{amount}{}", key.denom));
    }
    compare("supplies", &expected, &found)?;

    let denom = draw.denom()?;
    let pages = |page: &PageRequest| keeper::holders_page(state, &denom, page);
    let found = all(draw, "holders", pages, |(owner, amount)| format!("{owner}:{amount}"))?;
    let mut expected = Vec::new();
    for row in keeper::holders(state, &denom)? {
        let owner = row?.0.owner;
        let amount = keeper::get_balance(state, &owner, &denom)?;
        expected.push(format!("{owner}:{amount}"));
    }
    compare("holders", &expected, &found)?;

    let pages = |page: &PageRequest| keeper::metadata_page(state, page);
    let found = all(draw, "metadata", pages, |metadata| metadata.base)?;
    let mut expected = Vec::new();
    for row in METADATA.scan_all(state)? {
        expected.push(row?.0.denom.to_string());
    }
    compare("metadata", &expected, &found)?;

    let pages = |page: &PageRequest| keeper::send_enabled_page(state, page);
    let found = all(draw, "send settings", pages, |(denom, on)| format!("{denom}:{on}"))?;
    let mut expected = Vec::new();
    for row in SEND_ENABLED.scan_all(state)? {
        let (key, on) = row?;
        expected.push(format!("{}:{on}", key.denom));
    }
    compare("send settings", &expected, &found)?;

    let now = draw.now();
    let pages = |page: &PageRequest| keeper::spendable_page(state, now, owner, page);
    let found = all(draw, "spendable coins", pages, |coin| coin.to_string())?;
    let expected = keeper::spendable_coins(state, now, owner)?;
    let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
    compare("spendable coins", &expected, &found)
}
