//! KS001: no byte string is a key of two keyspaces of a space.
//!
//! One product of the space's automaton with itself decides all pairs of keyspaces. Nodes that
//! keyspaces share are walked once, and two runs inside one keyspace are dropped, so the work grows
//! with what keyspaces have in common, not with their number squared.

use crate::{
    accept,
    context::Context,
    memory::Shared,
    pair::{Step, may_end_together, settle_both, spell, steps_together},
    partner::{PairVerdict, Partner},
    replay,
    verdict::{Collision, Counterexample, Fault, Rule, Unknown, Verdict},
};
use keyscape_automata::{
    Budget, OverBudget,
    search::{BrokenOff, Graph, Visit, explore},
};
use keyscape_layout::{
    Side,
    machine::{Machine, NodeId, State, TrackId, Walk},
    model::{KeyspaceId, SpaceId},
};
use std::{collections::BTreeMap, ops::ControlFlow};

/// The most collisions that one claim lists.
const MAX_LISTED: usize = 16;

/// The verdicts of all keyspaces of a space.
pub(crate) fn check(context: &Context<'_>, space: SpaceId) -> Vec<(KeyspaceId, PairVerdict)> {
    let keyspaces = &context.layout.space(space).keyspaces;
    check_among(context, keyspaces, &|_, _| true, Rule::Disjoint)
}

/// KS008: the same for keyspaces of different kinds in a store of structures.
pub(crate) fn check_kinds(
    context: &Context<'_>,
    keyspaces: &[KeyspaceId],
) -> Vec<(KeyspaceId, PairVerdict)> {
    let kind = |id: KeyspaceId| context.layout.keyspace(id).space;
    check_among(context, keyspaces, &|a, b| kind(a) != kind(b), Rule::StructureTyped)
}

/// The verdicts of some keyspaces, where only some pairs of them may not meet.
fn check_among(
    context: &Context<'_>,
    keyspaces: &[KeyspaceId],
    matters: &dyn Fn(KeyspaceId, KeyspaceId) -> bool,
    rule: Rule,
) -> Vec<(KeyspaceId, PairVerdict)> {
    let mut pairs: BTreeMap<KeyspaceId, Vec<Pair>> = BTreeMap::new();
    let mut undecided: BTreeMap<KeyspaceId, Vec<Partner>> = BTreeMap::new();
    if let [only] = keyspaces {
        return vec![(*only, PairVerdict::proved())];
    }
    let machine = match context.machine(keyspaces, Side::Over) {
        Ok(machine) => machine,
        Err(over) => return all_unknown(keyspaces, over),
    };
    let mut focus: Vec<TrackId> =
        context.focus().iter().filter_map(|&id| machine.track(id)).collect();
    focus.sort_unstable();
    focus.dedup();
    let budget = context.space_budget();
    let search = || {
        let found = collisions(&machine, &focus, budget);
        if found.open.is_empty() { Ok(found.hits) } else { Err(found) }
    };
    let found = context.memory.shared(&machine, Side::Over, focus.clone(), budget, search);
    let Found { hits, open } =
        found.map_or_else(|found| found, |hits| Found { hits, open: BTreeMap::new() });
    for (key, (a, b)) in hits {
        let (a, b) = (machine.keyspace(a), machine.keyspace(b));
        if !matters(a, b) {
            continue;
        }
        match confirm(context, &key, a, b) {
            Ok(pair) => {
                pairs.entry(b).or_default().push(pair.swapped());
                pairs.entry(a).or_default().push(pair);
            }
            Err(reason) => {
                let with = |other| Partner::undecided(Some(other), reason.clone());
                undecided.entry(a).or_default().push(with(b));
                undecided.entry(b).or_default().push(with(a));
            }
        }
    }
    keyspaces
        .iter()
        .map(|&keyspace| {
            let found = pairs.remove(&keyspace).unwrap_or_default();
            let mut undecided = undecided.remove(&keyspace).unwrap_or_default();
            let over = machine.track(keyspace).and_then(|track| open.get(&track).copied());
            undecided.extend(over.map(|over| Partner::undecided(None, Unknown::Budget(over))));
            let verdict = verdict(context, keyspace, found, undecided, rule);
            (keyspace, verdict)
        })
        .collect()
}

struct Pair {
    collision: Collision,
    minimal: bool,
}

impl Pair {
    fn swapped(&self) -> Self {
        let Collision { here, there } = self.collision.clone();
        Self { collision: Collision { here: there, there: here }, minimal: self.minimal }
    }

    const fn other(&self) -> KeyspaceId {
        self.collision.there.keyspace
    }
}

fn all_unknown(keyspaces: &[KeyspaceId], over: OverBudget) -> Vec<(KeyspaceId, PairVerdict)> {
    keyspaces.iter().map(|&k| (k, PairVerdict::unknown(Unknown::Budget(over)))).collect()
}

