//! Listings of one structure: which records to read, and reading them.

use super::{Listing, Sorted, records_of};
use crate::{
    DomainError, Error, Field, IntoField, Keyspace, PageCursor, access,
    engine::{Edge, Location, Span, corrupt},
};
use keyscape_store::{Direction, KeyRange, Read};
use std::{
    fmt,
    iter::FusedIterator,
    marker::PhantomData,
    ops::{Bound, RangeBounds},
};

/// A listing of one structure that has not been read yet: a family of its records, a part of their
/// order, a direction, an offset and a limit.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
///     BOARD.add(tx, 1, Name::new(member)?, score)?;
/// }
///
/// let records = BOARD.members(1).range(4..).reverse();
/// assert_eq!(records.count(tx)?, 2);
/// let mut scan = records.scan(tx)?;
/// assert_eq!(scan.next_row()?.map(|row| row.score), Some(5));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Records<'k, L: Listing> {
    key: Result<KeyOf<'k, L>, DomainError>,
    span: Result<Span, DomainError>,
    offset: u64,
    limit: u64,
    after: Option<PageCursor>,
}

type KeyOf<'k, L> = <<L as Listing>::Keyspace as Keyspace>::Key<'k>;

impl<'k, L: Listing> Records<'k, L> {
    pub(super) fn new(key: impl IntoField<KeyOf<'k, L>>) -> Self {
        Self {
            key: key.into_field(),
            span: Ok(Span::default()),
            offset: 0,
            limit: u64::MAX,
            after: None,
        }
    }

