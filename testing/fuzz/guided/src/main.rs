//! Runs a fuzz target under libFuzzer, which prefers inputs that reach new code.
//!
//! `cargo xtask fuzz` builds it with the counters that libFuzzer needs. `keyscape-fuzz --guided`
//! starts it once for each target, with the name of the target in `KEYSCAPE_FUZZ`.
#![no_main]

use keyscape_fuzz::{Mutator, TARGETS, Target};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use std::sync::OnceLock;

fuzz_target!(|input: &[u8]| (target().run)(input));

// Half of the inputs are changed as the target prefers, with words or the grammar of layouts.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 2 == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut mutator = Mutator::new(u64::from(seed));
    let changed = (target().mutate)(&mut mutator, &data[..size], &data[..size]);
    let length = changed.len().min(max_size);
    data[..length].copy_from_slice(&changed[..length]);
    length
});

fn target() -> &'static Target {
    static CHOSEN: OnceLock<&Target> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let name = std::env::var("KEYSCAPE_FUZZ").unwrap_or_default();
        let found = TARGETS.iter().find(|target| target.name == name);
        found.unwrap_or_else(|| panic!("`KEYSCAPE_FUZZ` is `{name}`, which is not a target"))
    })
}
