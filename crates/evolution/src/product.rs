//! Searches for a key that two layouts read differently.
//!
//! A *leader* runs over the key in one layout. Up to three kinds of runs follow it in the other
//! layout:
//! * `all`: every run of some keyspaces. A key that ends where none of them ends has no reading
//!   there.
//! * `same`: the runs of the leader's counterpart that have read the same values in the same
//!   fields. A key that ends where none of them ends is read differently.
//! * `other`: one run of some keyspaces. A key that ends where it ends has a reading there.
//!
//! So `all` decides whether a key is lost, and `same` with `other` whether it is read differently.
//! Both are exact for ambiguous layouts as well, because `all` and `same` are sets of runs.

mod next_bytes;

use crate::{
    alike::Relations,
    events::Events,
    follow::{AllRuns, Arrived, Led, Member, Members, Runs, SameRuns, SetId, Sets},
};
use hashbrown::{HashMap, HashSet};
use keyscape_automata::{
    Budget, OverBudget,
    search::{BrokenOff, Graph, Path, Visit, explore},
};
use keyscape_layout::machine::{Machine, State, TrackId};
use next_bytes::Readers;
use smallvec::{SmallVec, smallvec};
use std::{collections::BTreeMap, ops::ControlFlow, rc::Rc};

/// The runs of a search, see the module.
pub(crate) struct Product<'a, 'r> {
    pub(crate) leader: Runs<'a>,
    pub(crate) events: Events<'a>,
    pub(crate) all: Option<AllRuns<'a>>,
    pub(crate) same: Option<SameRuns<'a>>,
    pub(crate) other: Option<Runs<'a>>,
    pub(crate) relations: &'r mut Relations,
    pub(crate) budget: Budget<'r>,
    /// The prefix that keys must have.
    pub(crate) prefix: &'a [u8],
    pub(crate) progress: Progress,
}

/// The state of a search. It is empty at the start.
#[derive(Default)]
pub(crate) struct Progress {
    sets: Sets,
    bytes: HashMap<Readers, Rc<[u8]>>,
    /// The keyspaces of `other` runs for which the shortest key has been found.
    answered: HashSet<TrackId>,
    steps: usize,
    failed: Option<OverBudget>,
    /// The lengths of the shortest keys about which `same` is not certain, as in
    /// [`FoundKeys::blurred`].
    blurred: BTreeMap<Option<TrackId>, u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    At {
        leader: State,
        other: Option<State>,
        all: SetId,
        same: SetId,
        read: u16,
    },
    /// The answer is known, and the key only has to be completed.
    Completed,
}

/// The bytes that a step adds to a key.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Byte(u8),
    Bytes(Rc<[u8]>),
    /// The shortest way from a state of the leader to the end of a key.
    Rest(State),
}

/// The answer of a search.
#[derive(Debug, Default)]
pub(crate) struct FoundKeys {
    /// The shortest keys, by the keyspace of the `other` run. Without an `other` run, at most one
    /// key.
    pub(crate) keys: BTreeMap<Option<TrackId>, Vec<u8>>,
    /// The lengths of the shortest keys about which the runs of `same` are not certain, by the
    /// keyspace of the `other` run.
    pub(crate) blurred: BTreeMap<Option<TrackId>, u64>,
    /// The limit that stopped the search, if any.
    pub(crate) over: Option<OverBudget>,
}

type Bytes = SmallVec<[u8; 16]>;
type Arrivals = SmallVec<[Arrived; 4]>;

/// The states of all runs after some bytes, before they are settled.
struct Arrival {
    from: Option<State>,
    leader: State,
    other: SmallVec<[State; 4]>,
    all: Arrivals,
    same: Arrivals,
    read: u16,
    bytes: Bytes,
}

