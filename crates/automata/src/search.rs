//! Cheapest-first search over lazily created nodes, used by every claim.

use crate::{Budget, OverBudget, STEPS_PER_UNIT};
use alloc::{collections::BTreeMap, vec::Vec};
use core::{
    hash::{BuildHasher, Hash},
    ops::ControlFlow,
};
use hashbrown::{DefaultHashBuilder, HashTable};

/// A graph defined by its steps.
///
/// Costs never decrease along a path. Nodes of equal cost are visited in the order of their
/// discovery, so implementations should offer the most readable label first.
pub trait Graph {
    /// A place in the graph.
    type Node: Copy + Eq + Hash;
    /// The data that a step adds to the result of a path.
    type Label: Clone;

    /// Offers every step from `node` with its cost, and returns whether the node is a goal.
    ///
    /// # Errors
    /// [`OverBudget`] if the steps cannot be computed, which ends the search.
    fn expand(
        &mut self,
        node: Self::Node,
        cost: u64,
        steps: &mut impl FnMut(Self::Node, u64, Self::Label),
    ) -> Result<Visit, OverBudget>;

    /// Returns the number of elementary steps since the last call, and resets it. Offered steps are
    /// counted separately.
    fn steps_taken(&mut self) -> usize {
        0
    }
}

/// The result of expanding a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Continue with the offered steps.
    On,
    /// The node is a goal.
    Goal,
}

/// A cheapest path to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<N, L> {
    /// The final node.
    pub end: N,
    /// The total cost.
    pub cost: u64,
    /// The labels of its steps, in order.
    pub labels: Vec<L>,
}

/// A path in a graph.
pub type PathOf<G> = Path<<G as Graph>::Node, <G as Graph>::Label>;

/// A search that exceeded its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenOff<N> {
    /// The limit that was reached.
    pub over: OverBudget,
    /// The open nodes. Every goal that was not visited is reachable from one of them.
    pub open: Vec<N>,
}

/// Searches for the cheapest goal from `starts`. Returns `None` if no goal exists.
///
/// # Errors
/// [`OverBudget`] if the search exceeds `budget` before it has a result.
pub fn cheapest<G: Graph>(
    graph: &mut G,
    starts: impl IntoIterator<Item = (G::Node, u64, G::Label)>,
    budget: Budget<'_>,
) -> Result<Option<PathOf<G>>, OverBudget> {
    let mut found = None;
    explore(graph, starts, budget, &mut |path| {
        found = Some(path);
        ControlFlow::Break(())
    })
    .map_err(|broken| broken.over)?;
    Ok(found)
}

/// Visits goals in order of cost, until `goal` breaks or no goal is left.
///
/// # Errors
/// [`BrokenOff`] if the search exceeds `budget`. The goals found before that were visited.
pub fn explore<G: Graph>(
    graph: &mut G,
    starts: impl IntoIterator<Item = (G::Node, u64, G::Label)>,
    budget: Budget<'_>,
    goal: &mut dyn FnMut(PathOf<G>) -> ControlFlow<()>,
) -> Result<(), BrokenOff<G::Node>> {
    let mut search = Search::new(budget);
    let mut full = search.take_steps(price::SEARCH);
    let mut left_out = Vec::new();
    let mut offered = 0;
    for (node, cost, label) in starts {
        offered += 1;
        match search.offer(node, cost, NONE, label) {
            Ok(()) => {}
            Err(over) => {
                full = Err(over);
                left_out.push(node);
            }
        }
    }
    let steps = price::EXPANSION + offered * price::OFFER[0] + graph.steps_taken();
    if let Err(over) = full.and_then(|()| search.take_steps(steps)) {
        return Err(search.broken_off(over, left_out));
    }
    while let Some((node, cost, at)) = search.next() {
        let mut full = Ok(());
        let mut offered = 0;
        let visit = graph.expand(node, cost, &mut |next, step, label| {
            offered += 1;
            if full.is_ok() {
                full = search.offer(next, cost + step, at, label);
            }
        });
        let visit = match visit {
            Ok(visit) => visit,
            Err(over) => {
                let charged = search.take_steps(graph.steps_taken());
                return Err(search.broken_off(charged.err().unwrap_or(over), Vec::from([node])));
            }
        };
        let offers = offered * price::OFFER[search.size()];
        let mut steps = price::EXPANSION + offers + graph.steps_taken();
        if visit == Visit::Goal {
            let labels = search.labels(at);
            steps += price::GOAL + labels.len() * price::LABEL;
            if goal(Path { end: node, cost, labels }).is_break() {
                return Ok(());
            }
        }
        if let Err(over) = full.and_then(|()| search.take_steps(steps)) {
            return Err(search.broken_off(over, Vec::from([node])));
        }
    }
    Ok(())
}

