//! The rows of a range, including pending ones.

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
    under: Box<dyn Cursor + 't>,
    /// The pending rows of the range, if there are any.
    over: Option<Box<Over<'t>>>,
    /// Whether all rows come from the session: no row is pending, and no meter is set.
    plain: bool,
    started: bool,
    /// The entry of this range in the read set.
    open: Option<OpenSpan>,
}

struct Over<'t> {
    rest: btree_map::Range<'t, Key, Option<Value>>,
    /// The next pending change, or the one that is the current row.
    head: Option<Pair<'t>>,
    at: At,
    /// Whether the session's cursor is at a row that has not been returned.
    ahead: bool,
}

/// An owned row: key and value.
///
/// ```
/// use keyscape_store::{Db, KeyRange, Memory, OwnedRow, Read, Spaces, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| tx.put(SHOP, b"ink", b"3"))?;
/// let rows: Vec<OwnedRow> = db.read()?.rows(SHOP, KeyRange::all())?.to_vec()?;
/// assert_eq!(rows, [(b"ink".to_vec(), b"3".to_vec())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type OwnedRow = (Vec<u8>, Vec<u8>);

type Pair<'t> = (&'t [u8], Option<&'t [u8]>);

/// The source of the current row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Nowhere,
    Under,
    Over,
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
        let over = pending.and_then(|pending| Over::new(pending, &range)).map(Box::new);
        let under =
            tracked.session.cursor(store, range).map_err(|error| tracked.fail(error, store))?;
        let plain = over.is_none() && tracked.meter.is_none();
        Ok(Rows { tracked, store, direction, under, over, plain, started: false, open })
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
        self.started = true;
        if !self.plain {
            return self.next_of_two();
        }
        match self.under.next() {
            Ok(row) => Ok(row),
            Err(error) => Err(tracked.fail(error, self.store)),
        }
    }

    /// Returns the next row if rows are pending or a meter is set.
    #[inline(never)]
    fn next_of_two(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        let tracked = self.tracked;
        let stepped = match &mut self.over {
            None => self.under.next(),
            Some(over) => over.next(&mut *self.under, self.direction),
        };
        let row = stepped.map_err(|error| tracked.fail(error, self.store))?;
        if let Some(row) = &row {
            tracked.charge(Operation::Row, row.key.len() + row.value.len())?;
        }
        Ok(row)
    }

    /// Returns the row that [`Rows::next`] returned last.
    #[must_use]
    pub fn row(&self) -> Option<Row<'_>> {
        match &self.over {
            None => self.under.row(),
            Some(over) => over.row(&*self.under),
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

impl<'t> Over<'t> {
    fn new(pending: &'t Pending, range: &KeyRange<'_>) -> Option<Over<'t>> {
        if pending.is_empty() || range.is_empty() {
            return None;
        }
        let rest = match Key::short_bounds(range.bounds()) {
            Some(bounds) => pending.range(bounds),
            None => pending.range::<[u8], _>(range.bounds()),
        };
        let mut over = Over { rest, head: None, at: At::Nowhere, ahead: false };
        over.advance(range.direction());
        // Without pending rows in the range, the session's cursor is enough.
        over.head.is_some().then_some(over)
    }

    fn advance(&mut self, direction: Direction) {
        let next = match direction {
            Direction::Forward => self.rest.next(),
            Direction::Backward => self.rest.next_back(),
        };
        self.head = next.map(|(key, value)| (&**key, value.as_deref()));
    }

    /// INVARIANT: between calls, the session's cursor is at the current row (`At::Under`), at its
    /// next row (`ahead`), before its first row, or at its end.
    fn next<'c>(
        &mut self,
        under: &'c mut (dyn Cursor + 't),
        direction: Direction,
    ) -> Result<Option<Row<'c>>, StoreError>
    where
        't: 'c,
    {
        if self.at == At::Over {
            self.advance(direction);
        }
        loop {
            // At the end, this calls the cursor again each time, which cursors must allow.
            let theirs = if self.ahead { under.row() } else { under.next()? };
            let order = match (&self.head, theirs) {
                (None, None) => {
                    self.at = At::Nowhere;
                    return Ok(None);
                }
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some((mine, _)), Some(theirs)) => match direction {
                    Direction::Forward => compare_keys(mine, theirs.key),
                    Direction::Backward => compare_keys(theirs.key, mine),
                },
            };
            self.ahead = order == Ordering::Less && theirs.is_some();
            if order == Ordering::Greater {
                self.at = At::Under;
                break;
            }
            // A pending change hides the stored row with the same key.
            match self.head {
                Some((_, Some(_))) => {
                    self.at = At::Over;
                    break;
                }
                _ => self.advance(direction),
            }
        }
        Ok(self.row(under))
    }

    fn row<'c>(&self, under: &'c (dyn Cursor + 't)) -> Option<Row<'c>>
    where
        't: 'c,
    {
        match self.at {
            At::Nowhere => None,
            At::Under => under.row(),
            At::Over => self.head.and_then(|(key, value)| Some(Row { key, value: value? })),
        }
    }
}

impl Drop for Rows<'_> {
    /// Narrows the read set to the rows that were returned.
    fn drop(&mut self) {
        let (Some(open), Some(reads)) = (&self.open, &self.tracked.reads) else { return };
        let seen = match self.row() {
            _ if !self.started => Seen::Nothing,
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
