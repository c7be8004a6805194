//! The report of a run in Markdown.

use crate::{
    bank::{self, counts},
    evolution,
    fixture::CACHE,
    results::{GroupResult, Run, SideResult},
    scale, systems,
    typed::{self, growth},
};
use keyscape_bench::statistics::Median;
use std::fmt::Write;

/// Renders a run as Markdown. `with_plots` links the plots that are saved with it.
#[must_use]
pub fn markdown(run: &Run, with_plots: bool) -> String {
    let mut text = heading(run);
    let of =
        |start: &'static str| run.groups.iter().filter(move |group| group.id.starts_with(start));
    if of("codec ").next().is_some() {
        text.push_str(CODECS);
        of("codec ").for_each(|group| codec(group, &mut text));
    }
    for group in of("pair ").chain(of("texts ")) {
        composite(group, &mut text);
    }
    for group in of("many ") {
        many(group, &mut text);
    }
    for engine in ["memory", "redb"] {
        let start = format!("typed {engine} ");
        let groups = run.groups.iter().filter(|group| group.id.starts_with(&start));
        typed_rows(engine, &groups.collect::<Vec<_>>(), &mut text);
    }
    for group in of("typed json ").chain(of("typed native ")) {
        against_first(group, &mut text);
    }
    of("bank ").for_each(|group| bank_rows(group, &mut text));
    targets(run, &mut text);
    let plot = |kind: &str| with_plots.then(|| format!("{}{kind}.svg", run.name()));
    if !run.growth.is_empty() {
        growth::markdown(&run.growth, plot("-structures").as_deref(), &mut text);
    }
    if !run.bank.is_empty() {
        counts::markdown(&run.bank, plot("-sends").as_deref(), &mut text);
    }
    if !run.systems.is_empty() {
        systems::markdown(&run.systems, plot, &mut text);
    }
    if !run.evolution.is_empty() {
        evolution::markdown(&run.evolution, &mut text);
    }
    if !run.proving.is_empty() {
        scale::markdown(&run.proving, plot("").as_deref(), &mut text);
    }
    text
}

fn heading(run: &Run) -> String {
    let mut text = format!("{}\n", run.machine.heading());
    if !run.groups.is_empty() {
        let _ = writeln!(
            text,
            "{} rounds of turns of {} µs. Times are medians; in brackets, the interval of the \
             median at 95 %.",
            run.plan.rounds,
            run.plan.turn.as_micros(),
        );
    }
    let _ = writeln!(
        text,
        "Files on {}, where a sync of one page takes {:.2} ms; redb keeps {} MiB in memory at most.",
        run.machine.filesystem,
        run.machine.sync.as_secs_f64() * 1e3,
        CACHE >> 20,
    );
    text
}

const CODECS: &str = "\n## Codecs against code by hand\n\n\
    | codec | Keyscape, ns | by hand, ns | Keyscape ÷ by hand | allocations | instructions | by hand is |\n\
    |---|---:|---:|---:|---:|---:|---|\n";

fn codec(group: &GroupResult, text: &mut String) {
    let [ours, hand] = &group.sides[..] else { return };
    let _ = writeln!(
        text,
        "| {} | {:.2} | {:.2} | {} | {} : {} | {} : {} | {} |",
        group.title,
        ours.nanoseconds.value,
        hand.nanoseconds.value,
        hand.to_first.reciprocal(),
        allocations(ours),
        allocations(hand),
        instructions(ours),
        instructions(hand),
        hand.note,
    );
}

fn composite(group: &GroupResult, text: &mut String) {
    let _ = writeln!(
        text,
        "\n## {}\n\n| who | ns | ÷ Keyscape | allocations | instructions | how |\n\
         |---|---:|---:|---:|---:|---|",
        group.title
    );
    group.sides.iter().for_each(|side| row(side, text));
}

fn row(side: &SideResult, text: &mut String) {
    let _ = writeln!(
        text,
        "| {} | {:.2} | {} | {} | {} | {} |",
        side.name,
        side.nanoseconds.value,
        side.to_first,
        allocations(side),
        instructions(side),
        side.note,
    );
}

fn many(group: &GroupResult, text: &mut String) {
    let _ = writeln!(
        text,
        "\n## {}\n\n| keys a second | ns a key | allocations | instructions | how |\n\
         |---:|---:|---:|---:|---|",
        group.title
    );
    for side in &group.sides {
        let _ = writeln!(
            text,
            "| {:.0} | {:.1} | {} | {} | {} |",
            side.nanoseconds.reciprocal().times(1e9),
            side.nanoseconds.value,
            allocations(side),
            instructions(side),
            side.note,
        );
    }
}