    fn key(&self) -> Result<&KeyOf<'k, L>, DomainError> {
        self.key.as_ref().map_err(Clone::clone)
    }

    /// Keeps the records whose rest begins with these bytes.
    pub(super) fn with_prefix(self, rest: &[u8]) -> Self {
        Self { span: Ok(Span::prefix(rest)), ..self }
    }

    /// Reverses the direction.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.members(1).reverse().to_vec(tx)?[0].member.as_str(), "cid");
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reverse(mut self) -> Self {
        if let Ok(span) = &mut self.span {
            span.direction = match span.direction {
                Direction::Forward => Direction::Backward,
                Direction::Backward => Direction::Forward,
            };
        }
        self
    }

    /// Skips the first rows.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.members(1).offset(2).to_vec(tx)?[0].member.as_str(), "cid");
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn offset(self, rows: u64) -> Self {
        Self { offset: self.offset.saturating_add(rows), ..self }
    }

    /// Returns at most this number of rows.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.members(1).limit(2).to_vec(tx)?.len(), 2);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn limit(self, rows: u64) -> Self {
        Self { limit: self.limit.min(rows), ..self }
    }

    /// Continues after the page that the cursor was returned with. The offset applies to the first
    /// page only. A read checks that the cursor belongs to this listing.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// let cursor = BOARD.members(1).page(tx, 1)?.next.ok_or("there is more")?;
    /// assert_eq!(BOARD.members(1).after(&cursor).to_vec(tx)?.len(), 2);
    /// assert!(BOARD.members(2).after(&cursor).to_vec(tx).is_err());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn after(self, cursor: &PageCursor) -> Self {
        Self { after: Some(cursor.clone()), ..self }
    }

    /// Keeps the rows whose field is between the bounds, in the order of encoded fields. Replaces
    /// earlier bounds.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.members(1).range(3..5).to_vec(tx)?.len(), 1);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn range<'b>(self, bounds: impl RangeBounds<<L::By as Field>::View<'b>>) -> Self
    where
        L: Sorted,
    {
        let span = self.span.and_then(|span| {
            let start = edge::<L>(bounds.start_bound(), Edge::Before, Edge::After)?;
            let end = edge::<L>(bounds.end_bound(), Edge::After, Edge::Before)?;
            Ok(Span { start, end, ..span })
        });
        Self { span, ..self }
    }

    /// Reads the rows one at a time, borrowed.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// let mut scan = BOARD.members(1).scan(tx)?;
    /// while let Some(row) = scan.next_row()? {
    ///     assert!(row.score >= 3);
    /// }
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn scan<'t>(&self, state: &'t (impl Read + ?Sized)) -> Result<RecordScan<'t, L>, Error> {
        self.scan_to(state, self.limit)
    }

    fn scan_to<'t>(
        &self,
        state: &'t (impl Read + ?Sized),
        limit: u64,
    ) -> Result<RecordScan<'t, L>, Error> {
        let key = self.key()?;
        let records = records_of::<L::Keyspace>(key)?;
        let span = self.span.as_ref().map_err(Clone::clone)?;
        let shortcut = match (&self.after, self.offset) {
            (None, rows) if rows > 0 => L::skip(state, key, span, rows)?,
            _ => None,
        };
        let skip = if shortcut.is_some() || self.after.is_some() { 0 } else { self.offset };
        let rows = records.with_range(L::FAMILY, shortcut.as_ref().unwrap_or(span), |range| {
            let range = match &self.after {
                None => range,
                Some(cursor) => {
                    let key = cursor.check_as::<L::Keyspace>(&range, |key| {
                        let rest = key.get(records.rest_at()..);
                        rest.is_some_and(L::is_rest)
                    })?;
                    range.after(key)
                }
            };
            state.rows(access::space::<L::Keyspace>(), range).map_err(access::failed::<L::Keyspace>)
        })?;
        Ok(RecordScan {
            rows,
            rest_at: records.rest_at(),
            skip,
            left: limit,
            scratch: Vec::new(),
            marker: PhantomData,
        })
    }

    /// Passes the key range of the records to `run`, and returns its result with the offset of the
    /// rest of a record.
    pub(crate) fn with_range<T>(
        &self,
        run: impl FnOnce(KeyRange<'_>) -> T,
    ) -> Result<(T, usize), Error> {
        let records = records_of::<L::Keyspace>(self.key()?)?;
        let span = self.span.as_ref().map_err(Clone::clone)?;
        Ok((records.with_range(L::FAMILY, span, run), records.rest_at()))
    }

    /// Reads the first rows, at least one if there is one and at most `rows`, and the cursor of the
    /// next page. The cursor pins no state: a row that exists throughout at the same position is
    /// returned exactly once.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// let page = BOARD.members(1).page(tx, 2)?;
    /// assert_eq!(page.rows.len(), 2);
    /// let cursor = page.next.ok_or("there is more")?;
    /// assert!(BOARD.members(1).after(&cursor).page(tx, 2)?.next.is_none());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ForeignCursor`](crate::ErrorKind::ForeignCursor) if the cursor belongs to another listing;
    /// see [`ErrorKind`](crate::ErrorKind).
    pub fn page(
        &self,
        state: &(impl Read + ?Sized),
        rows: usize,
    ) -> Result<PageOf<L::Owned>, Error> {
        let size = (rows as u64).max(1).min(self.limit);
        let mut page = PageOf { rows: Vec::new(), next: None };
        if size == 0 {
            return Ok(page);
        }
        let mut scan = self.scan_to(state, size.saturating_add(1))?;
        let direction = self.span.as_ref().map_err(Clone::clone)?.direction;
        let mut last = Vec::new();
        loop {
            let Some(row) = scan.next_row()?.map(L::into_owned) else { break };
            if page.rows.len() as u64 == size {
                page.next = Some(PageCursor::new::<L::Keyspace>(direction, last));
                break;
            }
            page.rows.push(row);
            last = scan.rows.row().map(|row| row.key.to_vec()).unwrap_or_default();
        }
        Ok(page)
    }

    /// Reads all rows, owned.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.members(1).to_vec(tx)?.len(), 3);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn to_vec(&self, state: &(impl Read + ?Sized)) -> Result<Vec<L::Owned>, Error> {
        self.scan(state)?.collect()
    }

    /// Counts the rows. Scans them unless a record of the structure holds the number.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
    ///     BOARD.add(tx, 1, Name::new(member)?, score)?;
    /// }
    ///
    /// assert_eq!(BOARD.members(1).range(5..).count(tx)?, 2);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn count(&self, state: &(impl Read + ?Sized)) -> Result<u64, Error> {
        let span = self.span.as_ref().map_err(Clone::clone)?;
        let stored = match self.after {
            None => L::stored_count(state, self.key()?, span)?,
            Some(_) => None,
        };
        if let Some(stored) = stored {
            return Ok(stored.saturating_sub(self.offset).min(self.limit));
        }
        let mut scan = self.scan(state)?;
        let mut count = 0;
        while scan.step()? {
            count += 1;
        }
        Ok(count)
    }
}

