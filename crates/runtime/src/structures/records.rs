//! Listings of one structure: which records to read, and reading them.

use super::{Listing, Sorted, records_of};
use crate::{
    DomainError, Error, Field, IntoField, Keyspace, Page, PageCursor, access,
    engine::{Edge, LocatedRows, Location, Span},
};
use keyscape_store::{KeyRange, Read};
use std::{
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
/// let middle = BOARD.members(1).offset(1).limit(1).to_vec(tx)?;
/// assert_eq!(middle[0].member.as_str(), "ann");
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
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

    fn span(&self) -> Result<&Span, DomainError> {
        self.span.as_ref().map_err(Clone::clone)
    }

    /// Keeps the records whose rest begins with these bytes.
    pub(super) fn with_prefix(self, rest: &[u8]) -> Self {
        Self { span: Ok(Span::prefix(rest)), ..self }
    }

    /// Reverses the direction.
    #[must_use]
    pub fn reverse(mut self) -> Self {
        if let Ok(span) = &mut self.span {
            span.direction = span.direction.reversed();
        }
        self
    }

    /// Skips the first rows.
    #[must_use]
    pub fn offset(self, rows: u64) -> Self {
        Self { offset: self.offset.saturating_add(rows), ..self }
    }

    /// Returns at most this number of rows.
    #[must_use]
    pub fn limit(self, rows: u64) -> Self {
        Self { limit: self.limit.min(rows), ..self }
    }

    /// Continues after the page that the cursor was returned with. The offset applies to the first
    /// page only. A read checks that the cursor belongs to this listing.
    #[must_use]
    pub fn after(self, cursor: &PageCursor) -> Self {
        Self { after: Some(cursor.clone()), ..self }
    }

    /// Keeps the rows whose field is between the bounds, in the order of encoded fields. Replaces
    /// earlier bounds.
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
        let (key, span) = (self.key()?, self.span()?);
        let records = records_of::<L::Keyspace>(key)?;
        let shortcut = match (&self.after, self.offset) {
            (None, rows) if rows > 0 => L::skip(state, key, span, rows)?,
            _ => None,
        };
        let skip = if shortcut.is_some() || self.after.is_some() { 0 } else { self.offset };
        let rows = records.with_range(L::FAMILY, shortcut.as_ref().unwrap_or(span), |range| {
            let range = match &self.after {
                None => range,
                Some(cursor) => {
                    let key = cursor.check::<L::Keyspace>(&range, |key| {
                        let rest = key.get(records.rest_at()..);
                        rest.is_some_and(L::is_rest)
                    })?;
                    range.after(key)
                }
            };
            Location::of::<L::Keyspace>().rows(state, range)
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

    /// Passes the key range of the records, and the offset of the rest of a record, to `run`.
    pub(crate) fn with_range<T>(
        &self,
        run: impl FnOnce(KeyRange<'_>, usize) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let records = records_of::<L::Keyspace>(self.key()?)?;
        records.with_range(L::FAMILY, self.span()?, |range| run(range, records.rest_at()))
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
    pub fn page(&self, state: &(impl Read + ?Sized), rows: usize) -> Result<Page<L::Owned>, Error> {
        let next = |scan: &mut RecordScan<'_, L>, key: &mut Vec<u8>| {
            let row = scan.next_row()?.map(L::into_owned);
            scan.rows.row().unwrap_or_default().key.clone_into(key);
            Ok(row)
        };
        let size = (rows, self.limit, self.span()?.direction);
        let open = |limit| self.scan_to(state, limit);
        Page::read::<L::Keyspace, _>(size, open, next, RecordScan::step)
    }

    /// Reads all rows, owned.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn to_vec(&self, state: &(impl Read + ?Sized)) -> Result<Vec<L::Owned>, Error> {
        self.scan(state)?.collect()
    }

    /// Counts the rows. Scans them unless a record of the structure holds the number.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn count(&self, state: &(impl Read + ?Sized)) -> Result<u64, Error> {
        let stored = match self.after {
            None => L::stored_count(state, self.key()?, self.span()?)?,
            Some(_) => None,
        };
        if let Some(stored) = stored {
            return Ok(stored.saturating_sub(self.offset).min(self.limit));
        }
        let mut scan = self.scan(state)?;
        access::count_steps(|| scan.step())
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
#[derive(Debug)]
pub struct RecordScan<'t, L> {
    rows: LocatedRows<'t>,
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
            .map_err(|fault| Location::of::<L::Keyspace>().corrupt(row.key, fault))
    }

    /// Moves to the next row. Returns whether there is one.
    fn step(&mut self) -> Result<bool, Error> {
        if self.left == 0 {
            return Ok(false);
        }
        while let Some(row) = self.rows.next()? {
            let listed = L::is_listed(&row.key[self.rest_at..], row.value);
            if !listed.map_err(|fault| Location::of::<L::Keyspace>().corrupt(row.key, fault))? {
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
        let row = self.next_row().map(|row| row.map(L::into_owned));
        access::next_item(row, &mut self.left)
    }
}

impl<L: Listing> FusedIterator for RecordScan<'_, L> {}
