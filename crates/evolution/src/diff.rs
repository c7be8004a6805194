//! The comparison of two layouts, rule by rule.

use crate::{
    access, captured,
    compare::{Asked, Comparison, Direction},
    correspondence::{Correspondence, Fields},
    forward, index, limit, lost, order,
    parts::PartCache,
    report::{Fault, Finding, Report, Unknown},
    reread, retired,
    rule::Rule,
    value,
};
use keyscape_automata::{Budget, Total};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind, same_segments},
};
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
    /// Returns the keyspaces of the new space in which keys of an old keyspace are looked up.
    pub(crate) fn readers_of_old(&self, old: KeyspaceId) -> &[KeyspaceId] {
        let space = self.correspondence.new_space(self.old.keyspace(old).space);
        space.map_or(&[], |space| &self.new.space(space).keyspaces)
    }

    /// Returns the keyspaces of the old space in which keys of a new keyspace are looked up.
    pub(crate) fn readers_of_new(&self, new: KeyspaceId) -> &[KeyspaceId] {
        let space = self.correspondence.old_space(self.new.keyspace(new).space);
        space.map_or(&[], |space| &self.old.space(space).keyspaces)
    }

    /// Returns the counterpart of an old keyspace, if it is in the same space of bytes.
    pub(crate) fn same_of_old(&self, old: KeyspaceId) -> Option<KeyspaceId> {
        let new = self.correspondence.new_keyspace(old)?;
        self.readers_of_old(old).contains(&new).then_some(new)
    }

    /// Returns the counterpart of a new keyspace, if it is in the same space of bytes.
    pub(crate) fn same_of_new(&self, new: KeyspaceId) -> Option<KeyspaceId> {
        let old = self.correspondence.old_keyspace(new)?;
        self.readers_of_new(new).contains(&old).then_some(old)
    }

    /// Returns the fields of two keyspaces.
    pub(crate) fn fields(&self, old: Option<KeyspaceId>, new: Option<KeyspaceId>) -> Fields {
        match (old, new) {
            (Some(old), Some(new)) => {
                Fields::new(&self.old.keyspace(old).key, &self.new.keyspace(new).key)
            }
            _ => Fields::default(),
        }
    }

    /// Whether a keyspace and its counterpart have the same keys with the same readings, because
    /// their keys are written alike.
    pub(crate) fn is_unchanged(&self, old: KeyspaceId, new: KeyspaceId) -> bool {
        self.same_of_old(old) == Some(new)
            && same_segments(&self.old.keyspace(old).key, &self.new.keyspace(new).key)
            && self.fields(Some(old), Some(new)).pairs().all(|(old, new)| old == new)
    }

    /// Whether an old keyspace has no counterpart with the same keys.
    pub(crate) fn is_old_changed(&self, old: KeyspaceId) -> bool {
        self.same_of_old(old).is_none_or(|new| !self.is_unchanged(old, new))
    }

    /// Whether a new keyspace has no counterpart with the same keys.
    pub(crate) fn is_new_changed(&self, new: KeyspaceId) -> bool {
        self.same_of_new(new).is_none_or(|old| !self.is_unchanged(old, new))
    }

    /// Returns the question about the keys of an old keyspace.
    pub(crate) fn backward<'q>(&self, old: KeyspaceId, fields: &'q Fields) -> Asked<'q> {
        let same = self.same_of_old(old);
        Asked { direction: Direction::Backward, keyspace: old, same, fields }
    }

    /// Returns the question about the keys of a new keyspace.
    pub(crate) fn forward<'q>(&self, new: KeyspaceId, fields: &'q Fields) -> Asked<'q> {
        let same = self.same_of_new(new);
        Asked { direction: Direction::Forward, keyspace: new, same, fields }
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
