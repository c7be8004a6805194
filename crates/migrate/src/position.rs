//! The position of a migration, as it is saved with every commit.

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
    pub(crate) space: u32,
    pub(crate) after: Option<Vec<u8>>,
}

impl Position {
    pub(crate) const START: Self = Self { phase: Phase::Rows, space: 0, after: None };

    /// Phase, number of the space, whether a key follows, key.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let phase = match self.phase {
            Phase::Rows => b'r',
            Phase::Indexes => b'i',
        };
        let mut bytes = vec![phase];
        bytes.extend_from_slice(&self.space.to_be_bytes());
        bytes.push(u8::from(self.after.is_some()));
        bytes.extend_from_slice(self.after.as_deref().unwrap_or_default());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (phase, rest) = bytes.split_first()?;
        let (space, rest) = rest.split_first_chunk()?;
        let phase = match phase {
            b'r' => Phase::Rows,
            b'i' => Phase::Indexes,
            _ => return None,
        };
        let after = match rest {
            [0] => None,
            [1, key @ ..] => Some(key.to_vec()),
            _ => return None,
        };
        Some(Self { phase, space: u32::from_be_bytes(*space), after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_decode_to_themselves() {
        for phase in [Phase::Rows, Phase::Indexes] {
            for after in [None, Some(Vec::new()), Some(vec![0, 255])] {
                let position = Position { phase, space: 7, after };
                assert_eq!(Position::decode(&position.encode()), Some(position));
            }
        }
        for bad in [&b""[..], b"r", b"x\0\0\0\0\0", b"r\0\0\0\0\x02", b"r\0\0\0\0\0k"] {
            assert_eq!(Position::decode(bad), None, "{bad:?}");
        }
    }
}
