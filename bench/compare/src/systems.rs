//! The cost of operations of the example systems as their states grow.
//!
//! Every operation runs in a transaction that is not committed, on the memory engine: logical reads and writes are
//! counted, and the time is that of the operation without a commit.

mod badges;

use crate::{
    plot::{Chart, Line},
    typed::data::ok,
};
use keyscape::store::{Count, Counter, Db, Mode, Tx};
use keyscape_bench::statistics::{Median, median};
use serde_json::{Value, json};
use std::{fmt::Write, sync::Arc, time::Instant};

/// The sizes of states.
pub const SIZES: [u64; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
/// The number of timed runs of each operation.
const RUNS: usize = 301;

/// One measurement.
#[derive(Clone, Debug)]
pub struct Point {
    /// The system.
    pub system: &'static str,
    /// The operation, and what grows.
    pub operation: &'static str,
    /// The size of the state.
    pub size: u64,
    /// The logical reads and writes of one operation.
    pub count: Count,
    /// Nanoseconds of one operation.
    pub nanoseconds: Median,
}

/// Measures all systems.
#[must_use]
pub fn measure() -> Vec<Point> {
    badges::measure()
}

/// Counts and times one operation on a filled state.
fn point(
    system: &'static str,
    operation: &'static str,
    size: u64,
    db: &Db,
    run: impl Fn(&mut Tx<'_>),
) -> Point {
    let counter = Arc::new(Counter::new());
    let mut tx = ok(db.begin(Mode::Write));
    tx.set_meter(Some(counter.clone()));
    run(&mut tx);
    drop(tx);
    let times = (0..RUNS).map(|_| {
        let mut tx = ok(db.begin(Mode::Write));
        let start = Instant::now();
        run(&mut tx);
        start.elapsed().as_nanos() as f64
    });
    let nanoseconds = median(times.collect());
    Point { system, operation, size, count: counter.count(), nanoseconds }
}

/// The systems with their operations, in the order of measuring.
fn rows(points: &[Point]) -> Vec<(&'static str, &'static str)> {
    let mut rows: Vec<_> = Vec::new();
    for point in points {
        let row = (point.system, point.operation);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

/// The measurements for people.
pub fn markdown(points: &[Point], plot: Option<&str>, text: &mut String) {
    text.push_str(
        "\n## Operations of the systems as their states grow\n\nOne operation in a transaction on the memory \
         engine that is not committed: logical reads and writes, and time.\n\n\
         | system | operation | size | rows read by key | rows written | rows read by cursors | bytes read | \
         bytes written | µs |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for Point { system, operation, size, count, nanoseconds } in points {
        let _ = writeln!(
            text,
            "| {system} | {operation} | {size} | {} | {} | {} | {} | {} | {:.1} [{:.1}, {:.1}] |",
            count.gets,
            count.puts + count.deletes,
            count.rows,
            count.bytes_read,
            count.bytes_written,
            nanoseconds.value / 1e3,
            nanoseconds.low / 1e3,
            nanoseconds.high / 1e3,
        );
    }
    if let Some(plot) = plot {
        let _ = writeln!(text, "\n![Microseconds of an operation by size]({plot})");
    }
}

/// The times as a picture.
#[must_use]
pub fn chart(points: &[Point]) -> Chart {
    let line = |row: (&'static str, &'static str)| {
        let of = points.iter().filter(move |point| (point.system, point.operation) == row);
        Line {
            title: format!("{}: {}", row.0, row.1),
            points: of.map(|point| (point.size as f64, point.nanoseconds.value / 1e3)).collect(),
        }
    };
    Chart {
        across: "size",
        unit: "µs an operation",
        marks: SIZES.map(|size| size as f64).to_vec(),
        lines: rows(points).into_iter().map(line).collect(),
    }
}

/// The measurements for programs.
#[must_use]
pub fn json(points: &[Point]) -> Value {
    let points = points.iter().map(|point| {
        json!({
            "system": point.system,
            "operation": point.operation,
            "size": point.size,
            "gets": point.count.gets,
            "puts": point.count.puts,
            "deletes": point.count.deletes,
            "cursor_rows": point.count.rows,
            "bytes_read": point.count.bytes_read,
            "bytes_written": point.count.bytes_written,
            "nanoseconds": {
                "median": point.nanoseconds.value,
                "low": point.nanoseconds.low,
                "high": point.nanoseconds.high,
            },
        })
    });
    points.collect()
}
