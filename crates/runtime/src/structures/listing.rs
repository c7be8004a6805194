//! Going through what a structure holds.

use super::{
    Structure,
    describe::EntryError,
    place::{Place, Span},
};
use crate::{
    Error, Field,
    record::{self, Family},
};
use keyscape_codec::Malformed;
use keyscape_store::Read;
use std::borrow::Cow;

/// What can be listed of a structure: one family of its records, in their order.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// // What is listed by score or by time takes bounds; what is listed by member does not.
/// assert_eq!(JOBS.ready(1).range(1..5).count(tx)?, 0);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Sorted: Listing {
    /// The field.
    type By: Field;

    /// Appends the field as it stands in records, from its own bytes. It says itself where it ends.
    fn put(bytes: &[u8], out: &mut Vec<u8>);
}

/// A member and its score.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
    /// The member.
    pub member: M,
    /// Its score.
    pub score: S,
}

/// A member and a time: when it is due, or when its lease ends.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
/// let claims = JOBS.claim(tx, 1, 100, 30, 1)?;
///
/// let rt::Timed { member, at } = JOBS.leased(1).to_vec(tx)?.remove(0);
/// assert_eq!((member, at), (claims[0].member.clone(), 130));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
