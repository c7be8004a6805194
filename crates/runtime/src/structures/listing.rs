//! Going through what a structure holds.

use super::{
    Structure,
    describe::EntryError,
    place::{Edge, Place, Span, corrupt, failed},
};
use crate::{
    DomainError, Error, Field, Keyspace,
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
}

type KeyOf<'k, L> = <<L as Listing>::Keyspace as Keyspace>::Key<'k>;

impl<'k, L: Listing> Records<'k, L> {
    pub(super) fn new(key: KeyOf<'k, L>) -> Self {
        Self { key, span: Ok(Span::default()), offset: 0, limit: u64::MAX }
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
        let place = Place::of(&self.key)?;
        let span = self.span.as_ref().map_err(Clone::clone)?;
        let shortcut = match self.offset {
            0 => None,
            rows => L::skipped(state, &place, span, rows)?,
        };
        let skip = if shortcut.is_some() { 0 } else { self.offset };
        let rows = place.range(state, L::FAMILY, shortcut.as_ref().unwrap_or(span))?;
        Ok(RecordScan {
            rows,
            rest_at: place.rest_at(),
            skip,
            left: self.limit,
            scratch: Vec::new(),
            marker: PhantomData,
        })
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
        if let Some(known) = L::known_count(state, &place, span)? {
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
        let Self { key, span, offset, limit } = self;
        Self { key: key.clone(), span: span.clone(), offset: *offset, limit: *limit }
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
            .finish()
    }
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
        while let Some(row) = self.rows.next().map_err(failed::<L::Keyspace>)? {
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
