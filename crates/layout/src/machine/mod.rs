//! The marked automaton: one automaton per space whose silent transitions carry marks.
//!
//! Decoding and all proofs use this automaton. A run over a key yields a sequence of [marks](Mark):
//! the end of each leaf, the chosen arm of a variant, the presence of an optional part. Two runs
//! over the same bytes are the same reading exactly if they have the same marks at the same
//! offsets.
//!
//! Keyspaces that begin with the same literals and leaves share these nodes in a trie. The number
//! of nodes, and the work of a search, therefore does not grow with the number of keyspaces that
//! begin alike. From the first choice or guard on, a keyspace has its own nodes.

mod ahead;
mod build;
mod long_keys;
mod shape;
mod state;
mod walk;

use crate::model::{KeyspaceId, Place};
use hashbrown::HashMap;
use keyscape_automata::Dfa;
use keyscape_codec::Codec;
use smallvec::SmallVec;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

pub use ahead::Ahead;
pub use build::Side;
pub use long_keys::LONGEST_SPELLED;
pub use shape::Shape;
pub use state::{Inside, State};
pub use walk::{Marks, STEPS_PER_WAY, Walk, Ways};

/// A node of a [`Machine`]: an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// Returns the index of the node.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A mark: an index into the machine's marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MarkId(pub(crate) u32);

/// The decision of a silent transition about a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A leaf ends here.
    End,
    /// The run chose this text of an enum or arm of a variant.
    Arm(u32),
    /// The optional part is absent.
    Absent,
    /// The optional part is present.
    Present,
}

/// A keyspace of a [`Machine`]: an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrackId(pub(crate) u32);

/// The automaton of one or more keyspaces.
#[derive(Debug)]
pub struct Machine {
    nodes: Vec<Node>,
    leaves: Vec<MachineLeaf>,
    marks: Vec<(Mark, Place)>,
    tracks: Vec<Track>,
    by_keyspace: HashMap<KeyspaceId, TrackId>,
    side: Side,
    /// The numbers of bytes from each node to the end of a key.
    after: Vec<Ahead>,
}

#[derive(Debug)]
struct Node {
    kind: NodeKind,
    /// The mark for leaving the node.
    exit: Option<MarkId>,
    /// The next nodes with the marks of the transitions.
    edges: SmallVec<[(Option<MarkId>, NodeId); 1]>,
    /// The track that uses the node, if there is only one.
    owner: Option<TrackId>,
    /// The place of the node in its owner's key, for nodes that were never shared.
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeKind {
    Byte(u8),
    Leaf(u32),
    Split,
    Accept(TrackId),
}

#[derive(Debug)]
struct MachineLeaf {
    dfa: Arc<Dfa>,
    codec: Arc<dyn Codec>,
    /// The text of the codec.
    text: Arc<str>,
    /// Whether the automaton accepts exactly the encodings of the codec.
    exact: bool,
    /// A shortest word, preferably of a simple value.
    simplest: Vec<u8>,
    /// Whether no encoding is a prefix of another, even if words of the automaton are.
    prefix_free: bool,
}

/// One keyspace of a [`Machine`].
#[derive(Debug)]
struct Track {
    keyspace: KeyspaceId,
    /// The nodes that were created for the keyspace. Others may share some of them.
    own: Range<u32>,
    /// The place of each shared node that the keyspace uses, ascending, because a node is created
    /// after its predecessor.
    shared: Vec<(NodeId, Place)>,
    /// The places of nodes, ascending. A place occurs several times if a guard has several cases.
    places: Vec<Place>,
    /// The nodes at these places.
    at_places: Vec<NodeId>,
}

impl Track {
    /// Returns the nodes that the track may use.
    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.shared.iter().map(|(id, _)| *id).chain(self.own.clone().map(NodeId)).chain([ROOT])
    }

    #[inline]
    fn shared_place(&self, node: NodeId) -> Option<Place> {
        let found = self.shared.binary_search_by_key(&node, |(node, _)| *node);
        found.ok().map(|at| self.shared[at].1)
    }
}

const ROOT: NodeId = NodeId(0);
/// The place of nodes without a place in a key: the root, and the splits between cases.
const NOWHERE: Place = Place(u32::MAX);

impl Machine {
    #[inline]
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    #[inline]
    fn leaf(&self, index: u32) -> &MachineLeaf {
        &self.leaves[index as usize]
    }

    /// Returns the state in which every run begins.
    #[must_use]
    pub const fn start(&self) -> State {
        State { node: ROOT, at: 0 }
    }

    /// Returns the tracks in the order of the given keyspaces.
    pub fn tracks(&self) -> impl ExactSizeIterator<Item = TrackId> + use<> {
        (0..self.tracks.len() as u32).map(TrackId)
    }

    /// Returns the keyspace of a track.
    #[must_use]
    pub fn keyspace(&self, track: TrackId) -> KeyspaceId {
        self.tracks[track.0 as usize].keyspace
    }

