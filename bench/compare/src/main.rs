//! Runs the measurements, prints them as tables and saves them.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a command-line program")]

use keyscape_bench::{Entry, rounds::Plan};
use keyscape_bench_compare::{
    bank::counts,
    entries, evolution,
    machine::Machine,
    plot,
    probes::Counts,
    report,
    results::{Run, measure},
    scale, systems,
    typed::growth,
};
use std::{fs, path::Path, process::ExitCode, time::Duration};

const USAGE: &str = "usage: bench [options]

options:
  --only TEXT         only groups whose name contains TEXT, such as `typed`, `bank`, `prove`,
                      `structures`, `evolution`, `systems` or `systems-paw` (and keeps no record)
  --rounds N          how often each side gets its turn (401)
  --turn N            how long a turn is, in microseconds (300)
  --no-counts         neither allocations nor instructions (and keeps no record)
  --no-instructions   allocations only, since callgrind is slow
  --no-record         prints only
  --keep              keeps a record of what --only names, with that in its name";

struct Options {
    plan: Plan,
    only: Option<String>,
    counts: bool,
    instructions: bool,
    record: bool,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [probe, id, side, batches] = &args[..]
        && probe == "--probe"
    {
        return run_probe(id, side, batches);
    }
    if let [prove, what @ ..] = &args[..]
        && prove == "--prove"
    {
        return exit_code(scale::probe(what).map(|line| println!("{line}")));
    }
    let Some(options) = options(&args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    exit_code(run(&options))
}

fn exit_code(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn options(args: &[String]) -> Option<Options> {
    let plan = Plan { rounds: 401, turn: Duration::from_micros(300) };
    let mut options = Options { plan, only: None, counts: true, instructions: true, record: true };
    let mut keep = false;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => {
                options.only = Some(args.next()?.clone());
                options.record = false;
            }
            "--rounds" => options.plan.rounds = args.next()?.parse().ok().filter(|n| *n > 0)?,
            "--turn" => options.plan.turn = Duration::from_micros(args.next()?.parse().ok()?),
            "--no-counts" => {
                options.counts = false;
                options.record = false;
            }
            "--no-instructions" => options.instructions = false,
            "--no-record" => options.record = false,
            "--keep" => keep = true,
            _ => return None,
        }
    }
    options.record |= keep && options.only.is_some();
    Some(options)
}

/// Runs a number of batches of one side and nothing else, for a program that counts instructions.
fn run_probe(id: &str, side: &str, batches: &str) -> ExitCode {
    let entry = entries().into_iter().find(|entry| entry.id == id);
    let (Some(entry), Ok(side), Ok(batches)) = (entry, side.parse::<usize>(), batches.parse())
    else {
        return ExitCode::FAILURE;
    };
    match (entry.build)().sides.get_mut(side) {
        Some(side) => {
            side.time(batches);
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

fn run(options: &Options) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../record");
    let wanted = |entry: &Entry| options.only.as_ref().is_none_or(|text| entry.id.contains(text));
    let entries: Vec<Entry> = entries().into_iter().filter(wanted).collect();
    let mut counts = Counts::default();
    if options.counts && !entries.is_empty() {
        counts.count_allocations()?;
        for entry in entries.iter().filter(|_| options.instructions) {
            eprintln!("counting {}", entry.id);
            counts.count_instructions(entry);
        }
    }
    let machine = Machine::now(&folder);
    let mut groups = Vec::new();
    for entry in &entries {
        eprintln!("timing {}", entry.id);
        groups.push(measure(entry, options.plan, &counts));
    }
    let wants = |part: &str| options.only.as_ref().is_none_or(|text| part.contains(text.as_str()));
    let proving = if wants("prove") { scale::measure()? } else { Vec::new() };
    let growth = if wants("structures") { growth::measure(options.plan) } else { Vec::new() };
    let bank = if wants("bank") { counts::measure() } else { Vec::new() };
    let systems = systems::measure(wants);
    let evolution = if wants("evolution") { evolution::measure() } else { Vec::new() };
    let (plan, part) = (options.plan, options.only.clone());
    let run = Run { machine, plan, part, groups, proving, growth, bank, systems, evolution };
    let table = report::markdown(&run, options.record);
    println!("{table}");
    if options.record {
        let name = run.name();
        let charts = [
            (String::new(), scale::chart(&run.proving)),
            ("-structures".to_owned(), growth::chart(&run.growth)),
            ("-sends".to_owned(), counts::chart(&run.bank)),
        ];
        for (kind, chart) in charts.into_iter().chain(systems::charts(&run.systems)) {
            if let Some(plot) = plot::svg(&chart) {
                write(&folder.join(format!("{name}{kind}.svg")), &plot)?;
            }
        }
        write(&folder.join(format!("{name}.md")), &table)?;
        write(&folder.join(format!("{name}.json")), &format!("{:#}\n", run.json()))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
