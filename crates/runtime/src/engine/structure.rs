//! The records of one structure.

use super::{LocatedRows, Location};
use crate::{
    EntryError, Error, ErrorKind,
    record::{self, Family, Kind},
};
use keyscape_codec::fixed;
use keyscape_store::{Direction, KeyRange, Read, Tx, prefix_end};
use std::ops::Bound;

/// The records of one structure: a hash, set, sorted set or queue.
#[derive(Debug)]
pub struct StructureRecords {
    location: Location,
    kind: Kind,
    /// The bytes that all its records begin with, and no other record.
    start: Vec<u8>,
}

impl StructureRecords {
    /// Returns the records of the structure with this key, which may have none.
    #[must_use]
    pub fn new(location: Location, kind: Kind, key: &[u8]) -> Self {
        let mut start = Vec::with_capacity(64);
        record::begin_structure(kind, key, &mut start);
        Self { location, kind, start }
    }

    /// Returns the stored key of a record: the structure, the family and the rest.
    pub(crate) fn record(&self, family: Family, rest: &[u8]) -> Vec<u8> {
        let mut record = Vec::with_capacity(self.start.len() + 1 + rest.len());
        record.extend_from_slice(&self.start);
        record.push(family.byte());
        record.extend_from_slice(rest);
        record
    }

    pub(crate) fn start(&self) -> &[u8] {
        &self.start
    }

    /// Returns the offset at which the rest of a record begins.
    pub(crate) fn rest_at(&self) -> usize {
        self.start.len() + 1
    }

    pub(crate) fn get(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
        rest: &[u8],
    ) -> Result<Option<Vec<u8>>, Error> {
        self.location.get_with(state, &self.record(family, rest), <[u8]>::to_vec)
    }

    pub(crate) fn contains(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
        rest: &[u8],
    ) -> Result<bool, Error> {
        self.location.contains(state, &self.record(family, rest))
    }

    pub(crate) fn put(
        &self,
        tx: &mut Tx<'_>,
        family: Family,
        rest: &[u8],
        value: &[u8],
    ) -> Result<(), Error> {
        self.location.put(tx, &self.record(family, rest), value)
    }

    pub(crate) fn delete(&self, tx: &mut Tx<'_>, family: Family, rest: &[u8]) -> Result<(), Error> {
        self.location.delete(tx, &self.record(family, rest))
    }

    /// Calls `visit` with the rest and the value of each record of a family.
    pub(crate) fn for_each(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut rows = self.span(state, family, &Span::default())?;
        while let Some((rest, value)) = rows.next()? {
            visit(rest, value)?;
        }
        Ok(())
    }

