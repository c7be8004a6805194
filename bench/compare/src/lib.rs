//! Keys of several fields, made and read by Keyscape, by hand, and by other libraries.

pub mod bank;
pub mod machine;
pub mod pairs;
pub mod plot;
pub mod probes;
pub mod report;
pub mod results;
pub mod scale;
pub mod systems;
pub mod texts;
pub mod typed;

use keyscape_bench::{Entry, Work};
use std::hint::black_box;

/// All groups: those of this crate after those that need no other library.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let mut entries = keyscape_bench::entries();
    entries.extend(pairs::entries());
    entries.extend(texts::entries());
    entries.extend(typed::entries());
    entries.extend(bank::entries());
    entries
}

/// Decoding for an interface that takes the key as a vector of its own. The vectors are made before
/// the clock starts: where such keys come from a store, somebody has already made them.
struct Consume<F> {
    keys: Vec<Vec<u8>>,
    ready: Vec<Vec<u8>>,
    read: F,
}

impl<T, F: FnMut(Vec<u8>) -> T> Consume<F> {
    fn new(keys: Vec<Vec<u8>>, read: F) -> Self {
        Self { keys, ready: Vec::new(), read }
    }
}

impl<T, F: FnMut(Vec<u8>) -> T> Work for Consume<F> {
    fn prepare(&mut self, batches: u32) {
        self.ready.clear();
        for _ in 0..batches {
            self.ready.extend_from_slice(&self.keys);
        }
    }

    fn prepares(&self) -> bool {
        true
    }

    fn run(&mut self, _: u32) {
        for key in black_box(&mut self.ready).drain(..) {
            black_box((self.read)(key));
        }
    }
}
