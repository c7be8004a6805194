//! The comparison of two layouts, rule by rule.

use crate::{
    access, captured,
    compare::{Answer, Comparison, Direction, Question},
    correspondence::{Correspondence, Fields},
    forward, index, limit, lost, order, parts,
    report::{Fault, Finding, Readings, Report, Rule, Unknown},
    reread, retired, value,
};
use keyscape_automata::{Budget, Total};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind, Space, SpaceKind, same_segments},
};
use keyscape_prover::Row;
use std::{collections::BTreeMap, panic::resume_unwind, thread};

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

/// Compares two layouts: reports the effects of the new layout on rows of the old one.
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
        Context { correspondence: &correspondence, comparison, old, new }
    };
    let mut findings = thread::scope(|scope| {
        // Stored keys and keys that the new program writes are independent questions.
        let backward = scope.spawn(|| {
            let context = context(&of_old);
            let parts = parts::check(&context, Direction::Backward);
            (lost::check(&context), reread::backward(&context), parts)
        });
        let context = context(&of_new);
        let forward = context.forward_misreads();
        // The findings about stored keys.
        let mut findings = captured::check(&context, &forward);
        findings.extend(index::check(&context));
        let mut others = value::check(&context);
        others.extend(forward::check(&context, &forward));
        others.extend(parts::check(&context, Direction::Forward));
        others.extend(retired::check(&context));
        others.extend(access::check(&context));
        others.extend(limit::check(&context));
        let (lost, backward, parts) = backward.join().unwrap_or_else(|panic| resume_unwind(panic));
        findings.extend(lost);
        findings.extend(backward.with_forward(&context, &forward));
        findings.extend(parts);
        others.extend(order::check(&context, &findings));
        findings.extend(others);
        findings
    });
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
}

/// For each new keyspace, the keys that the old layout reads differently, and the reason if the
/// question is undecided for some old keyspaces.
pub(crate) type Misreads = BTreeMap<KeyspaceId, (Vec<Answer<Readings>>, Option<Unknown>)>;

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
        direction.oriented(Some(id), self.counterpart(direction, id))
    }

    /// Returns the keyspaces of the other layout in which keys of a keyspace are looked up.
    pub(crate) fn readers(&self, direction: Direction, id: KeyspaceId) -> &[KeyspaceId] {
        let (writing, reading) = direction.oriented(self.old, self.new);
        let space = writing.space(writing.keyspace(id).space);
        let mut spaces = reading.spaces.iter();
        let reader = spaces.find(|other| self.is_same_space(direction, space, other));
        reader.map_or(&[], |reader| &reader.keyspaces)
    }

    /// Whether the rows of a space are found in a space of the other layout.
    fn is_same_space(&self, direction: Direction, space: &Space, other: &Space) -> bool {
        let (writing, reading) = direction.oriented(self.old, self.new);
        match (&space.kind, &other.kind) {
            // The fields of a hash are in its records.
            (SpaceKind::HashFields { hash: a }, SpaceKind::HashFields { hash: b }) => {
                let space = writing.space(writing.keyspace(*a).space);
                let other = reading.space(reading.keyspace(*b).space);
                self.counterpart(direction, *a) == Some(*b)
                    && self.is_same_space(direction, space, other)
            }
            (a, b) => a == b && writing.store(space.store).name == reading.store(other.store).name,
        }
    }

    /// Returns the counterpart of a keyspace, if it is in the same space of bytes.
    pub(crate) fn same(&self, direction: Direction, id: KeyspaceId) -> Option<KeyspaceId> {
        let readers = self.readers(direction, id);
        self.counterpart(direction, id).filter(|other| readers.contains(other))
    }

    /// Returns the corresponding fields of an old and a new keyspace.
    pub(crate) fn fields(&self, old: KeyspaceId, new: KeyspaceId) -> Fields {
        Fields::new(&self.old.keyspace(old).key, &self.new.keyspace(new).key)
    }

    /// Whether the keys of a keyspace may be read differently: it has no counterpart in the same
    /// space, or the counterpart has other segments or field names.
    pub(crate) fn is_changed(&self, direction: Direction, id: KeyspaceId) -> bool {
        let Some(same) = self.same(direction, id) else { return true };
        let (old, new) = direction.oriented(id, same);
        !same_segments(&self.old.keyspace(old).key, &self.new.keyspace(new).key)
            || !self.fields(old, new).keep_names()
    }

    /// Returns the question about the keys of a keyspace.
    pub(crate) fn question(&self, direction: Direction, id: KeyspaceId) -> Question {
        self.comparison.question(direction, id, self.same(direction, id))
    }

    /// Looks for a key of a keyspace that begins with a prefix and that the other layout does not
    /// read.
    pub(crate) fn unread(
        &self,
        direction: Direction,
        id: KeyspaceId,
        prefix: &[u8],
    ) -> Result<Option<Answer<Row>>, Unknown> {
        let question = self.question(direction, id);
        self.comparison.unread(&question, self.readers(direction, id), prefix)
    }

    /// Looks for keys of changed new keyspaces that the old layout reads differently.
    fn forward_misreads(&self) -> Misreads {
        let direction = Direction::Forward;
        let changed = self.new.keyspace_ids().filter(|&id| self.is_changed(direction, id));
        let misreads = changed.map(|id| {
            let question = self.question(direction, id);
            (id, self.comparison.misread(&question, self.readers(direction, id)))
        });
        misreads.collect()
    }
}

pub(crate) fn is_index(layout: &Layout, id: KeyspaceId) -> bool {
    layout.keyspace(id).kind == KeyspaceKind::Index
}

pub(crate) fn finding(
    rule: Rule,
    ids: (Option<KeyspaceId>, Option<KeyspaceId>),
    fault: Fault,
    minimal: bool,
) -> Finding {
    Finding { rule, old: ids.0, new: ids.1, fault: Ok(fault), minimal }
}

/// Creates the finding of an undecided question.
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
