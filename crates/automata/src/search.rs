//! The one search behind every claim: cheapest first, over nodes that are made as they are needed.

use crate::{Budget, OverBudget};
use alloc::{collections::BTreeMap, collections::VecDeque, vec::Vec};
use core::{hash::Hash, ops::ControlFlow};
use hashbrown::HashMap;

/// A graph that is only known by its steps.
///
/// Costs never fall along a path. Nodes of equal cost are visited in the order in which they were
/// found, so steps should be offered with the most readable label first.
pub trait Graph {
    /// A place in the graph.
    type Node: Copy + Eq + Hash;
    /// What a step adds to the story of a path.
    type Label: Clone;

    /// Offers every step that leads out of `node`, with the cost of that step, and says whether
    /// the search may end here.
    fn expand(
        &mut self,
        node: Self::Node,
        cost: u64,
        steps: &mut dyn FnMut(Self::Node, u64, Self::Label),
    ) -> Visit;
}

/// What a visit to a node decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Go on with the steps that were offered.
    On,
    /// This node is an answer.
    Goal,
}

/// A cheapest path to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<N, L> {
    /// The node where it ends.
    pub end: N,
    /// What it costs.
    pub cost: u64,
    /// The labels of its steps, in order.
    pub labels: Vec<L>,
}

/// A path in a graph.
pub type PathOf<G> = Path<<G as Graph>::Node, <G as Graph>::Label>;

/// Searches from `starts` for the cheapest goal. `None` means that there is none.
///
/// # Errors
/// [`OverBudget`] if more nodes than `budget.pairs` were found before an answer.
pub fn cheapest<G: Graph>(
    graph: &mut G,
    starts: impl IntoIterator<Item = (G::Node, u64, G::Label)>,
    budget: Budget,
) -> Result<Option<PathOf<G>>, OverBudget> {
    let mut found = None;
    explore(graph, starts, budget, &mut |path| {
        found = Some(path);
        ControlFlow::Break(())
    })?;
    Ok(found)
}

/// Visits goals from the cheapest on, until `goal` breaks off or there are no more.
///
/// # Errors
/// [`OverBudget`] if more nodes than `budget.pairs` were found; goals met before were visited.
pub fn explore<G: Graph>(
    graph: &mut G,
    starts: impl IntoIterator<Item = (G::Node, u64, G::Label)>,
    budget: Budget,
    goal: &mut dyn FnMut(PathOf<G>) -> ControlFlow<()>,
) -> Result<(), OverBudget> {
    let mut search = Search::new(budget);
    for (node, cost, label) in starts {
        search.offer(node, cost, NONE, label)?;
    }
    while let Some((node, cost, at)) = search.next() {
        let mut full = Ok(());
        let visit = graph.expand(node, cost, &mut |next, step, label| {
            if full.is_ok() {
                full = search.offer(next, cost + step, at, label);
            }
        });
        if visit == Visit::Goal
            && goal(Path { end: node, cost, labels: search.labels(at) }).is_break()
        {
            return Ok(());
        }
        full?;
    }
    Ok(())
}

struct Found<N, L> {
    node: N,
    cost: u64,
    parent: u32,
    label: L,
}

/// The parent of a start.
const NONE: u32 = u32::MAX;

/// The open and closed nodes of one search.
struct Search<N, L> {
    found: Vec<Found<N, L>>,
    best: HashMap<N, u32>,
    queue: BTreeMap<u64, VecDeque<u32>>,
    budget: Budget,
}

impl<N: Copy + Eq + Hash, L: Clone> Search<N, L> {
    fn new(budget: Budget) -> Self {
        Self { found: Vec::new(), best: HashMap::new(), queue: BTreeMap::new(), budget }
    }

    fn offer(&mut self, node: N, cost: u64, parent: u32, label: L) -> Result<(), OverBudget> {
        if self.best.get(&node).is_some_and(|&known| self.found[known as usize].cost <= cost) {
            return Ok(());
        }
        if self.found.len() >= self.budget.pairs.min(NONE as usize) {
            return Err(OverBudget { what: "search nodes", limit: self.budget.pairs });
        }
        let id = self.found.len() as u32;
        self.found.push(Found { node, cost, parent, label });
        self.best.insert(node, id);
        self.queue.entry(cost).or_default().push_back(id);
        Ok(())
    }

    fn next(&mut self) -> Option<(N, u64, u32)> {
        loop {
            let mut bucket = self.queue.first_entry()?;
            let Some(id) = bucket.get_mut().pop_front() else {
                bucket.remove();
                continue;
            };
            let found = &self.found[id as usize];
            // A node that was found again at a lower cost has an older, dearer entry: skip it.
            if self.best.get(&found.node) == Some(&id) {
                return Some((found.node, found.cost, id));
            }
        }
    }

    fn labels(&self, end: u32) -> Vec<L> {
        let mut labels = Vec::new();
        let mut at = end;
        while let Some(found) = self.found.get(at as usize) {
            labels.push(found.label.clone());
            at = found.parent;
        }
        labels.reverse();
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiply by two (cost 3) or add one (cost 2) until a number is met.
    struct Numbers(u32);

    impl Graph for Numbers {
        type Node = u32;
        type Label = char;

        fn expand(&mut self, node: u32, _: u64, steps: &mut dyn FnMut(u32, u64, char)) -> Visit {
            if node == self.0 {
                return Visit::Goal;
            }
            if node < self.0 {
                steps(node + 1, 2, '+');
                steps(node * 2, 3, '*');
            }
            Visit::On
        }
    }

    #[test]
    fn the_cheapest_path_is_found_although_it_is_found_late() {
        let path = cheapest(&mut Numbers(10), [(1, 0, '.')], Budget::default()).unwrap().unwrap();
        assert_eq!(
            (path.cost, path.labels.iter().collect::<alloc::string::String>()),
            (10, ".+*+*".into())
        );
        assert_eq!(cheapest(&mut Numbers(0), [(1, 0, '.')], Budget::default()).unwrap(), None);
        let tight = Budget { pairs: 3, ..Budget::default() };
        assert!(cheapest(&mut Numbers(100), [(1, 0, '.')], tight).is_err());
    }
}
