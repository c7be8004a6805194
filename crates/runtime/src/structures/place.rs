//! The records of one structure: where all of them meet the store.

use super::{Structure, describe::EntryError};
use crate::{
    Buffer, Error, ErrorKind, Field, Keyspace, access,
    record::{self, Family},
};
use keyscape_codec::fixed;
use keyscape_store::{KeyRange, Read, ReadExt, StoreId, Tx, prefix_end};
use std::{marker::PhantomData, ops::Bound};

/// The place of one structure in its store.
#[derive(Debug)]
pub struct Place<K> {
    /// What all its records begin with, and no other record.
    start: Vec<u8>,
    marker: PhantomData<fn() -> K>,
}

impl<K: Structure> Place<K> {
    pub(super) const STORE: StoreId = StoreId::of(K::SPACE);

    pub(super) fn of(key: &K::Key<'_>) -> Result<Self, Error> {
        let mut buffer = K::Buffer::default();
        K::encode(key, &mut buffer)?;
        let mut start = Vec::with_capacity(64);
        record::begin_structure(K::KIND, buffer.written()?, &mut start);
        Ok(Self { start, marker: PhantomData })
    }

    /// The record of a family with this rest.
    pub(super) fn record(&self, family: Family, rest: &[u8]) -> Vec<u8> {
        let mut record = Vec::with_capacity(self.start.len() + 1 + rest.len());
        record.extend_from_slice(&self.start);
        record.push(family.byte());
        record.extend_from_slice(rest);
        record
    }

    /// What all its records begin with, and no other record.
    pub(super) fn start(&self) -> &[u8] {
        &self.start
    }

    /// Where the rest of a record begins.
    pub(super) fn rest_at(&self) -> usize {
        self.start.len() + 1
    }

    pub(super) fn get(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
        rest: &[u8],
    ) -> Result<Option<Vec<u8>>, Error> {
        state.get(Self::STORE, &self.record(family, rest)).map_err(access::failed::<K>)
    }

    pub(super) fn contains(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
        rest: &[u8],
    ) -> Result<bool, Error> {
        state.contains(Self::STORE, &self.record(family, rest)).map_err(access::failed::<K>)
    }

    pub(super) fn put(
        &self,
        tx: &mut Tx<'_>,
        family: Family,
        rest: &[u8],
        value: &[u8],
    ) -> Result<(), Error> {
        tx.put(Self::STORE, &self.record(family, rest), value).map_err(access::failed::<K>)
    }

    pub(super) fn delete(&self, tx: &mut Tx<'_>, family: Family, rest: &[u8]) -> Result<(), Error> {
        tx.delete(Self::STORE, &self.record(family, rest)).map_err(access::failed::<K>)
    }

