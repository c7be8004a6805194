//! Listings: the families of records that can be read of a structure.

use super::{
    EntryError, MemberOf, Members, QueueKeyspace, ScoreOf, Scores, Structure, records_of,
    zset::zset_of,
};
use crate::{
    Be, Error, Field, Keyspace,
    engine::Span,
    record::{self, Family, Kind},
};
use keyscape_codec::fixed;
use keyscape_store::Read;
use std::{borrow::Cow, fmt, marker::PhantomData};

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
pub trait Listing: Copy + fmt::Debug + 'static {
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
pub trait Sorted: Listing {
    /// The field that orders the rows.
    type By: Field;

    /// Appends an encoded field as records store it. The result is self-delimiting.
    fn put(bytes: &[u8], out: &mut Vec<u8>);
}

/// A member and its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored<M, S> {
    /// A member of a sorted set or queue.
    pub member: M,
    /// The score of the member.
    pub score: S,
}

/// A member and the time at which it is due or its lease ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed<M> {
    /// A member of a queue.
    pub member: M,
    /// The time, in the unit of the program.
    pub at: u64,
}

/// The members of a structure in the order of their bytes: the members of a set, or the dead
/// members of a queue.
#[derive(Clone, Copy, Debug)]
pub struct MembersByBytes<K>(PhantomData<fn() -> K>);

impl<K: Members> Listing for MembersByBytes<K> {
    type Keyspace = K;
    type Row<'r> = MemberOf<'r, K>;
    type Owned = MemberOf<'static, K>;

    const FAMILY: Family = match K::KIND {
        Kind::Queue => Family::Dead,
        _ => Family::Member,
    };

    fn row<'r>(
        rest: &'r [u8],
        _: &'r [u8],
        _: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError> {
        Ok(K::Member::decode(rest)?)
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        K::Member::into_owned(row)
    }

    fn stored_count(
        state: &(impl Read + ?Sized),
        key: &K::Key<'_>,
        span: &Span,
    ) -> Result<Option<u64>, Error> {
        let counted = K::COUNTED && span.is_whole();
        counted.then(|| records_of::<K>(key)?.number(state, Family::Count)).transpose()
    }
}

/// The members of a structure by score: the members of a sorted set, or the members of a queue that
/// can be claimed.
#[derive(Clone, Copy, Debug)]
pub struct MembersByScore<K>(PhantomData<fn() -> K>);

impl<K: Scores> Listing for MembersByScore<K> {
    type Keyspace = K;
    type Row<'r> = Scored<MemberOf<'r, K>, ScoreOf<'r, K>>;
    type Owned = Scored<MemberOf<'static, K>, ScoreOf<'static, K>>;

    const FAMILY: Family = match K::KIND {
        Kind::Queue => Family::Ready,
        _ => Family::Score,
    };

    fn row<'r>(
        rest: &'r [u8],
        _: &'r [u8],
        scratch: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError> {
        let mut member = rest;
        let score = match record::take_score(&mut member, K::SCORE_WIDTH)? {
            Cow::Borrowed(score) => K::Score::decode(score)?,
            Cow::Owned(score) => {
                *scratch = score;
                K::Score::decode(scratch)?
            }
        };
        Ok(Scored { member: K::Member::decode(member)?, score })
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        Scored { member: K::Member::into_owned(row.member), score: K::Score::into_owned(row.score) }
    }

    fn stored_count(
        state: &(impl Read + ?Sized),
        key: &K::Key<'_>,
        span: &Span,
    ) -> Result<Option<u64>, Error> {
        if K::COUNTED || K::RANKED { zset_of::<K>(key)?.count(state, span) } else { Ok(None) }
    }

    fn skip(
        state: &(impl Read + ?Sized),
        key: &K::Key<'_>,
        span: &Span,
        rows: u64,
    ) -> Result<Option<Span>, Error> {
        if K::RANKED { zset_of::<K>(key)?.skip(state, span, rows) } else { Ok(None) }
    }
}

impl<K: Scores> Sorted for MembersByScore<K> {
    type By = K::Score;

    fn put(bytes: &[u8], out: &mut Vec<u8>) {
        record::put_score(bytes, K::SCORE_WIDTH, out);
    }
}

/// The members of a queue by time: the claimed members by the end of their lease (`LEASED`), or the
/// waiting members by the time at which they are due.
#[derive(Clone, Copy, Debug)]
pub struct MembersByTime<K, const LEASED: bool>(PhantomData<fn() -> K>);

impl<K: QueueKeyspace, const LEASED: bool> Listing for MembersByTime<K, LEASED> {
    type Keyspace = K;
    type Row<'r> = Timed<MemberOf<'r, K>>;
    type Owned = Timed<MemberOf<'static, K>>;

    const FAMILY: Family = if LEASED { Family::Leased } else { Family::Waiting };

    fn row<'r>(
        rest: &'r [u8],
        _: &'r [u8],
        _: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError> {
        let mut member = rest;
        let at = fixed::take_be(&mut member)?;
        Ok(Timed { at, member: K::Member::decode(member)? })
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        Timed { at: row.at, member: K::Member::into_owned(row.member) }
    }
}

impl<K: QueueKeyspace, const LEASED: bool> Sorted for MembersByTime<K, LEASED> {
    type By = Be<u64>;

    fn put(bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(bytes);
    }
}
