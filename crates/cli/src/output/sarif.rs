//! Claims as SARIF 2.1.0, the format for findings that code hosts and editors read.

use super::claim::{message, warnings};
use keyscape_layout::{Diagnostic, Layout, Rejected, Sources, Span};
use keyscape_prover::{Claim, Report, Rule, Verdict};
use serde_json::{Value, json};

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

    /// Adds the findings of other layouts.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.results.append(&mut other.results);
    }

    /// Returns the whole document.
    pub(crate) fn document(&self) -> String {
        let mut rules: Vec<Value> =
            Rule::ALL.iter().map(|rule| json!({"id": rule.code(), "name": rule.name()})).collect();
        rules.push(json!({"id": LAYOUT, "name": "mistakes of a layout"}));
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
                "results": self.results,
            }],
        });
        format!("{document:#}\n")
    }
}

fn result(layout: &Layout, claim: &Claim) -> Value {
    // Every claim is reported here, even if the text of another claim covers it.
    let text = message(layout, std::slice::from_ref(claim), claim)
        .map_or_else(String::new, |message| message.title);
    let level = match claim.verdict {
        Verdict::Refuted(_) => "error",
        _ => "warning",
    };
    let mut result = finding(claim.rule.code(), level, &text, &layout.sources, claim.span);
    if let Some(reason) = &claim.accepted {
        result["suppressions"] = json!([{"kind": "inSource", "justification": reason}]);
    }
    result
}

fn finding(rule: &str, level: &str, text: &str, sources: &Sources, span: Span) -> Value {
    let (start, end) = (sources.start(span), sources.end(span));
    let uri = sources.get(span.file).map_or("", |file| file.path.as_str());
    json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
            },
        }}],
    })
}
