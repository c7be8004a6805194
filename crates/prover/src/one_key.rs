//! Searches for one key of one keyspace.

use crate::{
    context::Context,
    pair::{Step, spell},
    replay,
    scan_query::{Interval, Progress, steps_within},
    verdict::{Row, Unknown},
};
use keyscape_automata::{
    Budget, OverBudget,
    search::{Graph, Visit, cheapest},
};
use keyscape_layout::{
    machine::{Machine, State, Walk},
    model::KeyspaceId,
};
use std::cell::Cell;

/// Whether the search is for a key inside or outside an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    Inside,
    Outside,
}

/// A key of a keyspace.
pub(crate) struct FoundKey {
    pub(crate) row: Row,
    /// Whether no other matching key is shorter.
    pub(crate) is_shortest: bool,
}

/// Returns the shortest key of a keyspace inside or outside an interval. If a codec has no exact
/// automaton, the key may be longer.
pub(crate) fn find(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    interval: &Interval,
    goal: Goal,
) -> Result<Option<FoundKey>, Unknown> {
    // The upper bound contains all keys, so no key is shorter than the first one that is found.
    let shortest_length = Cell::new(usize::MAX);
    let find = |side| {
        let machine = context.reader.machine(&[keyspace], side)?;
        let key = shortest(&machine, interval, goal, context.budget())?;
        let length = key.as_ref().map_or(usize::MAX, Vec::len);
        shortest_length.set(shortest_length.get().min(length));
        Ok(key)
    };
    replay::search(context, &[keyspace], find, |key, _| {
        let mut rows = context.reader.rows(key, keyspace).into_iter();
        let row = rows.find(|row| interval.contains(&row.key) == (goal == Goal::Inside))?;
        Some(FoundKey { is_shortest: row.key.len() == shortest_length.get(), row })
    })
}

fn shortest(
    machine: &Machine,
    interval: &Interval,
    goal: Goal,
    budget: Budget<'_>,
) -> Result<Option<Vec<u8>>, OverBudget> {
    let mut graph = Run { walk: Walk::new(machine), interval, goal };
    let start = Progress::start(interval);
    let starts = graph.walk.settle(machine.start());
    let starts = starts.inspect_err(|_| graph.walk.charge(budget))?;
    let starts = starts.iter().map(|(_, state)| ((state, start), 0, Step::Silent));
    let path = cheapest(&mut graph, starts.collect::<Vec<_>>(), budget)?;
    Ok(path.map(|path| spell(&mut graph.walk, &path.labels)))
}

struct Run<'a> {
    walk: Walk<'a>,
    interval: &'a Interval,
    goal: Goal,
}

impl Graph for Run<'_> {
    type Node = (State, Progress);
    type Label = Step;

    fn expand(
        &mut self,
        (state, progress): Self::Node,
        _: u64,
        steps: &mut impl FnMut(Self::Node, u64, Step),
    ) -> Result<Visit, OverBudget> {
        let machine = self.walk.machine;
        if machine.accepted(state).is_some() {
            let is_goal = progress.ends_inside() == (self.goal == Goal::Inside);
            return Ok(if is_goal { Visit::Goal } else { Visit::On });
        }
        // No continuation of this key can match.
        match (progress, self.goal) {
            (Progress::Inside, Goal::Outside) | (Progress::Outside, Goal::Inside) => {
                return Ok(Visit::On);
            }
            _ => {}
        }
        for (count, step, to, progress) in
            steps_within(&mut self.walk, self.interval, state, progress)
        {
            let ways = self.walk.settle(to)?;
            ways.iter().for_each(|(_, to)| steps((to, progress), count.into(), step));
        }
        Ok(Visit::On)
    }

    fn steps_taken(&mut self) -> usize {
        self.walk.take_steps()
    }
}
