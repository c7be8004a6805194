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

use super::{Edge, Span, StructureRecords, StructureReport, structure::RecordRows};
use crate::{
    Error,
    record::{Family, RANK_BUCKET},
};
use keyscape_codec::fixed;
use keyscape_store::{Direction, Read, Tx};

/// The maximum number of children of a bucket.
const FULL: u64 = RANK_BUCKET;

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

    fn plus(self, children: u64, members: u64) -> Option<Self> {
        let children = self.children.checked_add(children)?;
        Some(Self { children, members: self.members.checked_add(members)? })
    }

    fn minus(self, children: u64, members: u64) -> Option<Self> {
        let children = self.children.checked_sub(children)?;
        Some(Self { children, members: self.members.checked_sub(members)? })
    }
}

/// The number of score records that a rebuild reads at once.
const REBUILT_AT_ONCE: usize = 1024;

/// The children of the buckets of one level, in order.
struct Children<'a, 'r, 't> {
    ranks: &'a Ranks<'r>,
    rows: RecordRows<'t>,
    level: u8,
    /// The position at which the next child begins, and its number of members.
    next: Option<(Vec<u8>, u64)>,
}

impl Children<'_, '_, '_> {
    fn advance(&mut self) -> Result<(), Error> {
        self.next = self.rows.next()?.map(|(rest, value)| {
            let child = self.ranks.child(self.level, rest, value);
            // A value that is not a size is a fault of the level below.
            let (from, members) = child.unwrap_or_else(|_| (&rest[1..], 0));
            (from.to_vec(), members)
        });
        Ok(())
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
            let Bucket { from, size } = self.floor(tx, level, order)?;
            let size = size.plus(u64::from(grown), 1);
            let size = size.ok_or_else(|| self.inconsistent(level, &from))?;
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
            let Some((rest, value)) = rows.next()? else {
                return Err(self.inconsistent(level, from));
            };
            let (child, members) = self.child(level, rest, value)?;
            if first.children == size.children / 2 {
                break child.to_vec();
            }
            first = first.plus(1, members).ok_or_else(|| self.inconsistent(level, from))?;
        };
        drop(rows);
        let rest = size.minus(first.children, first.members);
        let rest = rest.ok_or_else(|| self.inconsistent(level, from))?;
        self.put(tx, level, from, first)?;
        self.put(tx, level, &cut, rest)
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
            let Bucket { from, size } = &mut buckets[at];
            // The children of level 1 are members.
            let left = size.minus(u64::from(level == 1), 1);
            *size = left.ok_or_else(|| self.inconsistent(level, from))?;
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
                self.put(tx, level, &from, size)?;
            }
            gone_above = gone;
            from_above = Some(from);
        }
        Ok(())
    }

    /// Counts a deleted child of a bucket.
    fn shrink(&self, tx: &mut Tx<'_>, level: u8, bucket: &Bucket) -> Result<(), Error> {
        let size = bucket.size.minus(1, 0);
        let size = size.ok_or_else(|| self.inconsistent(level, &bucket.from))?;
        self.put(tx, level, &bucket.from, size)
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
            while let Some((rest, value)) = rows.next()? {
                let (child, members) = self.child(level, rest, value)?;
                // A member at the position is not before it. A bucket that begins there is
                // searched.
                if child > order || (level == 1 && child == order) {
                    break;
                }
                before = self.sum(level, before, last)?;
                last = members;
                from = child.to_vec();
            }
            if level == 1 {
                before = self.sum(level, before, last)?;
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
            while let Some((rest, value)) = rows.next()? {
                let (child, members) = self.child(level, rest, value)?;
                if left < members {
                    from = child.to_vec();
                    continue 'levels;
                }
                left -= members;
            }
            return Ok(None);
        }
        Ok((top > 0).then_some(from))
    }

    /// Checks the buckets of each level against those below, or against the score records. Reads
    /// both in order, so the memory does not depend on the number of members. `ranked` is whether
    /// there should be buckets.
    pub(super) fn check(
        &self,
        state: &(impl Read + ?Sized),
        ranked: bool,
        report: &mut StructureReport,
    ) -> Result<(), Error> {
        let top = self.top(state)?;
        let has_members = ranked && self.0.has_family(state, Family::Score)?;
        if (top > 0) != has_members {
            let what = "there are buckets without members, or members without buckets";
            report.fault(self.0, Family::Rank, &[], what);
        }
        for level in 1..=top {
            self.check_level(state, level, top, report)?;
        }
        Ok(())
    }

    fn check_level(
        &self,
        state: &(impl Read + ?Sized),
        level: u8,
        top: u8,
        report: &mut StructureReport,
    ) -> Result<(), Error> {
        let mut rows = self.0.span(state, Family::Rank, &Span::prefix(&[level]))?;
        let mut below =
            Children { ranks: self, rows: self.children(state, level, &[])?, level, next: None };
        below.advance()?;
        let mut last: Option<Bucket> = None;
        let mut buckets = 0_u64;
        let mut starts_at_start = false;
        while let Some((rest, value)) = rows.next()? {
            report.records += 1;
            let from = rest[1..].to_vec();
            let Some(size) = Size::read(value) else {
                let rest = key(level, &from);
                report.fault(self.0, Family::Rank, &rest, "its value is not a size");
                continue;
            };
            starts_at_start |= buckets == 0 && from.is_empty();
            buckets += 1;
            if let Some(bucket) = last.replace(Bucket { from: from.clone(), size }) {
                self.check_bucket(level, &bucket, Some(&from), &mut below, report)?;
            }
        }
        if let Some(bucket) = last {
            self.check_bucket(level, &bucket, None, &mut below, report)?;
        }
        if !starts_at_start || (level == top && buckets != 1) {
            report.fault(self.0, Family::Rank, &[level], "a level does not cover everything");
        }
        Ok(())
    }

    /// Compares a bucket with its children, which end before `end`.
    fn check_bucket(
        &self,
        level: u8,
        bucket: &Bucket,
        end: Option<&Vec<u8>>,
        below: &mut Children<'_, '_, '_>,
        report: &mut StructureReport,
    ) -> Result<(), Error> {
        let mut found = Size { children: 0, members: 0 };
        let mut begins_below = false;
        while let Some((from, members)) = &below.next {
            if end.is_some_and(|end| from >= end) {
                break;
            }
            // Children before the first bucket belong to none.
            if *from >= bucket.from {
                begins_below |= found.children == 0 && *from == bucket.from;
                found.children += 1;
                found.members = found.members.saturating_add(*members);
            }
            below.advance()?;
        }
        let rest = key(level, &bucket.from);
        if bucket.size != found {
            report.fault(self.0, Family::Rank, &rest, "it is not the size of its bucket");
        }
        if level > 1 && !begins_below {
            report.fault(self.0, Family::Rank, &rest, "no bucket below begins there");
        }
        Ok(())
    }

    /// Writes all buckets again, from the score records.
    pub(super) fn rebuild(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        self.0.delete_family(tx, Family::Rank)?;
        let mut last: Option<Vec<u8>> = None;
        loop {
            let start =
                last.take().map_or(Edge::Open, |last| Edge::Before([&last[..], &[0]].concat()));
            let span = Span { start, ..Span::default() };
            let mut orders = self.0.first(tx, Family::Score, &span, REBUILT_AT_ONCE)?;
            // In order, so that a bucket that is cut has counted all children before the cut.
            orders.iter().try_for_each(|order| self.add(tx, order))?;
            if orders.len() < REBUILT_AT_ONCE {
                return Ok(());
            }
            last = orders.pop();
        }
    }

    /// Returns the level that has one bucket, or 0 if there are no buckets.
    fn top(&self, state: &(impl Read + ?Sized)) -> Result<u8, Error> {
        let span = Span { direction: Direction::Backward, ..Span::default() };
        let mut rows = self.0.span(state, Family::Rank, &span)?;
        Ok(rows.next()?.and_then(|(rest, _)| rest.first().copied()).unwrap_or(0))
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
        let (rest, value) = rows.next()?.ok_or_else(|| self.inconsistent(level, &[]))?;
        let from = rest[1..].to_vec();
        match Size::read(value) {
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
    ) -> Result<RecordRows<'t>, Error> {
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
    fn child<'r>(&self, level: u8, rest: &'r [u8], value: &[u8]) -> Result<(&'r [u8], u64), Error> {
        if level == 1 {
            return Ok((rest, 1));
        }
        let from = &rest[1..];
        let size = Size::read(value).ok_or_else(|| self.inconsistent(level - 1, from))?;
        Ok((from, size.members))
    }

    /// Adds the members of a bucket. Only corrupt sizes overflow.
    fn sum(&self, level: u8, before: u64, members: u64) -> Result<u64, Error> {
        before.checked_add(members).ok_or_else(|| self.inconsistent(level, &[]))
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
