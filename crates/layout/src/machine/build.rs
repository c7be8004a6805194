//! Building the nodes of keyspaces.

use super::{
    Machine, MachineLeaf, Mark, MarkId, NOWHERE, Node, NodeId, NodeKind, ROOT, Track, TrackId,
};
use crate::{
    built::{Account, Built, Paid},
    guard::{Case, Class, cases, guarded_fields},
    model::{KeyspaceId, Layout, Leaf, List, Place, Segment, Type, places},
    traverse::{Item, ItemKind, traverse, traverse_from},
};
use hashbrown::HashMap;
use keyscape_automata::{Budget, Dfa, Meter, OverBudget, STEPS_PER_UNIT};
use keyscape_codec::{Codec, Language};
use smallvec::SmallVec;
use std::{iter, slice, sync::Arc};

/// The bound to use for an inexact language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Accepts every encoding, and possibly more words. If a search finds nothing, nothing exists.
    Over,
    /// Accepts only encodings, possibly not all. Every word found is an encoding.
    Under,
}

impl Machine {
    /// Builds the automaton of some keyspaces. Common prefixes share nodes.
    ///
    /// # Errors
    /// [`OverBudget`] if an automaton exceeds the budget.
    pub fn build(
        layout: &Layout,
        keyspaces: &[KeyspaceId],
        side: Side,
        budget: Budget,
    ) -> Result<Self, OverBudget> {
        let mut builder = Builder {
            machine: Self {
                nodes: Vec::new(),
                leaves: Vec::new(),
                marks: Vec::new(),
                tracks: Vec::new(),
                by_keyspace: HashMap::new(),
                side,
                after: Vec::new(),
            },
            meter: Meter::new(budget),
            max_nodes: budget.states.saturating_mul(NODES_PER_STATE),
            account: Account::new(budget, Paid::default()),
            trie: HashMap::new(),
            leaf_ids: HashMap::new(),
            built: layout.built.clone(),
            own_marks: HashMap::new(),
            at_places: Vec::new(),
            track: TrackId(0),
        };
        builder.add(NodeKind::Split, NOWHERE)?;
        for &id in keyspaces {
            builder.add_keyspace(id, &layout.keyspace(id).key)?;
        }
        builder.find_owners();
        builder.machine.look_ahead();
        Ok(builder.machine)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Atom {
    Byte(u8),
    Leaf(u32),
}

/// The first node of some added nodes.
type AddedNode = Result<NodeId, OverBudget>;

/// The number of nodes allowed per automaton state in the budget.
const NODES_PER_STATE: usize = 64;

/// The elementary steps to create a node, and to find the leaf of a codec.
const STEPS_PER_NODE: usize = 32;
const STEPS_PER_LEAF: usize = 64;

struct Builder<'t> {
    machine: Machine,
    meter: Meter<'t>,
    max_nodes: usize,
    account: Account<'t>,
    trie: HashMap<(NodeId, Atom), NodeId>,
    leaf_ids: HashMap<String, u32>,
    built: Built,
    /// The marks of the current track by place. The cases of a guard share them.
    own_marks: HashMap<(Place, Mark), MarkId>,
    /// The nodes of the current track with their places.
    at_places: Vec<(Place, NodeId)>,
    track: TrackId,
}

impl Builder<'_> {
    fn add(&mut self, kind: NodeKind, place: Place) -> AddedNode {
        self.meter.steps(STEPS_PER_NODE)?;
        if self.machine.nodes.len() >= self.max_nodes {
            return Err(OverBudget { what: "automaton nodes", limit: self.max_nodes });
        }
        let id = NodeId(self.machine.nodes.len() as u32);
        let edges = SmallVec::new();
        self.machine.nodes.push(Node { kind, exit: None, edges, owner: None, place });
        Ok(id)
    }

    /// Adds a node that only the current track uses.
    fn add_own(&mut self, kind: NodeKind, place: Place) -> AddedNode {
        let id = self.add(kind, place)?;
        let track = self.track;
        self.node(id).owner = Some(track);
        self.at_place(place, id);
        Ok(id)
    }

    fn node(&mut self, id: NodeId) -> &mut Node {
        &mut self.machine.nodes[id.0 as usize]
    }

