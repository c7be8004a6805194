//! What can be listed of queues, and whether their records agree.

use super::super::{
    Listing, Queue, QueueKeyspace, Scored, Sorted, StructureReport, Timed, describe::EntryError,
    listing, place::Place,
};
use super::{MemberOf, ScoreOf, step::place_of};
use crate::{
    Be, Error, Field, access,
    record::{self, Family, Item, State},
};
use keyscape_codec::fixed;
use keyscape_store::Read;
use std::{collections::BTreeSet, marker::PhantomData};

/// The members of a queue that can be claimed.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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

    fn is_place(rest: &[u8]) -> bool {
        listing::scored::<K::Member, K::Score>(rest, K::SCORE_WIDTH, &mut Vec::new()).is_ok()
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

/// The members of a queue that can be claimed later.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// let waiting: rt::Records<'_, rt::WaitingMembers<Jobs>> = JOBS.waiting(1);
/// assert_eq!(waiting.count(tx)?, 0);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WaitingMembers<K>(PhantomData<fn() -> K>);

/// The members of a queue that are claimed.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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

            fn is_place(rest: &[u8]) -> bool {
                rest.get(8..).is_some_and(|member| K::Member::decode(member).is_ok())
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

/// The members of a queue that were given up.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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

    fn is_place(rest: &[u8]) -> bool {
        K::Member::decode(rest).is_ok()
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        K::Member::into_owned(row)
    }
}

impl<K: QueueKeyspace> Queue<K> {
    /// Whether the records of a queue agree: each member is known, and listed once, where it is; and
    /// no token is greater than the last one that was given out.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// JOBS.push(tx, 1, Name::new("a")?, 5_u64)?;
    /// assert!(JOBS.check(tx, 1)?.is_sound());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind); what is wrong with records is in the report.
    pub fn check<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<StructureReport, Error> {
        let place = Place::<K>::of(&key.into())?;
        let mut report = StructureReport::default();
        let last_token = place.number(state, Family::Token)?;
        report.records += u64::from(last_token > 0);
        // Where the items say that they are.
        let mut wanted = BTreeSet::new();
        let mut tokens = BTreeSet::new();
        let mut rows = place.rows(state, Family::Item)?;
        while let Some(row) = rows.next().map_err(access::failed::<K>)? {
            report.records += 1;
            let member = &row.key[place.rest_at()..];
            if K::Member::decode(member).is_err() {
                report.fault(&place, Family::Item, member, "it is no member");
            }
            let Ok(item) = Item::read(row.value, K::SCORE_WIDTH) else {
                report.fault(&place, Family::Item, member, "its value is no item");
                continue;
            };
            wanted.insert((item.state.family(), place_of(&item, member, K::SCORE_WIDTH)));
            for fault in faults::<K>(&item, last_token) {
                report.fault(&place, Family::Item, member, fault);
            }
            if item.token > 0 && !tokens.insert(item.token) {
                report.fault(&place, Family::Item, member, "another item has its token");
            }
        }
        for family in [Family::Ready, Family::Waiting, Family::Leased, Family::Dead] {
            let mut rows = place.rows(state, family)?;
            while let Some(row) = rows.next().map_err(access::failed::<K>)? {
                report.records += 1;
                let rest = row.key[place.rest_at()..].to_vec();
                if !wanted.remove(&(family, rest.clone())) {
                    report.fault(&place, family, &rest, "no item is there");
                }
            }
        }
        for (family, rest) in wanted {
            report.fault(&place, family, &rest, "an item is there, but not listed");
        }
        report.end(&place, state)
    }
}

/// What is wrong with an item alone.
fn faults<K: QueueKeyspace>(item: &Item<'_>, last_token: u64) -> Vec<&'static str> {
    let mut faults = Vec::new();
    let mut scores = item.again.iter().chain([&item.score]);
    if scores.any(|score| K::Score::decode(score).is_err()) {
        faults.push("its score is none");
    }
    if item.token > last_token {
        faults.push("its token was not given out");
    }
    let leased = matches!(item.state, State::Leased(_));
    if leased && (item.token == 0 || item.attempts == 0) {
        faults.push("it is claimed by nobody");
    }
    if !leased && item.again.is_some() {
        faults.push("it is queued again, but nobody works on it");
    }
    faults
}
