//! Claims as SARIF 2.1.0, the format for findings that code hosts and editors read.

use super::{
    change::Change,
    claim::{message, warnings},
    claim_json::claim_object,
    rule_page::RuleEntry,
};
use crate::audit::{FindingKind, Findings};
use keyscape_diagnostics::{message::Message, plain};
use keyscape_evolution::Level;
use keyscape_layout::{Diagnostic, Layout, Rejected, Sources, Span};
use keyscape_prover::{Claim, Fix, Report, Verdict};
use serde_json::{Value, json};
use std::path::Path;

/// The findings of all layouts of one run.
#[derive(Default)]
pub(crate) struct Sarif {
    results: Vec<Value>,
}

/// The rule of mistakes that prevent claims.
const LAYOUT: &str = "layout";

impl Sarif {
    /// Adds the claims of a layout that are not proved, and the warnings about those that are.
    pub(crate) fn add(&mut self, layout: &Layout, report: &Report) {
        for claim in report.claims.iter().filter(|c| !matches!(c.verdict, Verdict::Proved)) {
            self.results.push(result(layout, claim));
        }
        for claim in &report.claims {
            for warning in warnings(layout, std::slice::from_ref(claim), claim) {
                let (rule, text) = (claim.rule.code(), warning.title);
                self.results.push(finding(rule, "warning", &text, &layout.sources, claim.span));
            }
        }
        for &(keyspace, span) in &report.idle_accepts {
            let text = super::claim::idle_accept(layout, keyspace, span).title;
            self.results.push(finding(LAYOUT, "error", &text, &layout.sources, span));
        }
    }

    /// Adds the mistakes of a layout.
    pub(crate) fn reject(&mut self, rejected: &Rejected) {
        for diagnostic in &rejected.diagnostics {
            let Diagnostic { message, span, .. } = diagnostic;
            self.results.push(finding(LAYOUT, "error", message, &rejected.sources, *span));
        }
    }

    /// Adds a finding about a change. One that the level does not require is a note.
    pub(crate) fn add_change(&mut self, change: &Change<'_>, level: Level) {
        let severity = match &change.finding.fault {
            _ if !level.requires(change.finding.rule) => "note",
            Ok(_) => "error",
            Err(_) => "warning",
        };
        let text = whole_text(&change.message(level));
        let mut result = json!({
            "ruleId": change.finding.rule.code(),
            "level": severity,
            "message": {"text": text},
        });
        if let Some((sources, span)) = change.place() {
            result["locations"] = json!([location(sources, span)]);
        }
        result["properties"] = json!({"counterexample": change.object(level)["counterexample"]});
        self.results.push(result);
    }

    /// Adds the findings of other layouts.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.results.append(&mut other.results);
    }

    /// Returns the whole document.
    pub(crate) fn document(&self) -> String {
        let mut rules: Vec<Value> = RuleEntry::all().iter().map(rule).collect();
        rules.push(json!({"id": LAYOUT, "name": "mistakes of a layout"}));
        document(&rules, &self.results)
    }
}

fn rule(rule: &RuleEntry) -> Value {
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": rule.page(), "markdown": rule.page()},
    })
}

fn document(rules: &[Value], results: &[Value]) -> String {
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "keyscape",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

/// Formats the findings of an audit as a document.
pub(crate) fn audit(file: &Path, layout: &Layout, findings: &Findings) -> String {
    let results = findings.iter().map(|finding| {
        let (place, says) = (finding.place(layout), finding.kind.says());
        json!({
            "ruleId": finding.kind.name(),
            "level": finding.kind.level(),
            "message": {"text": format!("{place}: {says}: {}", finding.count)},
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": {"uri": file.display().to_string()},
                },
                "logicalLocations": [{"fullyQualifiedName": place}],
            }],
            "properties": {"count": finding.count, "examples": finding.examples},
        })
    });
    let results: Vec<Value> = results.collect();
    let rules = FindingKind::ALL.iter();
    let rules: Vec<Value> = rules
        .map(|kind| json!({"id": kind.name(), "shortDescription": {"text": kind.says()}}))
        .collect();
    document(&rules, &results)
}

fn result(layout: &Layout, claim: &Claim) -> Value {
    // Every claim is reported here, even if the text of another claim covers it.
    let message = message(layout, std::slice::from_ref(claim), claim);
    let text = message.as_ref().map_or_else(String::new, whole_text);
    let level = match claim.verdict {
        Verdict::Refuted(_) => "error",
        _ => "warning",
    };
    let mut result = finding(claim.rule.code(), level, &text, &layout.sources, claim.span);
    if let Some(reason) = &claim.accepted {
        result["suppressions"] = json!([{"kind": "inSource", "justification": reason}]);
    }
    let others = message.iter().flat_map(|message| message.labels.iter().filter(|l| !l.primary));
    let related: Vec<Value> = others
        .map(|label| {
            let mut location = location(&layout.sources, label.span);
            location["message"] = json!({"text": label.text});
            location
        })
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    if let Verdict::Refuted(counterexample) = &claim.verdict {
        let object = claim_object(layout, claim);
        result["properties"] = json!({"counterexample": object["counterexample"]});
        let fixes: Vec<Value> =
            counterexample.fixes.iter().map(|found| fix(&layout.sources, found)).collect();
        if !fixes.is_empty() {
            result["fixes"] = Value::Array(fixes);
        }
    }
    result
}

/// Returns the title of a message and the lines below it, without colours.
fn whole_text(message: &Message) -> String {
    let lines = message.body.iter().map(|line| plain(line).trim_end().to_owned());
    std::iter::once(message.title.clone()).chain(lines).collect::<Vec<_>>().join("\n")
}

fn fix(sources: &Sources, fix: &Fix) -> Value {
    json!({
        "description": {"text": format!("{} ({})", fix.text, fix.effect.words())},
        "artifactChanges": [{
            "artifactLocation": artifact(sources, fix.replaces),
            "replacements": [{
                "deletedRegion": region(sources, fix.replaces),
                "insertedContent": {"text": fix.edit},
            }],
        }],
    })
}

fn finding(rule: &str, level: &str, text: &str, sources: &Sources, span: Span) -> Value {
    json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [location(sources, span)],
    })
}

fn location(sources: &Sources, span: Span) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": artifact(sources, span),
        "region": region(sources, span),
    }})
}

fn artifact(sources: &Sources, span: Span) -> Value {
    json!({"uri": sources.get(span.file).map_or("", |file| file.path.as_str())})
}

fn region(sources: &Sources, span: Span) -> Value {
    let (start, end) = (sources.start(span), sources.end(span));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}
