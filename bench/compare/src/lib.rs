//! Comparisons of Keyscape with handwritten code and with other libraries: keys of several fields,
//! typed rows, and the example systems.

/// Declares a [`Format`](keyscape_bench::Format) that encodes into the caller's vector. The
/// function that encodes returns whether the key is valid.
macro_rules! vector_format {
    (
        $(#[$doc:meta])* $name:ident: $value:ty => $read:ty, $shown:literal,
        encode $encode:expr, $encode_note:literal, decode $decode:expr, $decode_note:literal
    ) => {
        $(#[$doc])*
        pub(super) struct $name;

        impl keyscape_bench::Format for $name {
            type Value = $value;
            type Read<'a> = $read;
            const NAME: &'static str = $shown;
            const ENCODE_NOTE: &'static str = $encode_note;
            const DECODE_NOTE: &'static str = $decode_note;

            #[inline]
            fn encode(&mut self, value: &$value, key: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
                let encode: fn(&$value, &mut Vec<u8>) -> bool = $encode;
                key.clear();
                if encode(value, key) {
                    emit(key);
                }
            }

            #[inline]
            fn decode<'a>(&mut self, key: &'a [u8]) -> Option<$read> {
                let decode: fn(&'a [u8]) -> Option<$read> = $decode;
                decode(key)
            }
        }
    };
}

pub mod bank;
pub mod evolution;
pub mod fixture;
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

use cw_storage_plus::KeyDeserialize;
use keyscape_bench::{Entry, Side, Work};
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

/// Creates the side of cw-storage-plus that decodes keys. It takes owned keys, which are created
/// before the timed part, because a store that returns owned keys has already created them.
fn consume_keys<K: KeyDeserialize + 'static>(keys: Vec<Vec<u8>>) -> Side {
    let work = Consume { keys, ready: Vec::new(), read: |key| K::from_vec(key).ok() };
    Side::new("cw-storage-plus", "takes the key as a vector, made before the clock", work)
}

struct Consume<F> {
    keys: Vec<Vec<u8>>,
    ready: Vec<Vec<u8>>,
    read: F,
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
