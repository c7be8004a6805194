//! Random values to encode, the same in every run.

use fastrand::Rng;

/// The number of values in a batch: enough to defeat branch prediction, few enough for the cache.
pub const COUNT: usize = 1024;

/// Returns `COUNT` values from a generator with a fixed seed.
pub fn random<T>(mut value: impl FnMut(&mut Rng) -> T) -> Vec<T> {
    let mut rng = Rng::with_seed(0x6b65_7973);
    (0..COUNT).map(|_| value(&mut rng)).collect()
}

/// Returns a random integer whose number of bits is uniformly distributed.
pub fn any_width(rng: &mut Rng) -> u64 {
    rng.u64(..) >> rng.u32(0..64)
}

/// Returns a random text of lower-case letters and digits.
pub fn text(rng: &mut Rng, length: usize) -> String {
    const LETTERS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    (0..length).map(|_| char::from(LETTERS[rng.usize(..LETTERS.len())])).collect()
}

/// Returns `N` random bytes.
pub fn bytes<const N: usize>(rng: &mut Rng) -> [u8; N] {
    std::array::from_fn(|_| rng.u8(..))
}
