//! The rows of a map in the order of an index.

use crate::{Error, IndexRows, OwnedRow, Prefix, Scan, ScanRows, index};
use keyscape_store::Read;
use std::{fmt, iter::FusedIterator};

impl<I: IndexRows, B: ScanRows<I>> Prefix<I, B> {
    /// Starts a scan over the rows of the map whose entries the index lists, in the order of the
    /// entries. Each row costs one read besides its entry.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{BY_TICKET, ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| {
    ///     ORDERS.put(tx, (7, 1), &Order { ticket: Ticket::new("b")?, amount: 3 })?;
    ///     ORDERS.put(tx, (8, 1), &Order { ticket: Ticket::new("a")?, amount: 4 })
    /// })?;
    /// let state = db.read()?;
    /// let mut amounts = Vec::new();
    /// for row in BY_TICKET.prefix_all().rows(&state)? {
    ///     let (_, order) = row?;
    ///     amounts.push(order.amount);
    /// }
    /// assert_eq!(amounts, [4, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Prefix::scan`]. The iterator reports an entry without a row as
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent).
    pub fn rows<'t, R: Read + ?Sized>(
        &self,
        state: &'t R,
    ) -> Result<IndexedRows<'t, R, I, B>, Error> {
        Ok(IndexedRows { state, entries: Some(self.scan(state)?) })
    }
}

/// The rows of a map in the order of an index; see [`Prefix::rows`]. Ends after an error.
pub struct IndexedRows<'t, R: ?Sized, I, B> {
    state: &'t R,
    /// `None` after the end.
    entries: Option<Scan<'t, I, B>>,
}

impl<R: Read + ?Sized, I: IndexRows, B: ScanRows<I>> IndexedRows<'_, R, I, B> {
    fn read(&mut self) -> Result<Option<OwnedRow<I::Map>>, Error> {
        let Some(entries) = &mut self.entries else { return Ok(None) };
        match entries.next_row()? {
            Some(entry) => index::row_of::<I>(self.state, entry.owner()?).map(Some),
            None => Ok(None),
        }
    }
}

impl<R: Read + ?Sized, I: IndexRows, B: ScanRows<I>> Iterator for IndexedRows<'_, R, I, B> {
    type Item = Result<OwnedRow<I::Map>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.read().transpose();
        if !matches!(row, Some(Ok(_))) {
            self.entries = None;
        }
        row
    }
}

impl<R: Read + ?Sized, I: IndexRows, B: ScanRows<I>> FusedIterator for IndexedRows<'_, R, I, B> {}

impl<R: ?Sized, I, B> fmt::Debug for IndexedRows<'_, R, I, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexedRows").field("entries", &self.entries).finish_non_exhaustive()
    }
}
