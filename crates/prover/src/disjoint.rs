//! KS001: no byte string is a key of two keyspaces of a space.
//!
//! One product of the space's automaton with itself decides all pairs of keyspaces. The search
//! visits shared nodes once and drops pairs of runs inside one keyspace. The work therefore grows
//! with the common parts of keyspaces, not with the square of their number.

use crate::{
    accept::{self, Partner, Partners},
    cache::Shared,
    check::Decision,
    context::{Context, Decisions},
    pair::{Step, may_go_on_together, settle_both, spell, steps_together},
    replay,
    verdict::{Collision, Fault, Rule, Unknown, Verdict},
};
use keyscape_automata::{
    Budget, OverBudget,
    search::{BrokenOff, Graph, Visit, explore},
};
use keyscape_layout::{
    Side,
    machine::{Machine, NodeId, State, TrackId, Walk},
    model::KeyspaceId,
};
use std::{collections::BTreeMap, ops::ControlFlow};

/// The highest number of collisions that one claim lists.
const MAX_LISTED: usize = 16;

/// Decides KS001 of the keyspaces of a space, or KS008 of the keyspaces of all kinds in a store of
/// structures. KS008 is about keyspaces of different kinds only.
pub(crate) fn check(context: &Context<'_>, keyspaces: &[KeyspaceId], rule: Rule) -> Decisions {
    if let [only] = keyspaces {
        return [(*only, Verdict::Proved.into())].into_iter().collect();
    }
    let machine = match context.reader.machine(keyspaces, Side::Over) {
        Ok(machine) => machine,
        Err(over) => {
            let undecided = |&id| (id, Collisions::default().decision(Some(over)));
            return keyspaces.iter().map(undecided).collect();
        }
    };
    let mut focus: Vec<TrackId> =
        context.focus.iter().filter_map(|&id| machine.track(id)).collect();
    focus.sort_unstable();
    focus.dedup();
    let budget = context.budget();
    let search = || {
        let found = collisions(&machine, &focus, budget);
        if found.open.is_empty() { Ok(found.hits) } else { Err(found) }
    };
    let found = context.cache.shared(&machine, Side::Over, focus.clone(), budget, search);
    let CommonKeys { hits, open } =
        found.map_or_else(|found| found, |hits| CommonKeys { hits, open: BTreeMap::new() });
    let hits =
        hits.into_iter().map(|(key, (a, b))| (key, (machine.keyspace(a), machine.keyspace(b))));
    let kind = |id: KeyspaceId| context.layout.keyspace(id).space;
    let hits = hits.filter(|&(_, (a, b))| rule == Rule::Disjoint || kind(a) != kind(b));
    let mut by_keyspace = replayed_collisions(context, hits.collect(), rule);
    keyspaces
        .iter()
        .map(|&keyspace| {
            let found = by_keyspace.remove(&keyspace).unwrap_or_default();
            let over = machine.track(keyspace).and_then(|track| open.get(&track).copied());
            (keyspace, found.decision(over))
        })
        .collect()
}

/// Replays the shortest common key of each pair of keyspaces that has one. Stops after its share of
/// the remaining work, and leaves the other pairs undecided.
fn replayed_collisions(
    context: &Context<'_>,
    mut hits: Vec<(Vec<u8>, (KeyspaceId, KeyspaceId))>,
    rule: Rule,
) -> BTreeMap<KeyspaceId, Collisions> {
    // Replay adjacent keyspaces first, which gives every keyspace a replayed pair early.
    hits.sort_by_key(|(key, (a, b))| (key.len(), a.0.abs_diff(b.0)));
    let reserve = context.total.left() / REPLAY_SHARE * (REPLAY_SHARE - 1);
    let mut by_keyspace: BTreeMap<KeyspaceId, Collisions> = BTreeMap::new();
    for (key, (a, b)) in hits {
        let found = match context.total.left() > reserve {
            true => confirm(context, &key, a, b),
            false => Err(Unknown::Budget(context.total.over())),
        };
        let sides = match found {
            Ok(pair) => [Ok(pair.swapped()), Ok(pair)],
            Err(reason) => [Err(reason.clone()), Err(reason)],
        };
        for ((id, other), found) in [(b, a), (a, b)].into_iter().zip(sides) {
            let is_accepted = accept::is_accepted(context.layout, id, rule, other);
            by_keyspace.entry(id).or_default().add(other, is_accepted, key.len(), found);
        }
    }
    by_keyspace
}

/// The inverse of the share of the remaining work that replaying may use.
const REPLAY_SHARE: usize = 4;

