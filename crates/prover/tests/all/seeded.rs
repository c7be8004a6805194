//! Pairs of a sound layout and one with a seeded defect, from `testing/corpus/seeded`. The sound
//! layout is proved, and the rule of the defect is refuted with a fix.

use crate::{replay, repository};

use keyscape_layout::Layout;
use keyscape_prover::{Config, Report, Rule, Verdict, check};
use std::collections::BTreeSet;

/// A line of the corpus.
struct Case {
    line: String,
    sound: String,
    defect: String,
}

impl Case {
    /// Replaces each `«sound→defect»` in a line by its sides.
    fn parse(line: &str) -> Self {
        let (mut sound, mut defect) = (String::new(), String::new());
        let mut rest = line;
        while let Some((before, marked)) = rest.split_once('«') {
            let (marked, after) = marked.split_once('»').unwrap_or_else(|| panic!("{line}"));
            let (right, wrong) = marked.split_once('→').unwrap_or_else(|| panic!("{line}"));
            sound += &format!("{before}{right}");
            defect += &format!("{before}{wrong}");
            rest = after;
        }
        let whole = |text: String| {
            let store = if line.starts_with("store ") { "" } else { "store s\n" };
            format!("{store}{text}{rest}\n")
        };
        Self { line: line.to_owned(), sound: whole(sound), defect: whole(defect) }
    }
}

/// Returns the cases of a rule.
fn cases(rule: Rule) -> Vec<Case> {
    let text = repository::text(&format!("testing/corpus/seeded/{}.txt", rule.code()));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(Case::parse).collect()
}

fn prove(source: &str) -> (Layout, Report) {
    let layout = repository::layout(source, source);
    let report = check(&layout, Config::default());
    (layout, report)
}

/// Checks a case, and returns a problem if it has one.
fn problem(rule: Rule, case: &Case) -> Option<String> {
    let (_, sound) = prove(&case.sound);
    if !sound.holds() {
        let failing = sound.claims.iter().filter(|c| !matches!(c.verdict, Verdict::Proved));
        let failing: Vec<_> = failing.map(|claim| (claim.rule, &claim.verdict)).collect();
        return Some(format!("the sound layout is not proved: {failing:?}"));
    }
    let (layout, report) = prove(&case.defect);
    report.claims.iter().for_each(|claim| replay::replay(&layout, claim));
    let refuted: BTreeSet<Rule> = report
        .claims
        .iter()
        .filter(|claim| matches!(claim.verdict, Verdict::Refuted(_)))
        .map(|claim| claim.rule)
        .collect();
    if !refuted.contains(&rule) {
        return Some(format!("only {refuted:?} are refuted"));
    }
    let mut of_rule = report.claims.iter().filter(|claim| claim.rule == rule);
    let unfixed = of_rule
        .find(|claim| matches!(&claim.verdict, Verdict::Refuted(found) if found.fixes.is_empty()));
    unfixed.map(|claim| format!("it has no fix: {:?}", claim.no_fix))
}

#[test]
fn every_seeded_defect_is_refuted_with_a_fix_and_its_sound_layout_is_proved() {
    let mut problems = Vec::new();
    for rule in Rule::ALL {
        for case in cases(rule) {
            if let Some(problem) = problem(rule, &case) {
                problems.push(format!("{}: {}\n{problem}", rule.code(), case.line));
            }
        }
    }
    assert!(problems.is_empty(), "{}\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_rule_has_at_least_twenty_defects_each_of_another_layout() {
    for rule in Rule::ALL {
        let cases = cases(rule);
        let distinct: BTreeSet<&str> = cases.iter().map(|case| case.defect.as_str()).collect();
        assert!(distinct.len() >= 20, "{}: {}", rule.code(), distinct.len());
        assert_eq!(distinct.len(), cases.len(), "{}", rule.code());
        assert!(cases.iter().all(|case| case.sound != case.defect), "{}", rule.code());
    }
}
