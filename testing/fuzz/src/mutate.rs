//! Small, reproducible changes to inputs.

use fastrand::Rng;

/// A generator of changed inputs. Equal seeds yield equal inputs.
#[derive(Clone, Debug)]
pub struct Mutator {
    random: Rng,
}

/// Bytes that parsers and comparisons often treat specially.
const SPECIAL: &[u8] = b"\x00\x01\x7f\x80\xfe\xff\"\\{}[]()|/-.:=09azAZ \n";

/// Fragments of layouts. In keys, they are ordinary bytes.
const WORDS: &[&str] = &[
    "wrap hex(",
    "wrap groups8(",
    "wrap escaped(",
    "wrap complement({x: u8})",
    "{= sha256(x)}",
    "{= twox64(id)[2]} ",
    "twox128(\"a\")",
    "blake2_256(0x00)",
    "f64_sum(u8, u8 in 0..=3, 1e1)",
    "list(u8)[0..=2]",
    " in 0..=9",
    " if x is not a",
    "namespace n = 0x01 {",
    "reserve 0x01 \"\"",
    "scan all",
];

impl Mutator {
    /// Creates a generator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed) }
    }

    /// Returns a number below `limit`, or zero if `limit` is zero.
    pub fn below(&mut self, limit: usize) -> usize {
        self.random.usize(..limit.max(1))
    }

    /// Returns a changed copy of `input`, sometimes with a part of `other`.
    pub fn mutate(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let mut out = input.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(out.len() + 1);
            let end = (at + self.below(9)).min(out.len());
            match self.below(8) {
                0 => drop(out.drain(at..end)),
                1 => out.insert(at, SPECIAL[self.below(SPECIAL.len())]),
                2 => out.insert(at, self.random.u8(..)),
                3 => {
                    if let Some(byte) = out.get_mut(at) {
                        *byte ^= 1 << self.random.u8(..8);
                    }
                }
                4 => {
                    let copy = out[at..end].to_vec();
                    out.splice(at..at, copy);
                }
                5 => {
                    let from = self.below(other.len() + 1);
                    let to = (from + self.below(32)).min(other.len());
                    out.splice(at..end, other[from..to].iter().copied());
                }
                6 => {
                    let word = WORDS[self.below(WORDS.len())];
                    out.splice(at..end, word.bytes());
                }
                _ => {
                    if let Some(byte) = out.get_mut(at) {
                        *byte = SPECIAL[self.below(SPECIAL.len())];
                    }
                }
            }
        }
        out.truncate(1 << 12);
        out
    }
}