struct Pair {
    collision: Collision,
    minimal: bool,
    is_accepted: bool,
}

impl Pair {
    fn swapped(&self) -> Self {
        let Collision { here, there } = self.collision.clone();
        Self { collision: Collision { here: there, there: here }, ..*self }
    }

    /// Returns the sort key: the length of the key, then the partner.
    fn rank(&self) -> (usize, KeyspaceId) {
        (self.collision.here.key.len(), self.other())
    }

    const fn other(&self) -> KeyspaceId {
        self.collision.there.keyspace
    }
}

/// The keys that one keyspace shares with others.
#[derive(Default)]
struct Collisions {
    /// The collisions to list: first those that are not accepted, then the shortest ones.
    listed: Vec<Pair>,
    /// The number of collisions.
    count: usize,
    /// The length of the shortest key of a collision, and of a pair that is not decided.
    shortest: Option<usize>,
    shortest_undecided: Option<usize>,
    refuted: Partners,
    undecided: Partners,
}

impl Collisions {
    /// Adds a pair whose shortest common key has `length` bytes, if it replays.
    fn add(
        &mut self,
        other: KeyspaceId,
        is_accepted: bool,
        length: usize,
        found: Result<Pair, Unknown>,
    ) {
        let shorter = |known: &mut Option<usize>, length: usize| {
            *known = Some(known.map_or(length, |known| known.min(length)));
        };
        let pair = match found {
            Ok(pair) => Pair { is_accepted, ..pair },
            Err(reason) => {
                shorter(&mut self.shortest_undecided, length);
                self.undecided.add(Partner::undecided(Some(other), reason), is_accepted);
                return;
            }
        };
        self.refuted.add(Partner::refuted(Some(other)), is_accepted);
        shorter(&mut self.shortest, pair.collision.here.key.len());
        self.count += 1;
        self.listed.push(pair);
        if self.listed.len() >= 2 * MAX_LISTED {
            self.keep_listed();
        }
    }

    /// Truncates the collisions to list. Accepted ones are dropped first.
    fn keep_listed(&mut self) {
        self.listed.sort_by_key(|pair| (pair.is_accepted, pair.rank()));
        self.listed.truncate(MAX_LISTED);
    }

    /// Returns the decision. `over` is the budget that the search reached before it was complete.
    fn decision(mut self, over: Option<OverBudget>) -> Decision {
        let mut undecided = std::mem::take(&mut self.undecided).sorted();
        undecided.extend(over.map(|over| Partner::undecided(None, Unknown::Budget(over))));
        let reason = undecided.iter().find_map(|partner| partner.undecided.clone());
        let mut partners = std::mem::take(&mut self.refuted).sorted();
        partners.extend(undecided);
        self.keep_listed();
        let verdict = match reason {
            _ if !self.listed.is_empty() => self.refuted(),
            Some(reason) => Verdict::Unknown(reason),
            None => Verdict::Proved,
        };
        Decision { partners, ..verdict.into() }
    }

    fn refuted(mut self) -> Verdict {
        self.listed.sort_by_key(Pair::rank);
        let more = self.count - self.listed.len();
        let is_shortest = |pair: &Pair| {
            let length = pair.collision.here.key.len();
            self.shortest == Some(length)
                && self.shortest_undecided.is_none_or(|undecided| length <= undecided)
        };
        let minimal = self.listed.first().is_some_and(|pair| pair.minimal && is_shortest(pair));
        let collisions = self.listed.into_iter().map(|pair| pair.collision).collect();
        Verdict::refuted(Fault::Disjoint { collisions, more }, minimal)
    }
}

/// Returns a replayed collision, or the reason for which the pair is not decided. `key` is the
/// shortest common key of the upper bounds.
fn confirm(
    context: &Context<'_>,
    key: &[u8],
    a: KeyspaceId,
    b: KeyspaceId,
) -> Result<Pair, Unknown> {
    let lower = || {
        let machine = context.reader.machine(&[a, b], Side::Under)?;
        let found = collisions(&machine, &[], context.budget());
        Ok(found.hits.into_iter().next().map(|(key, _)| key))
    };
    replay::confirm(context, &[a, b], key.to_vec(), lower, |key, side| {
        let collision = replay::collision(context, key, a, b)?;
        // Correcting derived bytes can make the key longer.
        let minimal = side == Side::Over && collision.here.key.len() <= key.len();
        Some(Pair { collision, minimal, is_accepted: false })
    })
}

