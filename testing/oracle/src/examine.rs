//! One layout, both opinions.

use crate::{
    compare::{self, Outcome},
    decoding,
    leaf::Words,
    oracle::Oracle,
};
use keyscape_layout::{
    Backend, NoImports,
    model::{KeyspaceId, KeyspaceKind},
    read,
};
use keyscape_prover::{Claim, Config, Rule, check};
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

/// Reads a layout and compares all claims. A backend counts for all stores, as it does for the
/// prover.
pub fn examine(text: &str, backend: Option<&'static Backend>, words: &mut Words) -> Examined {
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
    let config = Config { backend, fixes: false, ..Config::default() };
    let Ok(report) = catch_unwind(AssertUnwindSafe(|| check(&layout, config))) else {
        disagreed.push(Disagreement { rule: None, message: "the prover panicked".into() });
        return Examined::Compared { agreed, disagreed };
    };
    let named = |c: &Claim| (c.rule, c.keyspace, c.scan, c.field.clone());
    let made: Vec<_> = report.claims.iter().map(named).collect();
    let should = expected(&oracle, backend);
    if made != should {
        let message = format!("the claims are {made:?}, and should be {should:?}");
        disagreed.push(Disagreement { rule: None, message });
    }
    for claim in &report.claims {
        match compare::claim(&oracle, claim, backend) {
            Ok(outcome) => agreed.push((claim.rule, outcome)),
            Err(difference) => {
                let keyspace = layout.keyspace(claim.keyspace);
                let scan = claim.scan.map(|scan| layout.sources.text(keyspace.scans[scan].span));
                let split = claim.split.map(|at| layout.sources.text(keyspace.splits[at].span));
                let part = scan.or(split).or(claim.field.as_deref()).unwrap_or("the key");
                let (code, name) = (claim.rule.code(), &keyspace.name);
                let message = format!("{code} of `{name}`, {part}\n{difference}");
                disagreed.push(Disagreement { rule: Some(claim.rule), message });
            }
        }
    }
    Examined::Compared { agreed, disagreed }
}

/// What names a claim.
type Named = (Rule, KeyspaceId, Option<usize>, Option<String>);

/// The claims that a layout makes, in order.
fn expected(oracle: &Oracle<'_>, backend: Option<&'static Backend>) -> Vec<Named> {
    let layout = oracle.layout;
    let mut claims = Vec::new();
    for id in layout.keyspace_ids() {
        let keyspace = layout.keyspace(id);
        claims.push((Rule::Disjoint, id, None, None));
        claims.push((Rule::Unambiguous, id, None, None));
        for (index, scan) in keyspace.scans.iter().enumerate() {
            claims.push((Rule::ScanExact, id, Some(index), None));
            if !scan.by.is_empty() {
                claims.push((Rule::Ordered, id, Some(index), None));
            }
        }
        for single in oracle.singles(id) {
            claims.push((Rule::Lossless, id, None, Some(single.path.clone())));
        }
        let has_backend = backend.or(layout.store(keyspace.store).backend).is_some();
        let made = [
            (Rule::Bounded, has_backend && keyspace.hash.is_none()),
            (Rule::Allocated, oracle.allocation(id).is_some()),
            (Rule::StructureTyped, oracle.meets_kinds(id)),
            (Rule::Indexed, keyspace.kind == KeyspaceKind::Index),
        ];
        let made = made.iter().filter(|(_, is_made)| *is_made);
        claims.extend(made.map(|&(rule, _)| (rule, id, None, None)));
        claims.extend(keyspace.splits.iter().map(|_| (Rule::Splittable, id, None, None)));
    }
    claims
}

/// A layout with its disagreements, for people.
#[must_use]
pub fn report(text: &str, disagreed: &[Disagreement]) -> String {
    let messages: Vec<&str> = disagreed.iter().map(|d| d.message.as_str()).collect();
    format!("{text}\n{}\n", messages.join("\n"))
}