    fn at_place(&mut self, place: Place, id: NodeId) {
        if place != NOWHERE {
            self.at_places.push((place, id));
        }
    }

    fn new_mark(&mut self, mark: Mark, place: Place) -> MarkId {
        self.machine.marks.push((mark, place));
        MarkId(self.machine.marks.len() as u32 - 1)
    }

    fn own_mark(&mut self, mark: Mark, place: Place) -> MarkId {
        if let Some(&id) = self.own_marks.get(&(place, mark)) {
            return id;
        }
        let id = self.new_mark(mark, place);
        self.own_marks.insert((place, mark), id);
        id
    }

    /// Adds a transition with a mark.
    fn choice(&mut self, from: NodeId, mark: Mark, place: Place, to: NodeId) {
        let mark = self.own_mark(mark, place);
        self.node(from).edges.push((Some(mark), to));
    }

    fn leaf(&mut self, codec: &Arc<dyn Codec>, language: &Language) -> Result<u32, OverBudget> {
        self.meter.steps(STEPS_PER_LEAF)?;
        let text = codec.text();
        if let Some(&known) = self.leaf_ids.get(&text) {
            return Ok(known);
        }
        let (dfa, exact) = match (language, self.machine.side) {
            (Language::Exact(dfa), _) => (dfa, true),
            (Language::Between { over, .. }, Side::Over) => (over, false),
            (Language::Between { under, .. }, Side::Under) => {
                self.meter.steps(under.work().saturating_mul(STEPS_PER_UNIT))?;
                (under.dfa(), false)
            }
        };
        let simplest = self.built.simplest(&text, self.machine.side, || simplest(codec, dfa));
        let (dfa, codec) = (dfa.clone(), codec.clone());
        let prefix_free =
            dfa.is_prefix_free() || matches!(language, Language::Between { prefix_free: true, .. });
        let leaves = &mut self.machine.leaves;
        let leaf = leaves.len() as u32;
        let shared = text.as_str().into();
        leaves.push(MachineLeaf { dfa, codec, text: shared, exact, simplest, prefix_free });
        self.leaf_ids.insert(text, leaf);
        Ok(leaf)
    }

    fn add_keyspace(&mut self, id: KeyspaceId, key: &[Segment]) -> Result<(), OverBudget> {
        self.track = TrackId(self.machine.tracks.len() as u32);
        self.machine.by_keyspace.insert(id, self.track);
        self.own_marks.clear();
        self.machine.tracks.push(Track {
            keyspace: id,
            own: self.machine.nodes.len() as u32..self.machine.nodes.len() as u32,
            shared: Vec::new(),
            places: Vec::new(),
            at_places: Vec::new(),
        });
        let guarded = guarded_fields(key);
        let mut at = ROOT;
        let mut place = Place(0);
        let mut rest = key;
        while let Some((segment, after)) = rest.split_first() {
            if !is_simple(segment, &guarded) {
                break;
            }
            at = self.share(segment, at, place)?;
            place = Place(place.0 + segment.places());
            rest = after;
        }
        let accept = self.add_own(NodeKind::Accept(self.track), Place(places(key)))?;
        let start = self.list(rest, place, accept)?;
        self.node(at).edges.push((None, start));
        let end = self.machine.nodes.len() as u32;
        let track = &mut self.machine.tracks[self.track.0 as usize];
        track.own.end = end;
        // A stable sort keeps nodes of one place in their order of creation.
        self.at_places.sort_by_key(|(place, _)| *place);
        (track.places, track.at_places) = self.at_places.drain(..).unzip();
        Ok(())
    }

    /// Follows or extends the shared part with a simple segment.
    fn share(&mut self, segment: &Segment, from: NodeId, place: Place) -> AddedNode {
        let mut at = from;
        for Item { kind, place, .. } in traverse_from(slice::from_ref(segment), place) {
            let leaf = match kind {
                ItemKind::Literal { literal, .. } => {
                    for (&byte, place) in literal.bytes.iter().zip(place.0..) {
                        at = self.share_atom(Atom::Byte(byte), at, Place(place))?;
                    }
                    continue;
                }
                ItemKind::Leaf(leaf) => leaf,
                ItemKind::Derived(derived) => &derived.leaf,
                // A composite has no node of its own. Simple segments have no other parts.
                _ => continue,
            };
            let leaf = self.leaf(&leaf.codec, &leaf.language)?;
            at = self.share_atom(Atom::Leaf(leaf), at, place)?;
        }
        Ok(at)
    }