/// Returns the edge of a bound.
fn edge<L: Sorted>(
    bound: Bound<&<L::By as Field>::View<'_>>,
    included: fn(Vec<u8>) -> Edge,
    excluded: fn(Vec<u8>) -> Edge,
) -> Result<Edge, DomainError> {
    let (view, edge) = match bound {
        Bound::Unbounded => return Ok(Edge::Open),
        Bound::Included(view) => (view, included),
        Bound::Excluded(view) => (view, excluded),
    };
    let mut bytes = Vec::new();
    L::By::encode(view, &mut bytes)?;
    let mut rest = Vec::with_capacity(bytes.len() + 2);
    L::put(&bytes, &mut rest);
    Ok(edge(rest))
}

impl<L: Listing> Clone for Records<'_, L> {
    fn clone(&self) -> Self {
        Self {
            key: self.key.clone(),
            span: self.span.clone(),
            offset: self.offset,
            limit: self.limit,
            after: self.after.clone(),
        }
    }
}

impl<L: Listing> fmt::Debug for Records<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records")
            .field("keyspace", &L::Keyspace::NAME)
            .field("key", &self.key)
            .field("family", &L::FAMILY)
            .field("span", &self.span)
            .field("offset", &self.offset)
            .field("limit", &self.limit)
            .field("after", &self.after)
            .finish()
    }
}

/// A page of a listing.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
///     BOARD.add(tx, 1, Name::new(member)?, score)?;
/// }
///
/// let rt::PageOf { rows, next } = BOARD.members(1).page(tx, 9)?;
/// assert_eq!((rows.len(), next), (3, None));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PageOf<T> {
    /// The rows of this page.
    pub rows: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<PageCursor>,
}

/// The rows of a listing. [`RecordScan::next_row`] lends one row at a time. As an iterator, the
/// scan returns owned rows, and ends after an error. It borrows the transaction, so writing during
/// the scan does not compile.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
///     BOARD.add(tx, 1, Name::new(member)?, score)?;
/// }
///
/// let mut scan = BOARD.members(1).scan(tx)?;
/// assert_eq!(scan.next_row()?.map(|row| row.score), Some(3));
/// assert_eq!(scan.count(), 2);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RecordScan<'t, L> {
    rows: keyscape_store::Rows<'t>,
    rest_at: usize,
    skip: u64,
    left: u64,
    scratch: Vec<u8>,
    marker: PhantomData<fn() -> L>,
}

impl<L: Listing> RecordScan<'_, L> {
    /// Lends the next row, or returns `None` at the end.
    ///
    /// # Errors
    /// [`CorruptKey`](crate::ErrorKind::CorruptKey) and
    /// [`CorruptValue`](crate::ErrorKind::CorruptValue) for a record that does not belong to the
    /// structure; see [`ErrorKind`](crate::ErrorKind).
    pub fn next_row(&mut self) -> Result<Option<L::Row<'_>>, Error> {
        if !self.step()? {
            return Ok(None);
        }
        let Some(row) = self.rows.row() else { return Ok(None) };
        L::row(&row.key[self.rest_at..], row.value, &mut self.scratch)
            .map(Some)
            .map_err(|fault| corrupt(&Location::of::<L::Keyspace>(), row.key, fault))
    }

    /// Moves to the next row. Returns whether there is one.
    fn step(&mut self) -> Result<bool, Error> {
        if self.left == 0 {
            return Ok(false);
        }
        while let Some(row) = self.rows.next().map_err(access::failed::<L::Keyspace>)? {
            let listed = L::is_listed(&row.key[self.rest_at..], row.value);
            if !listed.map_err(|fault| corrupt(&Location::of::<L::Keyspace>(), row.key, fault))? {
                continue;
            }
            if self.skip == 0 {
                self.left -= 1;
                return Ok(true);
            }
            self.skip -= 1;
        }
        self.left = 0;
        Ok(false)
    }
}

impl<L: Listing> Iterator for RecordScan<'_, L> {
    type Item = Result<L::Owned, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next_row().map(|row| row.map(L::into_owned)).transpose();
        if !matches!(row, Some(Ok(_))) {
            self.left = 0;
        }
        row
    }
}

impl<L: Listing> FusedIterator for RecordScan<'_, L> {}

impl<L> fmt::Debug for RecordScan<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordScan").field("rows", &self.rows).finish_non_exhaustive()
    }
}
