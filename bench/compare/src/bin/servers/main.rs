//! Typed access to PostgreSQL compared with handwritten code on the same server, and transfers of
//! several clients. The program starts its own server.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a command-line program")]

mod raw;
mod transfers;
mod typed;

use keyscape_bench::statistics::{Median, median};
use keyscape_bench_compare::{machine::Machine, plot, results::interval};
use keyscape_cluster::Postgres;
use raw::Raw;
use serde_json::{Value, json};
use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};
use typed::Typed;

/// The rows of the table, and those of one user.
const ROWS: u64 = 20_000;
const OF_USER: u64 = 1_000;
const ROUNDS: usize = 61;
/// The length of a turn: one side works that long before the other one does.
const TURN: Duration = Duration::from_millis(20);

/// One kind of work on both sides. Each function does it once; its argument varies keys and values.
struct Work<'s> {
    what: &'static str,
    raw: Box<dyn FnMut(u64) + 's>,
    typed: Box<dyn FnMut(u64) + 's>,
}

/// The result of one kind of work.
struct Measured {
    what: &'static str,
    /// Microseconds of both sides, typed ÷ raw, and allocations of both sides.
    raw: Median,
    typed: Median,
    ratio: Median,
    allocations: [f64; 2],
}

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let is_kept = !std::env::args().any(|argument| argument == "--no-record");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../record");
    let machine = Machine::now(&folder);
    let server = Postgres::start()?;
    let raw = Raw::new(&server.url())?;
    let typed = Typed::new(&server.url())?;
    raw.fill()?;
    typed.fill()?;
    server.sql("analyze")?;
    let mut measured = Vec::new();
    for mut work in works(&raw, &typed) {
        eprintln!("timing {}", work.what);
        measured.push(measure(&mut work));
    }
    let moved = transfers::measure(&server.url())?;
    let name = format!("{}-{}-servers", machine.date, machine.commit);
    let text = markdown(&machine, server.version(), &measured, &moved, is_kept.then_some(&name));
    println!("{text}");
    if is_kept {
        fs::write(folder.join(format!("{name}.md")), &text)?;
        let json = json(&machine, server.version(), &measured, &moved);
        fs::write(folder.join(format!("{name}.json")), format!("{json:#}\n"))?;
        if let Some(plot) = plot::svg(&transfers::chart(&moved)) {
            fs::write(folder.join(format!("{name}.svg")), plot)?;
        }
    }
    Ok(())
}

fn works<'s>(raw: &'s Raw, typed: &'s Typed) -> Vec<Work<'s>> {
    fn work<'s>(
        what: &'static str,
        raw: impl FnMut(u64) + 's,
        typed: impl FnMut(u64) + 's,
    ) -> Work<'s> {
        Work { what, raw: Box::new(raw), typed: Box::new(typed) }
    }
    let mut works = vec![
        work("get of a row, in one snapshot", raw.get(), typed.get()),
        work("read_many of 100 rows, in one snapshot", raw.read_many(), typed.read_many()),
        work("scan of 1,000 rows, in one snapshot", raw.scan(false), typed.scan(false)),
        work("backward scan of 1,000 rows, in one snapshot", raw.scan(true), typed.scan(true)),
    ];
    for (what, rows) in [
        ("put: a transaction that writes 1 row", 1),
        ("a transaction that writes 100 rows", 100),
        ("a transaction that writes 1,000 rows", 1_000),
    ] {
        let hand = move |round| raw.commit(round, rows);
        works.push(work(what, hand, move |round| typed.commit(round, rows)));
    }
    works
}

fn measure(work: &mut Work<'_>) -> Measured {
    let (mut raw, mut typed, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
    let mut number = 0;
    let mut turn = |run: &mut dyn FnMut(u64)| {
        let start = Instant::now();
        let mut count = 0.0;
        while start.elapsed() < TURN {
            number += 1;
            count += 1.0;
            run(number);
        }
        start.elapsed().as_secs_f64() * 1e6 / count
    };
    for round in 0..ROUNDS {
        let times = if round % 2 == 0 {
            let first = turn(&mut work.raw);
            [first, turn(&mut work.typed)]
        } else {
            let first = turn(&mut work.typed);
            [turn(&mut work.raw), first]
        };
        raw.push(times[0]);
        typed.push(times[1]);
        ratio.push(times[1] / times[0]);
    }
    const COUNTED: u64 = 20;
    let count = |run: &mut dyn FnMut(u64)| {
        let info = allocation_counter::measure(|| (0..COUNTED).for_each(&mut *run));
        info.count_total as f64 / COUNTED as f64
    };
    let allocations = [count(&mut work.raw), count(&mut work.typed)];
    let (raw, typed, ratio) = (median(raw), median(typed), median(ratio));
    Measured { what: work.what, raw, typed, ratio, allocations }
}

fn markdown(
    machine: &Machine,
    version: &str,
    measured: &[Measured],
    moved: &[transfers::Point],
    name: Option<&String>,
) -> String {
    let mut text = format!(
        "{} {version} on the same machine, through loopback, with fsync off, so that the cost of \
         the clients shows.\n\n## Typed access beside a client by hand\n\nBoth sides work on \
         tables of the same form with the same {ROWS} rows, in turns of {} ms, {ROUNDS} rounds. The \
         client by hand uses tokio-postgres with prepared statements. A writing transaction is \
         serializable and takes two round trips on both sides; only Keyscape writes a commit id, \
         which resolves lost answers.\n\n\
         | work | by hand, µs | Keyscape, µs | Keyscape ÷ by hand | allocations by hand | \
         allocations of Keyscape |\n|---|---:|---:|---:|---:|---:|\n",
        machine.heading(),
        TURN.as_millis(),
    );
    for Measured { what, raw, typed, ratio, allocations } in measured {
        let _ = writeln!(
            text,
            "| {what} | {:.1} | {:.1} | {ratio} | {:.0} | {:.0} |",
            raw.value, typed.value, allocations[0], allocations[1],
        );
    }
    transfers::markdown(moved, name.map(|name| format!("{name}.svg")).as_deref(), &mut text);
    text
}

fn json(
    machine: &Machine,
    version: &str,
    measured: &[Measured],
    moved: &[transfers::Point],
) -> Value {
    let works = measured.iter().map(|work| {
        json!({
            "work": work.what,
            "raw_microseconds": interval(&work.raw),
            "typed_microseconds": interval(&work.typed),
            "typed_to_raw": interval(&work.ratio),
            "raw_allocations": work.allocations[0],
            "typed_allocations": work.allocations[1],
        })
    });
    json!({
        "date": machine.date,
        "commit": machine.commit,
        "processor": machine.processor,
        "cores": machine.cores,
        "load": machine.load,
        "compiler": machine.compiler,
        "server": version,
        "works": works.collect::<Vec<_>>(),
        "transfers": transfers::json(moved),
    })
}
