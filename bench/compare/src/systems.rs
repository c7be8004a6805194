//! The cost of operations of the example systems as their states grow.
//!
//! Every operation runs on the memory engine, in a transaction that is not committed. The counts
//! are logical reads and writes. The time excludes the commit.

mod badges;
mod liquidity;
mod paw;
mod report;

pub use report::{charts, json, markdown};

use crate::fixture::{counted, fill, ok};
use keyscape::store::{Count, Db, Mode, StoreError, Tx};
use keyscape_bench::statistics::{Median, median};
use std::{fmt::Debug, time::Instant};

/// The sizes of states.
const SIZES: [u64; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
/// The number of timed runs of each operation.
const RUNS: usize = 301;
/// The number of entries that one transaction adds.
const BATCH: usize = 10_000;

/// One measurement.
#[derive(Clone, Debug)]
pub struct Point {
    /// The name of the system.
    pub system: &'static str,
    /// The name of the operation.
    pub operation: &'static str,
    /// The unit of the size.
    pub by: &'static str,
    /// The size of the state.
    pub size: u64,
    /// The logical reads and writes of one operation.
    pub count: Count,
    /// The nanoseconds of one operation.
    pub nanoseconds: Median,
}

/// A database whose entries of one kind grow in number.
struct Growing {
    system: &'static str,
    by: &'static str,
    db: Db,
    size: u64,
    points: Vec<Point>,
}

impl Growing {
    fn new(system: &'static str, by: &'static str, db: Db) -> Growing {
        Growing { system, by, db, size: 0, points: Vec::new() }
    }

    /// Adds entries up to a size, in transactions of bounded size.
    fn fill<E: From<StoreError> + Debug>(
        &mut self,
        size: u64,
        add: impl Fn(&mut Tx<'_>, u64) -> Result<(), E>,
    ) {
        eprintln!("filling {} with {size} {}", self.system, self.by);
        fill(&self.db, self.size..size, BATCH, add);
        self.size = size;
    }

    /// Counts and times an operation.
    fn measure(&mut self, operation: &'static str, run: impl Fn(&mut Tx<'_>)) {
        let count = counted(&self.db, &run);
        let times = (0..RUNS).map(|_| {
            let mut tx = ok(self.db.begin(Mode::Write));
            let start = Instant::now();
            run(&mut tx);
            start.elapsed().as_nanos() as f64
        });
        let nanoseconds = median(times.collect());
        let (system, by, size) = (self.system, self.by, self.size);
        self.points.push(Point { system, operation, by, size, count, nanoseconds });
    }
}

/// Measures the systems whose parts `wants` selects.
#[must_use]
pub fn measure(wants: impl Fn(&str) -> bool) -> Vec<Point> {
    let mut points = Vec::new();
    if wants("systems-badges") {
        points.extend(badges::measure());
    }
    if wants("systems-liquidity") {
        points.extend(liquidity::measure());
    }
    if wants("systems-paw") {
        points.extend(paw::measure());
    }
    points
}
