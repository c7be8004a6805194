//! Runs that follow a leading run over the same bytes.

use crate::{
    alike::{Relation, Relations},
    events::{Events, EventsId, Interner},
};
use hashbrown::HashMap;
use keyscape_automata::{Budget, OverBudget};
use keyscape_codec::{Description, Values};
use keyscape_layout::{
    machine::{Machine, NodeId, State, Walk, Ways},
    model::Derived,
};
use smallvec::SmallVec;
use std::{cell::RefCell, rc::Rc};

/// A run that follows the leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Member {
    pub(crate) state: State,
    /// Whether the run is inside the leader's leaf and leaves it together with the leader, because
    /// both read the same codec from the same offset. This does not need an exact automaton.
    pub(crate) is_tied: bool,
    /// Whether the run may read other values than the leader, or may not exist.
    pub(crate) is_blurred: bool,
}

/// Some runs, usually few.
pub(crate) type Members = SmallVec<[Member; 8]>;

/// An interner for sets of runs.
#[derive(Debug, Default)]
pub(crate) struct Sets {
    list: Vec<Rc<[Member]>>,
    ids: HashMap<Rc<[Member]>, SetId>,
    /// The last two sets. Most bytes lead to the same sets as the byte before.
    recent: [SetId; 2],
}

/// A set of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct SetId(u32);

impl Sets {
    pub(crate) fn id(&mut self, mut members: Members) -> SetId {
        if members.len() > 1 {
            members.sort_unstable();
            members.dedup();
        }
        let is_equal =
            |id: &SetId| self.list.get(id.0 as usize).is_some_and(|set| **set == *members);
        if let Some(&id) = self.recent.iter().find(|id| is_equal(id)) {
            return id;
        }
        if let Some(&id) = self.ids.get(members.as_slice()) {
            self.recent = [id, self.recent[0]];
            return id;
        }
        let members: Rc<[Member]> = members.as_slice().into();
        let id = SetId(self.list.len() as u32);
        self.list.push(members.clone());
        self.ids.insert(members, id);
        self.recent = [id, self.recent[0]];
        id
    }

    pub(crate) fn get(&self, id: SetId) -> Rc<[Member]> {
        self.list.get(id.0 as usize).cloned().unwrap_or_default()
    }
}

/// A machine, and the facts about its leaves that a search needs.
pub(crate) struct Runs<'a> {
    pub(crate) walk: Walk<'a>,
    interner: Rc<RefCell<Interner>>,
    /// Indexed by the number of the leaf.
    leaves: Vec<Option<LeafFacts>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafFacts {
    /// The number of the codec's text.
    pub(crate) codec: u32,
    /// Whether the bytes are derived from fields. The automaton then accepts any bytes.
    pub(crate) is_computed: bool,
    /// Whether the automaton accepts exactly the encodings.
    pub(crate) is_exact: bool,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(machine: &'a Machine, interner: Rc<RefCell<Interner>>) -> Self {
        Self { walk: Walk::new(machine), interner, leaves: Vec::new() }
    }

    pub(crate) fn machine(&self) -> &'a Machine {
        self.walk.machine
    }

    /// Returns the facts about the leaf that a state is in.
    pub(crate) fn facts(&mut self, state: State) -> Option<LeafFacts> {
        let machine = self.walk.machine;
        let leaf = machine.leaf_of(state)?;
        let at = leaf as usize;
        if let Some(cached) = self.leaves.get(at).copied().flatten() {
            return Some(cached);
        }
        let codec = machine.codec_of(state)?;
        let is_computed = is_computed(&codec.describe());
        let codec = self.interner.borrow_mut().text(codec.text());
        let facts = LeafFacts { codec, is_computed, is_exact: machine.is_exact_leaf(state) };
        if self.leaves.len() <= at {
            self.leaves.resize(at + 1, None);
        }
        self.leaves[at] = Some(facts);
        Some(facts)
    }

    /// Returns the states that a settled run can reach after a word. They are not settled.
    pub(crate) fn after_word(
        &mut self,
        state: State,
        word: &[u8],
    ) -> Result<Vec<State>, OverBudget> {
        let Some((&last, before)) = word.split_last() else { return Ok(Vec::new()) };
        let machine = self.walk.machine;
        let mut states = vec![state];
        for &byte in before {
            let mut next = Vec::new();
            for state in states {
                if let Some(to) = machine.step(state, byte) {
                    next.extend(self.walk.settle(to)?.iter().map(|(_, state)| state));
                }
            }
            next.sort_unstable();
            next.dedup();
            states = next;
        }
        Ok(states.into_iter().filter_map(|state| machine.step(state, last)).collect())
    }
}

fn is_computed(described: &Description) -> bool {
    matches!(described.values, Values::Computed(_)) || described.inner().is_some_and(is_computed)
}

/// A step of the leader: the state before the step, and the settled state after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Led {
    pub(crate) from: NodeId,
    pub(crate) to: State,
    pub(crate) facts: Option<LeafFacts>,
}

impl Led {
    pub(crate) fn has_left(&self) -> bool {
        self.from != self.to.node()
    }
}

