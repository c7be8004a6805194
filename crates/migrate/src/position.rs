//! The position of a migration, as it is saved with every commit.

use crate::digest::Digest;
use keyscape_store::KeyRange;

/// The part of a migration that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Rows are moved.
    Rows,
    /// Indexes are built.
    Indexes,
}

/// The position of a migration: the space by its number, and the last key that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) phase: Phase,
    /// The digest of the new rows: of those up to the position in a copy, of all in place.
    pub(crate) digest: Digest,
    pub(crate) space: u32,
    pub(crate) after: Option<Vec<u8>>,
}

impl Position {
    pub(crate) const fn start(digest: Digest) -> Self {
        Self { phase: Phase::Rows, digest, space: 0, after: None }
    }

    /// Returns the range of the keys that were not read.
    pub(crate) fn rest(&self) -> KeyRange<'_> {
        match &self.after {
            Some(key) => KeyRange::all().after(key),
            None => KeyRange::all(),
        }
    }

    pub(crate) const fn next_space(&self) -> Self {
        Self { space: self.space + 1, after: None, ..*self }
    }

    /// Phase, digest, number of the space, whether a key follows, key.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let phase = match self.phase {
            Phase::Rows => b'R',
            Phase::Indexes => b'I',
        };
        let mut bytes = vec![phase];
        bytes.extend_from_slice(&self.digest.to_bytes());
        bytes.extend_from_slice(&self.space.to_be_bytes());
        bytes.push(u8::from(self.after.is_some()));
        bytes.extend_from_slice(self.after.as_deref().unwrap_or_default());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (phase, rest) = bytes.split_first()?;
        let (digest, rest) = rest.split_first_chunk()?;
        let (space, rest) = rest.split_first_chunk()?;
        let phase = match phase {
            b'R' => Phase::Rows,
            b'I' => Phase::Indexes,
            _ => return None,
        };
        let after = match rest {
            [0] => None,
            [1, key @ ..] => Some(key.to_vec()),
            _ => return None,
        };
        let digest = Digest::from_bytes(digest);
        Some(Self { phase, digest, space: u32::from_be_bytes(*space), after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_decode_to_themselves() {
        for phase in [Phase::Rows, Phase::Indexes] {
            for after in [None, Some(Vec::new()), Some(vec![0, 255])] {
                let mut digest = Digest::default();
                digest.add("s", b"k", b"v");
                let position = Position { phase, digest, space: 7, after };
                assert_eq!(Position::decode(&position.encode()), Some(position));
            }
        }
        let start = Position::start(Digest::default()).encode();
        let (flag, before) = start.split_last().unwrap();
        assert_eq!(*flag, 0);
        let changed = |end: &[u8]| [before, end].concat();
        for bad in [vec![], b"R".to_vec(), changed(b""), changed(b"\x02"), changed(b"\0k")] {
            assert_eq!(Position::decode(&bad), None, "{bad:?}");
        }
        assert_eq!(Position::decode(&[b"x", &start[1..]].concat()), None);
    }
}