    /// Returns the track of a keyspace.
    #[must_use]
    pub fn track(&self, keyspace: KeyspaceId) -> Option<TrackId> {
        self.by_keyspace.get(&keyspace).copied()
    }

    /// Returns a mark and its place in the key. The place is meaningful only in an automaton of one
    /// keyspace.
    #[must_use]
    pub fn mark(&self, mark: MarkId) -> (Mark, Place) {
        self.marks[mark.0 as usize]
    }

    /// Returns the track that can use the state, if there is only one.
    #[must_use]
    #[inline]
    pub fn owner(&self, state: State) -> Option<TrackId> {
        self.node(state.node).owner
    }

    /// Whether runs of the track may be in this state.
    #[must_use]
    pub fn uses(&self, track: TrackId, state: State) -> bool {
        let node = self.node(state.node);
        match node.owner {
            Some(owner) => owner == track,
            None => {
                let of_track = &self.tracks[track.0 as usize];
                state.node == ROOT || of_track.shared_place(state.node).is_some()
            }
        }
    }

    /// Returns for each node whether runs of some tracks may be in it.
    #[must_use]
    pub fn used_by(&self, tracks: &[TrackId]) -> Vec<bool> {
        let mut used = vec![false; self.nodes.len()];
        used[ROOT.index()] = true;
        for track in tracks {
            for id in self.tracks[track.0 as usize].nodes() {
                used[id.index()] |= self.uses(*track, self.state_at(id));
            }
        }
        used
    }

    /// Returns the entry of the first node of a track that has an entry.
    #[must_use]
    pub fn first_used<T: Copy>(&self, track: TrackId, entries: &BTreeMap<NodeId, T>) -> Option<T> {
        let nodes = self.tracks[track.0 as usize].nodes();
        // The smallest node makes the result deterministic.
        entries.get(&nodes.filter(|id| entries.contains_key(id)).min()?).copied()
    }

    /// Returns the nodes of a track that start at a place of its key.
    #[must_use]
    pub fn nodes_at(&self, track: TrackId, place: Place) -> &[NodeId] {
        let Track { places, at_places, .. } = &self.tracks[track.0 as usize];
        let from = places.partition_point(|&known| known < place);
        let count = places[from..].iter().take_while(|&&known| known == place).count();
        &at_places[from..from + count]
    }

    /// Returns the state of a run that has just arrived at a node.
    #[must_use]
    pub const fn state_at(&self, node: NodeId) -> State {
        State { node, at: 0 }
    }

    /// Returns the place of a state in the key of a track.
    #[must_use]
    pub fn place(&self, track: TrackId, state: State) -> Place {
        let shared = self.tracks[track.0 as usize].shared_place(state.node);
        shared.unwrap_or(self.node(state.node).place)
    }

    /// Returns the track whose key ends in this state.
    #[must_use]
    #[inline]
    pub fn accepted(&self, state: State) -> Option<TrackId> {
        match self.node(state.node).kind {
            NodeKind::Accept(track) => Some(track),
            _ => None,
        }
    }

    /// Returns the id of the leaf of a state. All nodes with the same codec and domain share the
    /// id.
    #[must_use]
    #[inline]
    pub fn leaf_of(&self, state: State) -> Option<u32> {
        match self.node(state.node).kind {
            NodeKind::Leaf(leaf) => Some(leaf),
            _ => None,
        }
    }

    /// Returns the codec of the leaf of a state.
    #[must_use]
    pub fn codec_of(&self, state: State) -> Option<&Arc<dyn Codec>> {
        self.leaf_of(state).map(|leaf| &self.leaf(leaf).codec)
    }

    /// Returns the automaton of the leaf of a state.
    #[must_use]
    pub fn dfa_of(&self, state: State) -> Option<&Arc<Dfa>> {
        self.leaf_of(state).map(|leaf| &self.leaf(leaf).dfa)
    }

    /// Whether no encoding of the leaf of a state is a prefix of another.
    #[must_use]
    #[inline]
    pub fn is_prefix_free(&self, state: State) -> bool {
        self.leaf_of(state).is_some_and(|leaf| self.leaf(leaf).prefix_free)
    }

    /// Returns a shortest word of the leaf of a state, preferably of a simple value.
    #[must_use]
    pub fn simplest_word(&self, state: State) -> &[u8] {
        self.leaf_of(state).map_or(&[], |leaf| &self.leaf(leaf).simplest)
    }

    /// Returns the texts of a track's codecs without an exact automaton.
    #[must_use]
    pub fn inexact_codecs(&self, track: TrackId) -> Vec<String> {
        let states = self.tracks[track.0 as usize].nodes().map(|id| self.state_at(id));
        let used = states.filter(|state| self.uses(track, *state));
        let leaves = used.filter_map(|state| Some(self.leaf(self.leaf_of(state)?)));
        let inexact = leaves.filter(|leaf| !leaf.exact).map(|leaf| leaf.codec.text());
        inexact.collect::<BTreeSet<_>>().into_iter().collect()
    }
}
