//! Cursors that fetch one page of rows per round trip.

use keyscape_store::{Cursor, Direction, KeyRange, Row, StoreError};
use std::ops::Bound;

/// The number of rows in the first page of a range without an expected number of rows. Such a scan
/// rarely stops early, and each further page costs a round trip.
const FIRST_PAGE: u32 = 1024;
/// The target size of a page, in bytes.
const PAGE_BYTES: usize = 1 << 20;

/// The part of a range that has not been read: from `start`, up to but excluding `end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest {
    /// The smallest key.
    pub start: Vec<u8>,
    /// The first key after the range. `None` is the end of the space.
    pub end: Option<Vec<u8>>,
    /// The order of the rows.
    pub direction: Direction,
}

impl Rest {
    /// Converts a range to an inclusive start and an exclusive end.
    ///
    /// ```
    /// use keyscape_store::KeyRange;
    /// use keyscape_store_remote::Rest;
    ///
    /// let rest = Rest::of(&KeyRange::prefix(b"o/"));
    /// assert_eq!((rest.start, rest.end), (b"o/".to_vec(), Some(b"o0".to_vec())));
    /// let all = Rest::of(&KeyRange::all());
    /// assert_eq!((all.start, all.end), (vec![], None));
    /// ```
    #[must_use]
    pub fn of(range: &KeyRange<'_>) -> Rest {
        let start = match range.start() {
            Bound::Included(key) => key.to_vec(),
            Bound::Excluded(key) => after(key),
            Bound::Unbounded => Vec::new(),
        };
        let end = match range.end() {
            Bound::Included(key) => Some(after(key)),
            Bound::Excluded(key) => Some(key.to_vec()),
            Bound::Unbounded => None,
        };
        Rest { start, end, direction: range.direction() }
    }

    /// Removes all keys up to and including one that was read.
    fn skip(&mut self, key: &[u8]) {
        match self.direction {
            Direction::Forward => self.start = after(key),
            Direction::Backward => self.end = Some(key.to_vec()),
        }
    }
}

/// Returns the smallest key that is greater than `key`.
fn after(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

/// Some consecutive rows of a range.
#[derive(Debug)]
pub struct Page<R> {
    /// The rows in the direction of the range.
    pub rows: Vec<R>,
    /// The reason why the page has no more rows.
    pub end: PageEnd,
}

/// The end of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageEnd {
    /// More rows may follow.
    Full,
    /// The range has no more rows.
    Last,
    /// The next row is too large for a page with the requested number of rows. The page may be
    /// empty.
    LargeRow,
}

/// A session that reads one fixed state page by page.
pub trait PageSource {
    /// The engine's form of a row.
    type Row;
    /// The maximum number of rows in a page.
    const LONGEST_PAGE: u32;

    /// Returns the first rows of a range in its direction, at most `rows`. A page for one row
    /// contains that row, whatever its size.
    ///
    /// # Errors
    /// Errors of the engine.
    fn page(&self, rest: &Rest, rows: u32) -> Result<Page<Self::Row>, StoreError>;

    /// Returns the key and the value of a row.
    fn row(row: &Self::Row) -> Row<'_>;
}

/// A cursor that fetches one page per round trip. Each page begins after the last key of the
/// previous page. The source reads one fixed state, so the pages are consistent.
#[derive(Debug)]
pub struct PagedCursor<S: PageSource> {
    source: S,
    rest: Rest,
    page: Vec<S::Row>,
    /// The position after the current row in `page`.
    next: usize,
    rows: u32,
    is_last: bool,
}

impl<S: PageSource> PagedCursor<S> {
    /// Creates a cursor before the first row of a range.
    pub fn new(source: S, range: &KeyRange<'_>) -> PagedCursor<S> {
        let expected = range.expected().and_then(|rows| u32::try_from(rows).ok());
        PagedCursor {
            source,
            rest: Rest::of(range),
            page: Vec::new(),
            next: 0,
            rows: expected.unwrap_or(FIRST_PAGE).clamp(1, S::LONGEST_PAGE),
            is_last: range.is_empty(),
        }
    }

    fn turn_page(&mut self) -> Result<(), StoreError> {
        let mut found = self.source.page(&self.rest, self.rows)?;
        if found.rows.is_empty() && found.end == PageEnd::LargeRow {
            self.rows = 1;
            found = self.source.page(&self.rest, 1)?;
        }
        let Page { rows, end } = found;
        (self.page, self.next, self.is_last) = (rows, 0, end == PageEnd::Last);
        let Some(last) = self.page.last() else { return Ok(()) };
        self.rest.skip(S::row(last).key);
        if end == PageEnd::LargeRow {
            self.rows = 1;
            return Ok(());
        }
        let size = |row: &S::Row| S::row(row).key.len() + S::row(row).value.len();
        let bytes: usize = self.page.iter().map(size).sum();
        let fitting = PAGE_BYTES * self.page.len() / bytes.max(1);
        let fitting = u32::try_from(fitting).unwrap_or(S::LONGEST_PAGE);
        self.rows = fitting.clamp(1, (self.rows * 4).min(S::LONGEST_PAGE));
        Ok(())
    }
}

impl<S: PageSource> Cursor for PagedCursor<S> {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        if self.next >= self.page.len() {
            if self.is_last {
                self.page.clear();
                self.next = 0;
                return Ok(None);
            }
            self.turn_page()?;
        }
        self.next += 1;
        Ok(self.row())
    }

    fn row(&self) -> Option<Row<'_>> {
        self.page.get(self.next.checked_sub(1)?).map(S::row)
    }
}
