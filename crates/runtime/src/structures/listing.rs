//! Going through what a structure holds.

use super::{
    Structure,
    describe::EntryError,
    place::{Edge, Place, Span, corrupt},
};
use crate::{
    DomainError, Error, Field, Keyspace, PageCursor, access,
    record::{self, Family},
};
use keyscape_codec::Malformed;
use keyscape_store::{Direction, Read};
use std::{
    borrow::Cow,
    fmt,
    iter::FusedIterator,
    marker::PhantomData,
    ops::{Bound, RangeBounds},
};

/// What can be listed of a structure: one family of its records, in their order.
pub trait Listing: 'static {
    /// The structures.
    type Keyspace: Structure;

    /// What a row borrows from the store.
    type Row<'r>;

    /// A row that borrows nothing.
    type Owned: 'static;

    /// The family of the records.
    const FAMILY: Family;

    /// The row of a record: what stands behind the family, and the value. A part that does not stand
    /// in the record as it is may be kept in `scratch`.
    ///
    /// # Errors
    /// [`EntryError`] if the record is none of the structure.
    fn row<'r>(
        rest: &'r [u8],
        value: &'r [u8],
        scratch: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError>;

    /// The same row, borrowing nothing.
    fn into_owned(row: Self::Row<'_>) -> Self::Owned;

    /// Whether the record is one to return; others are passed over.
    ///
    /// # Errors
    /// [`EntryError`] if the record is none of the structure.
    fn is_listed(rest: &[u8], value: &[u8]) -> Result<bool, EntryError> {
        let _ = (rest, value);
        Ok(true)
    }

    /// Whether a record can go on so behind the family.
    fn is_place(rest: &[u8]) -> bool;

    /// How many rows lie in a span, if that is known without going through them.
    #[doc(hidden)]
    fn known_count(
        _: &(impl Read + ?Sized),
        _: &Place<Self::Keyspace>,
        _: &Span,
    ) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    /// The span without its first `rows` rows, if they need not be gone through.
    #[doc(hidden)]
    fn skipped(
        _: &(impl Read + ?Sized),
        _: &Place<Self::Keyspace>,
        _: &Span,
        _rows: u64,
    ) -> Result<Option<Span>, Error> {
        Ok(None)
    }
}

/// A listing in the order of a field, so that it can have bounds.
pub trait Sorted: Listing {
    /// The field.
    type By: Field;

    /// Appends the field as it stands in records, from its own bytes. It says itself where it ends.
    fn put(bytes: &[u8], out: &mut Vec<u8>);
}

/// What one structure holds, still to be read: a family of its records, a part of their order, a
/// direction, how many to leave out and how many to return at most.
pub struct Records<'k, L: Listing> {
    key: KeyOf<'k, L>,
    span: Result<Span, DomainError>,
    offset: u64,
    limit: u64,
    after: Option<PageCursor>,
}

type KeyOf<'k, L> = <<L as Listing>::Keyspace as Keyspace>::Key<'k>;

impl<'k, L: Listing> Records<'k, L> {
    pub(super) fn new(key: KeyOf<'k, L>) -> Self {
        Self { key, span: Ok(Span::default()), offset: 0, limit: u64::MAX, after: None }
    }

    /// Only those whose record goes on so behind the family.
    pub(super) fn beginning(mut self, rest: &[u8]) -> Self {
        if let Ok(span) = &mut self.span {
            span.start = Edge::Before(rest.to_vec());
            span.end = Edge::Behind(rest.to_vec());
        }
        self
    }

    /// The same in the other direction.
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

    /// Leaves out the first rows.
    #[must_use]
    pub fn offset(self, rows: u64) -> Self {
        Self { offset: self.offset.saturating_add(rows), ..self }
    }

    /// Returns so many rows at most.
    #[must_use]
    pub fn limit(self, rows: u64) -> Self {
        Self { limit: self.limit.min(rows), ..self }
    }

    /// Only the rows behind the page that the cursor was returned with. An offset was left out before
    /// the first page, and is not left out again. Whether the cursor belongs to this listing is
    /// checked when rows are asked for.
    #[must_use]
    pub fn after(self, cursor: &PageCursor) -> Self {
        Self { after: Some(cursor.clone()), ..self }
    }

