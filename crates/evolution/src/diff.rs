//! The comparison of two layouts, rule by rule.

use crate::{
    access, captured,
    compare::{Answer, Asked, Comparison, Direction},
    correspondence::{Correspondence, Fields},
    forward, index, limit, lost, order,
    parts::PartCache,
    report::{Fault, Finding, Report, Rule, Unknown},
    reread, retired, value,
};
use keyscape_automata::{Budget, Total};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind, same_segments},
};
use keyscape_prover::Row;
use std::{panic::resume_unwind, thread};

/// The limits of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The limits of one construction or search.
    pub budget: Budget<'static>,
    /// The units of work that the questions about the keys of each of the two layouts may take.
    pub work: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { budget: Budget::default(), work: 1 << 24 }
    }
}

/// Compares two layouts: finds what the new one does to rows of the old one.
///
/// An answer holds for all keys. Every finding has been replayed with the codecs.
#[must_use]
pub fn diff(old: &Layout, new: &Layout, config: Config) -> Report {
    let correspondence = Correspondence::new(old, new);
    let total = || Total::new("units of work for the comparison", config.work);
    let (of_old, of_new) = (total(), total());
    let context = |total| {
        let budget = Budget { total: Some(total), ..config.budget };
        let comparison = Comparison::new(old, new, budget);
        let (correspondence, parts) = (&correspondence, PartCache::default());
        Context { correspondence, comparison, parts, old, new }
    };
    let (mut findings, reread, captured, order) = thread::scope(|scope| {
        // Stored keys and keys that the new program writes are independent questions.
        let backward = scope.spawn(|| {
            let context = context(&of_old);
            (lost::check(&context), reread::backward(&context))
        });
        let context = context(&of_new);
        let (forward, misread) = reread::forward(&context);
        let captured = captured::check(&context);
        let mut findings = value::check(&context);
        findings.extend(index::check(&context));
        findings.extend(forward::check(&context, &misread, &captured));
        findings.extend(retired::check(&context));
        findings.extend(access::check(&context));
        findings.extend(limit::check(&context));
        let (lost, backward) = backward.join().unwrap_or_else(|panic| resume_unwind(panic));
        findings.extend(lost);
        let reread = reread::join(backward, forward);
        let moved = findings.iter().filter(|found| matches!(found.rule, Rule::Lost | Rule::Index));
        let moved = moved.chain(&reread).chain(&captured);
        let order = order::check(&context, &moved.collect::<Vec<_>>());
        (findings, reread, captured, order)
    });
    findings.extend(reread);
    findings.extend(captured);
    findings.extend(order);
    findings.sort_by_key(|finding| {
        let at = |id: Option<KeyspaceId>| id.map_or(u32::MAX, |id| id.0);
        (finding.rule, at(finding.old), at(finding.new))
    });
    Report { findings, correspondence, work: of_old.spent() + of_new.spent() }
}

/// State that the rules share.
pub(crate) struct Context<'a> {
    pub(crate) old: &'a Layout,
    pub(crate) new: &'a Layout,
    pub(crate) correspondence: &'a Correspondence,
    pub(crate) comparison: Comparison<'a>,
    pub(crate) parts: PartCache,
}

impl Context<'_> {
    /// Returns the counterpart of a keyspace in the other layout.
    pub(crate) fn counterpart(&self, direction: Direction, id: KeyspaceId) -> Option<KeyspaceId> {
        match direction {
            Direction::Backward => self.correspondence.new_keyspace(id),
            Direction::Forward => self.correspondence.old_keyspace(id),
        }
    }

    /// Returns a keyspace and its counterpart, the old one first.
    pub(crate) fn ids(
        &self,
        direction: Direction,
        id: KeyspaceId,
    ) -> (Option<KeyspaceId>, Option<KeyspaceId>) {
        match direction {
            Direction::Backward => (Some(id), self.counterpart(direction, id)),
            Direction::Forward => (self.counterpart(direction, id), Some(id)),
        }
    }

    /// Returns the keyspaces of the other layout in which keys of a keyspace are looked up.
    pub(crate) fn readers(&self, direction: Direction, id: KeyspaceId) -> &[KeyspaceId] {
        let (layout, space) = match direction {
            Direction::Backward => {
                (self.new, self.correspondence.new_space(self.old.keyspace(id).space))
            }
            Direction::Forward => {
                (self.old, self.correspondence.old_space(self.new.keyspace(id).space))
            }
        };
        space.map_or(&[], |space| &layout.space(space).keyspaces)
    }

    /// Returns the counterpart of a keyspace, if it is in the same space of bytes.
    pub(crate) fn same(&self, direction: Direction, id: KeyspaceId) -> Option<KeyspaceId> {
        let readers = self.readers(direction, id);
        self.counterpart(direction, id).filter(|other| readers.contains(other))
    }

    /// Returns the fields of an old and a new keyspace.
    pub(crate) fn fields(&self, old: KeyspaceId, new: KeyspaceId) -> Fields {
        Fields::new(&self.old.keyspace(old).key, &self.new.keyspace(new).key)
    }

    /// Whether a keyspace has no counterpart with the same keys and the same readings, because
    /// their keys are written differently.
    pub(crate) fn is_changed(&self, direction: Direction, id: KeyspaceId) -> bool {
        let Some(same) = self.same(direction, id) else { return true };
        let (old, new) = match direction {
            Direction::Backward => (id, same),
            Direction::Forward => (same, id),
        };
        !same_segments(&self.old.keyspace(old).key, &self.new.keyspace(new).key)
            || self.fields(old, new).pairs().any(|(old, new)| old != new)
    }

    /// Returns the question about the keys of a keyspace.
    pub(crate) fn asked(&self, direction: Direction, id: KeyspaceId) -> Asked {
        self.comparison.asked(direction, id, self.same(direction, id))
    }

    /// Looks for a key of a keyspace with a prefix that the other layout does not read.
    pub(crate) fn unread(
        &self,
        direction: Direction,
        id: KeyspaceId,
        prefix: &[u8],
    ) -> Result<Option<Answer<Row>>, Unknown> {
        let asked = self.asked(direction, id);
        self.comparison.unread(&asked, self.readers(direction, id), prefix)
    }
}

/// Whether a keyspace is an index.
pub(crate) fn is_index(layout: &Layout, id: KeyspaceId) -> bool {
    layout.keyspace(id).kind == KeyspaceKind::Index
}

/// Creates a finding.
pub(crate) fn finding(
    rule: Rule,
    ids: (Option<KeyspaceId>, Option<KeyspaceId>),
    fault: Fault,
    minimal: bool,
) -> Finding {
    Finding { rule, old: ids.0, new: ids.1, fault: Ok(fault), minimal }
}

/// Creates a finding that is not decided.
pub(crate) fn undecided(
    rule: Rule,
    ids: (Option<KeyspaceId>, Option<KeyspaceId>),
    reason: Unknown,
) -> Finding {
    Finding { rule, old: ids.0, new: ids.1, fault: Err(reason), minimal: false }
}

/// Creates the finding of an answer, if there is one.
pub(crate) fn answered<T>(
    rule: Rule,
    ids: (Option<KeyspaceId>, Option<KeyspaceId>),
    answer: Result<Option<Answer<T>>, Unknown>,
    fault: impl FnOnce(T) -> Fault,
) -> Option<Finding> {
    match answer {
        Ok(found) => found.map(|found| finding(rule, ids, fault(found.of), found.minimal)),
        Err(reason) => Some(undecided(rule, ids, reason)),
    }
}
