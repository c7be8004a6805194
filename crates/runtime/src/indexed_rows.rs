//! The rows of a map in the order of an index.

use crate::{
    Buffer, Error, IndexRows, Keyspace, OwnedRow, Prefix, Scan, ScanRows,
    access::{encoded, read_many},
    index::row_missing,
};
use keyscape_store::Read;
use std::{fmt, iter::FusedIterator, vec};

/// The maximum number of rows of a batch.
const MAX_BATCH: usize = 64;

impl<I: IndexRows, B: ScanRows<I>> Prefix<I, B> {
    /// Starts a scan over the rows of the map that have entries in the index, in the order of the
    /// entries. The rows are read in batches of 1, 2, 4 and up to 64. On a server, each batch is
    /// one round trip.
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
        let (rows, batch) = (Vec::new().into_iter(), 1);
        Ok(IndexedRows { state, entries: Some(self.scan(state)?), rows, batch })
    }
}

/// The rows of a map in the order of an index; see [`Prefix::rows`]. Ends after an error.
pub struct IndexedRows<'t, R: ?Sized, I: IndexRows, B> {
    state: &'t R,
    /// `None` after the end.
    entries: Option<Scan<'t, I, B>>,
    /// The rows of the last batch, and the error that ends the scan.
    rows: vec::IntoIter<RowResult<I>>,
    /// The number of rows of the next batch.
    batch: usize,
}

impl<R: Read + ?Sized, I: IndexRows, B: ScanRows<I>> IndexedRows<'_, R, I, B> {
    /// Reads the next batch. Rows before an error are returned before the error.
    fn read_batch(&mut self) -> Vec<RowResult<I>> {
        let (mut owners, mut failure) = (Vec::new(), None);
        while owners.len() < self.batch {
            match self.next_owner() {
                Ok(Some(owner)) => owners.push(owner),
                Ok(None) => break,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        self.batch = MAX_BATCH.min(self.batch * 2);
        let mut rows = self.rows_of(owners).unwrap_or_else(|error| vec![Err(error)]);
        rows.extend(failure.map(Err));
        rows
    }

    /// Returns the key of the row of the next entry, and the bytes of the key.
    fn next_owner(&mut self) -> Result<Option<Owner<I>>, Error> {
        let Some(entries) = &mut self.entries else { return Ok(None) };
        let Some(entry) = entries.next_row()? else {
            self.entries = None;
            return Ok(None);
        };
        let owner = entry.owner()?;
        let bytes = encoded::<I::Map>(&owner)?;
        Ok(Some((owner, bytes)))
    }

    fn rows_of(&self, owners: Vec<Owner<I>>) -> Result<Vec<RowResult<I>>, Error> {
        let keys = owners.iter().map(|(_, bytes)| bytes.written());
        let values = read_many::<I::Map>(self.state, &keys.collect::<Result<Vec<_>, _>>()?)?;
        let row = |((owner, bytes), value): (Owner<I>, Option<_>)| match value {
            Some(value) => Ok((owner, value)),
            None => Err(row_missing::<I>(bytes.written()?)),
        };
        Ok(owners.into_iter().zip(values).map(row).collect())
    }
}

type RowResult<I> = Result<OwnedRow<<I as IndexRows>::Map>, Error>;

/// The key of a row, and the bytes of the key.
type Owner<I> = (
    <<I as IndexRows>::Map as Keyspace>::Key<'static>,
    <<I as IndexRows>::Map as Keyspace>::Buffer,
);

impl<R: Read + ?Sized, I: IndexRows, B: ScanRows<I>> Iterator for IndexedRows<'_, R, I, B> {
    type Item = RowResult<I>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rows.len() == 0 {
            self.rows = self.read_batch().into_iter();
        }
        let row = self.rows.next();
        if !matches!(row, Some(Ok(_))) {
            self.entries = None;
            self.rows = Vec::new().into_iter();
        }
        row
    }
}

impl<R: Read + ?Sized, I: IndexRows, B: ScanRows<I>> FusedIterator for IndexedRows<'_, R, I, B> {}

impl<R: ?Sized, I: IndexRows, B> fmt::Debug for IndexedRows<'_, R, I, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexedRows").field("entries", &self.entries).finish_non_exhaustive()
    }
}
