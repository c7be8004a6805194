//! Sorted sets as records.

use super::{Edge, Span, StructureRecords, StructureReport, ranks::Ranks};
use crate::{
    Error,
    record::{self, Family},
};
use keyscape_store::{Direction, Read, Tx, prefix_end};
use std::borrow::Cow;

/// The records of one sorted set. Two families always agree: the score of each member, and the
/// members by score.
#[derive(Debug)]
pub struct ZsetRecords {
    /// All records of the sorted set.
    pub records: StructureRecords,
    /// The length of all encoded scores, if they have the same length.
    pub score_width: Option<usize>,
    /// Whether a record holds the number of members.
    pub counted: bool,
    /// Whether records hold how many members each part of the order has.
    pub ranked: bool,
}

impl ZsetRecords {
    /// Returns the score of a member.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn score(
        &self,
        state: &(impl Read + ?Sized),
        member: &[u8],
    ) -> Result<Option<Vec<u8>>, Error> {
        self.records.get(state, Family::Member, member)
    }

    /// Sets the score of a member. `old` is the score that [`score`](Self::score) returned.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn set(
        &self,
        tx: &mut Tx<'_>,
        member: &[u8],
        old: Option<&[u8]>,
        score: &[u8],
    ) -> Result<(), Error> {
        if old == Some(score) {
            return Ok(());
        }
        tx.attempt(|tx| {
            if let Some(old) = old {
                self.remove_from_order(tx, member, old)?;
            } else if self.counted {
                self.records.add_to_count(tx, 1)?;
            }
            let order = self.order(score, member);
            self.records.put(tx, Family::Member, member, score)?;
            self.records.put(tx, Family::Score, &order, &[])?;
            if self.ranked { self.ranks().add(tx, &order) } else { Ok(()) }
        })
    }

    /// Removes a member. `score` is the score that [`score`](Self::score) returned.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn remove(&self, tx: &mut Tx<'_>, member: &[u8], score: &[u8]) -> Result<(), Error> {
        tx.attempt(|tx| {
            self.records.delete(tx, Family::Member, member)?;
            self.remove_from_order(tx, member, score)?;
            if self.counted { self.records.add_to_count(tx, -1) } else { Ok(()) }
        })
    }

    fn remove_from_order(&self, tx: &mut Tx<'_>, member: &[u8], score: &[u8]) -> Result<(), Error> {
        let order = self.order(score, member);
        self.records.delete(tx, Family::Score, &order)?;
        if self.ranked { self.ranks().remove(tx, &order) } else { Ok(()) }
    }

    /// Returns the rest of the score record of a member.
    fn order(&self, score: &[u8], member: &[u8]) -> Vec<u8> {
        let mut order = Vec::with_capacity(score.len() + member.len() + 4);
        record::put_score(score, self.score_width, &mut order);
        order.extend_from_slice(member);
        order
    }

    fn ranks(&self) -> Ranks<'_> {
        Ranks(&self.records)
    }

    /// Counts the members before a member with this score.
    pub(crate) fn rank(
        &self,
        state: &(impl Read + ?Sized),
        member: &[u8],
        score: &[u8],
    ) -> Result<u64, Error> {
        let order = self.order(score, member);
        if self.ranked {
            return self.ranks().before(state, &order);
        }
        let span = Span { end: Edge::Before(order), ..Span::default() };
        self.records.span(state, Family::Score, &span)?.count()
    }

    /// Counts the members of a span if `counted` or `ranked` makes that cheap.
    pub(crate) fn count(
        &self,
        state: &(impl Read + ?Sized),
        span: &Span,
    ) -> Result<Option<u64>, Error> {
        if self.counted && span.is_whole() {
            return self.records.number(state, Family::Count).map(Some);
        }
        if !self.ranked {
            return Ok(None);
        }
        let start = self.rank_of_start(state, span)?;
        Ok(Some(self.rank_before(state, &span.end)?.saturating_sub(start)))
    }

    /// Returns the span without its first `rows` members if `ranked` makes that cheap.
    pub(crate) fn skip(
        &self,
        state: &(impl Read + ?Sized),
        span: &Span,
        rows: u64,
    ) -> Result<Option<Span>, Error> {
        if !self.ranked {
            return Ok(None);
        }
        let before = |rank: u64, beyond| match self.ranks().at(state, rank)? {
            Some(order) => Ok::<_, Error>(Edge::Before(order)),
            None => Ok(beyond),
        };
        let mut span = span.clone();
        match span.direction {
            Direction::Forward => {
                let rank = self.rank_of_start(state, &span)?.saturating_add(rows);
                // No member follows the last one.
                span.start = before(rank, Edge::After(Vec::new()))?;
            }
            Direction::Backward => {
                span.end = match self.rank_before(state, &span.end)?.checked_sub(rows) {
                    Some(rank) => before(rank, Edge::Open)?,
                    None => Edge::Before(Vec::new()),
                };
            }
        }
        Ok(Some(span))
    }

    fn rank_of_start(&self, state: &(impl Read + ?Sized), span: &Span) -> Result<u64, Error> {
        if span.start == Edge::Open { Ok(0) } else { self.rank_before(state, &span.start) }
    }

    /// Counts the members before an edge. An open edge is the end.
    fn rank_before(&self, state: &(impl Read + ?Sized), edge: &Edge) -> Result<u64, Error> {
        let position = match edge {
            Edge::Open => None,
            Edge::Before(order) => Some(Cow::Borrowed(&order[..])),
            Edge::After(order) => prefix_end(order).map(Cow::Owned),
        };
        match position {
            Some(position) => self.ranks().before(state, &position),
            None => self.ranks().total(state),
        }
    }

    /// Writes the count and the ranks again, from the members.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn rebuild_counts(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        tx.attempt(|tx| {
            self.records.recount(tx, self.counted)?;
            match self.ranked {
                true => self.ranks().rebuild(tx),
                false => self.records.delete_family(tx, Family::Rank),
            }
        })
    }

    /// Checks that each member is in the order once, with its score, and that counts are right.
    ///
    /// # Errors
    /// Errors of the store. Faults are in the report.
    pub fn check(
        &self,
        state: &(impl Read + ?Sized),
        is_member: impl Fn(&[u8]) -> bool,
        is_score: impl Fn(&[u8]) -> bool,
    ) -> Result<StructureReport, Error> {
        let records = &self.records;
        let mut report = StructureReport::default();
        records.for_each(state, Family::Member, |member, score| {
            report.records += 1;
            if !is_member(member) {
                report.fault(records, Family::Member, member, "it is not a member");
            }
            if !is_score(score) {
                report.fault(records, Family::Member, member, "its value is not a score");
            }
            if !records.contains(state, Family::Score, &self.order(score, member))? {
                report.partner(records, Family::Member, member, "it is not in the order");
            }
            Ok(())
        })?;
        report.check_count(records, state, self.counted)?;
        records.for_each(state, Family::Score, |rest, _| {
            report.records += 1;
            let mut member = rest;
            let score = record::take_score(&mut member, self.score_width);
            let stored = records.get(state, Family::Member, member)?;
            if !score.is_ok_and(|score| stored.as_deref() == Some(&score)) {
                report.partner(records, Family::Score, rest, "no member has this score");
            }
            Ok(())
        })?;
        // A set that is not `ranked` must have no such record. The check finds those.
        self.ranks().check(state, self.ranked, &mut report)?;
        report.finish(records, state)
    }
}