    /// Opens the records of a family inside a span.
    pub(crate) fn span<'t>(
        &self,
        state: &'t (impl Read + ?Sized),
        family: Family,
        span: &Span,
    ) -> Result<RecordRows<'t>, Error> {
        let rows = self.with_range(family, span, |range| self.location.rows(state, range))?;
        Ok(RecordRows { rows, rest_at: self.rest_at() })
    }

    /// Returns the rests of the first records of a span, at most `max`.
    pub(crate) fn first(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
        span: &Span,
        max: usize,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let mut rows = self.span(state, family, span)?;
        let mut rests = Vec::new();
        while rests.len() < max
            && let Some((rest, _)) = rows.next()?
        {
            rests.push(rest.to_vec());
        }
        Ok(rests)
    }

    /// Passes the key range of a span to `run`.
    pub(crate) fn with_range<T>(
        &self,
        family: Family,
        span: &Span,
        run: impl FnOnce(KeyRange<'_>) -> T,
    ) -> T {
        let edge = |edge: &Edge| match edge {
            Edge::Open => None,
            Edge::Before(rest) => Some(self.record(family, rest)),
            Edge::After(rest) => prefix_end(&self.record(family, rest)),
        };
        let start = edge(&span.start).unwrap_or_else(|| self.record(family, &[]));
        let end = edge(&span.end).or_else(|| prefix_end(&self.record(family, &[])));
        let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        run(KeyRange::new(Bound::Included(&start), end).with_direction(span.direction))
    }

    /// Whether the structure has a record. A queue exists if it has members, because its token
    /// outlives them.
    pub(crate) fn exists(&self, state: &(impl Read + ?Sized)) -> Result<bool, Error> {
        if self.kind == Kind::Queue {
            return self.has_family(state, Family::Item);
        }
        let range = KeyRange::prefix(&self.start).expecting(1);
        Ok(self.location.rows(state, range)?.next()?.is_some())
    }

    /// Whether the structure has a record of a family.
    pub(crate) fn has_family(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
    ) -> Result<bool, Error> {
        let open = |range: KeyRange<'_>| self.location.rows(state, range.expecting(1));
        Ok(self.with_range(family, &Span::default(), open)?.next()?.is_some())
    }

    /// Counts all records of the structure.
    pub(crate) fn count_records(&self, state: &(impl Read + ?Sized)) -> Result<u64, Error> {
        self.location.rows(state, KeyRange::prefix(&self.start))?.count()
    }

    /// Deletes all records, except the token of a queue. Returns the number of deleted records.
    pub(crate) fn delete_all(&self, tx: &mut Tx<'_>) -> Result<u64, Error> {
        let token = (self.kind == Kind::Queue).then(|| self.record(Family::Token, &[]));
        let is_token = |key: &[u8]| token.as_ref().is_some_and(|token| key.starts_with(token));
        let all = KeyRange::prefix(&self.start);
        tx.attempt(|tx| self.location.delete_selected(tx, all, |key| !is_token(key)))
    }

    /// Deletes all records of a family.
    pub(crate) fn delete_family(&self, tx: &mut Tx<'_>, family: Family) -> Result<(), Error> {
        let prefix = self.record(family, &[]);
        self.location.delete_selected(tx, KeyRange::prefix(&prefix), |_| true).map(drop)
    }

    /// Writes the number of members again, or deletes it if members are not counted.
    pub(crate) fn recount(&self, tx: &mut Tx<'_>, counted: bool) -> Result<(), Error> {
        let mut members = 0;
        if counted {
            self.for_each(tx, Family::Member, |_, _| {
                members += 1;
                Ok(())
            })?;
        }
        self.set_number(tx, Family::Count, members)
    }

    /// Reads the number in a record that holds one. A missing record is 0.
    pub(crate) fn number(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
    ) -> Result<u64, Error> {
        let Some(value) = self.get(state, family, &[])? else { return Ok(0) };
        fixed::parse_be(&value).map_err(|_| self.inconsistent(family, &[], "it is not a number"))
    }

    /// Writes the number in a record, or deletes the record if the number is 0.
    pub(crate) fn set_number(
        &self,
        tx: &mut Tx<'_>,
        family: Family,
        number: u64,
    ) -> Result<(), Error> {
        match number {
            0 => self.delete(tx, family, &[]),
            _ => self.put(tx, family, &[], &number.to_be_bytes()),
        }
    }

    /// Adds to the number of members.
    pub(crate) fn add_to_count(&self, tx: &mut Tx<'_>, by: i64) -> Result<(), Error> {
        let count = self.number(tx, Family::Count)?.checked_add_signed(by);
        let wrong = || self.inconsistent(Family::Count, &[], "it is not the number of members");
        self.set_number(tx, Family::Count, count.ok_or_else(wrong)?)
    }

    /// Returns the error for records that contradict each other.
    #[cold]
    pub(crate) fn inconsistent(&self, family: Family, rest: &[u8], what: &'static str) -> Error {
        self.location.inconsistent(&self.record(family, rest), what)
    }

    /// Returns the error for a record that cannot be decoded.
    #[cold]
    pub(crate) fn corrupt(
        &self,
        family: Family,
        rest: &[u8],
        source: impl Into<EntryError>,
    ) -> Error {
        self.location.corrupt(&self.record(family, rest), source)
    }

    /// Returns the error for an operation with the token of a claim that has ended.
    #[cold]
    pub(crate) fn claim_lost(&self, member: &[u8], why: &'static str) -> Error {
        let (keyspace, key) =
            (self.location.keyspace.clone(), self.record(Family::Item, member).into());
        ErrorKind::ClaimLost { keyspace, key, why }.into()
    }
}

/// Records of one family, without the parts that all of them have.
#[derive(Debug)]
pub(crate) struct RecordRows<'t> {
    rows: LocatedRows<'t>,
    rest_at: usize,
}

/// The rest and the value of a record.
type RestAndValue<'r> = (&'r [u8], &'r [u8]);

impl RecordRows<'_> {
    pub(crate) fn next(&mut self) -> Result<Option<RestAndValue<'_>>, Error> {
        let row = self.rows.next()?;
        Ok(row.map(|row| (&row.key[self.rest_at..], row.value)))
    }

    /// Counts the remaining records.
    pub(crate) fn count(self) -> Result<u64, Error> {
        self.rows.count()
    }
}

/// A part of the order of a family, and a direction.
#[derive(Clone, Debug, Default)]
pub struct Span {
    pub(crate) start: Edge,
    pub(crate) end: Edge,
    pub(crate) direction: Direction,
}

impl Span {
    /// Selects all records of a family whose rest begins with these bytes.
    pub(crate) fn prefix(rest: &[u8]) -> Self {
        let (start, end) = (Edge::Before(rest.to_vec()), Edge::After(rest.to_vec()));
        Self { start, end, direction: Direction::Forward }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.start == Edge::Open && self.end == Edge::Open
    }
}

/// A position between the records of a family, in the order of their rests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Edge {
    /// The start or the end of the family.
    #[default]
    Open,
    /// Before all records that begin with these bytes.
    Before(Vec<u8>),
    /// After all records that begin with these bytes.
    After(Vec<u8>),
}
