//! Values to encode: many, random, and the same in every run.

use fastrand::Rng;

/// How many values a batch has: enough that no branch is learnt by heart, few enough for the cache.
pub const COUNT: usize = 1024;

/// `COUNT` values from a generator that always starts alike.
pub fn random<T>(mut value: impl FnMut(&mut Rng) -> T) -> Vec<T> {
    let mut rng = Rng::with_seed(0x6b65_7973);
    (0..COUNT).map(|_| value(&mut rng)).collect()
}

/// Integers of every number of digits, none of them favoured.
pub fn any_width(rng: &mut Rng) -> u64 {
    rng.u64(..) >> rng.u32(0..64)
}

/// Lower-case letters and digits.
pub fn text(rng: &mut Rng, length: usize) -> String {
    const LETTERS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    (0..length).map(|_| char::from(LETTERS[rng.usize(..LETTERS.len())])).collect()
}

/// Bytes of a known number.
pub fn bytes<const N: usize>(rng: &mut Rng) -> [u8; N] {
    std::array::from_fn(|_| rng.u8(..))
}
