//! Comparisons of Keyscape with handwritten code and with other libraries: keys of several fields,
//! typed rows, and the example systems.

pub mod bank;
pub mod evolution;
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

/// Returns all groups: those of `keyscape_bench`, then those of this crate.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let mut entries = keyscape_bench::entries();
    entries.extend(pairs::entries());
    entries.extend(texts::entries());
    entries.extend(typed::entries());
    entries.extend(bank::entries());
    entries
}

/// Decoding with an interface that takes an owned key. The vectors are created before the timed
/// part, because a store that returns owned keys has already created them.
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
