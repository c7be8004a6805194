//! Reads the rows of a range page by page.

use crate::{link::Sql, session::PgSession};
use keyscape_store::{Cursor, Direction, KeyRange, Row, StoreError};
use std::ops::Bound;
use tokio_postgres::Row as PgRow;

/// The rows of the first page, unless the range says how many it expects.
const FIRST_PAGE: i64 = 32;
const LONGEST_PAGE: i64 = 4096;
/// The intended number of bytes of a page.
const PAGE_BYTES: usize = 1 << 20;

/// A cursor that fetches one page per round trip. Each page begins after the last key of the page
/// before. The session reads one fixed state, so the pages fit together.
pub(crate) struct PgCursor<'s> {
    session: &'s PgSession<'s>,
    slot: usize,
    direction: Direction,
    /// The rest of the range: from `start`, up to but excluding `end`.
    start: Vec<u8>,
    end: Option<Vec<u8>>,
    page: Vec<PgRow>,
    /// The position after the current row in `page`.
    next: usize,
    rows: i64,
    is_last: bool,
}

impl<'s> PgCursor<'s> {
    pub(crate) fn new(session: &'s PgSession<'s>, slot: usize, range: &KeyRange<'_>) -> Self {
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
        let expected = range.expected().and_then(|rows| i64::try_from(rows).ok());
        PgCursor {
            session,
            slot,
            direction: range.direction(),
            start,
            end,
            page: Vec::new(),
            next: 0,
            rows: expected.unwrap_or(FIRST_PAGE).clamp(1, LONGEST_PAGE),
            is_last: range.is_empty(),
        }
    }

    fn turn_page(&mut self) -> Result<(), StoreError> {
        let (start, end, rows) = (&self.start, &self.end, &self.rows);
        let (bounded, unbounded) = match self.direction {
            Direction::Forward => (Sql::Up, Sql::UpAll),
            Direction::Backward => (Sql::Down, Sql::DownAll),
        };
        self.page = match end {
            Some(end) => self.session.query(self.slot, bounded, &[start, end, rows])?,
            None => self.session.query(self.slot, unbounded, &[start, rows])?,
        };
        self.next = 0;
        self.is_last = i64::try_from(self.page.len()).is_ok_and(|found| found < self.rows);
        let Some(last) = self.page.last() else { return Ok(()) };
        match self.direction {
            Direction::Forward => self.start = after(key_of(last)),
            Direction::Backward => self.end = Some(key_of(last).to_vec()),
        }
        let bytes: usize = self.page.iter().map(PgRow::raw_size_bytes).sum();
        let fitting = PAGE_BYTES * self.page.len() / bytes.max(1);
        let fitting = i64::try_from(fitting).unwrap_or(LONGEST_PAGE);
        self.rows = fitting.clamp(1, (self.rows * 4).min(LONGEST_PAGE));
        Ok(())
    }
}

impl Cursor for PgCursor<'_> {
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
        let row = self.page.get(self.next.checked_sub(1)?)?;
        Some(Row { key: key_of(row), value: row.try_get(1).unwrap_or_default() })
    }
}

/// The columns are never null, and their type is that of the prepared statement.
fn key_of(row: &PgRow) -> &[u8] {
    row.try_get(0).unwrap_or_default()
}

/// Returns the smallest key that is greater.
fn after(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}