    fn share_atom(&mut self, atom: Atom, from: NodeId, place: Place) -> AddedNode {
        let id = match self.trie.get(&(from, atom)) {
            Some(&id) => id,
            None => {
                let kind = match atom {
                    Atom::Byte(byte) => NodeKind::Byte(byte),
                    Atom::Leaf(leaf) => NodeKind::Leaf(leaf),
                };
                let id = self.add(kind, place)?;
                if let Atom::Leaf(_) = atom {
                    let mark = self.new_mark(Mark::End, place);
                    self.node(id).exit = Some(mark);
                }
                self.node(from).edges.push((None, id));
                self.trie.insert((from, atom), id);
                id
            }
        };
        self.machine.tracks[self.track.0 as usize].shared.push((id, place));
        self.at_place(place, id);
        Ok(id)
    }

    /// Adds the nodes of a list of segments with its own guards, before `next`.
    fn list(&mut self, segments: &[Segment], place: Place, next: NodeId) -> AddedNode {
        // A checked model never has too many cases, so `None` does not occur.
        let cases = cases(segments).unwrap_or_default();
        if let [case] = cases.as_slice() {
            return self.case(segments, place, next, case);
        }
        let split = self.add_own(NodeKind::Split, NOWHERE)?;
        for case in &cases {
            let start = self.case(segments, place, next, case)?;
            self.node(split).edges.push((None, start));
        }
        Ok(split)
    }

    fn case(&mut self, segments: &[Segment], place: Place, next: NodeId, case: &Case) -> AddedNode {
        let mut end = Place(place.0 + places(segments));
        let mut at = next;
        for segment in segments.iter().rev() {
            end = Place(end.0 - segment.places());
            at = self.segment(segment, end, at, case)?;
        }
        Ok(at)
    }

    fn segment(&mut self, segment: &Segment, place: Place, next: NodeId, case: &Case) -> AddedNode {
        match segment {
            Segment::Literal(literal) => self.bytes(&literal.bytes, Some(place), next),
            Segment::Field(field) => self.ty(&field.ty, place, next, case.class(&field.name)),
            Segment::Derived(derived) => self.leaf_node(&derived.leaf, place, next, None),
            Segment::Option(option) => {
                let split = self.add_own(NodeKind::Split, place)?;
                let present = option.guard.as_ref().map(|guard| case.satisfies(guard));
                if present != Some(true) {
                    self.choice(split, Mark::Absent, place, next);
                }
                if present != Some(false) {
                    let inside = Place(place.0 + 1);
                    let start = self.case(&option.segments, inside, next, case)?;
                    self.choice(split, Mark::Present, place, start);
                }
                Ok(split)
            }
        }
    }

    /// Adds the nodes of literal bytes before `next`. The texts of an enum have no places.
    fn bytes(&mut self, bytes: &[u8], place: Option<Place>, next: NodeId) -> AddedNode {
        let mut at = next;
        for (offset, &byte) in bytes.iter().enumerate().rev() {
            let place = place.map_or(NOWHERE, |place| Place(place.0 + offset as u32));
            let id = self.add_own(NodeKind::Byte(byte), place)?;
            self.node(id).edges.push((None, at));
            at = id;
        }
        Ok(at)
    }

