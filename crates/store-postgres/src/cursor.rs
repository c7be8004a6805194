//! Reads the rows of a range page by page.

use crate::{
    link::Sql,
    session::{PgSession, bytes},
};
use keyscape_store::{Direction, Row, StoreError};
use keyscape_store_remote::{PageSource, Rest};
use tokio_postgres::Row as PgRow;

/// The pages of one table.
pub(crate) struct Table<'s> {
    pub(crate) session: &'s PgSession<'s>,
    pub(crate) slot: usize,
}

impl PageSource for Table<'_> {
    type Row = PgRow;
    const LONGEST_PAGE: u32 = 4096;

    fn page(&self, rest: &Rest, rows: u32) -> Result<Vec<PgRow>, StoreError> {
        let (bounded, unbounded) = match rest.direction {
            Direction::Forward => (Sql::Up, Sql::UpAll),
            Direction::Backward => (Sql::Down, Sql::DownAll),
        };
        let (start, rows) = (&rest.start, i64::from(rows));
        let page = match &rest.end {
            Some(end) => self.session.query(self.slot, bounded, &[start, end, &rows])?,
            None => self.session.query(self.slot, unbounded, &[start, &rows])?,
        };
        page.iter().try_for_each(|row| bytes(row, 0).and(bytes(row, 1)).map(drop))?;
        Ok(page)
    }

    /// Every row of a page was checked.
    fn row(row: &PgRow) -> Row<'_> {
        Row { key: row.try_get(0).unwrap_or_default(), value: row.try_get(1).unwrap_or_default() }
    }
}
