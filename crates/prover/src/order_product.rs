//! The product search of KS004: two rows that agree, then differ in the wrong order.

use crate::{
    context::Context,
    leaf_order::{Orders, compare_ranges, encode},
    pair::{Step, spell, steps_together},
    replay,
    verdict::Unknown,
};
use keyscape_automata::{
    Budget, OverBudget, preferred_bytes, rank,
    search::{Graph, Visit, cheapest},
};
use keyscape_codec::{Codec, Direction, Order, PrefixOrder, Value};
use keyscape_layout::{
    Side,
    machine::{Machine, Mark, Marks, State, TrackId, Walk},
    model::{Keyspace, KeyspaceId, Place, Scan},
};
use std::{cmp::Ordering, ops::Range, sync::Arc};

/// The elementary steps to compare two ways to settle, and to offer an ending.
const STEPS_PER_PAIR: usize = 8;
const STEPS_PER_ENDING: usize = 48;

/// Two keys in the wrong order.
pub(crate) struct DisorderedKeys {
    pub(crate) low: Vec<u8>,
    pub(crate) high: Vec<u8>,
    /// The two values of a leaf, if they decide the order.
    pub(crate) values: Option<replay::Values>,
    /// Whether no shorter keys are in the wrong order.
    pub(crate) minimal: bool,
}

impl From<DisorderedKeys> for Vec<u8> {
    fn from(keys: DisorderedKeys) -> Self {
        keys.low
    }
}

/// Searches for two rows whose byte order contradicts the order of the `by` fields of a scan. If a
/// codec does not know its order, returns the reason for an undecided claim as well.
pub(crate) fn search(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    scan: &Scan,
    side: Side,
) -> Result<(Option<DisorderedKeys>, Option<Unknown>), OverBudget> {
    let machine = context.reader.machine(&[keyspace], side)?;
    let Some(track) = machine.tracks().next() else { return Ok((None, None)) };
    let graph = Product {
        walk: Walk::new(&machine),
        track,
        keyspace: context.layout.keyspace(keyspace),
        by: scan.end..scan.by_end,
        endings: Vec::new(),
        minimal: true,
        unknown: None,
        orders: Orders::default(),
    };
    graph.find(context.budget())
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    /// Two rows that agree so far.
    Together { a: State, b: State },
    /// Two rows whose order is decided.
    Apart { low: State, high: State },
    /// A refutation: an index into the endings.
    End(usize),
}

struct Product<'a> {
    walk: Walk<'a>,
    track: TrackId,
    keyspace: &'a Keyspace,
    by: Range<Place>,
    endings: Vec<Ending>,
    minimal: bool,
    unknown: Option<Unknown>,
    orders: Orders,
}

/// The rests of two keys in the wrong order, without their bytes: for each key, the next bytes and
/// the state at which its shortest rest begins. A search offers many endings and uses one.
struct Ending {
    low: (Vec<u8>, State),
    high: (Vec<u8>, State),
    values: Option<replay::Values>,
}

type Steps<'s> = dyn FnMut(Node, u64, Step) + 's;

