//! The records that `ranked` adds to a sorted set: the number of members in each part of the order.
//!
//! The order of the score records is cut into buckets of level 1. The buckets of a level are cut
//! into buckets of the next level, up to a level with one bucket. A bucket is a record with the key
//! `level, from` that holds the number of its children and of its members. Children are buckets of
//! the level below, or members at level 1. `from` is the rest of the score record at which the
//! bucket begins. It is empty in the first bucket of a level, so every position is in one bucket
//! of each level.
//!
//! A bucket with more than [`FULL`] children is cut in two. A bucket without members is deleted,
//! unless its parent begins with it. So finding a rank reads at most `FULL` + 2 records per level,
//! and there are at most log(n) levels to the base `FULL`/2, where n is the largest number of
//! members since the sorted set was empty.
//!
//! INVARIANT: a bucket of level `l + 1` begins where a bucket of level `l` begins, so buckets nest.

use super::{Edge, Span, StructureRecords, StructureReport};
use crate::{
    Error,
    record::{Family, RANK_BUCKET},
};
use keyscape_codec::fixed;
use keyscape_store::{Direction, Read, Tx};

/// The maximum number of children of a bucket.
pub(super) const FULL: u64 = RANK_BUCKET;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    children: u64,
    members: u64,
}

struct Bucket {
    from: Vec<u8>,
    size: Size,
}

impl Size {
    fn bytes(self) -> [u8; 16] {
        (u128::from(self.children) << 64 | u128::from(self.members)).to_be_bytes()
    }

    fn read(bytes: &[u8]) -> Option<Size> {
        let mut rest = bytes;
        let children = fixed::take_be(&mut rest).ok()?;
        let members = fixed::parse_be(rest).ok()?;
        Some(Size { children, members })
    }
}

/// The rank records of one sorted set.
pub(super) struct Ranks<'r>(pub(super) &'r StructureRecords);

