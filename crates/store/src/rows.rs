//! The rows of a range, overlaid by pending changes.

use crate::{
    Cursor, Direction, KeyRange, Operation, Row, StoreError, StoreId,
    changes::{Pending, Value},
    key::{Key, compare_keys},
    read_set::{OpenSpan, Seen},
    snapshot::TrackedSession,
};
use std::{cmp::Ordering, collections::btree_map, fmt};

/// The rows of a range, in its direction, one at a time and borrowed.
///
/// Rows borrow the transaction, so it cannot be written during the scan.
///
/// ```
/// use keyscape_store::{Db, KeyRange, Memory, Read, Spaces, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| {
///     tx.put(SHOP, b"o/1", b"ink")?;
///     tx.put(SHOP, b"o/2", b"pen")
/// })?;
/// let snapshot = db.read()?;
/// let mut rows = snapshot.rows(SHOP, KeyRange::prefix(b"o/").backward())?;
/// let mut keys = Vec::new();
/// while let Some(row) = rows.next()? {
///     keys.push(row.key.to_vec());
/// }
/// assert_eq!(keys, [b"o/2", b"o/1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rows<'t> {
    tracked: &'t TrackedSession<'t>,
    store: StoreId,
    direction: Direction,
    /// The rows of the session.
    stored: Box<dyn Cursor + 't>,
    /// The pending changes in the range, if there are any.
    overlay: Option<Box<Overlay<'t>>>,
    /// Whether all rows come from the session, and no meter is set.
    is_plain: bool,
    has_started: bool,
    /// The entry of this range in the read set.
    open: Option<OpenSpan>,
}

/// The pending changes in a range, and their position relative to the session's cursor.
struct Overlay<'t> {
    rest: btree_map::Range<'t, Key, Option<Value>>,
    /// The next pending change, or the one that is the current row.
    head: Option<PendingChange<'t>>,
    source: Source,
    /// Whether the session's cursor is at a row that has not been returned.
    is_ahead: bool,
}

/// An owned row: key and value.
pub type OwnedRow = (Vec<u8>, Vec<u8>);

/// The key and the new value; `None` deletes.
type PendingChange<'t> = (&'t [u8], Option<&'t [u8]>);

/// The source of the current row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    None,
    Stored,
    Pending,
}

impl<'t> Rows<'t> {
    pub(crate) fn open(
        tracked: &'t TrackedSession<'t>,
        pending: Option<&'t Pending>,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Rows<'t>, StoreError> {
        let direction = range.direction();
        let open = tracked.reads.as_ref().map(|reads| reads.borrow_mut().open(store, &range));
        let overlay = pending.and_then(|pending| Overlay::new(pending, &range)).map(Box::new);
        let stored =
            tracked.session.cursor(store, range).map_err(|error| tracked.fail(error, store))?;
        let is_plain = overlay.is_none() && tracked.meter.is_none();
        Ok(Rows { tracked, store, direction, stored, overlay, is_plain, has_started: false, open })
    }

    /// Returns the next row, or `None` at the end.
    ///
    /// # Errors
    /// See [`StoreErrorKind`](crate::StoreErrorKind).
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend its rows")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        let tracked = self.tracked;
        tracked.check()?;
        self.has_started = true;
        if !self.is_plain {
            return self.next_overlaid();
        }
        match self.stored.next() {
            Ok(row) => Ok(row),
            Err(error) => Err(tracked.fail(error, self.store)),
        }
    }

    /// Returns the next row if rows are pending or a meter is set.
    #[inline(never)]
    fn next_overlaid(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        let tracked = self.tracked;
        let next = match &mut self.overlay {
            None => self.stored.next(),
            Some(overlay) => overlay.next(&mut *self.stored, self.direction),
        };
        let row = next.map_err(|error| tracked.fail(error, self.store))?;
        if let Some(row) = &row {
            tracked.charge(Operation::Row, row.key.len() + row.value.len())?;
        }
        Ok(row)
    }

    /// Returns the row that [`Rows::next`] returned last.
    #[must_use]
    pub fn row(&self) -> Option<Row<'_>> {
        match &self.overlay {
            None => self.stored.row(),
            Some(overlay) => overlay.row(&*self.stored),
        }
    }

    /// Copies all remaining rows.
    ///
    /// # Errors
    /// As [`Rows::next`].
    pub fn to_vec(mut self) -> Result<Vec<OwnedRow>, StoreError> {
        let mut rows = Vec::new();
        while let Some(row) = self.next()? {
            rows.push((row.key.to_vec(), row.value.to_vec()));
        }
        Ok(rows)
    }
}

impl<'t> Overlay<'t> {
    fn new(pending: &'t Pending, range: &KeyRange<'_>) -> Option<Overlay<'t>> {
        if pending.is_empty() || range.is_empty() {
            return None;
        }
        let rest = match Key::short_bounds(range.bounds()) {
            Some(bounds) => pending.range(bounds),
            None => pending.range::<[u8], _>(range.bounds()),
        };
        let mut overlay = Overlay { rest, head: None, source: Source::None, is_ahead: false };
        overlay.advance(range.direction());
        // Without pending changes in the range, the session's cursor is enough.
        overlay.head.is_some().then_some(overlay)
    }

    fn advance(&mut self, direction: Direction) {
        let next = match direction {
            Direction::Forward => self.rest.next(),
            Direction::Backward => self.rest.next_back(),
        };
        self.head = next.map(|(key, value)| (&**key, value.as_deref()));
    }

    /// INVARIANT: between calls, the session's cursor is at the current row (`Source::Stored`), at
    /// its next row (`is_ahead`), before its first row, or at its end.
    fn next<'c>(
        &mut self,
        stored: &'c mut (dyn Cursor + 't),
        direction: Direction,
    ) -> Result<Option<Row<'c>>, StoreError>
    where
        't: 'c,
    {
        if self.source == Source::Pending {
            self.advance(direction);
        }
        loop {
            // At the end, this calls the cursor again each time, which cursors must allow.
            let row = if self.is_ahead { stored.row() } else { stored.next()? };
            let order = match (&self.head, row) {
                (None, None) => {
                    self.source = Source::None;
                    return Ok(None);
                }
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some((key, _)), Some(row)) => match direction {
                    Direction::Forward => compare_keys(key, row.key),
                    Direction::Backward => compare_keys(row.key, key),
                },
            };
            self.is_ahead = order == Ordering::Less && row.is_some();
            if order == Ordering::Greater {
                self.source = Source::Stored;
                break;
            }
            // A pending change hides the stored row with the same key.
            match self.head {
                Some((_, Some(_))) => {
                    self.source = Source::Pending;
                    break;
                }
                _ => self.advance(direction),
            }
        }
        Ok(self.row(stored))
    }

    fn row<'c>(&self, stored: &'c (dyn Cursor + 't)) -> Option<Row<'c>>
    where
        't: 'c,
    {
        match self.source {
            Source::None => None,
            Source::Stored => stored.row(),
            Source::Pending => self.head.and_then(|(key, value)| Some(Row { key, value: value? })),
        }
    }
}

impl Drop for Rows<'_> {
    /// Narrows the read set to the rows that were returned.
    fn drop(&mut self) {
        let (Some(open), Some(reads)) = (&self.open, &self.tracked.reads) else { return };
        let seen = match self.row() {
            _ if !self.has_started => Seen::Nothing,
            Some(row) => Seen::To(row.key),
            None => Seen::All,
        };
        reads.borrow_mut().close(open, seen);
    }
}

impl fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("store", &self.store)
            .field("direction", &self.direction)
            .field("row", &self.row())
            .finish_non_exhaustive()
    }
}
