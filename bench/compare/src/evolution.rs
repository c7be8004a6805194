//! Changes of layouts: comparing the largest layouts, migrating rows and auditing them.
//!
//! All sides of a round work on the same rows of redb files, one after the other, in commits of the
//! same number of rows. The raw copies write the bytes of every row as they are, in the order of
//! their keys or in another one, which takes an engine longer. Copy migrations are compared with
//! the raw copy in the same order. A migration in place converts every row twice, because rows are
//! checked before the first one moves.

use crate::{
    fixture::{fill, ok},
    results::interval,
};
use keyscape::{
    migrate::{Migrate, TypedMigration},
    store::{Db, KeyRange, Mode, Read, StoreId},
};
use keyscape_bench::statistics::{Median, median};
use keyscape_inspect::{
    audit,
    database::{OpenDatabase, Reader},
};
use keyscape_layout::{Built, Bundle, Layout, NoImports, read_beside};
use keyscape_store_redb::Options;
use serde_json::{Value, json};
use std::{
    fmt::Write,
    fs,
    hint::black_box,
    num::NonZeroU64,
    ops::ControlFlow,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

mod v1 {
    keyscape::layout!(
        r#"
        store shop version 1
        map orders = "o/" {user: u32le} {order: u32be} -> u32be
        "#
    );
}

mod v2 {
    keyscape::layout!(
        r#"
        store shop version 2
        map orders = "p/" {user: u32be} {order: u32be} -> u64be
            scan all
        "#
    );
}

/// The keys of version 1 after another prefix: rows keep their order.
mod same_order {
    keyscape::layout!(
        r#"
        store shop version 2
        map orders = "p/" {user: u32le} {order: u32be} -> u32be
        "#
    );
}

/// The number of rows, of rows in one commit, and of rounds.
const ROWS: u32 = 200_000;
const BATCH: usize = 1 << 14;
const ROUNDS: usize = 7;
/// The number of comparisons of two layouts.
const DIFFS: usize = 21;

/// One measurement.
#[derive(Clone, Debug)]
pub struct Point {
    /// The work.
    pub what: String,
    /// The unit of `value`.
    pub unit: &'static str,
    /// Milliseconds of a comparison, or rows per second.
    pub value: Median,
    /// The speed divided by that of the raw copy, for work on rows.
    pub to_first: Option<Median>,
    /// The speed divided by that of the raw copy in the same order, for copies.
    pub to_same_order: Option<Median>,
}

/// Measures comparisons of layouts and work on rows.
#[must_use]
pub fn measure() -> Vec<Point> {
    let mut points: Vec<Point> =
        ["onesat", "paw", "bitbadges", "osmosis-cl", "bank"].map(compared).into();
    points.extend(rows());
    points
}

fn compared(system: &str) -> Point {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../layouts").join(system);
    let built = Built::default();
    let read = |name: &str| {
        let text = ok(fs::read_to_string(folder.join(name)));
        ok(read_beside(&built, name, &text, &mut NoImports))
    };
    let (old, new): (Layout, Layout) = (read("deployed.keys"), read("sound.keys"));
    let times = (0..DIFFS).map(|_| {
        let start = Instant::now();
        black_box(keyscape_evolution::diff(&old, &new, keyscape_evolution::Config::default()));
        start.elapsed().as_secs_f64() * 1e3
    });
    let value = median(times.collect());
    Point { what: format!("diff {system}"), unit: "ms", value, to_first: None, to_same_order: None }
}

/// The work of a round. Each copy migration follows the raw copy in its order.
const SIDES: [&str; 7] = [
    "raw copy",
    "copy migration",
    "raw copy, another order",
    "copy migration, another order",
    "migration in place",
    "typed scan",
    "audit",
];

fn rows() -> Vec<Point> {
    let mut rounds: Vec<[f64; SIDES.len()]> = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(round().map(|time| f64::from(ROWS) / time.as_secs_f64()));
    }
    let of =
        |value: &dyn Fn(&[f64; SIDES.len()]) -> f64| median(rounds.iter().map(value).collect());
    let sides = SIDES.iter().enumerate();
    let points = sides.map(|(at, what)| Point {
        what: (*what).to_owned(),
        unit: "rows/s",
        value: of(&|round| round[at]),
        to_first: Some(of(&|round| round[at] / round[0])),
        to_same_order: what
            .starts_with("copy migration")
            .then(|| of(&|round| round[at] / round[at - 1])),
    });
    points.collect()
}

