//! Reads several sorted sets as one.

use super::{Hit, Join, Key, OutputQuery};
use crate::{
    error::Error,
    keeper::spender,
    layout::txo::{self, Event, Name, Outpoint, Score, TxidText},
};
use keyscape::{
    PageCursor, Zset,
    listings::Scored,
    record::{self, Family, Kind},
    store::{Direction, Read},
    traits::{Keyspace, ZsetKeyspace},
};
use std::{cmp::Ordering, fmt, iter::FusedIterator, ops::RangeBounds};

/// The results of a query. The iteration ends after an error.
pub struct Results<'t, R> {
    read: &'t R,
    query: &'t OutputQuery,
    /// The scanned sets, with the next member of each.
    heads: Vec<Head<'t>>,
    left: u64,
    is_done: bool,
}

struct Head<'t> {
    /// The index of the set among the keys of the query.
    index: usize,
    rows: Members<'t>,
    next: Option<Hit>,
}

type Members<'t> = Box<dyn Iterator<Item = Result<Scored<Outpoint, Score>, keyscape::Error>> + 't>;

impl Head<'_> {
    fn step(&mut self) -> Result<(), Error> {
        let row = self.rows.next().transpose()?;
        self.next = row.map(|row| Hit { outpoint: row.member, score: row.score });
        Ok(())
    }
}

impl<'t, R: Read> Results<'t, R> {
    pub(super) fn new(read: &'t R, query: &'t OutputQuery) -> Result<Self, Error> {
        if query.keys.is_empty() {
            return Err(Error::NoKeys);
        }
        if let Some(cursor) = &query.after {
            if cursor.reverse != query.reverse {
                return Err(Error::ForeignCursor("it goes in the other direction"));
            }
            if !(query.from, query.to).contains(&cursor.last.score) {
                return Err(Error::ForeignCursor("it is outside the bounds"));
            }
        }
        let scanned = if query.join == Join::Union { query.keys.len() } else { 1 };
        let mut heads = Vec::with_capacity(scanned);
        for (index, key) in query.keys.iter().take(scanned).enumerate() {
            let mut head = Head { index, rows: scan(read, key, query)?, next: None };
            head.step()?;
            heads.push(head);
        }
        let left = query.left().unwrap_or(u64::MAX);
        Ok(Self { read, query, heads, left, is_done: false })
    }

    /// Returns the next member of any scanned set, in the order of the query.
    fn next_of_sets(&mut self) -> Result<Option<(usize, Hit)>, Error> {
        let reverse = self.query.reverse;
        let first = self
            .heads
            .iter_mut()
            .filter_map(|head| head.next.map(|next| (next, head)))
            .min_by(|(a, x), (b, y)| order(*a, *b, reverse).then(x.index.cmp(&y.index)));
        let Some((hit, head)) = first else { return Ok(None) };
        head.step()?;
        Ok(Some((head.index, hit)))
    }

    /// Whether the query finds this member in this set, and not in another one first.
    fn is_found(&self, index: usize, hit: Hit) -> Result<bool, Error> {
        let others = self.query.keys.iter().enumerate().filter(|(other, _)| *other != index);
        for (other, key) in others {
            let score = key.score(self.read, hit.outpoint)?;
            let is_ruled_out = match self.query.join {
                Join::Union => {
                    score.is_some_and(|score| self.comes_first(other, score, index, hit))
                }
                Join::Intersect => score.is_none(),
                Join::Difference => score.is_some(),
            };
            if is_ruled_out {
                return Ok(false);
            }
        }
        Ok(!self.query.unspent || spender(self.read, hit.outpoint)?.is_none())
    }

    /// Whether a union finds an output in another set first. The other score decides, so no state
    /// is needed, not even across pages.
    fn comes_first(&self, other: usize, score: Score, index: usize, hit: Hit) -> bool {
        let there = Hit { outpoint: hit.outpoint, score };
        let order = order(there, hit, self.query.reverse).then(other.cmp(&index));
        (self.query.from, self.query.to).contains(&score) && order == Ordering::Less
    }

    fn find(&mut self) -> Result<Option<Hit>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        while let Some((index, hit)) = self.next_of_sets()? {
            if self.is_found(index, hit)? {
                self.left -= 1;
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }
}

/// Compares two hits: by score, then by outpoint.
fn order(a: Hit, b: Hit, reverse: bool) -> Ordering {
    let order = (a.score, a.outpoint).cmp(&(b.score, b.outpoint));
    if reverse { order.reverse() } else { order }
}

fn scan<'t>(read: &'t impl Read, key: &Key, query: &OutputQuery) -> Result<Members<'t>, Error> {
    match key {
        Key::Event(event) => members::<txo::Events>(read, Event::from(event).into(), query),
        Key::Spent(event) => members::<txo::Spent>(read, Event::from(event).into(), query),
        Key::Topic(topic) => members::<txo::Topics>(read, Name::from(topic).into(), query),
        Key::Merkle(topic, state) => {
            members::<txo::Merkle>(read, (Name::from(topic), *state).into(), query)
        }
        Key::SpentBy(spender) => members::<txo::SpentBy>(read, TxidText(spender.0).into(), query),
    }
}

fn members<'t, K: ZsetKeyspace<Score = Score, Member = Outpoint>>(
    read: &'t impl Read,
    key: K::Key<'_>,
    query: &OutputQuery,
) -> Result<Members<'t>, Error> {
    let direction = if query.reverse { Direction::Backward } else { Direction::Forward };
    let cursor = match &query.after {
        Some(cursor) => Some(cursor_in::<K>(&key, cursor.last, direction)?),
        None => None,
    };
    let mut members = Zset::<K>::new().members(key).range((query.from, query.to));
    if query.reverse {
        members = members.reverse();
    }
    if let Some(cursor) = &cursor {
        members = members.after(cursor);
    }
    Ok(Box::new(members.scan(read)?))
}

/// Returns the cursor of a position in one set, even if it has no member there.
fn cursor_in<K: ZsetKeyspace<Score = Score, Member = Outpoint>>(
    key: &K::Key<'_>,
    last: Hit,
    direction: Direction,
) -> Result<PageCursor, Error> {
    use crate::undo::{bytes_of, key_of};
    let mut row = Vec::new();
    record::begin(Kind::Zset, &key_of::<K>(key)?, Family::Score, &mut row);
    record::put_score(&bytes_of::<Score>(&last.score)?, K::SCORE_WIDTH, &mut row);
    row.extend_from_slice(&bytes_of::<Outpoint>(&last.outpoint)?);
    Ok(PageCursor::of(<K as Keyspace>::SPACE, K::NAME, direction, row))
}

impl<R: Read> Iterator for Results<'_, R> {
    type Item = Result<Hit, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let found = self.find().transpose();
        self.is_done = !matches!(found, Some(Ok(_)));
        found
    }
}

impl<R: Read> FusedIterator for Results<'_, R> {}

impl<R> fmt::Debug for Results<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Results")
            .field("query", &self.query)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}
