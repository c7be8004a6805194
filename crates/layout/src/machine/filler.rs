//! Bytes for places of a key that accept any.

use super::{Machine, MachineLeaf, State};

impl Machine {
    /// Returns `count` bytes for a state that accepts any bytes. If the whole leaf accepts any
    /// bytes of its length, these are bytes of the simplest word, which makes integers small.
    /// Otherwise they are letters.
    #[must_use]
    pub fn filler(&self, state: State, count: u32) -> Vec<u8> {
        let rest = self.leaf_of(state).and_then(|leaf| {
            let MachineLeaf { dfa, simplest, .. } = self.leaf(leaf);
            let is_free = dfa.free(dfa.start()) as usize == simplest.len();
            let from = simplest.len().checked_sub(dfa.free(state.at) as usize)?;
            let rest = simplest.get(from..from + count as usize)?;
            is_free.then(|| rest.to_vec())
        });
        rest.unwrap_or_else(|| vec![b'a'; count as usize])
    }

    /// Whether a state is in a leaf of integers.
    #[must_use]
    pub fn is_integer(&self, state: State) -> bool {
        self.leaf_of(state).is_some_and(|leaf| self.leaf(leaf).codec.integers().is_some())
    }
}