fn round() -> [Duration; SIDES.len()] {
    let folder = ok(tempfile::tempdir());
    let path = |name: &str| folder.path().join(name);
    let old = &v1::shop::LAYOUT;
    let same = TypedMigration::new("", old, &same_order::shop::LAYOUT).with_batch(BATCH);
    let migration = TypedMigration::new("", old, &v2::shop::LAYOUT).with_batch(BATCH);
    create_old(&path("old.redb"));
    ok(fs::copy(path("old.redb"), path("place.redb")));
    let open = |name: &str| Db::new(ok(Options::new().open(path(name), ok(migration.spaces()))));
    let create =
        |name: &str| Db::new(ok(Options::new().create(path(name), ok(migration.spaces()))));
    let (old, place) = (open("old.redb"), open("place.redb"));
    let targets = ["raw.redb", "same.redb", "raw-other.redb", "other.redb"].map(create);
    let raw = timed(|| copy_rows(&old, &targets[0], false));
    let copied = timed(|| drop(ok(old.migrate_to(&targets[1], &same))));
    let raw_other = timed(|| copy_rows(&old, &targets[2], true));
    let copied_other = timed(|| drop(ok(old.migrate_to(&targets[3], &migration))));
    let moved = timed(|| drop(ok(place.migrate(&migration))));
    let scanned = timed(|| {
        let state = ok(place.read());
        black_box(ok(v2::shop::ORDERS.scan_all(&state)).count());
    });
    drop(place);
    let audited = audit_time(&path("place.redb"));
    [raw, copied, raw_other, copied_other, moved, scanned, audited]
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Creates a database with the rows of version 1.
fn create_old(path: &Path) {
    let db = ok(keyscape_store_redb::create(path, &v1::shop::LAYOUT));
    fill(&db, 0..ROWS.into(), BATCH, |tx, row| {
        let row = ok(u32::try_from(row));
        v1::shop::ORDERS.put(tx, (row / 10, row), row)
    });
}

/// Copies all rows as bytes. `reorders` reverses the bytes of the user in each key, as the
/// migration does.
fn copy_rows(old: &Db, new: &Db, reorders: bool) {
    let store = StoreId::of("shop");
    let state = ok(old.read());
    let mut rows = ok(state.rows(store, KeyRange::all()));
    loop {
        let mut tx = ok(new.begin(Mode::Write));
        let mut written = 0;
        while written < BATCH
            && let Some(row) = ok(rows.next())
        {
            match reorders {
                true => {
                    let mut key = row.key.to_vec();
                    key[2..6].reverse();
                    ok(tx.put(store, &key, row.value));
                }
                false => ok(tx.put(store, row.key, row.value)),
            }
            written += 1;
        }
        ok(tx.commit());
        if written < BATCH {
            break;
        }
    }
    ok(new.sync());
}

fn audit_time(path: &Path) -> Duration {
    let built = Built::default();
    let bundle = Bundle::parse(v2::shop::LAYOUT.text);
    let layout = ok(bundle.read(&built, "new.keys", &mut NoImports));
    let db = ok(keyscape_store_redb::open_read_only(path, &v2::shop::LAYOUT));
    let automata = Arc::clone(ok(Reader::new(&layout)).automata());
    let base = OpenDatabase::join(&layout, db, automata, Vec::new(), Vec::new());
    let options = audit::Options { sample: NonZeroU64::MIN, examples: 3 };
    timed(|| {
        let state = ok(base.db.read());
        let report = ok(audit::run(&base, &state, options, || ControlFlow::Continue(())));
        assert_eq!(report.rows, u64::from(ROWS), "every row is audited");
    })
}

/// Appends the measurements as Markdown.
pub fn markdown(points: &[Point], text: &mut String) {
    let _ = write!(
        text,
        "\n## Changes of layouts\n\nComparisons of the deployed with the sound layout of each \
         system, and work on {ROWS} rows in redb files, in commits of {BATCH} rows. The last \
         columns are the speed divided by that of the raw copy, and by that of the raw copy in the \
         same order.\n\n| work | median | to the raw copy | in the same order |\n\
         |---|---:|---:|---:|\n"
    );
    let ratio = |to: &Option<Median>| to.map_or(String::new(), |to| to.to_string());
    for Point { what, unit, value, to_first, to_same_order } in points {
        let _ = writeln!(
            text,
            "| {what} | {:.1} {unit} [{:.1}, {:.1}] | {} | {} |",
            value.value,
            value.low,
            value.high,
            ratio(to_first),
            ratio(to_same_order)
        );
    }
}

/// Returns the measurements as JSON.
#[must_use]
pub fn json(points: &[Point]) -> Value {
    let point = |point: &Point| {
        json!({
            "what": point.what,
            "unit": point.unit,
            "value": interval(&point.value),
            "to_first": point.to_first.as_ref().map(interval),
            "to_same_order": point.to_same_order.as_ref().map(interval),
        })
    };
    points.iter().map(point).collect()
}