/// Appends the table of typed access compared with handwritten code, with the goals.
fn typed_rows(engine: &str, groups: &[&GroupResult], text: &mut String) {
    if groups.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n## Typed access on {engine}, against {engine} by hand\n\n\
         | work | Keyscape, ns | by hand, ns | Keyscape ÷ by hand | at most | allocations | \
         instructions |\n|---|---:|---:|---:|---|---:|---:|",
    );
    for group in groups {
        let [ours, hand] = &group.sides[..] else { continue };
        let times = hand.to_first.reciprocal();
        let goal = typed::goal(&group.id).map_or("–".to_owned(), |most| goal(times, most));
        let dirty = if group.id.contains("dirty") { ", 1,000 rows pending" } else { "" };
        let _ = writeln!(
            text,
            "| {}{dirty} | {:.1} | {:.1} | {times} | {goal} | {} : {} | {} : {} |",
            group.title,
            ours.nanoseconds.value,
            hand.nanoseconds.value,
            allocations(ours),
            allocations(hand),
            instructions(ours),
            instructions(hand),
        );
    }
}

/// Appends the table of bank transfers per second, with the goal relative to the faster handwritten
/// code.
fn bank_rows(group: &GroupResult, text: &mut String) {
    let _ = writeln!(
        text,
        "\n## The bank: {}\n\n| who | transfers a second | Keyscape ÷ it | at most | allocations | \
         instructions | how |\n|---|---:|---:|---|---:|---:|---|",
        group.title
    );
    for (place, side) in group.sides.iter().enumerate() {
        let times = side.to_first.reciprocal();
        let goal = if place == 0 { "–".to_owned() } else { goal(times, bank::GOAL) };
        let _ = writeln!(
            text,
            "| {} | {:.0} | {times} | {goal} | {} | {} | {} |",
            side.name,
            side.nanoseconds.reciprocal().times(1e9),
            allocations(side),
            instructions(side),
            side.note,
        );
    }
}

/// Describes a goal. It is met or missed only if the whole interval is on one side.
fn goal(times: Median, most: f64) -> String {
    let word = match (times.high <= most, times.low > most) {
        (true, _) => "met",
        (_, true) => "missed",
        _ => "open",
    };
    format!("{most:.2}, {word}")
}

/// Appends the table of a group, relative to its first side.
fn against_first(group: &GroupResult, text: &mut String) {
    let Some(first) = group.sides.first() else { return };
    let _ = writeln!(
        text,
        "\n## {}: {}\n\n| who | ns | ÷ {} | allocations | instructions | how |\n\
         |---|---:|---:|---:|---:|---|",
        first.name, group.title, first.name
    );
    group.sides.iter().for_each(|side| row(side, text));
}

/// Appends the targets with their verdicts. The end of the interval that is worse for Keyscape
/// decides.
fn targets(run: &Run, text: &mut String) {
    let find = |id: &str| run.groups.iter().find(|group| group.id == id);
    if !["pair encode", "pair decode", "texts encode"].iter().any(|id| find(id).is_some()) {
        return;
    }
    text.push_str("\n## Targets\n\n");
    for id in ["pair encode", "pair decode"] {
        let Some(group) = find(id) else { continue };
        let Some(hand) = group.sides.iter().find(|side| side.name == "by hand") else { continue };
        let ours = hand.to_first.reciprocal();
        let verdict = match group.sides[0].allocations {
            None if ours.high <= 2.0 => "Open",
            count => verdict(ours.high <= 2.0 && count == Some(0.0)),
        };
        let counted = allocations(&group.sides[0]);
        let _ = writeln!(
            text,
            "- {}: at most twice the time by hand and no allocation: {ours} and {counted}. {verdict}.",
            group.title,
        );
    }
    let Some(group) = find("texts encode") else { return };
    for side in &group.sides {
        if matches!(side.name, "storekey" | "foundationdb-tuple") {
            let verdict = verdict(side.to_first.low >= 2.0);
            let (title, name, times) = (&group.title, side.name, side.to_first);
            let _ = writeln!(text, "- {title}: twice as fast as {name}: {times}. {verdict}.");
        }
    }
}

const fn verdict(met: bool) -> &'static str {
    if met { "Met" } else { "Missed" }
}

fn allocations(side: &SideResult) -> String {
    let rounded = |count: f64| ((count * 100.0).round() / 100.0).to_string();
    side.allocations.map_or_else(|| "–".to_owned(), rounded)
}

fn instructions(side: &SideResult) -> String {
    side.instructions.map_or_else(|| "–".to_owned(), |count| format!("{count:.0}"))
}
