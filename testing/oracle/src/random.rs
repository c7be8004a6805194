//! Random numbers that depend only on a seed.

/// A small generator (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`, which must not be zero.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Returns an integer from `low` to `high`. In a wide range, the integer is at most one away
    /// from an end.
    pub fn integer(&mut self, low: i128, high: i128) -> i128 {
        if high.abs_diff(low) < u128::from(u32::MAX) {
            return low.saturating_add_unsigned(u128::from(self.next()) % (high.abs_diff(low) + 1));
        }
        *self.pick(&[low, low + 1, high - 1, high])
    }

    /// Returns `true` with a probability of `yes` percent.
    pub fn percent(&mut self, yes: usize) -> bool {
        self.below(100) < yes
    }

    /// Returns a random element.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