/// The prices of the elementary operations of a search.
///
/// They are calibrated on searches of up to millions of nodes. A lookup in a large table waits for
/// memory, so an offer costs more there.
mod price {
    /// Starts a search, which allocates its tables.
    pub(super) const SEARCH: usize = 256;
    /// Takes a node from the queue and offers its steps.
    pub(super) const EXPANSION: usize = 8;
    /// Looks up an offered node, in a small table or in a large one.
    pub(super) const OFFER: [usize; 2] = [4, 32];
    /// Adds a node to the table.
    pub(super) const NODE: [usize; 2] = [16, 96];
    /// Reports a goal, and each label of its path.
    pub(super) const GOAL: usize = 128;
    pub(super) const LABEL: usize = 4;
}

/// A table of more nodes than this is large: it no longer fits the caches.
pub const LARGE_TABLE: usize = 1 << 14;

/// Returns the units of work for a node in a small table that is offered once. `steps` is the
/// number of elementary steps of its expansion.
#[must_use]
pub const fn units_of_node(steps: usize) -> usize {
    let expansion = price::EXPANSION + price::OFFER[0] + steps;
    price::NODE[0] / STEPS_PER_UNIT + expansion / STEPS_PER_UNIT
}

struct Reached<N, L> {
    node: N,
    cost: u64,
    parent: u32,
    /// The next node in the list of nodes with the same cost.
    next: u32,
    label: L,
}

/// The initial capacity. Most searches find fewer nodes.
const FEW: usize = 512;
/// The parent of a start node, and the end of a list.
const NONE: u32 = u32::MAX;
/// The cost of a node that was found again at a lower cost.
const STALE: u64 = u64::MAX;

/// The open and closed nodes of one search.
struct Search<'a, N, L> {
    found: Vec<Reached<N, L>>,
    /// The last entry of each node in `found`.
    latest: HashTable<Slot>,
    hasher: DefaultHashBuilder,
    queue: Queue,
    budget: Budget<'a>,
    /// Remaining units of work of this search.
    left: usize,
}

/// An entry of `found`, with the hash of its node. With the hash, growing the table does not read
/// the nodes.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    id: u32,
}