impl Product<'_, '_> {
    /// Searches for the shortest key, or for the shortest one for each keyspace of the `other` run.
    pub(crate) fn search(mut self) -> FoundKeys {
        let of_same = |test: fn(&Events<'_>) -> bool| {
            test(&self.events) || self.same.as_ref().is_some_and(|same| test(&same.events))
        };
        // Whether the runs of `same` are uncertain from the start.
        let is_blurred = of_same(|events| events.is_vague);
        if of_same(|events| events.is_never_same) {
            self.same = None;
        }
        let mut starts = Vec::new();
        let start = |machine: &Machine, is_blurred: bool| Arrived {
            from: machine.start().node(),
            at: machine.start(),
            is_tied: false,
            is_blurred,
        };
        let arrival = Arrival {
            from: None,
            leader: self.leader.machine().start(),
            other: self.other.iter().map(|other| other.machine().start()).collect(),
            all: self.all.iter().map(|all| start(all.runs.machine(), false)).collect(),
            same: self.same.iter().map(|same| start(same.runs.machine(), is_blurred)).collect(),
            read: 0,
            bytes: Bytes::new(),
        };
        self.settle(&arrival, &mut |node, cost, step| starts.push((node, cost, step)));
        let mut paths: BTreeMap<Option<TrackId>, Vec<Step>> = BTreeMap::new();
        let other = self.other.as_ref().map(Runs::machine);
        let max_paths = other.map_or(1, |machine| machine.tracks().len());
        let budget = self.budget;
        let outcome = explore(&mut self, starts, budget, &mut |path| {
            let Path { end, labels, .. } = path;
            let track = match end {
                Node::At { other: Some(state), .. } => other.and_then(|m| m.accepted(state)),
                _ => None,
            };
            paths.entry(track).or_insert(labels);
            if paths.len() == max_paths {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let over = outcome.err().map(|BrokenOff { over, .. }| over).or(self.progress.failed);
        let keys = paths.into_iter().map(|(track, steps)| (track, self.spell(&steps)));
        let keys = keys.collect();
        FoundKeys { keys, blurred: self.progress.blurred, over }
    }

    fn spell(&self, steps: &[Step]) -> Vec<u8> {
        let mut key = Vec::new();
        for step in steps {
            match step {
                Step::Byte(byte) => key.push(*byte),
                Step::Bytes(bytes) => key.extend_from_slice(bytes),
                Step::Rest(state) => key.extend(self.leader.walk.shortest(*state)),
            }
        }
        key
    }

    /// Offers every way to settle after an arrival.
    fn settle(&mut self, arrival: &Arrival, offer: &mut impl FnMut(Node, u64, Step)) {
        if let Err(over) = self.try_settle(arrival, offer) {
            self.progress.failed = Some(over);
        }
    }

    fn try_settle(
        &mut self,
        arrival: &Arrival,
        offer: &mut impl FnMut(Node, u64, Step),
    ) -> Result<(), OverBudget> {
        let step = match arrival.bytes[..] {
            [byte] => Step::Byte(byte),
            ref bytes => Step::Bytes(bytes.into()),
        };
        let cost = arrival.bytes.len() as u64;
        let root = self.leader.machine().start();
        let from = arrival.from.unwrap_or(root).node();
        let mut others: SmallVec<[Option<State>; 8]> = SmallVec::new();
        if let Some(other) = &mut self.other {
            for &at in &arrival.other {
                others.extend(other.walk.settle(at)?.iter().map(|(_, state)| Some(state)));
            }
        } else {
            others.push(None);
        }
        let ways = self.leader.walk.settle(arrival.leader)?;
        for (marks, to) in ways.iter() {
            let led = Led { from, to, facts: self.leader.facts(to) };
            let events = self.events.of(&self.leader.walk, from, marks, to);
            self.progress.steps += arrival.all.len() + arrival.same.len() + others.len();
            let all = match &mut self.all {
                Some(all) => all.after(&arrival.all, led)?,
                None => Members::new(),
            };
            let (same, differing) = match &mut self.same {
                Some(same) if !arrival.same.is_empty() => {
                    let leader = (self.leader.machine(), &self.events);
                    let relations = (&mut *self.relations, self.budget);
                    same.after(&arrival.same, led, events, leader, relations)?
                }
                _ => (Members::new(), Vec::new()),
            };
            let (all, same) = (self.progress.sets.id(all), self.progress.sets.id(same));
            for &other in &others {
                if let (Some(state), Some(runs)) = (other, &self.other)
                    && !self.leader.machine().ahead(to).meets(runs.machine().ahead(state))
                {
                    continue;
                }
                let node = Node::At { leader: to, other, all, same, read: arrival.read };
                offer(node, cost, step.clone());
            }
            // Without an `other` run, different values are not searched for.
            let differing = if self.other.is_some() { differing } else { Vec::new() };
            for word in &differing {
                self.offer_after_word(arrival, led, &others, word, offer)?;
            }
        }
        Ok(())
    }

    /// Offers the nodes after a word of the leaf that the leader has entered.
    fn offer_after_word(
        &mut self,
        arrival: &Arrival,
        led: Led,
        others: &[Option<State>],
        word: &[u8],
        offer: &mut impl FnMut(Node, u64, Step),
    ) -> Result<(), OverBudget> {
        let machine = self.leader.machine();
        if word.is_empty() || !machine.dfa_of(led.to).is_some_and(|dfa| dfa.accepts(word)) {
            return Ok(());
        }
        let mut after = SmallVec::new();
        if let Some(other) = &mut self.other {
            for state in others.iter().flatten() {
                after.extend(other.after_word(*state, word)?);
            }
        }
        let arrival = Arrival {
            from: Some(led.to),
            leader: machine.after_leaf(led.to),
            other: after,
            all: Arrivals::new(),
            same: Arrivals::new(),
            read: arrival.read,
            bytes: arrival.bytes.iter().chain(word).copied().collect(),
        };
        self.try_settle(&arrival, offer)
    }

    /// Whether all runs cross the leader's leaf together, for all bytes of the leaf.
    fn may_cross(&mut self, leader: State, other: Option<State>, sets: [&[Member]; 2]) -> bool {
        let machine = self.leader.machine();
        let all_tied = sets.iter().all(|set| set.iter().all(|member| member.is_tied));
        if !(machine.is_leaf_start(leader) && machine.is_prefix_free(leader) && all_tied) {
            return false;
        }
        let Some(state) = other else { return true };
        let codec = self.leader.facts(leader).map(|facts| facts.codec);
        let Some(runs) = &mut self.other else { return false };
        runs.machine().is_leaf_start(state) && runs.facts(state).map(|facts| facts.codec) == codec
    }

    /// Whether a key that ends here is one that the search looks for.
    fn is_goal(&mut self, other: Option<State>, sets: [&[Member]; 2], length: u64) -> bool {
        let ends = |machine: Option<&Machine>, set: &[Member], is_blurred: bool| {
            machine.is_some_and(|machine| {
                let mut members = set.iter().filter(|member| member.is_blurred == is_blurred);
                members.any(|member| machine.accepted(member.state).is_some())
            })
        };
        let [all, same] = sets;
        let machine = self.same.as_ref().map(|same| same.runs.machine());
        let in_all = ends(self.all.as_ref().map(|all| all.runs.machine()), all, false);
        if in_all || ends(machine, same, false) {
            return false;
        }
        let mut track = None;
        if let (Some(state), Some(runs)) = (other, &self.other) {
            track = runs.machine().accepted(state);
            if track.is_none() {
                return false;
            }
        }
        if ends(machine, same, true) {
            self.progress.blurred.entry(track).or_insert(length);
            return false;
        }
        self.progress.answered.extend(track);
        true
    }

    /// Whether only longer keys of an answered keyspace can follow.
    fn is_answered(&self, other: Option<State>) -> bool {
        let (Some(state), Some(runs)) = (other, &self.other) else { return false };
        runs.machine().owner(state).is_some_and(|owner| self.progress.answered.contains(&owner))
    }
}

impl Graph for Product<'_, '_> {
    type Node = Node;
    type Label = Step;

    fn expand(
        &mut self,
        at: Node,
        cost: u64,
        offer: &mut impl FnMut(Node, u64, Step),
    ) -> Result<Visit, OverBudget> {
        Ok(self.visit(at, cost, offer))
    }

    fn steps_taken(&mut self) -> usize {
        let all = self.all.as_mut().map(|all| &mut all.runs);
        let same = self.same.as_mut().map(|same| &mut same.runs);
        let runs = [all, same, self.other.as_mut()].into_iter().flatten();
        let followed: usize = runs.map(|runs| runs.walk.take_steps()).sum();
        std::mem::take(&mut self.progress.steps) + self.leader.walk.take_steps() + followed
    }
}

impl Product<'_, '_> {
    fn visit(&mut self, at: Node, cost: u64, offer: &mut impl FnMut(Node, u64, Step)) -> Visit {
        let Node::At { leader, other, all, same, read } = at else { return Visit::Goal };
        if self.is_answered(other) {
            return Visit::On;
        }
        let (all, same) = (self.progress.sets.get(all), self.progress.sets.get(same));
        let machine = self.leader.machine();
        let is_prefixed = usize::from(read) >= self.prefix.len();
        if machine.accepted(leader).is_some() {
            let is_goal = is_prefixed && self.is_goal(other, [&all, &same], cost);
            return if is_goal { Visit::Goal } else { Visit::On };
        }
        let is_alone = self.other.is_none() && all.is_empty() && same.is_empty();
        if is_alone && is_prefixed {
            let rest = machine.nearest(leader);
            if rest != u64::MAX {
                offer(Node::Completed, rest, Step::Rest(leader));
            }
            return Visit::On;
        }
        if let (Some(state), Some(runs)) = (other, &self.other)
            && runs.machine().accepted(state).is_some()
        {
            return Visit::On;
        }
        if is_prefixed && self.may_cross(leader, other, [&all, &same]) {
            let word = Bytes::from_slice(machine.simplest_word(leader));
            let tied = |member: &Member| Arrived {
                from: member.state.node(),
                at: member.state,
                is_tied: true,
                is_blurred: member.is_blurred,
            };
            let after = |state: State, runs: &Runs<'_>| runs.machine().after_leaf(state);
            let arrival = Arrival {
                from: Some(leader),
                leader: machine.after_leaf(leader),
                other: other
                    .zip(self.other.as_ref())
                    .map(|(s, r)| after(s, r))
                    .into_iter()
                    .collect(),
                all: all.iter().map(tied).collect(),
                same: same.iter().map(tied).collect(),
                read,
                bytes: word,
            };
            self.settle(&arrival, offer);
            return Visit::On;
        }
        let bytes = match self.prefix.get(usize::from(read)) {
            Some(&byte) => [byte].into(),
            None => self.next_bytes(leader, other, [&all, &same]),
        };
        for &byte in bytes.iter() {
            self.step(byte, (leader, other), [&all, &same], read, offer);
        }
        Visit::On
    }

    /// Offers the nodes after one byte.
    fn step(
        &mut self,
        byte: u8,
        (leader, other): (State, Option<State>),
        [all, same]: [&[Member]; 2],
        read: u16,
        offer: &mut impl FnMut(Node, u64, Step),
    ) {
        let Some(to) = self.leader.machine().step(leader, byte) else { return };
        let other = match (other, &self.other) {
            (Some(state), Some(runs)) => match runs.machine().step(state, byte) {
                Some(to) => smallvec![to],
                None => return,
            },
            _ => SmallVec::new(),
        };
        let stepped = |machine: &Machine, members: &[Member]| -> Arrivals {
            let step = |member: &Member| {
                let at = match member.is_tied {
                    true => member.state,
                    false => machine.step(member.state, byte)?,
                };
                let Member { is_tied, is_blurred, state } = *member;
                Some(Arrived { from: state.node(), at, is_tied, is_blurred })
            };
            members.iter().filter_map(step).collect()
        };
        let all = self.all.as_ref().map(|runs| stepped(runs.runs.machine(), all));
        let same = self.same.as_ref().map(|runs| stepped(runs.runs.machine(), same));
        let arrival = Arrival {
            from: Some(leader),
            leader: to,
            other,
            all: all.unwrap_or_default(),
            same: same.unwrap_or_default(),
            read: if usize::from(read) < self.prefix.len() { read + 1 } else { read },
            bytes: smallvec![byte],
        };
        self.settle(&arrival, offer);
    }
}
