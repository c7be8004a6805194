//! Walks over a range that may write.

use crate::{Direction, KeyRange, Row, StoreError, StoreErrorKind, StoreId, Tx};
use std::ops::ControlFlow;

impl Tx<'_> {
    /// Passes a copy of each row of a range to `visit`, together with the transaction, which may
    /// write. After each row the walk searches for the next one again: it visits rows that `visit`
    /// puts ahead, and skips rows that `visit` deletes ahead.
    ///
    /// ```
    /// use keyscape_store::{Db, KeyRange, Memory, Spaces, StoreError, StoreId};
    /// use std::ops::ControlFlow;
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| {
    ///     tx.put(SHOP, b"o/1", b"ink")?;
    ///     tx.put(SHOP, b"o/2", b"pen")?;
    ///     tx.walk(SHOP, KeyRange::prefix(b"o/"), |tx, row| {
    ///         let done = [b"done/", row.key].concat();
    ///         tx.put(SHOP, &done, row.value)?;
    ///         tx.delete(SHOP, row.key)?;
    ///         Ok::<_, StoreError>(ControlFlow::Continue(()))
    ///     })
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of `visit`, or as [`Read::rows`](crate::Read::rows).
    #[expect(clippy::needless_pass_by_value, reason = "as `Read::rows` takes it")]
    pub fn walk<E: From<StoreError>>(
        &mut self,
        store: StoreId,
        range: KeyRange<'_>,
        mut visit: impl FnMut(&mut Self, Row<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        self.charge_seek()?;
        let direction = range.direction();
        // The buffers are reused, so a row costs no allocation.
        let (mut key, mut next, mut value) = (Vec::new(), Vec::new(), Vec::new());
        let mut started = false;
        loop {
            let rest = KeyRange::new(range.start(), range.end()).with_direction(direction);
            let rest = if started { rest.after(&key) } else { rest };
            let mut rows = self.uncharged_rows(store, rest.expecting(1))?;
            let Some(row) = rows.next()? else { return Ok(()) };
            let ahead = match direction {
                Direction::Forward => row.key > &*key,
                Direction::Backward => row.key < &*key,
            };
            if started && !ahead {
                // An engine that returns such a row would make the walk endless.
                let what = "the engine returned a row that is not after the last one";
                return Err(StoreError::new(StoreErrorKind::Corrupt { what })
                    .at_key(row.key)
                    .into());
            }
            row.key.clone_into(&mut next);
            row.value.clone_into(&mut value);
            drop(rows);
            std::mem::swap(&mut key, &mut next);
            started = true;
            if visit(self, Row { key: &key, value: &value })?.is_break() {
                return Ok(());
            }
        }
    }

    /// Deletes all rows of a range. Returns their number.
    ///
    /// # Errors
    /// As [`Tx::delete`].
    pub fn delete_range(&mut self, store: StoreId, range: KeyRange<'_>) -> Result<u64, StoreError> {
        let mut deleted = 0;
        self.walk(store, range, |tx, row| {
            deleted += 1;
            tx.delete(store, row.key)?;
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        })?;
        Ok(deleted)
    }
}
