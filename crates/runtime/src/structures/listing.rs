//! Listings: the families of records that can be read of a structure.

use super::{Structure, describe::EntryError};
use crate::{
    Error, Field, Keyspace,
    engine::Span,
    record::{self, Family},
};
use keyscape_codec::Malformed;
use keyscape_store::Read;
use std::borrow::Cow;

/// A family of records of a structure that can be listed in order.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// fn first<L: rt::Listing>(
///     state: &impl keyscape_store::Read,
///     records: &rt::Records<'_, L>,
/// ) -> Result<Option<L::Owned>, rt::Error> {
///     Ok(records.clone().limit(1).to_vec(state)?.pop())
/// }
/// assert!(first(tx, &WHITELIST.members(()))?.is_none());
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Listing: 'static {
    /// The keyspace of the structures.
    type Keyspace: Structure;

    /// A row that borrows from the store.
    type Row<'r>;

    /// An owned row.
    type Owned: 'static;

    /// The family of the records.
    const FAMILY: Family;

    /// Decodes a record: the rest of its key after the family, and its value. Parts that are stored
    /// escaped are unescaped into `scratch`.
    ///
    /// # Errors
    /// [`EntryError`] if the record does not belong to the structure.
    fn row<'r>(
        rest: &'r [u8],
        value: &'r [u8],
        scratch: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError>;

    /// Copies a row.
    fn into_owned(row: Self::Row<'_>) -> Self::Owned;

    /// Whether the listing contains a record. Others are skipped.
    ///
    /// # Errors
    /// [`EntryError`] if the record does not belong to the structure.
    fn is_listed(rest: &[u8], value: &[u8]) -> Result<bool, EntryError> {
        let _ = (rest, value);
        Ok(true)
    }

    /// Whether a record of the family can have this rest.
    fn is_rest(rest: &[u8]) -> bool {
        !matches!(Self::row(rest, &[], &mut Vec::new()), Err(EntryError::Field(_)))
    }

    /// Returns the number of rows in a span if records of the structure hold it.
    #[doc(hidden)]
    fn stored_count(
        _: &(impl Read + ?Sized),
        _: &<Self::Keyspace as Keyspace>::Key<'_>,
        _: &Span,
    ) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    /// Returns the span without its first `rows` rows if they need not be read.
    #[doc(hidden)]
    fn skip(
        _: &(impl Read + ?Sized),
        _: &<Self::Keyspace as Keyspace>::Key<'_>,
        _: &Span,
        _rows: u64,
    ) -> Result<Option<Span>, Error> {
        Ok(None)
    }
}

/// A listing in the order of a field, which can have bounds.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// // Listings by score or by time take bounds. Listings by member do not.
/// assert_eq!(JOBS.ready(1).range(1..5).count(tx)?, 0);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Sorted: Listing {
    /// The field that orders the rows.
    type By: Field;

    /// Appends an encoded field as records store it. The result is self-delimiting.
    fn put(bytes: &[u8], out: &mut Vec<u8>);
}

/// A member and its score.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// for (member, score) in [("ann", 5_u64), ("bob", 3), ("cid", 5)] {
///     BOARD.add(tx, 1, Name::new(member)?, score)?;
/// }
///
/// let rows = BOARD.members(1).to_vec(tx)?;
/// assert_eq!(rows[0], rt::Scored { member: Name::new("bob")?, score: 3 });
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored<M, S> {
    /// A member of a sorted set or queue.
    pub member: M,
    /// The score of the member.
    pub score: S,
}

/// A member and the time at which it is due or its lease ends.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
/// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
///
/// let rt::Timed { member, at } = JOBS.leased(1).to_vec(tx)?.remove(0);
/// assert_eq!((member, at), (claims[0].member.clone(), 130));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed<M> {
    /// A member of a queue.
    pub member: M,
    /// The time, in the unit of the program.
    pub at: u64,
}

/// Decodes a score and the member that follows it. An escaped score is unescaped into `scratch`.
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