fn verdict(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    found: Vec<Pair>,
    undecided: Vec<Partner>,
    rule: Rule,
) -> PairVerdict {
    let refuted_with = found.iter().map(|pair| Partner::refuted(Some(pair.other())));
    let partners = refuted_with.chain(undecided.iter().cloned()).collect();
    let reason = undecided.into_iter().find_map(|partner| partner.undecided);
    let verdict = match reason {
        _ if !found.is_empty() => refuted(context, keyspace, found, rule),
        Some(reason) => Verdict::Unknown(reason),
        None => Verdict::Proved,
    };
    PairVerdict { verdict, partners }
}

fn refuted(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    mut found: Vec<Pair>,
    rule: Rule,
) -> Verdict {
    let order = |pair: &Pair| (pair.collision.here.key.len(), pair.other());
    let shortest = found.iter().map(|pair| pair.collision.here.key.len()).min();
    // Collisions that are accepted must not crowd out others.
    found.sort_by_key(|pair| {
        (accept::is_accepted(context.layout, keyspace, rule, pair.other()), order(pair))
    });
    let more = found.len().saturating_sub(MAX_LISTED);
    found.truncate(MAX_LISTED);
    found.sort_by_key(order);
    let is_shortest = |pair: &Pair| Some(pair.collision.here.key.len()) == shortest;
    let minimal = found.first().is_some_and(|pair| pair.minimal && is_shortest(pair));
    let collisions = found.into_iter().map(|pair| pair.collision).collect();
    let fault = match rule {
        Rule::StructureTyped => Fault::StructureTyped { collisions, more },
        _ => Fault::Disjoint { collisions, more },
    };
    Verdict::Refuted(Box::new(Counterexample { fault, minimal, fixes: Vec::new() }))
}

/// A collision that replays, or why it is not known whether there is one.
fn confirm(
    context: &Context<'_>,
    key: &[u8],
    a: KeyspaceId,
    b: KeyspaceId,
) -> Result<Pair, Unknown> {
    if let Some(collision) = replay::collision(context, key, a, b) {
        // One whose derived bytes were put right may have become longer.
        let minimal = collision.here.key.len() <= key.len();
        return Ok(Pair { collision, minimal });
    }
    let inexact = context.inexact(&[a, b]);
    if inexact.is_empty() {
        return Err(context.unreplayed(key.to_vec(), &[a, b]));
    }
    let under = context.machine(&[a, b], Side::Under).map_err(Unknown::Budget)?;
    let found = collisions(&under, &[], context.budget());
    let real = found.hits.iter().find_map(|(key, _)| replay::collision(context, key, a, b));
    match real {
        Some(collision) => Ok(Pair { collision, minimal: false }),
        None => Err(Unknown::Inexact { codecs: inexact }),
    }
}

struct Found {
    /// The shortest common key of each pair of tracks for which one was found.
    hits: Shared,
    /// The tracks that the search had not done with when it reached a budget, and which.
    open: BTreeMap<TrackId, OverBudget>,
}

/// The shortest common key of each pair of tracks that has one, of those with a keyspace in focus.
///
/// Leaving pairs of states out changes nothing for the others: from a state that no track in focus
/// uses, no run comes back to one, so what is left out leads to pairs only that are left out too,
/// and what is visited is visited in the same order.
fn collisions(machine: &Machine, focus: &[TrackId], budget: Budget<'_>) -> Found {
    let seen = (!focus.is_empty()).then(|| machine.used_by(focus));
    let mut graph = Product { walk: Walk::new(machine), seen, failed: Vec::new() };
    let mut starts = Vec::new();
    let mut left = Vec::new();
    if let Err(over) = graph.pairs(machine.start(), machine.start(), &mut |node| {
        starts.push((node, 0, Step::Silent));
    }) {
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
    Found { hits: hits.collect(), open: undecided(machine, &left) }
}

/// The tracks that may use a pair of states behind which nothing is known: what all others share
/// has been found.
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

/// Pairs of waiting states that the same bytes lead to; the smaller state first.
struct Product<'a> {
    walk: Walk<'a>,
    /// Of each node, whether a keyspace in focus uses it; all do if there is nothing here.
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
            // Two runs inside one keyspace stay there.
            let apart = !matches!(owners, (Some(p), Some(q)) if p == q);
            if apart && (is_seen(x) || is_seen(y)) && may_end_together(machine, x, y) {
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
    ) -> Visit {
        let machine = self.walk.machine;
        match (machine.accepted(a), machine.accepted(b)) {
            (Some(_), Some(_)) => return Visit::Goal,
            (None, None) => {}
            _ => return Visit::On,
        }
        let outcome = steps_together(&mut self.walk, a, b, true)
            .try_for_each(|to| self.pairs(to.a, to.b, &mut |node| steps(node, to.count, to.step)));
        if let Err(over) = outcome {
            self.failed.push((over, (a, b)));
        }
        Visit::On
    }

    fn steps_taken(&mut self) -> usize {
        self.walk.take_steps()
    }
}
