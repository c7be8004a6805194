//! Compares a layout of the specification with the expectations in its comments.

use crate::replay::replay;
use crate::spec::expectations::{Expectation, expectations};
use keyscape_layout::{Layout, Loader, Rejected, Span, read};
use keyscape_prover::{Claim, Config, Fault, Report, Rule, Verdict, check};
use std::collections::BTreeMap;

/// The named layouts of a page, which other layouts can import.
#[derive(Default)]
pub(crate) struct Named(pub(crate) BTreeMap<String, String>);

impl Loader for Named {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, Vec<u8>), String> {
        let text = self.0.get(path).ok_or_else(|| "no block has this name".to_owned())?;
        Ok((path.to_owned(), text.clone().into_bytes()))
    }
}

/// Checks a layout. Returns the layout if it has no errors, and the differences from its
/// expectations.
pub(crate) fn run(name: &str, text: &str, named: &mut Named) -> (Option<Layout>, Vec<String>) {
    let expected = match expectations(text) {
        Ok(expected) => expected,
        Err(problem) => return (None, vec![problem]),
    };
    match read(name, text, named) {
        Err(rejected) => (None, mistakes(&rejected, &expected)),
        Ok(layout) => {
            let problems = verdicts(&layout, &expected);
            (Some(layout), problems)
        }
    }
}

fn mistakes(rejected: &Rejected, expected: &[(usize, Expectation)]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut open: Vec<&(usize, Expectation)> = expected.iter().collect();
    for diagnostic in &rejected.diagnostics {
        let line = rejected.sources.start(diagnostic.span).line;
        let found = open.iter().position(|(at, expectation)| {
            let Expectation::Error(part) = expectation else { return false };
            *at == line && diagnostic.message.contains(part)
        });
        match found {
            Some(index) => drop(open.remove(index)),
            None => problems.push(format!("line {line}: unexpected error: {}", diagnostic.message)),
        }
    }
    problems.extend(open.iter().map(|(line, e)| format!("line {line}: there is no {e:?}")));
    problems
}

fn verdicts(layout: &Layout, expected: &[(usize, Expectation)]) -> Vec<String> {
    let report = check(layout, Config::default());
    let mut open: Vec<&Claim> = report.claims.iter().collect();
    let mut idle: Vec<usize> =
        report.idle_accepts.iter().map(|(_, at)| line(layout, *at)).collect();
    let mut problems = Vec::new();
    for (at, expectation) in expected {
        let met = match expectation {
            Expectation::Error(_) => false,
            Expectation::Proved => all_proved(layout, &report, *at),
            Expectation::Idle => take(&mut idle, |found| found == at),
            expectation => take(&mut open, |claim| {
                line(layout, claim.span) == *at && is_met(layout, claim, expectation)
            }),
        };
        if !met {
            problems.push(format!("line {at}: there is no {expectation:?}"));
        }
    }
    for claim in open.iter().filter(|claim| !matches!(claim.verdict, Verdict::Proved)) {
        let line = line(layout, claim.span);
        let keys = keys(claim, None).map(|keys| keys.iter().map(|key| shown(key)).collect());
        let keys: Vec<String> = keys.unwrap_or_default();
        let verdict = match &claim.verdict {
            Verdict::Unknown(reason) => format!("unknown: {reason:?}"),
            _ => format!("refuted {}", keys.join(" before ")),
        };
        problems.push(format!("line {line}: {} is {verdict}", claim.rule.code()));
    }
    for claim in open.iter().filter(|claim| !claim.numeric.is_empty()) {
        let (line, code) = (line(layout, claim.span), claim.rule.code());
        problems.push(format!("line {line}: {code} is warned about: {:?}", claim.numeric));
    }
    problems.extend(idle.iter().map(|line| format!("line {line}: an acceptance is idle")));
    report.claims.iter().for_each(|claim| replay(layout, claim));
    problems
}

fn all_proved(layout: &Layout, report: &Report, at: usize) -> bool {
    let mut here = report.claims.iter().filter(|claim| line(layout, claim.span) == at).peekable();
    here.peek().is_some() && here.all(|claim| matches!(claim.verdict, Verdict::Proved))
}

fn take<T>(open: &mut Vec<T>, wanted: impl Fn(&T) -> bool) -> bool {
    let found = open.iter().position(wanted);
    found.map(|index| open.remove(index)).is_some()
}

fn is_met(layout: &Layout, claim: &Claim, expectation: &Expectation) -> bool {
    let has = |rule: &Rule| claim.rule == *rule;
    match expectation {
        Expectation::Unknown(rule) => {
            has(rule) && claim.accepted.is_none() && matches!(claim.verdict, Verdict::Unknown(_))
        }
        Expectation::Warned { rule, keys } => has(rule) && warned(claim).as_ref() == Some(keys),
        Expectation::Accepted(rule) => has(rule) && claim.accepted.is_some(),
        Expectation::Refuted { rule, keys: wanted, with } => {
            let with = with.as_deref().map(|name| layout.find(name));
            let found = keys(claim, with.as_deref());
            has(rule)
                && claim.accepted.is_none()
                && found.is_some_and(|found| wanted.is_empty() || found == *wanted)
        }
        _ => false,
    }
}

/// Returns the row or the values that a warning about a proved claim shows.
fn warned(claim: &Claim) -> Option<Vec<Vec<u8>>> {
    if let Some(plain) = &claim.plain {
        let Fault::ScanExact(found) = &plain.fault else { return None };
        return Some(vec![found.row.key.clone()]);
    }
    let numeric = claim.numeric.first()?;
    Some(numeric.values.iter().map(|value| value.clone().into_bytes()).collect())
}

/// Returns the keys that refute a claim. In a collision, returns the key shared with one of the
/// given keyspaces.
fn keys(
    claim: &Claim,
    with: Option<&[keyscape_layout::model::KeyspaceId]>,
) -> Option<Vec<Vec<u8>>> {
    let Verdict::Refuted(counterexample) = &claim.verdict else { return None };
    let wanted = |keyspace| with.is_none_or(|with| with.contains(keyspace));
    Some(match &counterexample.fault {
        Fault::Disjoint { collisions, .. } => {
            let collision = collisions.iter().find(|c| wanted(&c.there.keyspace))?;
            vec![collision.here.key.clone()]
        }
        Fault::Unambiguous { a, .. } => vec![a.key.clone()],
        Fault::ScanExact(found) => {
            wanted(&found.row.keyspace).then(|| vec![found.row.key.clone()])?
        }
        Fault::Ordered { lower, higher, .. } => vec![lower.key.clone(), higher.key.clone()],
        Fault::Lossless { bytes, .. } => vec![bytes.clone()],
        Fault::Bounded { row, .. }
        | Fault::Allocated { row, .. }
        | Fault::Splittable { row, .. } => vec![row.key.clone()],
        Fault::Indexed { entry, .. } => vec![entry.clone()],
    })
}

fn line(layout: &Layout, span: Span) -> usize {
    layout.sources.start(span).line
}

/// Formats a key as in an expectation.
fn shown(key: &[u8]) -> String {
    match std::str::from_utf8(key) {
        Ok(text) if text.chars().all(|c| c.is_ascii_graphic() && c != '"') => format!("\"{text}\""),
        _ => key.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}
