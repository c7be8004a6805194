//! Large layouts: the cost is bounded, and claims above a limit are unknown.

mod counts;
mod many;
mod together;

use keyscape_layout::{Layout, NoImports, read};
use keyscape_prover::{Config, Report, Rule, Verdict, check};
use std::fmt::Write;

/// Returns a layout of `count` keyspaces. `body` returns the key and the clauses of each.
fn layout_of(count: usize, body: impl Fn(usize) -> String) -> Layout {
    let mut text = "store many\n".to_owned();
    for index in 0..count {
        writeln!(text, "map k{index} = {}", body(index)).unwrap();
    }
    layout(&text)
}

fn layout(text: &str) -> Layout {
    read("scale.keys", text, &mut NoImports).unwrap_or_else(|rejected| {
        panic!("{:?}", rejected.diagnostics.first());
    })
}

fn prove(layout: &Layout) -> Report {
    check(layout, Config { fixes: false, ..Config::default() })
}

/// Returns the number of proved claims of a rule, and the reasons for unknown ones.
fn undecided(report: &Report, rule: Rule) -> (usize, Vec<String>) {
    let claims = || report.claims.iter().filter(|claim| claim.rule == rule);
    let proved = claims().filter(|claim| matches!(claim.verdict, Verdict::Proved)).count();
    let reasons = claims().filter_map(|claim| match &claim.verdict {
        Verdict::Unknown(reason) => Some(format!("{reason:?}")),
        _ => None,
    });
    (proved, reasons.collect())
}

fn all_proved(report: &Report) -> bool {
    report.claims.iter().all(|claim| matches!(claim.verdict, Verdict::Proved))
}