impl Product<'_> {
    fn find(
        mut self,
        budget: Budget<'_>,
    ) -> Result<(Option<DisorderedKeys>, Option<Unknown>), OverBudget> {
        let mut starts = Vec::new();
        let start = self.walk.machine.start();
        self.settle_together(start, start, &mut |node| starts.push((node, 0, Step::Silent)))
            .inspect_err(|_| self.walk.charge(budget))?;
        let path = cheapest(&mut self, starts, budget)?;
        let keys = path.and_then(|path| {
            let Node::End(index) = path.end else { return None };
            let shared = spell(&mut self.walk, &path.labels);
            let Ending { low, high, values } = self.endings.get(index)?;
            let key = |(word, state): &(Vec<u8>, State)| {
                [&shared[..], word, &self.walk.shortest(*state)].concat()
            };
            let (low, high, values) = (key(low), key(high), values.clone());
            Some(DisorderedKeys { low, high, values, minimal: self.minimal })
        });
        Ok((keys, self.unknown))
    }

    /// Visits the continuations of two rows that agree after the same bytes. They agree further, or
    /// a mark decides their order.
    fn settle_together(
        &mut self,
        a: State,
        b: State,
        visit: &mut dyn FnMut(Node),
    ) -> Result<(), OverBudget> {
        let ways_a = self.walk.settle(a)?;
        let ways_b = if a == b { ways_a.clone() } else { self.walk.settle(b)? };
        self.walk.count(STEPS_PER_PAIR * ways_a.len() * ways_b.len());
        let pairs = ways_a.iter().flat_map(|x| ways_b.iter().map(move |y| (x, y)));
        for ((marks_a, a), (marks_b, b)) in pairs {
            let order = match marks_a == marks_b {
                true => self.by_case(a, b),
                false => self.decide((marks_a, a), (marks_b, b)),
            };
            if marks_a == marks_b && order.is_none() {
                visit(Node::Together { a, b });
                continue;
            }
            match order {
                Some(Ordering::Less) => visit(Node::Apart { low: a, high: b }),
                Some(Ordering::Greater) => visit(Node::Apart { low: b, high: a }),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the order of two rows that begin a leaf of integers in two cases of a guard. The
    /// cases have disjoint ranges, one below the other.
    fn by_case(&self, a: State, b: State) -> Option<Ordering> {
        let machine = self.walk.machine;
        let begin = machine.is_leaf_start(a) && machine.is_leaf_start(b);
        if !begin || machine.leaf_of(a) == machine.leaf_of(b) {
            return None;
        }
        let place = machine.place(self.track, a);
        if !self.by.contains(&place) {
            return None;
        }
        let (x, y) = (machine.codec_of(a)?.integers()?, machine.codec_of(b)?.integers()?);
        // With `desc`, the order of the values is the reverse of the order of the integers.
        let order = compare_ranges(&x, &y)?;
        let is_reversed = self
            .codec_at(place)
            .is_some_and(|codec| codec.describe().direction() == Direction::Descending);
        Some(if is_reversed { order.reverse() } else { order })
    }

    /// Returns the order of two rows by their first differing mark, or `None` if this mark is not
    /// in the `by` fields. Each row comes with the state in which it waits.
    fn decide(&mut self, (a, at_a): (Marks, State), (b, at_b): (Marks, State)) -> Option<Ordering> {
        let (a, b) = (self.walk.sequence(a), self.walk.sequence(b));
        let at = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let (x, y) = (a.get(at).copied(), b.get(at).copied());
        let machine = self.walk.machine;
        let place = machine.mark(x.or(y)?).1;
        if !self.by.contains(&place) {
            return None;
        }
        match (x.map(|m| machine.mark(m).0), y.map(|m| machine.mark(m).0)) {
            (Some(Mark::Arm(i)), Some(Mark::Arm(j))) => Some(i.cmp(&j)),
            (Some(Mark::Absent), Some(Mark::Present)) => Some(Ordering::Less),
            (Some(Mark::Present), Some(Mark::Absent)) => Some(Ordering::Greater),
            (Some(Mark::End), None) => self.leaving(at_b),
            (None, Some(Mark::End)) => self.leaving(at_a).map(Ordering::reverse),
            _ => None,
        }
    }

    /// Returns the codec of the leaf at a place of the key, with its whole domain.
    fn codec_at(&self, place: Place) -> Option<&Arc<dyn Codec>> {
        self.keyspace.leaf_at(place).map(|(_, leaf)| &leaf.codec)
    }

    /// Returns the order of the codec of a leaf at a place.
    fn order_at(&self, place: Place, codec: &Arc<dyn Codec>) -> Order {
        self.orders.of(&**codec, || self.keyspace.leaf_at(place).map(|(_, leaf)| leaf))
    }

    /// Returns the order of a row that leaves a leaf and a row that stays in it.
    fn leaving(&self, stays: State) -> Option<Ordering> {
        let place = self.walk.machine.place(self.track, stays);
        match self.order_at(place, self.walk.machine.codec_of(stays)?) {
            Order::Ordered { prefix: PrefixOrder::ShorterFirst } => Some(Ordering::Less),
            Order::Ordered { prefix: PrefixOrder::LongerFirst } => Some(Ordering::Greater),
            // `leaf` has refuted the claim, or reports the unknown order.
            _ => None,
        }
    }

    /// Offers rows with two values of a leaf that its codec sorts wrongly.
    fn leaf(&mut self, a: State, b: State, steps: &mut Steps<'_>) {
        let machine = self.walk.machine;
        if !machine.is_leaf_start(a) || !machine.is_leaf_start(b) {
            return;
        }
        let place = machine.place(self.track, a);
        if !self.by.contains(&place) {
            return;
        }
        // Rows in two cases with different ranges have been decided before.
        let Some(codec) = machine.codec_of(a).cloned() else { return };
        let order = self.order_at(place, &codec);
        // If the codec cannot decide, the search may have skipped shorter pairs.
        self.minimal &= !matches!((&order, codec.order()), (Order::Tied { .. }, Order::Unknown(_)));
        match order {
            Order::Ordered { .. } => {}
            Order::Unknown(reason) => {
                self.unknown = Some(Unknown::Order { codec: codec.text(), reason });
                self.minimal = false;
            }
            // Only for rows in one case. In two cases, later bytes distinguish the rows.
            Order::Tied { lower, higher } if a == b => {
                let bytes = self.offer_values(&codec, (a, &lower), (b, &higher), steps);
                self.minimal &= codec.shows_shortest_loss() && self.is_shortest(a, bytes);
            }
            Order::Tied { .. } => {}
            Order::Misordered { lower, higher, minimal } => {
                let bytes = self.offer_values(&codec, (a, &lower), (b, &higher), steps);
                self.minimal &= minimal && self.is_shortest(a, bytes);
                if a != b {
                    self.offer_values(&codec, (b, &lower), (a, &higher), steps);
                }
            }
        }
    }

    /// Whether no pair of an encoding and its extension has fewer bytes than the pair of the codec.
    /// The search has not examined rows that differ at the end of an encoding.
    fn is_shortest(&self, leaf: State, bytes: Option<usize>) -> bool {
        let machine = self.walk.machine;
        machine.is_prefix_free(leaf)
            || machine.dfa_of(leaf).zip(bytes).is_some_and(|(dfa, bytes)| {
                dfa.shortest_nested().is_none_or(|nested| bytes <= nested)
            })
    }

    /// Offers rows with two values of a leaf. Returns the number of bytes of both encodings.
    fn offer_values(
        &mut self,
        codec: &Arc<dyn Codec>,
        (low, lower): (State, &Value),
        (high, higher): (State, &Value),
        steps: &mut Steps<'_>,
    ) -> Option<usize> {
        let machine = self.walk.machine;
        let (low_word, high_word) = (encode(&**codec, lower)?, encode(&**codec, higher)?);
        let low_end = arrive(machine, low, &low_word)?;
        let high_end = arrive(machine, high, &high_word)?;
        let bytes = low_word.len() + high_word.len();
        let offered = self.endings.len();
        self.offer(low_word, low_end, high_word, high_end, steps);
        // Decoding may return other values, so the replay needs these.
        let place = machine.place(self.track, low);
        let path = self.keyspace.leaf_at(place).map(|(path, _)| path).unwrap_or_default();
        if let Some(ending) = self.endings.get_mut(offered) {
            let (lower, higher) = (lower.clone(), higher.clone());
            ending.values = Some(replay::Values { path, lower, higher });
        }
        Some(bytes)
    }

    /// Offers two keys that continue with these words and then the shortest rest.
    fn offer(
        &mut self,
        low_word: Vec<u8>,
        low: State,
        high_word: Vec<u8>,
        high: State,
        steps: &mut Steps<'_>,
    ) {
        let machine = self.walk.machine;
        let rest = machine.nearest(low).checked_add(machine.nearest(high));
        // A key that cannot end has no rest.
        let Some(rest) = rest.filter(|&rest| rest < u64::MAX / 2) else { return };
        let cost = (low_word.len() + high_word.len()) as u64 + rest;
        let (low, high) = ((low_word, low), (high_word, high));
        self.walk.count(STEPS_PER_ENDING);
        self.endings.push(Ending { low, high, values: None });
        steps(Node::End(self.endings.len() - 1), cost, Step::Silent);
    }

    fn together(&mut self, a: State, b: State, steps: &mut Steps<'_>) -> Result<(), OverBudget> {
        let machine = self.walk.machine;
        if machine.accepted(a).is_some() || machine.accepted(b).is_some() {
            return Ok(());
        }
        let place = machine.place(self.track, a);
        if place >= self.by.end && place <= Place(keyscape_layout::MAX_PLACES) {
            return Ok(());
        }
        self.leaf(a, b, steps);
        for to in steps_together(&mut self.walk, a, b, true) {
            self.settle_together(to.a, to.b, &mut |node| steps(node, 2 * to.count, to.step))?;
        }
        Ok(())
    }

    fn apart(&mut self, low: State, high: State, steps: &mut Steps<'_>) -> Result<(), OverBudget> {
        let machine = self.walk.machine;
        match (machine.accepted(low), machine.accepted(high)) {
            (Some(_), None) => return Ok(()),
            (Some(_), Some(_)) => {
                self.offer(Vec::new(), low, Vec::new(), high, steps);
                return Ok(());
            }
            (None, Some(_)) => {
                // The lower row waits for a byte and cannot end here.
                let longer = self.targets(low).into_iter().min_by_key(|(_, _, rest)| *rest);
                if let Some((byte, to, _)) = longer {
                    self.offer(vec![byte], to, Vec::new(), high, steps);
                }
                return Ok(());
            }
            (None, None) => {}
        }
        self.offer_larger_byte(low, high, steps);
        for to in steps_together(&mut self.walk, low, high, false) {
            let (lows, highs) = (self.walk.settle(to.a)?, self.walk.settle(to.b)?);
            self.walk.count(STEPS_PER_PAIR * lows.len() * highs.len());
            for (_, low) in lows.iter() {
                for (_, high) in highs.iter() {
                    steps(Node::Apart { low, high }, 2 * to.count, to.step);
                }
            }
        }
        Ok(())
    }

    /// Offers the cheapest rows in which the lower row has the larger byte here.
    fn offer_larger_byte(&mut self, low: State, high: State, steps: &mut Steps<'_>) {
        // For each byte, the smaller byte with the shortest rest. On a tie, the most readable one.
        let mut below: [Option<(u64, u8, u8, State)>; 256] = [None; 256];
        for (y, to, rest) in self.targets(high) {
            below[usize::from(y)] = Some((rest, rank(y), y, to));
        }
        let mut least = None;
        for at in &mut below {
            let own = at.take();
            *at = least;
            let is_less = |&(rest, rank, ..): &(u64, u8, u8, State)| {
                least.is_none_or(|(known, best, ..)| (rest, rank) < (known, best))
            };
            least = own.filter(is_less).or(least);
        }
        let mut best: Option<(u64, u8, State, u8, State)> = None;
        for (x, low_to, low_rest) in self.targets(low) {
            let Some((high_rest, _, y, high_to)) = below[usize::from(x)] else { continue };
            let cost = low_rest.saturating_add(high_rest);
            if best.is_none_or(|(known, ..)| cost < known) {
                best = Some((cost, x, low_to, y, high_to));
            }
        }
        if let Some((_, x, low_to, y, high_to)) = best {
            self.offer(vec![x], low_to, vec![y], high_to, steps);
        }
    }

    /// Returns each byte that a state can read, with its target and the distance from there to the
    /// end.
    fn targets(&mut self, state: State) -> Vec<(u8, State, u64)> {
        let machine = self.walk.machine;
        let mut targets = Vec::new();
        self.walk.count(256);
        for &byte in preferred_bytes() {
            if let Some(to) = machine.step(state, byte) {
                targets.push((byte, to, self.walk.machine.nearest(to)));
            }
        }
        targets
    }
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
        match at {
            Node::End(_) => return Ok(Visit::Goal),
            Node::Together { a, b } => self.together(a, b, steps)?,
            Node::Apart { low, high } => self.apart(low, high, steps)?,
        }
        Ok(Visit::On)
    }

    fn steps_taken(&mut self) -> usize {
        self.walk.take_steps()
    }
}

/// Returns the state at the end of a leaf's word.
fn arrive(machine: &Machine, start: State, word: &[u8]) -> Option<State> {
    let end = word.iter().try_fold(start, |at, &byte| machine.step(at, byte))?;
    machine.may_leave_leaf(end).then_some(end)
}