impl Ranks<'_> {
    /// Counts a new member. Its score record must exist.
    pub(super) fn add(&self, tx: &mut Tx<'_>, order: &[u8]) -> Result<(), Error> {
        let top = self.top(tx)?;
        if top == 0 {
            return self.put(tx, 1, &[], Size { children: 1, members: 1 });
        }
        let mut grown = true;
        let mut members = 0;
        for level in 1..=top {
            let Bucket { from, mut size } = self.floor(tx, level, order)?;
            size.members += 1;
            size.children += u64::from(grown);
            members = size.members;
            grown = size.children > FULL;
            if grown {
                self.cut(tx, level, &from, size)?;
            } else {
                self.put(tx, level, &from, size)?;
            }
        }
        if grown {
            let above = top.checked_add(1).ok_or_else(|| self.inconsistent(top, &[]))?;
            self.put(tx, above, &[], Size { children: 2, members })?;
        }
        Ok(())
    }

    /// Cuts a bucket in two.
    fn cut(&self, tx: &mut Tx<'_>, level: u8, from: &[u8], size: Size) -> Result<(), Error> {
        let mut first = Size { children: 0, members: 0 };
        let mut rows = self.children(tx, level, from)?;
        let cut = loop {
            let Some(row) = rows.next().map_err(|error| self.0.failed(error))? else {
                return Err(self.inconsistent(level, from));
            };
            let (rest, members) = self.child(level, row.key, row.value)?;
            if first.children == size.children / 2 {
                break rest.to_vec();
            }
            first.children += 1;
            first.members += members;
        };
        drop(rows);
        let children = size.children - first.children;
        let members = size.members.checked_sub(first.members);
        let members = members.ok_or_else(|| self.inconsistent(level, from))?;
        self.put(tx, level, from, first)?;
        self.put(tx, level, &cut, Size { children, members })
    }

    /// Counts a member that was removed.
    pub(super) fn remove(&self, tx: &mut Tx<'_>, order: &[u8]) -> Result<(), Error> {
        let top = self.top(tx)?;
        let mut buckets =
            (1..=top).map(|level| self.floor(tx, level, order)).collect::<Result<Vec<_>, _>>()?;
        // From the top down, because a bucket may only be deleted if its parent does not begin with
        // it. The topmost bucket has no parent, which counts as deleted.
        let mut gone_above = true;
        let mut from_above = None;
        for (at, level) in (0..buckets.len()).zip(1..=top).rev() {
            let low = self.inconsistent(level, &buckets[at].from);
            let Bucket { from, size } = &mut buckets[at];
            size.members = size.members.checked_sub(1).ok_or(low)?;
            let begins = from_above.as_ref() == Some(from);
            let gone = size.members == 0 && (!begins || gone_above);
            if gone && !begins {
                // The buckets below that begin at the same position have no members either.
                for level in 1..=level {
                    self.delete(tx, level, from)?;
                }
            }
            let (from, size) = (from.clone(), *size);
            if gone && !gone_above {
                self.shrink(tx, level + 1, &buckets[at + 1])?;
            }
            if !gone {
                let children = size.children - u64::from(level == 1);
                self.put(tx, level, &from, Size { children, ..size })?;
            }
            gone_above = gone;
            from_above = Some(from);
        }
        Ok(())
    }

    /// Counts a deleted child of a bucket.
    fn shrink(&self, tx: &mut Tx<'_>, level: u8, bucket: &Bucket) -> Result<(), Error> {
        let children = bucket.size.children.checked_sub(1);
        let children = children.ok_or_else(|| self.inconsistent(level, &bucket.from))?;
        self.put(tx, level, &bucket.from, Size { children, ..bucket.size })
    }

    /// Counts all members.
    pub(super) fn total(&self, state: &(impl Read + ?Sized)) -> Result<u64, Error> {
        match self.top(state)? {
            0 => Ok(0),
            top => self.floor(state, top, &[]).map(|bucket| bucket.size.members),
        }
    }

    /// Counts the members before a position.
    pub(super) fn before(&self, state: &(impl Read + ?Sized), order: &[u8]) -> Result<u64, Error> {
        let mut before = 0;
        let mut from = Vec::new();
        for level in (1..=self.top(state)?).rev() {
            let mut rows = self.children(state, level, &from)?;
            let mut last = 0;
            while let Some(row) = rows.next().map_err(|error| self.0.failed(error))? {
                let (rest, members) = self.child(level, row.key, row.value)?;
                // A member at the position is not before it. A bucket that begins there is searched.
                if rest > order || (level == 1 && rest == order) {
                    break;
                }
                before += last;
                last = members;
                from = rest.to_vec();
            }
            if level == 1 {
                before += last;
            }
        }
        Ok(before)
    }

    /// Returns the rest of the score record of the member with this rank.
    pub(super) fn at(
        &self,
        state: &(impl Read + ?Sized),
        rank: u64,
    ) -> Result<Option<Vec<u8>>, Error> {
        let top = self.top(state)?;
        let mut left = rank;
        let mut from = Vec::new();
        'levels: for level in (1..=top).rev() {
            let mut rows = self.children(state, level, &from)?;
            while let Some(row) = rows.next().map_err(|error| self.0.failed(error))? {
                let (rest, members) = self.child(level, row.key, row.value)?;
                if left < members {
                    from = rest.to_vec();
                    continue 'levels;
                }
                left -= members;
            }
            return Ok(None);
        }
        Ok((top > 0).then_some(from))
    }

    /// Checks the buckets against the rests of the score records, in order.
    pub(super) fn check(
        &self,
        state: &(impl Read + ?Sized),
        orders: &[Vec<u8>],
        report: &mut StructureReport,
    ) -> Result<(), Error> {
        let top = self.top(state)?;
        if (top == 0) != orders.is_empty() {
            report.fault(
                self.0,
                Family::Rank,
                &[],
                "there are buckets without members, or members without buckets",
            );
        }
        // The positions at which children begin, and the number of members of each.
        let mut below: Vec<(Vec<u8>, u64)> =
            orders.iter().map(|order| (order.clone(), 1)).collect();
        for level in 1..=top {
            let mut rows = self.0.span(state, Family::Rank, &Span::prefix(&[level]))?;
            let mut buckets: Vec<(Vec<u8>, Size)> = Vec::new();
            while let Some(row) = rows.next().map_err(|error| self.0.failed(error))? {
                report.records += 1;
                let from = row.key[self.0.rest_at() + 1..].to_vec();
                match Size::read(row.value) {
                    Some(size) => buckets.push((from, size)),
                    None => report.fault(
                        self.0,
                        Family::Rank,
                        &key(level, &from),
                        "its value is not a size",
                    ),
                }
            }
            for (at, (from, size)) in buckets.iter().enumerate() {
                let end = buckets.get(at + 1).map(|(end, _)| end);
                let start = below.partition_point(|(place, _)| place < from);
                let end = end.map_or(below.len(), |end| below.partition_point(|(p, _)| p < end));
                let inside = &below[start.min(end)..end];
                let members = inside.iter().map(|(_, members)| members).sum();
                let rest = key(level, from);
                if (size.children, size.members) != (inside.len() as u64, members) {
                    report.fault(self.0, Family::Rank, &rest, "it is not the size of its bucket");
                }
                if level > 1 && inside.first().is_none_or(|(first, _)| first != from) {
                    report.fault(self.0, Family::Rank, &rest, "no bucket below begins there");
                }
            }
            if buckets.first().is_none_or(|(from, _)| !from.is_empty())
                || (level == top && buckets.len() != 1)
            {
                report.fault(self.0, Family::Rank, &[level], "a level does not cover everything");
            }
            below = buckets.into_iter().map(|(from, size)| (from, size.members)).collect();
        }
        Ok(())
    }

    /// Returns the level that has one bucket, or 0 if there are no buckets.
    fn top(&self, state: &(impl Read + ?Sized)) -> Result<u8, Error> {
        let span = Span { direction: Direction::Backward, ..Span::default() };
        let mut rows = self.0.span(state, Family::Rank, &span)?;
        let row = rows.next().map_err(|error| self.0.failed(error))?;
        Ok(row.and_then(|row| row.key.get(self.0.rest_at()).copied()).unwrap_or(0))
    }

    /// Returns the bucket that contains a position.
    fn floor(
        &self,
        state: &(impl Read + ?Sized),
        level: u8,
        order: &[u8],
    ) -> Result<Bucket, Error> {
        let span = Span {
            start: Edge::Before(vec![level]),
            // The next byte string excludes records that only begin with the position.
            end: Edge::Before([&key(level, order)[..], &[0]].concat()),
            direction: Direction::Backward,
        };
        let mut rows = self.0.span(state, Family::Rank, &span)?;
        let row = rows
            .next()
            .map_err(|error| self.0.failed(error))?
            .ok_or_else(|| self.inconsistent(level, &[]))?;
        let from = row.key[self.0.rest_at() + 1..].to_vec();
        match Size::read(row.value) {
            Some(size) => Ok(Bucket { from, size }),
            None => Err(self.inconsistent(level, &from)),
        }
    }

    /// Opens the children of a bucket and of those after it: buckets of the level below, or score
    /// records.
    fn children<'t>(
        &self,
        state: &'t (impl Read + ?Sized),
        level: u8,
        from: &[u8],
    ) -> Result<keyscape_store::Rows<'t>, Error> {
        let below = level - 1;
        if below == 0 {
            let start = Edge::Before(from.to_vec());
            return self.0.span(state, Family::Score, &Span { start, ..Span::default() });
        }
        let start = Edge::Before(key(below, from));
        let span = Span { start, end: Edge::After(vec![below]), ..Span::default() };
        self.0.span(state, Family::Rank, &span)
    }

    /// Returns the position at which a child begins, and its number of members.
    fn child<'r>(
        &self,
        level: u8,
        record: &'r [u8],
        value: &[u8],
    ) -> Result<(&'r [u8], u64), Error> {
        let rest = &record[self.0.rest_at()..];
        if level == 1 {
            return Ok((rest, 1));
        }
        let from = &rest[1..];
        let size = Size::read(value).ok_or_else(|| self.inconsistent(level - 1, from))?;
        Ok((from, size.members))
    }

    fn put(&self, tx: &mut Tx<'_>, level: u8, from: &[u8], size: Size) -> Result<(), Error> {
        self.0.put(tx, Family::Rank, &key(level, from), &size.bytes())
    }

    fn delete(&self, tx: &mut Tx<'_>, level: u8, from: &[u8]) -> Result<(), Error> {
        self.0.delete(tx, Family::Rank, &key(level, from))
    }

    fn inconsistent(&self, level: u8, from: &[u8]) -> Error {
        self.0.inconsistent(Family::Rank, &key(level, from), "the counts for ranks are wrong")
    }
}

fn key(level: u8, from: &[u8]) -> Vec<u8> {
    [&[level], from].concat()
}
