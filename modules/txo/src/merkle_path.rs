//! Merkle paths in the BUMP format of BRC-74, for the score of a transaction.

use crate::{
    layout::txo::{MerkleState, Score, Txid},
    score,
};

/// The reason why a merkle path gives no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    /// The bytes end early, or more bytes follow.
    #[error("the merkle path is not in the BUMP format")]
    Format,
    /// The block height exceeds 32 bits.
    #[error("the block height {0} of the merkle path is not a height")]
    Height(u64),
    /// The path does not contain the transaction.
    #[error("the merkle path does not contain transaction {0}")]
    Missing(Txid),
}

/// Returns the position of a transaction that a merkle path states: the block height, and the
/// offset of the transaction among the leaves. The path is not verified against the block header.
///
/// ```
/// use keyscape_txo::{layout::txo::Txid, merkle_path};
///
/// // Height 850000, one level, the leaves 2 and 3.
/// let mut path = vec![0xfe, 0x50, 0xf8, 0x0c, 0x00, 1, 2];
/// path.extend([&[2, 0][..], &[7; 32], &[3, 2], &[8; 32]].concat());
/// let at = merkle_path::position(&path, Txid([8; 32]))?;
/// assert_eq!((at.height, at.index), (850_000, 3));
/// # Ok::<(), merkle_path::BadPath>(())
/// ```
///
/// # Errors
/// [`BadPath`].
pub fn position(path: &[u8], txid: Txid) -> Result<MerkleState, BadPath> {
    let mut bytes = Bytes(path);
    let height = bytes.number()?;
    let height = u32::try_from(height).map_err(|_| BadPath::Height(height))?;
    let mut index = None;
    for level in 0..bytes.byte()? {
        for _ in 0..bytes.number()? {
            let (offset, flags) = (bytes.number()?, bytes.byte()?);
            // A duplicate of the other leaf has no hash.
            let hash = if flags & 1 == 0 { Some(bytes.take(32)?) } else { None };
            if level == 0 && hash == Some(&txid.0) {
                index = Some(offset);
            }
        }
    }
    match (bytes.0, index) {
        ([], Some(index)) => Ok(MerkleState { height, index }),
        ([], None) => Err(BadPath::Missing(txid)),
        _ => Err(BadPath::Format),
    }
}

/// Returns the score of a transaction: its position if a merkle path states one, otherwise its
/// arrival time.
#[must_use]
pub fn score(path: Option<&[u8]>, txid: Txid, nanoseconds: u64) -> Score {
    match path.map(|path| position(path, txid)) {
        Some(Ok(at)) => Score::Confirmed { at },
        _ => score::seen(nanoseconds),
    }
}

/// The rest of a path.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], BadPath> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(BadPath::Format)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, BadPath> {
        self.take(1)?.first().copied().ok_or(BadPath::Format)
    }

    /// Reads a number of variable length, little-endian.
    fn number(&mut self) -> Result<u64, BadPath> {
        let width = match self.byte()? {
            0xfd => 2,
            0xfe => 4,
            0xff => 8,
            small => return Ok(small.into()),
        };
        let bytes = self.take(width)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}
