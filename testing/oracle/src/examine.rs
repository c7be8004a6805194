//! The comparison of the prover and the oracle on one layout.

use crate::{
    compare::{self, Fixed, Outcome},
    decoding,
    leaf::Words,
    oracle::Oracle,
};
use keyscape_layout::{
    Backend, Layout, NoImports,
    model::{KeyspaceId, KeyspaceKind},
    read,
};
use keyscape_prover::{Claim, Config, Report, Rule, Verdict, check};
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    let layout = match read("random.keys", text, &mut NoImports) {
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
        let found = fixed(&oracle, claim, &report, setting, words);
        if let Err(difference) = found {
            differ(Some(claim.rule), about(&layout, claim, &difference));
        }
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

/// Applies the fixes of a claim one by one, and checks the resulting layouts with the oracle.
fn fixed(
    oracle: &Oracle<'_>,
    claim: &Claim,
    report: &Report,
    setting: Setting,
    words: &mut Words,
) -> Result<(), String> {
    let Verdict::Refuted(counterexample) = &claim.verdict else { return Ok(()) };
    let Some(source) = oracle.layout.sources.files().first() else { return Ok(()) };
    compare::narrowing_is_last(&counterexample.fixes)?;
    for fix in &counterexample.fixes {
        let about_fix = |difference: &str| format!("the fix `{}`: {difference}", fix.text);
        let text = compare::apply(&source.text, fix);
        let layout = read("random.keys", &text, &mut NoImports)
            .map_err(|rejected| about_fix(&rejected.diagnostics[0].message))?;
        let Ok(after) = Oracle::new(&layout, words, &compare::values(report), MAX_ROWS) else {
            continue;
        };
        let fixed = Fixed { before: oracle, after: &after, fix, claim, backend: setting.backend };
        fixed.check(report).map_err(|difference| about_fix(&difference))?;
    }
    Ok(())
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
