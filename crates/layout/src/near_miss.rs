//! Near misses: the length that each keyspace can read of a key without a reading.

use crate::{
    decode::{Decoder, Mismatch, Reading},
    derived_places,
    machine::{State, TrackId},
    model::KeyspaceId,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// A keyspace that can read the start of a key that does not belong to it.
#[derive(Clone, Debug, PartialEq)]
pub struct NearMiss {
    /// The keyspace.
    pub keyspace: KeyspaceId,
    /// The offset of the first wrong byte, or the length of the key if it ends too early.
    pub offset: usize,
    /// The content that the keyspace expects there.
    pub expected: Expected,
}

/// The content that a keyspace expects at an offset.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// This literal byte.
    Byte(u8),
    /// A byte of a field.
    Field {
        /// The path of the field, including arms.
        path: String,
        /// The text of its codec.
        codec: String,
    },
    /// Another derived byte: the bytes of the key do not match its fields.
    Derived {
        /// The derivation: `= sha256(id)`.
        text: String,
        /// The expected byte, or `None` if the key should have ended.
        byte: Option<u8>,
    },
    /// A derived byte: the key ends inside derived bytes.
    DerivedEnd {
        /// The derivation: `= sha256(id)`.
        text: String,
    },
    /// Other bytes: the bytes have the form of an encoding, but a digest or checksum does not
    /// match.
    Mismatch {
        /// The path of the field, including arms.
        path: String,
        /// The text of its codec.
        codec: String,
        /// The end of its bytes, which start at the offset.
        end: usize,
        /// The reason.
        reason: &'static str,
    },
    /// The end of the key.
    End,
}

/// The nearest miss of each keyspace, with the number of bytes that the keyspace can read.
type Misses = BTreeMap<KeyspaceId, (usize, NearMiss)>;

/// The highest number of visited states in a search for near misses. A state takes about 0.1 µs.
const MAX_VISITED: usize = 1 << 22;

