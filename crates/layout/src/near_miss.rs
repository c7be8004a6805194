//! Keys that are none: how far each keyspace could read them.

use crate::{
    decode::{Decoder, Reading},
    machine::{State, TrackId},
    model::KeyspaceId,
};
use std::collections::BTreeSet;

/// How far a keyspace could read a key that is not its own.
#[derive(Clone, Debug, PartialEq)]
pub struct NearMiss {
    /// The keyspace.
    pub keyspace: KeyspaceId,
    /// The first byte that does not fit; the length of the key if it ends too early.
    pub offset: usize,
    /// What the keyspace expects there.
    pub expected: Expected,
}

/// What a keyspace expects at a byte.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// This literal byte.
    Byte(u8),
    /// A byte of a field.
    Field {
        /// Its path, with the arms on the way.
        path: String,
        /// Its codec, as written in layouts.
        codec: String,
    },
    /// Another byte: what is derived from the fields of the key is not what stands there.
    Derived {
        /// What is derived: `= sha256(id)`.
        text: String,
        /// The right byte; `None` if the key should have ended.
        byte: Option<u8>,
    },
    /// Nothing more: the key should have ended.
    End,
}

impl Decoder<'_> {
    /// The keyspaces that can read furthest into a key that has no reading, furthest first.
    pub fn near_misses(&mut self, key: &[u8], limit: usize) -> Vec<NearMiss> {
        let mut misses: Vec<NearMiss> = Vec::new();
        let mut alive = vec![self.machine.start()];
        for (offset, ahead) in key.iter().map(Some).chain([None]).enumerate() {
            let mut settled = BTreeSet::new();
            for &state in &alive {
                self.settle_into(state, &mut settled);
            }
            alive.clear();
            for state in settled {
                match ahead.and_then(|&byte| self.machine.step(state, byte)) {
                    Some(to) => alive.push(to),
                    None => self.note_miss(state, offset, &mut misses),
                }
            }
        }
        self.note_wrong_digests(key, &mut misses);
        misses.sort_by(|a, b| b.offset.cmp(&a.offset).then(a.keyspace.cmp(&b.keyspace)));
        misses.truncate(limit);
        misses
    }

    /// Keyspaces that could read the whole key if only its derived bytes were others.
    fn note_wrong_digests(&self, key: &[u8], misses: &mut Vec<NearMiss>) {
        let mut lenient = Self::new(self.layout, self.machine).without_verifying();
        for Reading { keyspace, fields, parts } in lenient.explain(key).readings {
            let Ok(right) = self.layout.keyspace(keyspace).encode(&fields) else { continue };
            let differs = |at: &usize| key.get(*at) != right.get(*at);
            let Some(offset) = (0..key.len().max(right.len())).find(differs) else { continue };
            let part = parts.into_iter().find(|part| part.bytes.contains(&offset));
            let Some(text) = part.and_then(|part| part.field) else { continue };
            let expected = Expected::Derived { text, byte: right.get(offset).copied() };
            misses.retain(|known| known.keyspace != keyspace);
            misses.push(NearMiss { keyspace, offset, expected });
        }
    }

    fn settle_into(&self, state: State, settled: &mut BTreeSet<State>) {
        if settled.insert(state) {
            self.machine.each_exit_of(state, &mut |_, to| self.settle_into(to, settled));
        }
    }

    fn note_miss(&self, state: State, offset: usize, misses: &mut Vec<NearMiss>) {
        let machine = self.machine;
        for track in machine.tracks().filter(|&track| machine.uses(track, state)) {
            let keyspace = machine.keyspace(track);
            let Some(expected) = self.expected(track, state) else { continue };
            let miss = NearMiss { keyspace, offset, expected };
            match misses.iter_mut().find(|known| known.keyspace == keyspace) {
                Some(known) if !is_nearer(&miss, known) => {}
                Some(known) => *known = miss,
                None => misses.push(miss),
            }
        }
    }

    fn expected(&self, track: TrackId, state: State) -> Option<Expected> {
        let machine = self.machine;
        match (machine.literal_byte(state), machine.codec_of(state)) {
            (Some(byte), _) => Some(Expected::Byte(byte)),
            // A leaf that is complete expects nothing; what follows it does.
            (None, Some(_)) if !machine.waits(state) => None,
            (None, Some(codec)) => {
                let keyspace = self.layout.keyspace(machine.keyspace(track));
                let (path, _) = keyspace.leaf_at(machine.place(track, state))?;
                Some(Expected::Field { path, codec: codec.text() })
            }
            (None, None) => machine.accepted(state).map(|_| Expected::End),
        }
    }
}

/// Whether a miss says more than another of the same keyspace: it read further, or it waits for
/// something more definite at the same byte.
fn is_nearer(miss: &NearMiss, known: &NearMiss) -> bool {
    let definite = |miss: &NearMiss| !matches!(miss.expected, Expected::Field { .. });
    (miss.offset, definite(miss)) > (known.offset, definite(known))
}