    fn ty(&mut self, ty: &Type, place: Place, next: NodeId, class: Option<&Class>) -> AddedNode {
        let taken = |arm: usize| match class {
            Some(Class::Choices(choices)) => choices.contains(&arm),
            _ => true,
        };
        match ty {
            Type::Leaf(leaf) => self.leaf_node(leaf, place, next, class),
            Type::Composite(segments) => self.list(segments, place, next),
            Type::List(list) => self.elements(list, place, next),
            Type::Enum(of) => {
                let split = self.add_own(NodeKind::Split, place)?;
                for (index, bytes) in of.bytes.iter().enumerate().filter(|(index, _)| taken(*index))
                {
                    let start = self.bytes(bytes, None, next)?;
                    self.choice(split, Mark::Arm(index as u32), place, start);
                }
                Ok(split)
            }
            Type::Variant(arms) => {
                let split = self.add_own(NodeKind::Split, place)?;
                let mut inside = Place(place.0 + 1);
                for (index, arm) in arms.iter().enumerate() {
                    if taken(index) {
                        let start = self.list(&arm.segments, inside, next)?;
                        self.choice(split, Mark::Arm(index as u32), place, start);
                    }
                    inside = Place(inside.0 + places(&arm.segments));
                }
                Ok(split)
            }
        }
    }

    /// Adds the nodes of a list from its end. After the minimal number of elements, each further
    /// one is a choice.
    fn elements(&mut self, list: &List, place: Place, next: NodeId) -> AddedNode {
        let mut at = next;
        for index in (0..list.max).rev() {
            let element = self.ty(&list.element, Place(place.0 + 1), at, None)?;
            if index < list.min {
                at = element;
                continue;
            }
            // Only the start of the list has a place, because scans may end there.
            at = self.add_own(NodeKind::Split, NOWHERE)?;
            self.choice(at, Mark::Absent, place, next);
            self.choice(at, Mark::Present, place, element);
        }
        let start = self.add_own(NodeKind::Split, place)?;
        self.node(start).edges.push((None, at));
        Ok(start)
    }

    fn leaf_node(
        &mut self,
        leaf: &Leaf,
        place: Place,
        next: NodeId,
        class: Option<&Class>,
    ) -> AddedNode {
        let restricted = match class {
            Some(Class::Integers(range)) => leaf.codec.restrict(range),
            _ => None,
        };
        let index = match restricted {
            Some(codec) => {
                let language = self.built.language(&*codec, &mut self.account)?;
                self.leaf(&codec, &language)?
            }
            None => self.leaf(&leaf.codec, &leaf.language)?,
        };
        let id = self.add_own(NodeKind::Leaf(index), place)?;
        let mark = self.own_mark(Mark::End, place);
        let node = self.node(id);
        node.exit = Some(mark);
        node.edges.push((None, next));
        Ok(id)
    }

    /// Sets the owner of shared nodes that only one track uses.
    fn find_owners(&mut self) {
        let mut users = vec![0_u32; self.machine.nodes.len()];
        for (index, track) in self.machine.tracks.iter().enumerate() {
            for &(id, _) in &track.shared {
                users[id.index()] += 1;
                let is_first = users[id.index()] == 1;
                self.machine.nodes[id.index()].owner = is_first.then_some(TrackId(index as u32));
            }
        }
    }
}

/// Returns the first sample with a shortest encoding, because 0 is easier to read than `aaaaaaaa`.
fn simplest(codec: &Arc<dyn Codec>, dfa: &Dfa) -> Vec<u8> {
    // The simplest value nearly always suffices.
    let rest = || codec.samples().into_iter().take(SAMPLES_TRIED);
    let values = codec.simplest().into_iter().chain(iter::once_with(rest).flatten());
    let mut words = values.filter_map(|value| codec.encoding(&value).ok());
    let shortest = dfa.shortest();
    words
        .find(|word| Some(word.len()) == shortest && dfa.accepts(word))
        .unwrap_or_else(|| dfa.shortest_from(dfa.start()))
}

/// The number of samples to try before using the shortest word of the automaton.
const SAMPLES_TRIED: usize = 4;

/// Whether a segment can be shared: it has no choice, and no guard names it.
fn is_simple(segment: &Segment, guarded: &[&str]) -> bool {
    traverse(slice::from_ref(segment)).all(|item| match item.kind {
        ItemKind::Literal { .. } | ItemKind::Derived(_) | ItemKind::Leaf(_) => true,
        ItemKind::Field(field) => item.path.steps().len() > 1 || !guarded.contains(&&*field.name),
        ItemKind::Option(_)
        | ItemKind::Enum(_)
        | ItemKind::List(_)
        | ItemKind::Variant(_)
        | ItemKind::Arm(_) => false,
    })
}
