//! One layout, both opinions.

use crate::{
    compare::{self, Outcome},
    decoding,
    leaf::Words,
    oracle::Oracle,
};
use keyscape_layout::{Layout, NoImports, read};
use keyscape_prover::{Config, Rule, check};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most rows of a layout that is compared.
const MOST_ROWS: usize = 2000;

/// What came of a layout.
#[derive(Debug)]
pub enum Examined {
    /// It is not a layout: the first mistake.
    Rejected(String),
    /// It has too many rows.
    TooLarge,
    /// Every claim was compared.
    Compared {
        /// Claims on which both agree.
        agreed: Vec<(Rule, Outcome)>,
        /// Claims on which they do not.
        disagreed: Vec<Disagreement>,
    },
}

/// A claim on which the prover and the oracle do not agree.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The rule; `None` if it is not about one claim.
    pub rule: Option<Rule>,
    /// The claim, and what both say.
    pub message: String,
}

/// Reads a layout and compares all claims.
pub fn examine(text: &str, words: &mut Words) -> Examined {
    let layout = match read("random.keys", text, &mut NoImports) {
        Ok(layout) => layout,
        Err(rejected) => {
            let first = rejected.diagnostics.first();
            return Examined::Rejected(first.map(|d| d.message.clone()).unwrap_or_default());
        }
    };
    let Ok(oracle) = Oracle::new(&layout, words, MOST_ROWS) else { return Examined::TooLarge };
    let mut agreed = Vec::new();
    let mut disagreed = Vec::new();
    if let Err(message) = decoding::compare(&oracle) {
        disagreed.push(Disagreement { rule: None, message });
    }
    // Fixes are proved anew wherever they are offered; here the verdicts count.
    let config = Config { fixes: false, ..Config::default() };
    let Ok(report) = catch_unwind(AssertUnwindSafe(|| check(&layout, config))) else {
        disagreed.push(Disagreement { rule: None, message: "the prover panicked".into() });
        return Examined::Compared { agreed, disagreed };
    };
    let claims = || report.claims.iter().filter(|claim| is_enumerable(claim.rule));
    let made: Vec<_> = claims().map(|c| (c.rule, c.keyspace, c.scan)).collect();
    if made != expected(&layout) {
        let message = format!("the claims are {made:?}, and should be {:?}", expected(&layout));
        disagreed.push(Disagreement { rule: None, message });
    }
    for claim in claims() {
        match compare::claim(&oracle, claim) {
            Ok(outcome) => agreed.push((claim.rule, outcome)),
            Err(difference) => {
                let keyspace = layout.keyspace(claim.keyspace);
                let scan = claim.scan.map(|scan| layout.sources.text(keyspace.scans[scan].span));
                let message = format!(
                    "{} of `{}`, {}\n{difference}",
                    claim.rule.code(),
                    keyspace.name,
                    scan.unwrap_or("the key"),
                );
                disagreed.push(Disagreement { rule: Some(claim.rule), message });
            }
        }
    }
    Examined::Compared { agreed, disagreed }
}

/// Rules that are about rows; the others are about declarations, backends and codecs alone.
fn is_enumerable(rule: Rule) -> bool {
    matches!(rule, Rule::Disjoint | Rule::Unambiguous | Rule::ScanExact | Rule::Ordered)
}

/// The claims that a layout makes, in order.
fn expected(layout: &Layout) -> Vec<(Rule, keyscape_layout::model::KeyspaceId, Option<usize>)> {
    let mut claims = Vec::new();
    for id in layout.keyspace_ids() {
        claims.push((Rule::Disjoint, id, None));
        claims.push((Rule::Unambiguous, id, None));
        for (index, scan) in layout.keyspace(id).scans.iter().enumerate() {
            claims.push((Rule::ScanExact, id, Some(index)));
            if !scan.by.is_empty() {
                claims.push((Rule::Ordered, id, Some(index)));
            }
        }
    }
    claims
}

/// A layout with its disagreements, for people.
#[must_use]
pub fn report(text: &str, disagreed: &[Disagreement]) -> String {
    let messages: Vec<&str> = disagreed.iter().map(|d| d.message.as_str()).collect();
    format!("{text}\n{}\n", messages.join("\n"))
}