    /// All records of a family.
    pub(super) fn rows<'t>(
        &self,
        state: &'t (impl Read + ?Sized),
        family: Family,
    ) -> Result<keyscape_store::Rows<'t>, Error> {
        let start = self.record(family, &[]);
        state.rows(Self::STORE, KeyRange::prefix(&start)).map_err(access::failed::<K>)
    }

    /// The records of a family between two edges.
    pub(super) fn range<'t>(
        &self,
        state: &'t (impl Read + ?Sized),
        family: Family,
        span: &Span,
    ) -> Result<keyscape_store::Rows<'t>, Error> {
        self.with_range(family, span, |range| {
            state.rows(Self::STORE, range).map_err(access::failed::<K>)
        })
    }

    /// Gives the range of the records of a family between two edges to `run`.
    pub(super) fn with_range<T>(
        &self,
        family: Family,
        span: &Span,
        run: impl FnOnce(KeyRange<'_>) -> T,
    ) -> T {
        let (start, end) = self.bounds(family, span);
        let start = start.as_deref().map_or(Bound::Unbounded, Bound::Included);
        let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        run(KeyRange::new(start, end).with_direction(span.direction))
    }

    /// The bounds of the records of a family between two edges: from the first, to before the second.
    fn bounds(&self, family: Family, span: &Span) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        let edge = |edge: &Edge| match edge {
            Edge::Open => None,
            Edge::Before(rest) => Some(self.record(family, rest)),
            Edge::Behind(rest) => prefix_end(&self.record(family, rest)),
        };
        let start = edge(&span.start).or_else(|| Some(self.record(family, &[])));
        (start, edge(&span.end).or_else(|| prefix_end(&self.record(family, &[]))))
    }

    /// Whether the structure has a record.
    pub(super) fn exists(&self, state: &(impl Read + ?Sized)) -> Result<bool, Error> {
        let mut rows =
            state.rows(Self::STORE, KeyRange::prefix(&self.start)).map_err(access::failed::<K>)?;
        rows.next().map(|row| row.is_some()).map_err(access::failed::<K>)
    }

    /// How many records the structure has.
    pub(super) fn count_all(&self, state: &(impl Read + ?Sized)) -> Result<u64, Error> {
        let range = KeyRange::prefix(&self.start);
        let mut rows = state.rows(Self::STORE, range).map_err(access::failed::<K>)?;
        let mut count = 0;
        while rows.next().map_err(access::failed::<K>)?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// Deletes all records but those of one family, and returns how many there were.
    pub(super) fn delete_all(&self, tx: &mut Tx<'_>, but: Option<Family>) -> Result<u64, Error> {
        const AT_ONCE: usize = 256;
        let mut deleted = 0;
        let mut last: Option<Vec<u8>> = None;
        loop {
            let range = KeyRange::prefix(&self.start).expecting(AT_ONCE);
            let range = match &last {
                Some(last) => range.after(last),
                None => range,
            };
            let mut keys = Vec::new();
            let mut rows = tx.rows(Self::STORE, range).map_err(access::failed::<K>)?;
            while keys.len() < AT_ONCE {
                let Some(row) = rows.next().map_err(access::failed::<K>)? else { break };
                keys.push(row.key.to_vec());
            }
            drop(rows);
            for key in &keys {
                if but.is_none_or(|but| key.get(self.start.len()) != Some(&but.byte())) {
                    tx.delete(Self::STORE, key).map_err(access::failed::<K>)?;
                    deleted += 1;
                }
            }
            if keys.len() < AT_ONCE {
                return Ok(deleted);
            }
            last = keys.pop();
        }
    }

    /// The number in a record that holds one; 0 if there is no record.
    pub(super) fn number(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
    ) -> Result<u64, Error> {
        let Some(value) = self.get(state, family, &[])? else { return Ok(0) };
        fixed::parse_be(&value).map_err(|_| self.broken(family, &[], "a number is none"))
    }

    /// Sets the number in a record; there is no record for 0.
    pub(super) fn set_number(
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

    /// Adds to the count of members.
    pub(super) fn count(&self, tx: &mut Tx<'_>, by: i64) -> Result<(), Error> {
        let count = self.number(tx, Family::Count)?.checked_add_signed(by);
        let count = count.ok_or_else(|| self.broken(Family::Count, &[], "a count is too low"))?;
        self.set_number(tx, Family::Count, count)
    }

    /// The records of the structure do not agree.
    pub(super) fn broken(&self, family: Family, rest: &[u8], what: &'static str) -> Error {
        let key = self.record(family, rest).into();
        ErrorKind::Inconsistent { keyspace: K::NAME, what, key }.into()
    }

    /// A record is not what it must be.
    pub(super) fn corrupt(
        &self,
        family: Family,
        rest: &[u8],
        fault: impl Into<EntryError>,
    ) -> Error {
        corrupt::<K>(&self.record(family, rest), fault.into())
    }
}

/// A part of the order of a family, and a direction.
#[derive(Clone, Debug, Default)]
pub struct Span {
    pub(super) start: Edge,
    pub(super) end: Edge,
    pub(super) direction: keyscape_store::Direction,
}

/// A place between records of a family, by what stands in them behind the family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Edge {
    /// Where the family begins or ends.
    #[default]
    Open,
    /// Before all that begin so.
    Before(Vec<u8>),
    /// Behind all that begin so.
    Behind(Vec<u8>),
}

/// A record is not what it must be.
pub(super) fn corrupt<K: Keyspace>(record: &[u8], fault: EntryError) -> Error {
    let (keyspace, key) = (K::NAME, record.into());
    match fault {
        EntryError::Field(source) => ErrorKind::CorruptKey { keyspace, key, source }.into(),
        EntryError::Value(source) => ErrorKind::CorruptValue { keyspace, key, source }.into(),
    }
}

/// The bytes of a member or a score.
pub(super) fn bytes_of<F: Field>(view: &F::View<'_>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(48);
    F::encode(view, &mut bytes)?;
    Ok(bytes)
}
