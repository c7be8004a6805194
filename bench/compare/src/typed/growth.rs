//! The cost of structures by their size. The database always contains the same number of members,
//! in many small structures or in one large one. The depth of its tree therefore does not change.

use super::{
    live::{BOARD, JOBS},
    ours,
};
use crate::{
    fixture::{fill, leaked, ok, some},
    plot::{Chart, Line},
    results::interval,
};
use fastrand::Rng;
use keyscape::store::{Db, Durability, Tx};
use keyscape_bench::{Batch, Group, Side, inputs::COUNT, rounds, rounds::Plan, statistics::Median};
use serde_json::{Value, json};
use std::{fmt::Write, hint::black_box};

/// The numbers of members of a structure, one per measurement.
pub const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// The highest number of rounds.
const ROUNDS: usize = 101;
/// The number of members that one transaction adds when it fills a database.
const FILLED_AT_ONCE: usize = 50_000;

/// One measurement.
#[derive(Clone, Debug)]
pub struct Point {
    /// The name of the engine.
    pub engine: &'static str,
    /// The name of the operation.
    pub operation: &'static str,
    /// The number of members of the structure.
    pub members: u64,
    /// The number of members of all structures in the database.
    pub total: u64,
    /// The nanoseconds of one operation.
    pub nanoseconds: Median,
}

impl Point {
    /// Returns the operations per second.
    fn rate(&self) -> Median {
        self.nanoseconds.reciprocal().times(1e9)
    }
}

