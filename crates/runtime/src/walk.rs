//! Walks over a scan that may write.

use crate::{
    Error, MapRows, Prefix, RowView, Rows, ScanRows,
    engine::{self, Location},
    map::MapRow,
};
use keyscape_store::Tx;
use std::ops::ControlFlow;

/// The result of visiting a row in [`Prefix::walk`]. `()` continues.
pub trait Step {
    /// Whether the walk ends.
    fn is_last(&self) -> bool;
}

impl Step for () {
    fn is_last(&self) -> bool {
        false
    }
}

impl Step for ControlFlow<()> {
    fn is_last(&self) -> bool {
        self.is_break()
    }
}

impl<K: Rows, B: ScanRows<K>> Prefix<K, B> {
    /// Passes each row to `visit`, which may write. The walk continues after the row on the changed
    /// state, until `visit` returns [`ControlFlow::Break`]. Returns the number of rows.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # let order = Order { ticket: Ticket::new("a")?, amount: 3 };
    /// db.write(|tx| {
    ///     ORDERS.put(tx, (7, 1), &order)?;
    ///     ORDERS.prefix_user(7).walk(tx, |tx, row| {
    ///         let order = row.value()?;
    ///         ORDERS.put(tx, row.key, &Order { amount: order.amount * 2, ..order })
    ///     })
    /// })?;
    /// assert_eq!(ORDERS.get_with(&db.read()?, (7, 1), |order| order.amount)?, Some(6));
    ///
    /// use std::ops::ControlFlow;
    /// let visited = db.write(|tx| {
    ///     ORDERS.prefix_all().walk(tx, |_, row| {
    ///         let is_found = row.value()?.amount > 5;
    ///         Ok::<_, keyscape_runtime::Error>(if is_found {
    ///             ControlFlow::Break(())
    ///         } else {
    ///             ControlFlow::Continue(())
    ///         })
    ///     })
    /// })?;
    /// assert_eq!(visited, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of `visit`, or as [`Scan::next_row`](crate::Scan::next_row). Earlier writes stay.
    pub fn walk<S: Step, E: From<Error>>(
        &self,
        tx: &mut Tx<'_>,
        mut visit: impl FnMut(&mut Tx<'_>, RowView<'_, K>) -> Result<S, E>,
    ) -> Result<u64, E> {
        let mut count = 0;
        if self.max_rows == 0 {
            return Ok(count);
        }
        let above = self.above()?;
        let range = self.interval(above.as_ref())?;
        Location::of::<K>().walk::<E>(tx, range, |tx, row| {
            let Some(row) = RowView::of_scan::<B>(row)? else {
                return Ok(ControlFlow::Continue(()));
            };
            let is_last = visit(tx, row)?.is_last();
            count += 1;
            let enough = is_last || count == self.max_rows;
            Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(count)
    }
}

impl<K: MapRows, B: ScanRows<K>> Prefix<K, B> {
    /// Deletes the rows with their entries in indexes. Returns the number of rows.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| {
    ///     ["a", "b", "c"].iter().zip(1..).try_for_each(|(ticket, number)| {
    ///         let order = Order { ticket: Ticket::new(*ticket)?, amount: 3 };
    ///         ORDERS.put(tx, (7, number), &order)
    ///     })
    /// })?;
    /// assert_eq!(db.write(|tx| ORDERS.prefix_user(7).range(2..).delete(tx))?, 2);
    /// assert_eq!(ORDERS.prefix_user(7).count(&db.read()?)?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Scan::next_row`](crate::Scan::next_row). Then nothing has changed.
    pub fn delete(&self, tx: &mut Tx<'_>) -> Result<u64, Error> {
        tx.attempt(|tx| {
            self.walk(tx, |tx, row| {
                let old = Some(row.value_bytes());
                engine::delete_old(tx, &MapRow::<K>::new(&row.key, row.key_bytes()), old)
            })
        })
    }
}
