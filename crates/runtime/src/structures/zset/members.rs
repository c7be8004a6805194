//! The members of a sorted set, in order.

use super::{
    super::{
        Listing, Scored, Sorted, ZsetKeyspace,
        describe::EntryError,
        listing,
        place::{Edge, Place, Span},
    },
    MemberOf, ScoreOf,
    rank::Ranks,
};
use crate::{
    Error, Field,
    record::{self, Family},
};
use keyscape_store::{Direction, Read, prefix_end};
use std::marker::PhantomData;

/// The members of a zset, by score.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// let members: rt::Records<'_, rt::ZsetMembers<Board>> = BOARD.members(1);
/// assert_eq!(members.count(tx)?, 0);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ZsetMembers<K>(PhantomData<fn() -> K>);

impl<K: ZsetKeyspace> Listing for ZsetMembers<K> {
    type Keyspace = K;
    type Row<'r> = Scored<MemberOf<'r, K>, ScoreOf<'r, K>>;
    type Owned = Scored<MemberOf<'static, K>, ScoreOf<'static, K>>;

    const FAMILY: Family = Family::Score;

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

    fn is_place(rest: &[u8]) -> bool {
        listing::scored::<K::Member, K::Score>(rest, K::SCORE_WIDTH, &mut Vec::new()).is_ok()
    }

    fn known_count(
        state: &(impl Read + ?Sized),
        place: &Place<K>,
        span: &Span,
    ) -> Result<Option<u64>, Error> {
        let all = span.start == Edge::Open && span.end == Edge::Open;
        if K::COUNTED && all {
            return place.number(state, Family::Count).map(Some);
        }
        if !K::RANKED {
            return Ok(None);
        }
        let start = rank_of(state, place, &span.start, 0)?;
        let end = match &span.end {
            Edge::Open => Ranks(place).total(state)?,
            edge => rank_of(state, place, edge, u64::MAX)?,
        };
        Ok(Some(end.saturating_sub(start)))
    }

    fn skipped(
        state: &(impl Read + ?Sized),
        place: &Place<K>,
        span: &Span,
        rows: u64,
    ) -> Result<Option<Span>, Error> {
        if !K::RANKED {
            return Ok(None);
        }
        let mut span = span.clone();
        match span.direction {
            Direction::Forward => {
                let rank = rank_of(state, place, &span.start, 0)?.saturating_add(rows);
                // Behind the last one there is nothing.
                span.start = match Ranks(place).at(state, rank)? {
                    Some(order) => Edge::Before(order),
                    None => Edge::Behind(Vec::new()),
                };
            }
            Direction::Backward => {
                let end = match &span.end {
                    Edge::Open => Ranks(place).total(state)?,
                    edge => rank_of(state, place, edge, u64::MAX)?,
                };
                span.end = match end.checked_sub(rows) {
                    Some(rank) => match Ranks(place).at(state, rank)? {
                        Some(order) => Edge::Before(order),
                        None => Edge::Open,
                    },
                    None => Edge::Before(Vec::new()),
                };
            }
        }
        Ok(Some(span))
    }
}

/// How many members lie before an edge; `open` if it is open.
fn rank_of<K: ZsetKeyspace>(
    state: &(impl Read + ?Sized),
    place: &Place<K>,
    edge: &Edge,
    open: u64,
) -> Result<u64, Error> {
    let ranks = Ranks(place);
    match edge {
        Edge::Open => Ok(open),
        Edge::Before(order) => ranks.before(state, order),
        Edge::Behind(order) => match prefix_end(order) {
            Some(end) => ranks.before(state, &end),
            None => ranks.total(state),
        },
    }
}

impl<K: ZsetKeyspace> Sorted for ZsetMembers<K> {
    type By = K::Score;

    fn put(bytes: &[u8], out: &mut Vec<u8>) {
        record::put_score(bytes, K::SCORE_WIDTH, out);
    }
}