impl Decoder<'_> {
    /// Returns the keyspaces that read furthest into a key without a reading, furthest first.
    /// Examines only the start of a long key that many keyspaces can read.
    pub fn near_misses(&mut self, key: &[u8], limit: usize) -> Vec<NearMiss> {
        let mut misses = Misses::new();
        let mut states = vec![self.machine.start()];
        let mut visited = 0;
        for (offset, ahead) in key.iter().map(Some).chain([None]).enumerate() {
            if visited > MAX_VISITED {
                states.iter().for_each(|&state| self.note_miss(state, key, offset, &mut misses));
                break;
            }
            let mut settled = BTreeSet::new();
            for &state in &states {
                self.settle_into(state, &mut settled);
            }
            states.clear();
            visited += settled.len();
            for state in settled {
                match ahead.and_then(|&byte| self.machine.step(state, byte)) {
                    Some(to) => states.push(to),
                    None => {
                        visited += self.machine.tracks().len();
                        self.note_miss(state, key, offset, &mut misses);
                    }
                }
            }
        }
        self.note_wrong_digests(key, &mut misses);
        let mut misses: Vec<(usize, NearMiss)> = misses.into_values().collect();
        misses.sort_by_key(|(read, miss)| (Reverse(*read), miss.keyspace));
        misses.into_iter().map(|(_, miss)| miss).take(limit).collect()
    }

    /// Adds keyspaces that can read the whole key except for wrong digests and checksums. They come
    /// first, even if the wrong digest is at the start.
    fn note_wrong_digests(&self, key: &[u8], misses: &mut Misses) {
        let mut noted = BTreeSet::new();
        for (reading, mismatch) in Self::new(self.layout, self.machine).explain_with_mismatches(key)
        {
            let keyspace = reading.keyspace;
            let miss = match mismatch {
                Some(Mismatch { bytes, path, codec, reason }) => {
                    let expected = Expected::Mismatch { path, codec, end: bytes.end, reason };
                    Some((bytes.start, expected))
                }
                None => self.wrong_derived(key, reading),
            };
            let Some((offset, expected)) = miss.filter(|_| noted.insert(keyspace)) else {
                continue;
            };
            misses.insert(keyspace, (usize::MAX, NearMiss { keyspace, offset, expected }));
        }
    }

    /// Returns the first derived byte that differs from the digest of the fields.
    fn wrong_derived(&self, key: &[u8], reading: Reading) -> Option<(usize, Expected)> {
        let right = self.layout.keyspace(reading.keyspace).encode(&reading.fields).ok()?;
        let differs = |at: &usize| key.get(*at) != right.get(*at);
        let offset = (0..key.len().max(right.len())).find(differs)?;
        let part = reading.parts.into_iter().find(|part| part.bytes.contains(&offset))?;
        Some((offset, Expected::Derived { text: part.field?, byte: right.get(offset).copied() }))
    }

    fn settle_into(&self, state: State, settled: &mut BTreeSet<State>) {
        if settled.insert(state) {
            self.machine.exits(state).for_each(|(_, to)| self.settle_into(to, settled));
        }
    }

    fn note_miss(&self, state: State, key: &[u8], offset: usize, misses: &mut Misses) {
        let machine = self.machine;
        for track in machine.tracks().filter(|&track| machine.uses(track, state)) {
            let keyspace = machine.keyspace(track);
            let Some(expected) = self.expected(track, state) else { continue };
            let definite = |expected: &Expected| !matches!(expected, Expected::Field { .. });
            let is_nearer = misses.get(&keyspace).is_none_or(|(read, known)| {
                (offset, definite(&expected)) > (*read, definite(&known.expected))
            });
            if is_nearer {
                let (at, expected) = self.mismatch(state, key, offset, expected);
                misses.insert(keyspace, (offset, NearMiss { keyspace, offset: at, expected }));
            }
        }
    }

    fn expected(&self, track: TrackId, state: State) -> Option<Expected> {
        let machine = self.machine;
        match (machine.literal_byte(state), machine.codec_of(state)) {
            (Some(byte), _) => Some(Expected::Byte(byte)),
            // A complete leaf expects nothing. The next part does.
            (None, Some(_)) if !machine.waits(state) => None,
            (None, Some(codec)) => {
                let keyspace = self.layout.keyspace(machine.keyspace(track));
                let place = machine.place(track, state);
                let (path, _) = keyspace.leaf_at(place)?;
                let is_derived = derived_places(&keyspace.key).iter().any(|of| of.place == place);
                Some(match is_derived {
                    true => Expected::DerivedEnd { text: path },
                    false => Expected::Field { path, codec: codec.text() },
                })
            }
            (None, None) => machine.accepted(state).map(|_| Expected::End),
        }
    }

    /// Returns the mismatch of a digest or checksum, if it is the cause of the wrong byte. The
    /// automaton of a codec with few values contains their digests, so it stops at a wrong byte.
    fn mismatch(
        &self,
        state: State,
        key: &[u8],
        offset: usize,
        expected: Expected,
    ) -> (usize, Expected) {
        let Expected::Field { path, codec } = &expected else { return (offset, expected) };
        let found = self.machine.codec_of(state).zip(self.machine.dfa_of(state));
        let word = found.filter(|(of, _)| of.has_checksum()).and_then(|(of, dfa)| {
            // The start is known only if all words have the same length.
            let length = dfa.longest().filter(|longest| dfa.shortest() == Some(*longest))?;
            let read = length.checked_sub(dfa.nearest(state.at) as usize)?;
            let bytes = offset.checked_sub(read)?..offset.checked_sub(read)? + length;
            Some((of.decode(key.get(bytes.clone())?).err()?.reason, bytes))
        });
        let Some((reason, bytes)) = word else { return (offset, expected) };
        let (path, codec) = (path.clone(), codec.clone());
        (bytes.start, Expected::Mismatch { path, codec, end: bytes.end, reason })
    }
}