/// A run of a set that has not yet been settled after the leader's step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub(crate) from: NodeId,
    /// The state before settling. For a tied run, the state before the step.
    pub(crate) at: State,
    pub(crate) is_tied: bool,
    pub(crate) is_blurred: bool,
}

impl Arrived {
    /// Returns the settled states of the run after a step of the leader with their marks, and
    /// whether the run stays tied.
    fn settled(self, runs: &mut Runs<'_>, led: Led) -> Result<(Ways, bool), OverBudget> {
        match (self.is_tied, led.has_left()) {
            (true, false) => Ok((Ways::staying(self.at), true)),
            (true, true) => Ok((runs.walk.settle(runs.machine().after_leaf(self.at))?, false)),
            (false, _) => Ok((runs.walk.settle(self.at)?, false)),
        }
    }
}

/// All runs of some keyspaces over the bytes, whatever values they read.
pub(crate) struct AllRuns<'a> {
    pub(crate) runs: Runs<'a>,
    /// Whether to follow only runs that certainly exist.
    pub(crate) is_certain: bool,
}

impl AllRuns<'_> {
    /// Returns the runs after a step of the leader.
    pub(crate) fn after(&mut self, arrived: &[Arrived], led: Led) -> Result<Members, OverBudget> {
        let mut members = Members::new();
        for run in arrived {
            let (ways, is_tied) = run.settled(&mut self.runs, led)?;
            for (_, state) in ways.iter() {
                let free = Member { state, is_tied: false, is_blurred: false };
                let tied = Member { is_tied: true, ..free };
                if is_tied {
                    members.push(tied);
                    continue;
                }
                let has_entered = run.from != state.node();
                let facts = if has_entered { self.runs.facts(state) } else { None };
                let is_lost = self.is_certain && facts.is_some_and(|facts| facts.is_computed);
                if is_lost {
                    continue;
                }
                let codec = |facts: LeafFacts| facts.codec;
                let leader = led.facts.filter(|_| led.has_left()).map(codec);
                let is_together = leader.is_some() && leader == facts.map(codec);
                let may_tie = is_together && facts.is_some_and(|facts| !facts.is_computed);
                let is_prefix_free = self.runs.machine().is_prefix_free(state);
                if may_tie && is_prefix_free {
                    members.push(tied);
                } else if may_tie && facts.is_some_and(|facts| !facts.is_exact) {
                    members.extend([tied, free]);
                } else {
                    members.push(free);
                }
            }
        }
        Ok(members)
    }
}

/// The runs of the leader's counterpart that read the same values, with the same events.
pub(crate) struct SameRuns<'a> {
    pub(crate) runs: Runs<'a>,
    pub(crate) events: Events<'a>,
    /// Whether two derivations have the same bytes, given the same fields.
    pub(crate) same_derived: &'a dyn Fn(&Derived, &Derived) -> bool,
}

impl SameRuns<'_> {
    /// Returns the runs after a step of the leader with these events. If both have entered a leaf,
    /// also returns words that their codecs read as different values.
    pub(crate) fn after(
        &mut self,
        arrived: &[Arrived],
        led: Led,
        events: EventsId,
        leader: (&Machine, &Events<'_>),
        relations: (&mut Relations, Budget<'_>),
    ) -> Result<(Members, Vec<Vec<u8>>), OverBudget> {
        let (relations, budget) = relations;
        let (mut members, mut differing) = (Members::new(), Vec::new());
        for run in arrived {
            let (ways, is_tied) = run.settled(&mut self.runs, led)?;
            for (marks, state) in ways.iter() {
                let member = Member { state, is_tied, is_blurred: run.is_blurred };
                if is_tied {
                    members.push(member);
                    continue;
                }
                if self.events.of(&self.runs.walk, run.from, marks, state) != events {
                    continue;
                }
                let machine = self.runs.machine();
                let has_entered = run.from != state.node();
                if !has_entered {
                    members.push(member);
                    continue;
                }
                if let Some(derived) = self.events.derived(machine, state) {
                    let (leading, of_leader) = leader;
                    let theirs = of_leader.derived(leading, led.to).filter(|_| led.has_left());
                    let is_same = theirs.is_some_and(|theirs| (self.same_derived)(theirs, derived));
                    let is_blurred = member.is_blurred || !is_same;
                    members.push(Member { is_tied: is_same, is_blurred, ..member });
                    continue;
                }
                let (Some(theirs), Some(own)) =
                    (leader.1.leaf(leader.0, led.to), self.events.leaf(machine, state))
                else {
                    members.push(member);
                    continue;
                };
                let facts = self.runs.facts(state);
                let is_one_codec =
                    led.facts.map(|facts| facts.codec) == facts.map(|facts| facts.codec);
                match relations.of(theirs, own, budget) {
                    Relation::Alike => members.push(Member { is_tied: is_one_codec, ..member }),
                    Relation::Never => {}
                    Relation::Differ(word) => {
                        members.push(Member { is_blurred: true, ..member });
                        let reads = machine.dfa_of(state).is_some_and(|dfa| dfa.accepts(&word));
                        differing.extend(reads.then_some(word));
                    }
                    Relation::Unclear => members.push(Member { is_blurred: true, ..member }),
                }
            }
        }
        Ok((members, differing))
    }
}