struct CommonKeys {
    /// The shortest common key of each pair of tracks for which one was found.
    hits: Shared,
    /// The tracks that the search had not completed when it reached a budget, with the budget.
    open: BTreeMap<TrackId, OverBudget>,
}

/// Returns the shortest common key of each pair of tracks with a keyspace in focus.
///
/// Omitting pairs outside the focus does not affect the others. No run returns from a state that no
/// track in focus uses to a state that one uses. Omitted pairs therefore lead only to omitted
/// pairs, and the order of the visited pairs is unchanged.
fn collisions(machine: &Machine, focus: &[TrackId], budget: Budget<'_>) -> CommonKeys {
    let seen = (!focus.is_empty()).then(|| machine.used_by(focus));
    let mut graph = Product { walk: Walk::new(machine), seen, failed: Vec::new() };
    let mut starts = Vec::new();
    let mut left = Vec::new();
    if let Err(over) = graph.pairs(machine.start(), machine.start(), &mut |node| {
        starts.push((node, 0, Step::Silent));
    }) {
        graph.walk.charge(budget);
        left.push((over, (machine.start(), machine.start())));
    }
    let mut found: BTreeMap<(TrackId, TrackId), Vec<Step>> = BTreeMap::new();
    let outcome = explore(&mut graph, starts, budget, &mut |path| {
        let (a, b) = path.end;
        if let (Some(a), Some(b)) = (machine.accepted(a), machine.accepted(b)) {
            found.entry((a.min(b), a.max(b))).or_insert(path.labels);
        }
        ControlFlow::Continue(())
    });
    if let Err(BrokenOff { over, open }) = outcome {
        left.extend(open.into_iter().map(|node| (over, node)));
    }
    left.append(&mut graph.failed);
    let hits = found.into_iter().map(|(pair, steps)| (spell(&mut graph.walk, &steps), pair));
    CommonKeys { hits: hits.collect(), open: undecided(machine, &left) }
}

/// Returns the tracks that may use an unexplored pair of states. The results of all other tracks
/// are complete.
fn undecided(
    machine: &Machine,
    left: &[(OverBudget, (State, State))],
) -> BTreeMap<TrackId, OverBudget> {
    let mut nodes: BTreeMap<NodeId, OverBudget> = BTreeMap::new();
    for &(over, (a, b)) in left {
        nodes.entry(a.node()).or_insert(over);
        nodes.entry(b.node()).or_insert(over);
    }
    machine.tracks().filter_map(|track| Some((track, machine.first_used(track, &nodes)?))).collect()
}

/// Pairs of waiting states that the same bytes reach, the smaller state first.
struct Product<'a> {
    walk: Walk<'a>,
    /// For each node, whether a keyspace in focus uses it. `None` for all.
    seen: Option<Vec<bool>>,
    /// Pairs that could not be followed.
    failed: Vec<(OverBudget, (State, State))>,
}

impl Product<'_> {
    fn pairs(
        &mut self,
        a: State,
        b: State,
        visit: &mut impl FnMut((State, State)),
    ) -> Result<(), OverBudget> {
        let machine = self.walk.machine;
        let seen = self.seen.as_deref();
        let is_seen = |state: State| seen.is_none_or(|seen| seen[state.node().index()]);
        settle_both(&mut self.walk, a, b, &mut |(_, x), (_, y)| {
            let owners = (machine.owner(x), machine.owner(y));
            // Two runs inside one keyspace never leave it.
            let apart = !matches!(owners, (Some(p), Some(q)) if p == q);
            if apart && (is_seen(x) || is_seen(y)) && may_go_on_together(machine, x, y) {
                visit((x.min(y), x.max(y)));
            }
        })
    }
}

impl Graph for Product<'_> {
    type Node = (State, State);
    type Label = Step;

    fn expand(
        &mut self,
        (a, b): Self::Node,
        _: u64,
        steps: &mut impl FnMut(Self::Node, u64, Step),
    ) -> Result<Visit, OverBudget> {
        let machine = self.walk.machine;
        match (machine.accepted(a), machine.accepted(b)) {
            (Some(_), Some(_)) => return Ok(Visit::Goal),
            (None, None) => {}
            _ => return Ok(Visit::On),
        }
        let outcome = steps_together(&mut self.walk, a, b, true)
            .try_for_each(|to| self.pairs(to.a, to.b, &mut |node| steps(node, to.count, to.step)));
        // The search continues, because other pairs of keyspaces do not depend on this one.
        if let Err(over) = outcome {
            self.failed.push((over, (a, b)));
        }
        Ok(Visit::On)
    }

    fn steps_taken(&mut self) -> usize {
        self.walk.take_steps()
    }
}