#[derive(Clone, Copy)]
struct Operation {
    name: &'static str,
    add: fn(&mut Tx<'_>, u64, u64) -> Result<(), keyscape::Error>,
    run: fn(&'static Db, Shape) -> Box<dyn FnMut()>,
}

/// The number of structures and the number of members of each.
#[derive(Clone, Copy, Debug)]
struct Shape {
    structures: u64,
    members: u64,
}

impl Shape {
    /// Returns a random structure and a random member of it.
    fn any(self, rng: &mut Rng) -> (u64, u64) {
        (rng.u64(..self.structures), rng.u64(..self.members))
    }
}

const ZSET: [Operation; 3] = [
    Operation { name: "zset: change a score", add: add_score, run: change },
    Operation { name: "zset: read a score", add: add_score, run: score },
    Operation { name: "zset: the first ten", add: add_score, run: first },
];
const QUEUE: [Operation; 1] =
    [Operation { name: "queue: claim, acknowledge, push", add: push, run: cycle }];

fn add_score(tx: &mut Tx<'_>, board: u64, member: u64) -> Result<(), keyscape::Error> {
    BOARD.add(tx, board, member, scattered(member)).map(drop)
}

fn push(tx: &mut Tx<'_>, queue: u64, member: u64) -> Result<(), keyscape::Error> {
    JOBS.push(tx, queue, member, scattered(member)).map(drop)
}

/// Returns the score of a member. Scores and members sort differently.
fn scattered(member: u64) -> u64 {
    member.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}

fn change(db: &'static Db, shape: Shape) -> Box<dyn FnMut()> {
    let mut rng = Rng::with_seed(1);
    Box::new(move || {
        ok(db.write(|tx| {
            (0..COUNT).try_for_each(|_| {
                let (board, member) = shape.any(&mut rng);
                BOARD.add(tx, board, member, rng.u64(..) >> 16).map(drop)
            })
        }));
    })
}

fn score(db: &'static Db, shape: Shape) -> Box<dyn FnMut()> {
    let mut rng = Rng::with_seed(2);
    Box::new(move || {
        let state = ok(db.read());
        for _ in 0..COUNT {
            let (board, member) = shape.any(&mut rng);
            black_box(some(ok(BOARD.score(&state, board, member))));
        }
    })
}

fn first(db: &'static Db, shape: Shape) -> Box<dyn FnMut()> {
    let mut rng = Rng::with_seed(3);
    Box::new(move || {
        let state = ok(db.read());
        for _ in 0..COUNT {
            let (board, _) = shape.any(&mut rng);
            let mut scan = ok(BOARD.members(board).limit(10).scan(&state));
            while let Some(row) = ok(scan.next_row()) {
                black_box(row.member);
            }
        }
    })
}

fn cycle(db: &'static Db, shape: Shape) -> Box<dyn FnMut()> {
    let mut rng = Rng::with_seed(4);
    Box::new(move || {
        ok(db.write(|tx| {
            (0..COUNT).try_for_each(|_| {
                let (queue, _) = shape.any(&mut rng);
                for claim in JOBS.claim(tx, queue, 1, 1_000, 1)? {
                    JOBS.ack(tx, queue, &claim)?;
                    JOBS.push(tx, queue, claim.member, rng.u64(..) >> 16)?;
                }
                Ok::<(), keyscape::Error>(())
            })
        }));
    })
}

/// Measures all operations of structures. redb has a tenth of the members, because filling is slow.
#[must_use]
pub fn measure(turn: Plan) -> Vec<Point> {
    let plan = Plan { rounds: turn.rounds.min(ROUNDS), turn: turn.turn };
    let mut points = Vec::new();
    for (engine, open, total) in
        [("memory", ours::memory as fn() -> Db, 1_000_000), ("redb", ours::redb, 100_000)]
    {
        for operations in [&ZSET[..], &QUEUE] {
            let sizes = SIZES.into_iter().filter(|size| *size <= total);
            let shapes = sizes.map(|members| Shape { structures: total / members, members });
            let filled: Vec<_> =
                shapes.map(|shape| (shape, filled(open(), shape, operations[0]))).collect();
            for operation in operations {
                eprintln!("timing {engine}, {}", operation.name);
                points.extend(timed(engine, *operation, &filled, plan));
            }
        }
    }
    points
}

fn filled(db: Db, Shape { structures, members }: Shape, operation: Operation) -> &'static Db {
    let db = leaked(db.with_durability(Durability::Buffered));
    fill(db, 0..structures * members, FILLED_AT_ONCE, |tx, number| {
        (operation.add)(tx, number / members, number % members)
    });
    ok(db.sync());
    db
}

fn timed(
    engine: &'static str,
    operation: Operation,
    filled: &[(Shape, &'static Db)],
    plan: Plan,
) -> Vec<Point> {
    let side = |(shape, db): &(Shape, &'static Db)| {
        let (shape, db) = (*shape, *db);
        let work: Batch<_, Box<dyn FnMut()>> =
            Batch { before: move || ok(db.sync()), run: (operation.run)(db, shape) };
        Side::new(operation.name, "", work)
    };
    let mut group = Group { title: String::new(), sides: filled.iter().map(side).collect() };
    let times = rounds::measure(&mut group, plan).into_iter().zip(filled);
    let point = |(times, (shape, _)): (rounds::Times, &(Shape, _))| Point {
        engine,
        operation: operation.name,
        members: shape.members,
        total: shape.structures * shape.members,
        nanoseconds: times.nanoseconds,
    };
    times.map(point).collect()
}

/// Returns the engines with their operations, in the order of measurement.
fn rows(points: &[Point]) -> Vec<(&'static str, &'static str)> {
    let mut rows: Vec<_> = points.iter().map(|point| (point.engine, point.operation)).collect();
    rows.dedup();
    rows
}

fn of<'a>(
    points: &'a [Point],
    (engine, operation): (&'a str, &'a str),
) -> impl Iterator<Item = &'a Point> {
    points.iter().filter(move |point| point.engine == engine && point.operation == operation)
}

/// Appends the measurements as Markdown.
pub fn markdown(points: &[Point], plot: Option<&str>, text: &mut String) {
    text.push_str(
        "\n## Structures as they grow\n\nOperations a second, by members of the structure; 1,024 \
         operations a transaction, not synced. The total number of members in a database is the \
         same for all sizes.\n\n\
         | engine | operation | members in all | 1,000 | 10,000 | 100,000 | 1,000,000 |\n\
         |---|---|---:|---:|---:|---:|---:|\n",
    );
    for row in rows(points) {
        let total = of(points, row).next().map_or(0, |point| point.total);
        let _ = write!(text, "| {} | {} | {total} |", row.0, row.1);
        for size in SIZES {
            match of(points, row).find(|point| point.members == size) {
                Some(point) => {
                    let _ = write!(text, " {:.0} |", point.rate());
                }
                None => text.push_str(" – |"),
            }
        }
        text.push('\n');
    }
    if let Some(plot) = plot {
        let _ = writeln!(text, "\n![Operations a second by number of members]({plot})");
    }
}

/// Returns the plot of the measurements.
#[must_use]
pub fn chart(points: &[Point]) -> Chart {
    let line = |row: (&'static str, &'static str)| Line {
        title: format!("{}, {}", row.0, row.1),
        points: of(points, row).map(|point| (point.members as f64, point.rate().value)).collect(),
    };
    Chart {
        across: "members",
        unit: "a second",
        marks: SIZES.map(|size| size as f64).to_vec(),
        lines: rows(points).into_iter().map(line).collect(),
    }
}

/// Returns the measurements as JSON.
#[must_use]
pub fn json(points: &[Point]) -> Value {
    let points = points.iter().map(|point| {
        json!({
            "engine": point.engine,
            "operation": point.operation,
            "members": point.members,
            "members_in_all": point.total,
            "nanoseconds": interval(&point.nanoseconds),
        })
    });
    points.collect()
}
