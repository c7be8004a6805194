//! The bytes after which the runs of a search differ.

use super::Product;
use crate::follow::{Member, Runs};
use hashbrown::{HashMap, HashSet};
use keyscape_automata::preferred_bytes;
use keyscape_layout::machine::State;
use smallvec::SmallVec;
use std::rc::Rc;

/// The consumer of the next byte: a leaf of one of the machines, or a literal byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Reader {
    Literal(u8),
    Leaf { machine: u8, leaf: u32 },
}

pub(super) type Readers = SmallVec<[Reader; 8]>;

impl Product<'_, '_> {
    /// Returns one byte for each way in which the runs can step together. Bytes that are easy to
    /// read come first.
    pub(super) fn next_bytes(
        &mut self,
        leader: State,
        other: Option<State>,
        sets: [&[Member]; 2],
    ) -> Rc<[u8]> {
        let machine = self.leader.machine();
        if let Some(byte) = machine.literal_byte(leader) {
            return [byte].into();
        }
        let machines = [
            Some(machine),
            self.all.as_ref().map(|all| all.runs.machine()),
            self.same.as_ref().map(|same| same.runs.machine()),
            self.other.as_ref().map(Runs::machine),
        ];
        let free = |set: usize| {
            let members = sets.get(set).copied().unwrap_or_default();
            members.iter().filter(|member| !member.is_tied).map(move |m| (set + 1, m.state))
        };
        let states = [(0, leader)].into_iter().chain(free(0)).chain(free(1));
        let states = states.chain(other.map(|state| (3, state)));
        let reader = |(at, state): (usize, State)| {
            let machine = machines.get(at).copied().flatten()?;
            match machine.literal_byte(state) {
                Some(byte) => Some(Reader::Literal(byte)),
                None => machine.leaf_of(state).map(|leaf| Reader::Leaf { machine: at as u8, leaf }),
            }
        };
        let with_states: SmallVec<[(Reader, (usize, State)); 8]> =
            states.filter_map(|at| Some((reader(at)?, at))).collect();
        let mut readers: Readers = with_states.iter().map(|(reader, _)| *reader).collect();
        readers.sort_unstable();
        readers.dedup();
        if let Some(cached) = self.progress.bytes.get(&readers) {
            return cached.clone();
        }
        self.progress.steps += 256 * readers.len();
        let mut classes = [0_u32; 256];
        for reader in &readers {
            let state = with_states.iter().find(|(other, _)| other == reader);
            let dfa = state.and_then(|(_, (at, state))| {
                machines.get(*at).copied().flatten().and_then(|machine| machine.dfa_of(*state))
            });
            let mut ids = HashMap::new();
            for (byte, class) in classes.iter_mut().enumerate() {
                let own = match (reader, dfa) {
                    (Reader::Literal(literal), _) => u8::from(usize::from(*literal) == byte),
                    (Reader::Leaf { .. }, Some(dfa)) => dfa.classes()[byte],
                    (Reader::Leaf { .. }, None) => 0,
                };
                let next = ids.len() as u32;
                *class = *ids.entry((*class, own)).or_insert(next);
            }
        }
        let mut seen = HashSet::new();
        let is_new = |byte: &&u8| seen.insert(classes[usize::from(**byte)]);
        let bytes: Rc<[u8]> = preferred_bytes().iter().filter(is_new).copied().collect();
        self.progress.bytes.insert(readers, bytes.clone());
        bytes
    }
}
