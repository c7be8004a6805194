//! The comparison of the prover and the oracle on one layout.

use crate::{
    compare::{self, Fixed, Outcome},
    decoding,
    leaf::Words,
    oracle::Oracle,
    seed::read,
};
use keyscape_layout::{
    Backend, Layout,
    model::{KeyspaceId, KeyspaceKind},
};
use keyscape_prover::{Claim, Config, Fix, Report, Rule, Verdict, check};
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The highest number of rows of a layout to compare.
const MAX_ROWS: usize = 2000;

/// The result for a layout.
#[derive(Debug)]
pub enum Examined {
    /// The text is not a layout; this is its first error.
    Rejected(String),
    /// The layout has too many rows.
    TooLarge,
    /// Every claim was compared.
    Compared {
        /// The claims on which the prover and the oracle agree.
        agreed: Vec<(Rule, Outcome)>,
        /// The claims on which the prover and the oracle disagree.
        disagreed: Vec<Disagreement>,
    },
}

/// A claim on which the prover and the oracle disagree.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The rule, or `None` if the disagreement is not about one claim.
    pub rule: Option<Rule>,
    /// The claim and both answers.
    pub message: String,
}

/// The inputs besides the text of a layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setting {
    /// A backend that replaces the backends of all stores.
    pub backend: Option<&'static Backend>,
    /// Whether to check the fixes that the prover offers.
    pub fixes: bool,
}

/// Reads a layout and compares all claims.
pub fn examine(text: &str, setting: Setting, words: &mut Words) -> Examined {
    let Setting { backend, fixes } = setting;
    let layout = match read(text) {
        Ok(layout) => layout,
        Err(rejected) => {
            let first = rejected.diagnostics.first();
            return Examined::Rejected(first.map(|d| d.message.clone()).unwrap_or_default());
        }
    };
    let Ok(mut oracle) = Oracle::new(&layout, words, &[], MAX_ROWS) else {
        return Examined::TooLarge;
    };
    let mut disagreed = Vec::new();
    let mut differ = |rule, message| disagreed.push(Disagreement { rule, message });
    if let Err(message) = decoding::compare(&oracle) {
        differ(None, message);
    }
    let config = Config { backend, fixes, ..Config::default() };
    let Ok(report) = catch_unwind(AssertUnwindSafe(|| check(&layout, config))) else {
        differ(None, "the prover panicked".into());
        return Examined::Compared { agreed: Vec::new(), disagreed };
    };
    let shown = compare::values(&report);
    let is_partial = |id| !oracle.is_complete(id);
    if !shown.is_empty() && layout.keyspace_ids().any(is_partial) {
        let Ok(with_shown) = Oracle::new(&layout, words, &shown, MAX_ROWS) else {
            return Examined::TooLarge;
        };
        oracle = with_shown;
    }
    let named = |c: &Claim| (c.rule, c.keyspace, c.scan, c.field.clone());
    let made: Vec<_> = report.claims.iter().map(named).collect();
    let should = expected(&oracle, backend);
    if made != should {
        differ(None, format!("the claims are {made:?}, and should be {should:?}"));
    }
    let mut agreed = Vec::new();
    for claim in &report.claims {
        match compare::claim(&oracle, claim, backend) {
            Ok(outcome) => agreed.push((claim.rule, outcome)),
            Err(difference) => differ(Some(claim.rule), about(&layout, claim, &difference)),
        }
    }
    for (claim, difference) in wrong_fixes(&oracle, &report, setting, words) {
        differ(Some(claim.rule), about(&layout, claim, &difference));
    }
    if let Err(message) = compare::accepts(&oracle, &report) {
        differ(None, message);
    }
    Examined::Compared { agreed, disagreed }
}

/// Names a claim in a message about it.
fn about(layout: &Layout, claim: &Claim, difference: &str) -> String {
    let keyspace = layout.keyspace(claim.keyspace);
    let scan = claim.scan.map(|scan| layout.sources.text(keyspace.scans[scan].span));
    let split = claim.split.map(|at| layout.sources.text(keyspace.splits[at].span));
    let part = scan.or(split).or(claim.field.as_deref()).unwrap_or("the key");
    format!("{} of `{}`, {part}\n{difference}", claim.rule.code(), keyspace.name)
}

/// Applies the fixes of all claims one by one, and checks the resulting layouts with the oracle.
/// Returns the claims of wrong fixes. Several claims often have the same fix.
fn wrong_fixes<'r>(
    oracle: &Oracle<'_>,
    report: &'r Report,
    setting: Setting,
    words: &mut Words,
) -> Vec<(&'r Claim, String)> {
    let mut wrong = Vec::new();
    let mut fixed: BTreeMap<String, Vec<(&Claim, &Fix)>> = BTreeMap::new();
    for claim in &report.claims {
        let Verdict::Refuted(counterexample) = &claim.verdict else { continue };
        let order = compare::narrowing_is_last(&counterexample.fixes);
        wrong.extend(order.err().map(|difference| (claim, difference)));
        for fix in &counterexample.fixes {
            let text = compare::apply(oracle.layout.text(), fix);
            fixed.entry(text).or_default().push((claim, fix));
        }
    }
    let shown = compare::values(report);
    for (text, fixes) in fixed {
        let layout = read(&text);
        let after = match &layout {
            Ok(layout) => Oracle::new(layout, words, &shown, MAX_ROWS).map_err(|_| None),
            Err(rejected) => Err(Some(rejected.diagnostics[0].message.clone())),
        };
        let lost = match &after {
            Ok(after) => compare::lost_claim(after, report, setting.backend),
            Err(message) => message.clone(),
        };
        for (claim, fix) in fixes {
            let fixed = after.as_ref().ok().map(|after| {
                let backend = setting.backend;
                Fixed { before: oracle, after, fix, claim, backend }.check(report)
            });
            let difference = lost.clone().or_else(|| fixed?.err());
            let about_fix = |difference| format!("the fix `{}`: {difference}", fix.text);
            wrong.extend(difference.map(|difference| (claim, about_fix(difference))));
        }
    }
    wrong
}

/// The identity of a claim.
type Named = (Rule, KeyspaceId, Option<usize>, Option<String>);

/// Returns the claims that a layout makes, in order.
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

/// Formats a layout with its disagreements.
#[must_use]
pub fn report(text: &str, disagreed: &[Disagreement]) -> String {
    let messages: Vec<&str> = disagreed.iter().map(|d| d.message.as_str()).collect();
    format!("{text}\n{}\n", messages.join("\n"))
}
