//! The rows that an address selects: a scan with its fields, a range, a direction and a cursor.

use crate::{ask::Ask, link, reply::Problem};
use keyscape_diagnostics::bytes::hex;
use keyscape_inspect::{
    database::{Listing, Page, RowFilter},
    input::{argument, name},
};
use keyscape_layout::model::KeyspaceId;
use keyscape_store::{Direction, KeyRange, prefix_end};
use std::ops::Bound;

/// The sizes of pages to choose from.
pub(super) const SIZES: [usize; 4] = [20, 50, 100, 500];

/// The parameters of a query. `f.` is the prefix of fields.
pub(in crate::pages) const PARAMETERS: &[&str] =
    &["f.", "scan", "from", "to", "dir", "size", "after", "before"];

/// A selection of rows.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) filter: RowFilter,
    low: Vec<u8>,
    high: Option<Vec<u8>>,
    is_backward: bool,
    size: usize,
    /// The cursor, and whether the page contains the rows before it.
    cursor: Option<(Vec<u8>, bool)>,
}

impl Query {
    /// Reads the query of an address, see [`PARAMETERS`].
    pub(super) fn new(ask: &Ask, id: KeyspaceId) -> Result<Self, Problem> {
        let layout = ask.layout();
        let given: Vec<String> =
            ask.with_prefix("f.").map(|(path, value)| format!("{path}={value}")).collect();
        let filter_of = |more: Option<String>| -> Result<RowFilter, Problem> {
            let pairs: Vec<String> = given.iter().cloned().chain(more).collect();
            let parts = argument::collect(&pairs, None, "field=1")?;
            Ok(RowFilter::new(layout, id, parts)?)
        };
        let filter = filter_of(None)?;
        let prefix = filter.prefix(layout)?;
        let by = range_field(ask, id)?;
        let end_of = |value: Option<&str>| -> Result<Option<Vec<u8>>, Problem> {
            let (Some(value), Some(by)) = (value, &by) else { return Ok(None) };
            Ok(Some(filter_of(Some(format!("{by}={value}")))?.prefix(layout)?))
        };
        let (low, high) = filter.interval(layout, &prefix);
        let low = end_of(ask.get("from"))?.unwrap_or(low);
        let high = end_of(ask.get("to"))?.map_or(high, |to| prefix_end(&to));
        let cursor = match (ask.key("after")?, ask.key("before")?) {
            (Some(_), Some(_)) => {
                return Err(Problem::input("`after` and `before` exclude each other", None));
            }
            (None, before) => before.map(|key| (key, true)),
            (after, None) => after.map(|key| (key, false)),
        };
        let is_backward = is_backward(ask)?;
        Ok(Self { filter, low, high, is_backward, size: size(ask)?, cursor })
    }

    /// Reads the rows.
    pub(super) fn page(&self, ask: &Ask) -> Result<Page, Problem> {
        let base = ask.database();
        let is_before = matches!(self.cursor, Some((_, true)));
        let direction =
            if self.is_backward != is_before { Direction::Backward } else { Direction::Forward };
        let after = self.cursor.as_ref().map(|(key, _)| key.as_slice());
        let listing = Listing { filter: &self.filter, direction, after };
        let high = self.high.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        // An empty range if `from` is greater than `to`.
        let is_empty = self.high.as_deref().is_some_and(|high| high <= self.low.as_slice());
        if is_empty {
            return Ok(Page::default());
        }
        let range = KeyRange::new(Bound::Included(&self.low), high).expecting(self.size + 1);
        let mut page = listing.page(&base, range, self.size, || !ask.is_late())?;
        if is_before {
            page.rows.reverse();
        }
        Ok(page)
    }

    /// Whether the address has a cursor.
    pub(super) const fn has_cursor(&self) -> bool {
        self.cursor.is_some()
    }

    /// Returns the cursors of the previous and of the next page, if there may be any.
    pub(super) fn neighbours(&self, page: &Page) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        let first = || page.rows.first().map(|(key, _)| key.clone());
        let last = || page.rows.last().map(|(key, _)| key.clone());
        match &self.cursor {
            None => (None, page.next.clone()),
            Some((_, false)) => (first(), page.next.clone()),
            Some((_, true)) if page.is_cut => (page.next.clone(), last()),
            Some((_, true)) => (page.next.as_ref().and_then(|_| first()), last()),
        }
    }

    /// Returns the address of a page at a cursor.
    pub(super) fn address(&self, ask: &Ask, word: &str, key: &[u8]) -> String {
        let digits = hex(key);
        format!(
            "{}{}",
            address_of(ask),
            link::query(self.pairs(ask).into_iter().chain([(word, digits.as_str())]))
        )
    }

    /// Returns the address of the first page.
    pub(super) fn first(&self, ask: &Ask) -> String {
        format!("{}{}", address_of(ask), link::query(self.pairs(ask)))
    }

    fn pairs<'a>(&self, ask: &'a Ask) -> Vec<(&'a str, &'a str)> {
        ask.pairs().filter(|(name, _)| *name != "after" && *name != "before").collect()
    }
}

fn size(ask: &Ask) -> Result<usize, Problem> {
    let max = SIZES[SIZES.len() - 1];
    let Some(given) = ask.get("size") else { return Ok(SIZES[1]) };
    given.parse().ok().filter(|size| (1..=max).contains(size)).ok_or_else(|| {
        let help = format!("expected a number of rows from 1 to {max}");
        Problem::input(format!("`size`: `{given}` is not a size of a page"), Some(help))
    })
}

fn is_backward(ask: &Ask) -> Result<bool, Problem> {
    match ask.get("dir") {
        None => Ok(false),
        Some("back") => Ok(true),
        Some(given) => {
            let help = "write `dir=back`, or leave `dir` out to read forward";
            let title = format!("`dir`: `{given}` is not a direction");
            Err(Problem::input(title, Some(help.to_owned())))
        }
    }
}

/// Returns the field that `from` and `to` restrict.
fn range_field(ask: &Ask, id: KeyspaceId) -> Result<Option<String>, Problem> {
    let by = match ask.get("scan") {
        Some(scan) => {
            name::scan(ask.layout().keyspace(id), scan)?;
            by_field(ask, id, scan)
        }
        None => None,
    };
    match ["from", "to"].into_iter().find(|word| by.is_none() && ask.get(word).is_some()) {
        Some(word) => {
            let help = "add `scan=NAME` with a scan that is ordered `by` a field";
            let title = format!("`{word}` needs a scan with an order");
            Err(Problem::input(title, Some(help.to_owned())))
        }
        None => Ok(by),
    }
}

/// Returns the path of the page.
pub(super) fn address_of(ask: &Ask) -> String {
    link::named(&ask.base, ask.segment(0), ask.segment(1))
}

/// Returns the field that the rows of a scan are ordered by first.
pub(super) fn by_field(ask: &Ask, id: KeyspaceId, scan: &str) -> Option<String> {
    let keyspace = ask.layout().keyspace(id);
    let scan = keyspace.scans.iter().find(|known| known.name == scan)?;
    scan.by.first().cloned()
}
