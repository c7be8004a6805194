//! Listings of queues, one for each state of members.

use super::super::{Listing, QueueKeyspace, Scored, Sorted, Timed, describe::EntryError, listing};
use super::{MemberOf, ScoreOf};
use crate::{
    Be, Field,
    record::{self, Family},
};
use keyscape_codec::fixed;
use std::marker::PhantomData;

/// The members of a queue that can be claimed.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// let ready: rt::Records<'_, rt::ReadyMembers<Jobs>> = JOBS.ready(1);
/// assert_eq!(ready.count(tx)?, 0);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReadyMembers<K>(PhantomData<fn() -> K>);

impl<K: QueueKeyspace> Listing for ReadyMembers<K> {
    type Keyspace = K;
    type Row<'r> = Scored<MemberOf<'r, K>, ScoreOf<'r, K>>;
    type Owned = Scored<MemberOf<'static, K>, ScoreOf<'static, K>>;

    const FAMILY: Family = Family::Ready;

    fn row<'r>(
        rest: &'r [u8],
        _: &'r [u8],
        scratch: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError> {
        Ok(listing::scored::<K::Member, K::Score>(rest, K::SCORE_WIDTH, scratch)?)
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        Scored { member: K::Member::into_owned(row.member), score: K::Score::into_owned(row.score) }
    }
}

impl<K: QueueKeyspace> Sorted for ReadyMembers<K> {
    type By = K::Score;

    fn put(bytes: &[u8], out: &mut Vec<u8>) {
        record::put_score(bytes, K::SCORE_WIDTH, out);
    }
}

/// The members of a queue that wait until they are due.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// let waiting: rt::Records<'_, rt::WaitingMembers<Jobs>> = JOBS.waiting(1);
/// assert_eq!(waiting.count(tx)?, 0);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WaitingMembers<K>(PhantomData<fn() -> K>);

/// The claimed members of a queue.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// let leased: rt::Records<'_, rt::LeasedMembers<Jobs>> = JOBS.leased(1);
/// assert_eq!(leased.count(tx)?, 0);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LeasedMembers<K>(PhantomData<fn() -> K>);

macro_rules! by_time {
    ($listing:ident, $family:ident) => {
        impl<K: QueueKeyspace> Listing for $listing<K> {
            type Keyspace = K;
            type Row<'r> = Timed<MemberOf<'r, K>>;
            type Owned = Timed<MemberOf<'static, K>>;

            const FAMILY: Family = Family::$family;

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

        impl<K: QueueKeyspace> Sorted for $listing<K> {
            type By = Be<u64>;

            fn put(bytes: &[u8], out: &mut Vec<u8>) {
                out.extend_from_slice(bytes);
            }
        }
    };
}

by_time!(WaitingMembers, Waiting);
by_time!(LeasedMembers, Leased);

/// The dead members of a queue.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// let dead: rt::Records<'_, rt::DeadMembers<Jobs>> = JOBS.dead(1);
/// assert_eq!(dead.count(tx)?, 0);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DeadMembers<K>(PhantomData<fn() -> K>);

impl<K: QueueKeyspace> Listing for DeadMembers<K> {
    type Keyspace = K;
    type Row<'r> = MemberOf<'r, K>;
    type Owned = MemberOf<'static, K>;

    const FAMILY: Family = Family::Dead;

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
}