impl Slot {
    /// Spreads the hash over 64 bits, because tables use the lowest and the highest bits.
    const fn spread(hash: u32) -> u64 {
        (hash as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// Waiting nodes, as indices of `found`. The cheapest nodes come first, and nodes of equal cost in
/// order of arrival. No node is cheaper than the last one taken.
#[derive(Default)]
struct Queue {
    /// The cost of the nodes in `here`, once one has been taken.
    cost: Option<u64>,
    here: List,
    /// The nodes of the most recent cost, if it differs from the cost of `here`. The next node
    /// mostly has the same cost.
    soon: Option<(u64, List)>,
    /// The nodes of all other costs.
    later: BTreeMap<u64, List>,
}

/// A linked list of nodes.
#[derive(Clone, Copy)]
struct List {
    first: u32,
    last: u32,
}

impl Default for List {
    fn default() -> Self {
        Self { first: NONE, last: NONE }
    }
}

impl Queue {
    fn push<N, L>(&mut self, found: &mut [Reached<N, L>], cost: u64, id: u32) {
        let Self { here, soon, later, .. } = self;
        let same = if self.cost == Some(cost) {
            here
        } else {
            if soon.is_none_or(|(known, _)| known != cost) {
                let list = later.remove(&cost).unwrap_or_default();
                if let Some((other, list)) = soon.replace((cost, list)) {
                    later.insert(other, list);
                }
            }
            &mut soon.get_or_insert_default().1
        };
        match found.get_mut(same.last as usize) {
            Some(last) => last.next = id,
            None => same.first = id,
        }
        same.last = id;
    }

    fn pop<N, L>(&mut self, found: &[Reached<N, L>]) -> Option<u32> {
        if self.here.first == NONE {
            if let Some((cost, list)) = self.soon.take() {
                self.later.insert(cost, list);
            }
            let (cost, next) = self.later.pop_first()?;
            (self.cost, self.here) = (Some(cost), next);
        }
        let id = self.here.first;
        self.here.first = found[id as usize].next;
        if self.here.first == NONE {
            self.here.last = NONE;
        }
        Some(id)
    }
}

impl<'a, N: Copy + Eq + Hash, L: Clone> Search<'a, N, L> {
    fn new(budget: Budget<'a>) -> Self {
        Self {
            found: Vec::with_capacity(FEW),
            latest: HashTable::with_capacity(FEW),
            hasher: DefaultHashBuilder::default(),
            queue: Queue::default(),
            budget,
            left: budget.pairs.min(NONE as usize),
        }
    }

    fn offer(&mut self, node: N, cost: u64, parent: u32, label: L) -> Result<(), OverBudget> {
        let size = self.size();
        let Self { found, latest, hasher, .. } = self;
        let hash = hasher.hash_one(node) as u32;
        let known = latest.find_mut(Slot::spread(hash), |slot| {
            slot.hash == hash && found[slot.id as usize].node == node
        });
        if known.as_ref().is_some_and(|slot| found[slot.id as usize].cost <= cost) {
            return Ok(());
        }
        take(&mut self.left, self.budget, price::NODE[size] / STEPS_PER_UNIT)?;
        let id = found.len() as u32;
        match known {
            Some(slot) => {
                found[slot.id as usize].cost = STALE;
                slot.id = id;
            }
            None => {
                latest.insert_unique(Slot::spread(hash), Slot { hash, id }, |slot| {
                    Slot::spread(slot.hash)
                });
            }
        }
        found.push(Reached { node, cost, parent, next: NONE, label });
        self.queue.push(found, cost, id);
        Ok(())
    }

    /// Returns the column of a price: 0 for a small table, 1 for a large one.
    fn size(&self) -> usize {
        usize::from(self.found.len() > LARGE_TABLE)
    }

    fn take_steps(&mut self, steps: usize) -> Result<(), OverBudget> {
        take(&mut self.left, self.budget, steps / STEPS_PER_UNIT)
    }

    fn next(&mut self) -> Option<(N, u64, u32)> {
        loop {
            let id = self.queue.pop(&self.found)?;
            let found = &self.found[id as usize];
            if found.cost != STALE {
                return Some((found.node, found.cost, id));
            }
        }
    }

    /// Returns the open nodes after a limit was reached. `more` contains further nodes that have
    /// not been expanded.
    fn broken_off(mut self, over: OverBudget, more: Vec<N>) -> BrokenOff<N> {
        let mut open = more;
        while let Some((node, ..)) = self.next() {
            open.push(node);
        }
        BrokenOff { over, open }
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

/// Charges units to a search and to the total.
#[inline]
fn take(left: &mut usize, budget: Budget<'_>, units: usize) -> Result<(), OverBudget> {
    let over = OverBudget { what: "search nodes", limit: budget.pairs };
    *left = left.checked_sub(units).ok_or(over)?;
    budget.total.map_or(Ok(()), |total| total.take(units))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Total;

    /// Multiplies by two (cost 3) or adds one (cost 2) until a number is reached.
    struct Numbers(u32);

    impl Graph for Numbers {
        type Node = u32;
        type Label = char;

        fn expand(
            &mut self,
            node: u32,
            _: u64,
            steps: &mut impl FnMut(u32, u64, char),
        ) -> Result<Visit, OverBudget> {
            if node == self.0 {
                return Ok(Visit::Goal);
            }
            if node < self.0 {
                steps(node + 1, 2, '+');
                steps(node * 2, 3, '*');
            }
            Ok(Visit::On)
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

    #[test]
    fn a_search_over_budget_returns_its_open_nodes() {
        let total = Total::new("units", 6 + price::SEARCH / STEPS_PER_UNIT);
        let budget = Budget { pairs: 100, total: Some(&total), ..Budget::default() };
        let broken =
            explore(&mut Numbers(100), [(1, 0, '.')], budget, &mut |_| ControlFlow::Continue(()));
        // 1 leads to 2, and 2 to 3 and 4; 3 has not been expanded.
        let BrokenOff { over, mut open } = broken.unwrap_err();
        open.sort_unstable();
        assert_eq!((over.limit, open), (22, Vec::from([3, 4])));
        assert!(total.take(1).is_err());
    }

    #[test]
    fn a_node_of_a_large_table_costs_more() {
        let spent = |nodes: usize| {
            let total = Total::new("units", usize::MAX);
            let budget = Budget { pairs: usize::MAX, total: Some(&total), ..Budget::default() };
            let goal = nodes as u32;
            assert!(cheapest(&mut Line(goal), [(0, 0, ())], budget).unwrap().is_some());
            total.spent()
        };
        let (small, large) = (LARGE_TABLE / 2, 2 * LARGE_TABLE);
        assert!((small..2 * small).contains(&spent(small)), "{}", spent(small));
        assert!(spent(large) > LARGE_TABLE + 7 * LARGE_TABLE, "{}", spent(large));
    }

    /// Each number leads to the next one.
    struct Line(u32);

    impl Graph for Line {
        type Node = u32;
        type Label = ();

        fn expand(
            &mut self,
            node: u32,
            _: u64,
            steps: &mut impl FnMut(u32, u64, ()),
        ) -> Result<Visit, OverBudget> {
            steps(node + 1, 1, ());
            Ok(if node == self.0 { Visit::Goal } else { Visit::On })
        }
    }
}