    /// Only those whose field lies between the bounds, in the order of their bytes.
    #[must_use]
    pub fn range<'b>(self, bounds: impl RangeBounds<<L::By as Field>::View<'b>>) -> Self
    where
        L: Sorted,
    {
        let span = self.span.and_then(|span| {
            let start = edge::<L>(bounds.start_bound(), Edge::Before, Edge::Behind)?;
            let end = edge::<L>(bounds.end_bound(), Edge::Behind, Edge::Before)?;
            Ok(Span { start, end, ..span })
        });
        Self { span, ..self }
    }

    /// Reads them, one at a time and borrowed.
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
        let place = Place::of(&self.key)?;
        let span = self.span.as_ref().map_err(Clone::clone)?;
        let shortcut = match (&self.after, self.offset) {
            (None, rows) if rows > 0 => L::skipped(state, &place, span, rows)?,
            _ => None,
        };
        let skip = if shortcut.is_some() || self.after.is_some() { 0 } else { self.offset };
        let rows = place.with_range(L::FAMILY, shortcut.as_ref().unwrap_or(span), |range| {
            let range = match &self.after {
                None => range,
                Some(cursor) => {
                    let key = cursor.check_as::<L::Keyspace>(&range, |key| {
                        let rest = key.get(place.rest_at()..);
                        rest.is_some_and(|rest| L::is_place(rest))
                    })?;
                    range.after(key)
                }
            };
            state.rows(access::space::<L::Keyspace>(), range).map_err(access::failed::<L::Keyspace>)
        })?;
        Ok(RecordScan {
            rows,
            rest_at: place.rest_at(),
            skip,
            left: limit,
            scratch: Vec::new(),
            marker: PhantomData,
        })
    }

    /// The first rows, `rows` at most and one at least if there is one, and the cursor with which the
    /// next page begins. The cursor pins no state: a row that is there throughout, in the same place,
    /// is returned exactly once.
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
            let Some(row) = scan.next()?.map(L::into_owned) else { break };
            if page.rows.len() as u64 == size {
                page.next = Some(PageCursor::new::<L::Keyspace>(direction, last));
                break;
            }
            page.rows.push(row);
            last = scan.rows.row().map(|row| row.key.to_vec()).unwrap_or_default();
        }
        Ok(page)
    }

    /// All of them, borrowing nothing.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn to_vec(&self, state: &(impl Read + ?Sized)) -> Result<Vec<L::Owned>, Error> {
        self.scan(state)?.rows().collect()
    }

    /// How many there are. They are gone through, unless the structure knows.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn count(&self, state: &(impl Read + ?Sized)) -> Result<u64, Error> {
        let place = Place::of(&self.key)?;
        let span = self.span.as_ref().map_err(Clone::clone)?;
        let known = match self.after {
            None => L::known_count(state, &place, span)?,
            Some(_) => None,
        };
        if let Some(known) = known {
            return Ok(known.saturating_sub(self.offset).min(self.limit));
        }
        let mut scan = self.scan(state)?;
        let mut count = 0;
        while scan.step()? {
            count += 1;
        }
        Ok(count)
    }
}

/// The edge that a bound means.
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

/// Some rows, and where they go on.
#[derive(Clone, Debug)]
pub struct PageOf<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Where the next page begins; `None` if this was the last.
    pub next: Option<PageCursor>,
}

/// What a structure holds, one row at a time and borrowed. It borrows the transaction, so that
/// writing meanwhile does not compile.
pub struct RecordScan<'t, L> {
    rows: keyscape_store::Rows<'t>,
    rest_at: usize,
    skip: u64,
    left: u64,
    scratch: Vec<u8>,
    marker: PhantomData<fn() -> L>,
}

impl<'t, L: Listing> RecordScan<'t, L> {
    /// Goes to the next row and returns it; `None` at the end.
    ///
    /// # Errors
    /// [`CorruptKey`](crate::ErrorKind::CorruptKey) and
    /// [`CorruptValue`](crate::ErrorKind::CorruptValue) for a record that is none of the structure;
    /// see [`ErrorKind`](crate::ErrorKind).
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend its rows")]
    pub fn next(&mut self) -> Result<Option<L::Row<'_>>, Error> {
        if !self.step()? {
            return Ok(None);
        }
        let Some(row) = self.rows.row() else { return Ok(None) };
        L::row(&row.key[self.rest_at..], row.value, &mut self.scratch)
            .map(Some)
            .map_err(|fault| corrupt::<L::Keyspace>(row.key, fault))
    }

    /// Goes to the next row and says whether there is one.
    fn step(&mut self) -> Result<bool, Error> {
        if self.left == 0 {
            return Ok(false);
        }
        while let Some(row) = self.rows.next().map_err(access::failed::<L::Keyspace>)? {
            let listed = L::is_listed(&row.key[self.rest_at..], row.value);
            if !listed.map_err(|fault| corrupt::<L::Keyspace>(row.key, fault))? {
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

    /// The rows that are left, borrowing nothing.
    #[must_use]
    pub fn rows(self) -> OwnedRecords<'t, L> {
        OwnedRecords { scan: self, done: false }
    }
}

impl<L> fmt::Debug for RecordScan<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordScan").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// What a structure holds, as an iterator. It ends after an error.
#[derive(Debug)]
pub struct OwnedRecords<'t, L> {
    scan: RecordScan<'t, L>,
    done: bool,
}

impl<L: Listing> Iterator for OwnedRecords<'_, L> {
    type Item = Result<L::Owned, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let row = self.scan.next().map(|row| row.map(L::into_owned)).transpose();
        self.done = !matches!(row, Some(Ok(_)));
        row
    }
}

impl<L: Listing> FusedIterator for OwnedRecords<'_, L> {}

/// A member and its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored<M, S> {
    /// The member.
    pub member: M,
    /// Its score.
    pub score: S,
}

/// A member and a time: when it is due, or when its lease ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed<M> {
    /// The member.
    pub member: M,
    /// The time, in the unit of the program.
    pub at: u64,
}

/// A score and the member behind it. The score is decoded from where it stands, or from `scratch` if
/// it does not stand there as it is.
pub(super) fn scored<'r, M: Field, S: Field>(
    rest: &'r [u8],
    width: Option<usize>,
    scratch: &'r mut Vec<u8>,
) -> Result<Scored<M::View<'r>, S::View<'r>>, Malformed> {
    let mut member = rest;
    let score = match record::take_score(&mut member, width)? {
        Cow::Borrowed(score) => S::decode(score)?,
        Cow::Owned(score) => {
            *scratch = score;
            S::decode(scratch)?
        }
    };
    Ok(Scored { member: M::decode(member)?, score })
}
