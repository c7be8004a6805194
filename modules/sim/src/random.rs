//! Random choices.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The random numbers of a block. They depend on the key alone.
#[derive(Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Creates the numbers of a block.
    #[must_use]
    pub fn new(seed: u64, height: u64) -> Random {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_be_bytes());
        key[8..16].copy_from_slice(&height.to_be_bytes());
        Random::from_key(key)
    }

    /// Creates the numbers of a key.
    #[must_use]
    pub fn from_key(key: [u8; 32]) -> Random {
        Random(ChaCha8Rng::from_seed(key))
    }

    /// Draws a number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64().checked_rem(bound).unwrap_or(0)
    }

    /// Draws an element of a list.
    pub fn pick<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        let index = self.below(list.len() as u64);
        list.get(usize::try_from(index).ok()?).cloned()
    }

    /// Draws bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}
