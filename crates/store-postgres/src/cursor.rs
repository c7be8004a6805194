//! Reads the rows of a range page by page.

use crate::{
    link::Sql,
    session::{PgSession, bytes, short_value},
};
use keyscape_store::{Direction, Row, StoreError};
use keyscape_store_remote::{Page, PageEnd, PageSource, Rest};
use tokio_postgres::Row as PgRow;

/// The maximum number of bytes in the values of a page. A page of one row may exceed it.
pub(crate) const LARGEST_PAGE: i64 = 4 << 20;

/// The pages of one table.
pub(crate) struct Table<'s> {
    pub(crate) session: &'s PgSession<'s>,
    pub(crate) slot: usize,
}

impl PageSource for Table<'_> {
    type Row = PgRow;
    const LONGEST_PAGE: u32 = 4096;

    fn page(&self, rest: &Rest, rows: u32) -> Result<Page<PgRow>, StoreError> {
        let (bounded, unbounded) = match rest.direction {
            Direction::Forward => (Sql::Up, Sql::UpAll),
            Direction::Backward => (Sql::Down, Sql::DownAll),
        };
        let (start, rows) = (&rest.start, i64::from(rows));
        let longest = if rows == 1 { i64::MAX } else { LARGEST_PAGE / rows.max(1) };
        let mut found = match &rest.end {
            Some(end) => self.session.query(self.slot, bounded, &[start, end, &rows, &longest])?,
            None => self.session.query(self.slot, unbounded, &[start, &rows, &longest])?,
        };
        let is_last = i64::try_from(found.len()).is_ok_and(|count| count < rows);
        for place in 0..found.len() {
            bytes(&found[place], 0)?;
            if short_value(&found[place])?.is_none() {
                found.truncate(place);
                return Ok(Page { rows: found, end: PageEnd::LargeRow });
            }
        }
        Ok(Page { rows: found, end: if is_last { PageEnd::Last } else { PageEnd::Full } })
    }

    /// Returns the key and the value. Fetching the page has checked the columns of every row.
    fn row(row: &PgRow) -> Row<'_> {
        Row { key: row.try_get(0).unwrap_or_default(), value: row.try_get(1).unwrap_or_default() }
    }
}
