//! The cost of an input in units that do not depend on the machine.

use allocation_counter::{AllocationInfo, measure};
use keyscape_automata::Budget;
use keyscape_layout::{Decoder, Layout, Machine, NoImports, Side, read};
use keyscape_prover::{Config, Report, check};

/// The longest layout for which [`Cost::assert_bounded`] holds.
pub const MAX_BYTES: usize = 100_000;
/// The highest number of units of work for reading, all claims and all fixes. A unit takes about 50
/// ns in a release build, and less than 70 ns in all measured searches. The total is about 2 s.
pub const MAX_UNITS: usize = (1 << 23) + (1 << 24) + (1 << 22);
/// The highest peak of memory in bytes.
pub const MAX_PEAK: u64 = 500 << 20;
/// The highest number of allocations. This bound detects work that no budget counts.
pub const MAX_ALLOCATIONS: u64 = 12_000_000;

/// The cost of checking a layout, or of decoding a key.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Units of work, as budgets count them.
    pub units: usize,
    /// The number of allocations.
    pub allocations: u64,
    /// The highest number of bytes allocated at one time.
    pub peak: u64,
}

impl Cost {
    fn new(units: usize, info: &AllocationInfo) -> Self {
        Self { units, allocations: info.count_total, peak: info.bytes_max }
    }

    /// Whether all numbers are within their bounds.
    #[must_use]
    pub const fn is_bounded(&self) -> bool {
        self.units <= MAX_UNITS && self.allocations <= MAX_ALLOCATIONS && self.peak <= MAX_PEAK
    }

    /// # Panics
    /// If a number is above its bound.
    pub fn assert_bounded(&self) {
        assert!(self.is_bounded(), "too costly: {self:?}");
    }
}

/// Reads and checks a layout as `keyscape check` does, with fixes.
#[must_use]
pub fn of_layout(text: &str) -> (Cost, Option<Report>) {
    let mut found = None;
    let mut units = 0;
    let info = measure(|| match read("cost.keys", text, &mut NoImports) {
        Ok(layout) => {
            let report = check(&layout, Config::default());
            units = layout.work + report.work;
            found = Some(report);
        }
        Err(rejected) => units = rejected.work,
    });
    (Cost::new(units, &info), found)
}

/// Searches for the keyspaces that read furthest into a key of the first space of a layout. Returns
/// the cost and their number.
#[must_use]
pub fn of_near_misses(layout: &Layout, key: &[u8]) -> (Cost, Option<usize>) {
    of_decoder(layout, |decoder| Some(decoder.near_misses(key, 3).len()))
}

/// Decodes a key of the first space of a layout. Returns the cost and the number of readings, or
/// `None` if the key is too ambiguous.
#[must_use]
pub fn of_key(layout: &Layout, key: &[u8]) -> (Cost, Option<usize>) {
    of_decoder(layout, |decoder| {
        let decoded = decoder.decode(key);
        (!decoded.too_ambiguous).then_some(decoded.readings.len())
    })
}

fn of_decoder(
    layout: &Layout,
    run: impl FnOnce(&mut Decoder<'_>) -> Option<usize>,
) -> (Cost, Option<usize>) {
    let mut found = None;
    let info = measure(|| {
        let keyspaces: Vec<_> = layout.keyspace_ids().collect();
        if let Ok(machine) = Machine::build(layout, &keyspaces, Side::Over, Budget::default()) {
            found = run(&mut Decoder::new(layout, &machine));
        }
    });
    (Cost::new(0, &info), found)
}
