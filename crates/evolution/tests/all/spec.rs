//! The examples of `spec/evolution.md`, run. A block `old` and the block `new` after it are a pair
//! of layouts. A comment `// KS101 "key"` at the end of a line expects a finding of that rule about
//! the keyspace of the line. In the section of a rule, its findings are exactly those that are
//! expected.

use crate::page::{Block, blocks, bytes, read};
use keyscape_evolution::{
    Config, Fault, Finding, ForwardFault, IndexChange, IndexFault, Readings, RetiredFault, Rule,
    diff,
};
use keyscape_layout::{Built, Layout};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("../../../../spec/evolution.md");

/// A pair of layouts in the section of a rule; `None` before the first one.
struct Pair {
    rule: Option<Rule>,
    old: String,
    new: String,
}

fn pairs() -> Vec<Pair> {
    let (mut pairs, mut old) = (Vec::new(), None);
    for Block { heading, kind, text } in blocks(PAGE) {
        match kind {
            "old" => old = Some(text),
            "new" => {
                pairs.push(Pair { rule: Rule::find(heading), old: old.take().unwrap(), new: text });
            }
            _ => {}
        }
    }
    pairs
}

/// The expected findings by line: the key, if one is given.
fn expected(text: &str, code: &str) -> BTreeMap<usize, Option<Vec<u8>>> {
    let comment = format!("// {code}");
    let lines = text.lines().enumerate();
    let found = lines.filter_map(|(at, line)| {
        let (_, key) = line.split_once(&comment)?;
        Some((at + 1, (!key.trim().is_empty()).then(|| bytes(key.trim()))))
    });
    found.collect()
}

fn key(finding: &Finding) -> Option<&[u8]> {
    match finding.fault.as_ref().ok()? {
        Fault::Lost { row, .. }
        | Fault::Limit { row, .. }
        | Fault::Forward(ForwardFault::Unread { row, .. })
        | Fault::Index(IndexFault::Changed(IndexChange::Lost(row)))
        | Fault::Retired(RetiredFault::Used(_, row)) => Some(&row.key),
        Fault::Reread { readings: Readings { old, .. }, .. }
        | Fault::Captured { readings: Readings { old, .. } }
        | Fault::Forward(ForwardFault::Misread { readings: Readings { old, .. }, .. }) => {
            Some(&old.key)
        }
        _ => None,
    }
}

#[test]
fn every_example_has_exactly_the_expected_findings() {
    for Pair { rule, old, new } in pairs() {
        let built = Built::default();
        let (a, b) = (read(&built, "old.keys", &old), read(&built, "new.keys", &new));
        let report = diff(&a, &b, Config::default());
        let Some(rule) = rule else {
            assert!(report.findings.is_empty(), "{old}\n{new}\n{:?}", report.findings);
            continue;
        };
        let mut in_old = expected(&old, rule.code());
        let mut in_new = expected(&new, rule.code());
        for finding in report.findings.iter().filter(|finding| finding.rule == rule) {
            let line =
                |layout: &Layout, id| layout.sources.start(layout.keyspace(id).name_span).line;
            let expected_key = match (finding.new, finding.old) {
                (Some(id), _) => in_new.remove(&line(&b, id)),
                (None, Some(id)) => in_old.remove(&line(&a, id)),
                (None, None) => None,
            };
            let expected_key =
                expected_key.unwrap_or_else(|| panic!("{old}\n{new}\nunexpected {finding:?}"));
            assert!(finding.fault.is_ok(), "{old}\n{new}\n{finding:?}");
            if let Some(expected_key) = expected_key {
                assert_eq!(key(finding), Some(&*expected_key), "{old}\n{new}\n{finding:?}");
            }
        }
        assert!(in_old.is_empty() && in_new.is_empty(), "{old}\n{new}\n{:?}", report.findings);
    }
}

#[test]
fn every_rule_has_a_wrong_and_a_right_example() {
    for rule in Rule::ALL {
        let is_wrong = |pair: &Pair| {
            !expected(&pair.old, rule.code()).is_empty()
                || !expected(&pair.new, rule.code()).is_empty()
        };
        let of_rule: Vec<Pair> = pairs().into_iter().filter(|p| p.rule == Some(rule)).collect();
        let wrong = of_rule.iter().filter(|pair| is_wrong(pair)).count();
        assert!(wrong > 0 && wrong < of_rule.len(), "{rule:?}");
    }
}
