//! Small layouts with known verdicts, one theme per file.

mod accepted;
mod approximate;
mod derived;
mod disjoint;
mod fixes;
mod fixes_elsewhere;
mod indexed;
mod limits;
mod numbers;
mod ordered;
mod scans;
mod splits;
mod unambiguous;
mod weakest;

use keyscape_layout::{Datum, Layout, NoImports, Record, read};
use keyscape_prover::{Claim, Config, Counterexample, Fault, Row, Rule, ScannedRow, Verdict};

/// Checks a layout. Returns a line per claim that is not proved, or `proved` if all are.
fn check(text: &str) -> String {
    check_with(text, Config { fixes: false, ..Config::default() })
}

/// Returns the counterexample of the first claim of a rule, which must be refuted.
fn counterexample(rule: Rule, text: &str) -> Counterexample {
    let layout = read("test.keys", text, &mut NoImports).unwrap();
    let report = keyscape_prover::check(&layout, Config { fixes: false, ..Config::default() });
    let claim = report.claims.into_iter().find(|claim| claim.rule == rule).unwrap();
    match claim.verdict {
        Verdict::Refuted(counterexample) => *counterexample,
        verdict => panic!("{verdict:?}: {text}"),
    }
}

fn check_with(text: &str, config: Config) -> String {
    let layout = read("test.keys", text, &mut NoImports).unwrap_or_else(|rejected| {
        let first = &rejected.diagnostics[0];
        panic!("{}: `{}`", first.message, rejected.sources.text(first.span))
    });
    let report = keyscape_prover::check(&layout, config);
    let mut lines: Vec<String> =
        report.claims.iter().filter_map(|claim| line(&layout, claim)).collect();
    lines.extend(report.idle_accepts.iter().map(|_| "idle accept".to_owned()));
    if lines.is_empty() { "proved".to_owned() } else { lines.join("\n") }
}

fn line(layout: &Layout, claim: &Claim) -> Option<String> {
    let keyspace = layout.keyspace(claim.keyspace);
    let scan = claim.scan.map_or(String::new(), |scan| format!(".{}", keyspace.scans[scan].name));
    let split = claim.split.map_or(String::new(), |at| format!(" {}", keyspace.splits[at].name));
    let said = match &claim.verdict {
        Verdict::Proved => return None,
        Verdict::Unknown(reason) => format!("unknown {reason:?}"),
        Verdict::Refuted(counterexample) => fault(layout, &counterexample.fault),
    };
    let accepted = if claim.accepted.is_some() { " (accepted)" } else { "" };
    Some(format!("{} {}{scan}{split}{accepted}: {said}", claim.rule.code(), keyspace.name))
}

fn fault(layout: &Layout, fault: &Fault) -> String {
    match fault {
        Fault::Disjoint { collisions, more } => {
            let shown: Vec<String> = collisions
                .iter()
                .map(|c| format!("{} = {}", row(layout, &c.here), row(layout, &c.there)))
                .collect();
            format!("{} (+{more})", shown.join(", "))
        }
        Fault::Unambiguous { a, b } => format!("{} = {}", row(layout, a), row(layout, b)),
        Fault::ScanExact(ScannedRow { fault, asked, interval, row: found }) => {
            let start = text(&interval.low);
            format!("{fault:?} {} {start}: {}", record(asked), row(layout, found))
        }
        Fault::Ordered { lower, higher } => {
            let disorder = if lower.key == higher.key { "Tied" } else { "Reversed" };
            format!("{disorder} {} < {}", row(layout, lower), row(layout, higher))
        }
        Fault::Lossless { a, b, bytes } => {
            format!("{} and {} are {}", value(a), value(b), text(bytes))
        }
        Fault::Bounded { backend, row: found, record: Some(stored), .. } => {
            let (length, rest) = (stored.bytes.len(), record(&stored.rest));
            format!("{} {} {length} {} {rest}", backend.name, stored.form, row(layout, found))
        }
        Fault::Bounded { backend, row: found, .. } => {
            format!("{} {} {}", backend.name, found.key.len(), row(layout, found))
        }
        Fault::Allocated { fault, row: found } => format!("{fault:?} {}", row(layout, found)),
        Fault::Indexed { missing, a, b, entry, .. } => {
            format!("{missing} {} and {} at {}", row(layout, a), row(layout, b), text(entry))
        }
        Fault::Splittable { row: found, cuts, separators } => {
            format!("{} {cuts:?} for {separators:?}", row(layout, found))
        }
    }
}

fn row(layout: &Layout, row: &Row) -> String {
    let name = &layout.keyspace(row.keyspace).name;
    format!("{} {name}({})", text(&row.key), record(&row.fields))
}

fn record(record: &Record) -> String {
    let fields = record.0.iter().map(|(name, datum)| format!("{name}={}", value(datum)));
    fields.collect::<Vec<_>>().join(" ")
}

fn value(datum: &Datum) -> String {
    use keyscape_codec::Value;
    match datum {
        Datum::Leaf(Value::Uint(n)) => n.to_string(),
        Datum::Leaf(Value::Int(n)) => n.to_string(),
        Datum::Leaf(Value::Float(n)) => n.to_string(),
        Datum::Leaf(Value::Pair(a, b)) => format!("[{a},{b}]"),
        Datum::Leaf(Value::Text(text)) => text.clone(),
        Datum::Leaf(Value::Bytes(bytes)) => text(bytes),
        Datum::Leaf(Value::Bool(flag)) => flag.to_string(),
        Datum::Name(name) => name.clone(),
        Datum::Record(inner) => format!("({})", record(inner)),
        Datum::List(elements) => {
            format!("[{}]", elements.iter().map(value).collect::<Vec<_>>().join(","))
        }
        Datum::Arm(name, inner) => format!("{name}({})", record(inner)),
    }
}

fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
