//! Bugs of other projects, from `testing/corpus/bugs.json`. The rule that a bug violates is refuted
//! in the layout before the fix, and the layout after the fix is proved.

use crate::{replay, repository};
mod witnesses;

use keyscape_layout::{Layout, syntax};
use keyscape_prover::{Config, Report, Rule, Verdict, check};
use serde_json::Value as Json;
use std::{collections::BTreeSet, fs};

/// An entry of the corpus.
struct Bug(Json);

impl Bug {
    fn text(&self, field: &str) -> &str {
        self.0[field].as_str().unwrap_or_else(|| panic!("{} has no {field}", self.0["id"]))
    }

    /// Whether the bug has layouts. P7 is about code that computes ranges.
    fn has_layouts(&self) -> bool {
        self.text("property") != "P7"
    }

    fn file(&self, when: &str) -> String {
        format!("testing/corpus/bugs/{}-{when}.keys", self.text("id"))
    }

    fn layout(&self, when: &str) -> Layout {
        let file = self.file(when);
        repository::layout(&file, &repository::text(&file))
    }
}

fn bugs() -> Vec<Bug> {
    let all: Vec<Json> =
        serde_json::from_str(&repository::text("testing/corpus/bugs.json")).unwrap();
    assert_eq!(all.len(), 20);
    all.into_iter().map(Bug).collect()
}

fn prove(layout: &Layout) -> Report {
    let report = check(layout, Config::default());
    report.claims.iter().for_each(|claim| replay::replay(layout, claim));
    report
}

fn refuted(report: &Report) -> BTreeSet<Rule> {
    let refuted = |verdict: &Verdict| match verdict {
        Verdict::Proved => false,
        Verdict::Refuted(_) => true,
        Verdict::Unknown(reason) => panic!("{reason:?}"),
    };
    report.claims.iter().filter(|c| refuted(&c.verdict)).map(|c| c.rule).collect()
}

#[test]
fn every_bug_is_refuted_under_its_rule_before_its_fix() {
    for bug in bugs().iter().filter(|bug| bug.has_layouts()) {
        let rule = Rule::find(bug.text("rule")).unwrap();
        let refuted = refuted(&prove(&bug.layout("before")));
        assert!(refuted.contains(&rule), "{}: {refuted:?}", bug.text("id"));
    }
}

#[test]
fn bugs_of_parsers_break_no_rule_but_that_of_splits() {
    let bugs = bugs();
    let parsers = bugs.iter().filter(|bug| bug.text("rule") == Rule::Splittable.code());
    let refuted = parsers.map(|bug| (bug.text("id"), refuted(&prove(&bug.layout("before")))));
    let rule = BTreeSet::from([Rule::Splittable]);
    assert_eq!(refuted.collect::<Vec<_>>(), [("BUG-01", rule.clone()), ("BUG-02", rule)]);
}

#[test]
fn every_bug_is_proved_after_its_fix() {
    for bug in bugs().iter().filter(|bug| bug.has_layouts()) {
        let report = prove(&bug.layout("after"));
        assert!(report.holds(), "{}: {:#?}", bug.text("id"), report.claims);
    }
}

#[test]
fn every_property_has_the_rule_that_decides_it() {
    for bug in bugs() {
        let rules: &[&str] = match bug.text("property") {
            // A program can split a key at wrong offsets even if the key has one reading.
            "P1" => &["KS002", "KS010"],
            // A scan can read rows of another keyspace even if the keys are disjoint.
            "P2" => &["KS001", "KS003"],
            "P3" | "P7" => &["KS003"],
            "P4" => &["KS004"],
            "P5" => &["KS007"],
            "P6" => &["KS006"],
            "P8" => &["KS005"],
            other => panic!("{other} is no property"),
        };
        assert!(rules.contains(&bug.text("rule")), "{}", bug.text("id"));
    }
}

#[test]
fn every_bug_is_described_and_every_layout_file_is_formatted_and_belongs_to_a_bug() {
    let mut expected = BTreeSet::new();
    for bug in bugs() {
        for field in ["project", "link", "date", "summary", "fix", "status"] {
            assert!(!bug.text(field).is_empty(), "{} {field}", bug.text("id"));
        }
        for when in ["before", "after"].into_iter().filter(|_| bug.has_layouts()) {
            let source = repository::text(&bug.file(when));
            assert_eq!(syntax::format(&source).as_deref(), Ok(&*source), "{}", bug.file(when));
            assert!(!bug.layout(when).doc.is_empty(), "{}", bug.file(when));
            expected.insert(bug.file(when));
        }
    }
    let folder = "testing/corpus/bugs";
    let found: BTreeSet<String> = fs::read_dir(repository::path(folder))
        .unwrap()
        .map(|entry| format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap()))
        .collect();
    assert_eq!(found, expected);
}
