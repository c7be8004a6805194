//! KS002: two accepting runs over the same bytes never differ in a mark.
//!
//! The search explores the product of a keyspace's automaton with itself. While two runs agree,
//! they are one run and cross prefix-free leaves in one step. They can only diverge at the end of a
//! leaf or at a choice. If diverged runs reach one state, the key is ambiguous, because the same
//! rest completes both.

use crate::{
    context::Context,
    pair::{Step, may_go_on_together, settle_both, spell, steps_together},
    replay,
    sample::rows_by_words,
    verdict::{Fault, Verdict},
};
use keyscape_automata::{
    Budget, OverBudget,
    search::{Graph, Visit, cheapest},
};
use keyscape_layout::{
    Side, derived_places, fields,
    machine::{Machine, Marks, State, Walk},
    model::KeyspaceId,
};

pub(crate) fn check(context: &Context<'_>, keyspace: KeyspaceId) -> Verdict {
    let find = |side| shortest(context, keyspace, side);
    let replay = |key: &Vec<u8>, side| {
        let fault = replay::two_readings(context, key, keyspace)?;
        // Correcting derived bytes can make the key longer.
        let is_short = matches!(&fault, Fault::Unambiguous { a, .. } if a.key.len() <= key.len());
        Some((fault, side == Side::Over && is_short))
    };
    replay::decide(context, &[keyspace], find, replay, || by_trial(context, keyspace))
}

/// Searches for a refutation among real rows of a key with derived bytes, because short digests can
/// collide.
fn by_trial(context: &Context<'_>, keyspace: KeyspaceId) -> Option<Verdict> {
    let key = &context.layout.keyspace(keyspace).key;
    if derived_places(key).is_empty() {
        return None;
    }
    let rows = fields(key).into_iter().flat_map(|f| rows_by_words(context, keyspace, &f.name));
    let fault = rows.into_iter().find_map(|row| replay::two_real(context, &row.key, keyspace));
    fault.map(|fault| Verdict::refuted(fault, false))
}

fn shortest(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    side: Side,
) -> Result<Option<Vec<u8>>, OverBudget> {
    let machine = context.reader.machine(&[keyspace], side)?;
    let budget = context.budget();
    context.cache.ambiguous(&machine, side, budget, || ambiguous_key(&machine, budget))
}

/// Returns the shortest key with two readings in an automaton of one keyspace.
fn ambiguous_key(machine: &Machine, budget: Budget<'_>) -> Result<Option<Vec<u8>>, OverBudget> {
    let mut graph = Product { walk: Walk::new(machine) };
    let mut starts = Vec::new();
    settle_both(&mut graph.walk, machine.start(), machine.start(), &mut |x, y| {
        starts.push((node(x, y, false), 0, Step::Silent));
    })
    .inspect_err(|_| graph.walk.charge(budget))?;
    let path = cheapest(&mut graph, starts, budget)?;
    Ok(path.map(|path| spell(&mut graph.walk, &path.labels)))
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    /// Two waiting states that the same bytes reach, and whether the runs have diverged.
    Pair { a: State, b: State, diverged: bool },
    /// Diverged runs in one state, which any rest completes.
    Met,
}

fn node((marks_a, a): (Marks, State), (marks_b, b): (Marks, State), diverged: bool) -> Node {
    Node::Pair { a: a.min(b), b: a.max(b), diverged: diverged || marks_a != marks_b }
}

struct Product<'a> {
    walk: Walk<'a>,
}

impl Graph for Product<'_> {
    type Node = Node;
    type Label = Step;

    fn expand(
        &mut self,
        at: Node,
        _: u64,
        steps: &mut impl FnMut(Node, u64, Step),
    ) -> Result<Visit, OverBudget> {
        let Node::Pair { a, b, diverged } = at else { return Ok(Visit::Goal) };
        if diverged && a == b {
            let rest = self.walk.machine.nearest(a);
            if rest != u64::MAX {
                steps(Node::Met, rest, Step::Rest(a));
            }
            return Ok(Visit::On);
        }
        let machine = self.walk.machine;
        match (machine.accepted(a), machine.accepted(b)) {
            (Some(_), Some(_)) if diverged => return Ok(Visit::Goal),
            (None, None) => {}
            _ => return Ok(Visit::On),
        }
        for to in steps_together(&mut self.walk, a, b, !diverged) {
            settle_both(&mut self.walk, to.a, to.b, &mut |x, y| {
                if may_go_on_together(machine, x.1, y.1) {
                    steps(node(x, y, diverged), to.count, to.step);
                }
            })?;
        }
        Ok(Visit::On)
    }

    fn steps_taken(&mut self) -> usize {
        self.walk.take_steps()
    }
}
