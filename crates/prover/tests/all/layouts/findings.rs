//! The known defects of each layout file: exactly these claims fail, each for the given reason.

use crate::layouts::{
    files::{Checked, all},
    findings_bank, findings_bitbadges, findings_onesat, findings_osmosis, findings_paw,
};
use crate::replay::replay;
use keyscape_layout::Layout;
use keyscape_prover::{AllocationFault, Claim, Fault, Rule, Verdict};

/// A claim that does not hold.
pub(crate) struct Finding {
    pub(crate) rule: Rule,
    pub(crate) keyspace: &'static str,
    /// The name of the scan or of the split.
    pub(crate) clause: Option<&'static str>,
    /// The field that loses values, or that an index does not carry.
    pub(crate) field: Option<&'static str>,
    /// The keyspaces that collide with this one, or whose rows a scan reads, in alphabetical order.
    pub(crate) with: &'static [&'static str],
    /// The reason in one line.
    pub(crate) why: &'static str,
}

/// The known defects of one file, in groups that several files share.
pub(crate) struct File {
    pub(crate) name: &'static str,
    pub(crate) findings: &'static [&'static [Finding]],
}

/// Creates a finding of KS001.
pub(crate) const fn collides(
    keyspace: &'static str,
    with: &'static [&'static str],
    why: &'static str,
) -> Finding {
    Finding { with, ..finding(Rule::Disjoint, keyspace, why) }
}

/// Creates a finding of KS002.
pub(crate) const fn reads_twice(keyspace: &'static str, why: &'static str) -> Finding {
    finding(Rule::Unambiguous, keyspace, why)
}

/// Creates a finding of KS003.
pub(crate) const fn scans_more(
    keyspace: &'static str,
    scan: &'static str,
    with: &'static [&'static str],
    why: &'static str,
) -> Finding {
    Finding { clause: Some(scan), with, ..finding(Rule::ScanExact, keyspace, why) }
}

/// Creates a finding of KS004.
pub(crate) const fn out_of_order(
    keyspace: &'static str,
    scan: &'static str,
    why: &'static str,
) -> Finding {
    Finding { clause: Some(scan), ..finding(Rule::Ordered, keyspace, why) }
}

/// Creates a finding of KS005.
pub(crate) const fn loses(
    keyspace: &'static str,
    field: &'static str,
    why: &'static str,
) -> Finding {
    Finding { field: Some(field), ..finding(Rule::Lossless, keyspace, why) }
}

/// Creates a finding of KS007: a key outside its allocated range.
pub(crate) const fn misplaced(keyspace: &'static str, why: &'static str) -> Finding {
    finding(Rule::Allocated, keyspace, why)
}

/// Creates a finding of KS010.
pub(crate) const fn splits_wrongly(
    keyspace: &'static str,
    split: &'static str,
    why: &'static str,
) -> Finding {
    Finding { clause: Some(split), ..finding(Rule::Splittable, keyspace, why) }
}

const fn finding(rule: Rule, keyspace: &'static str, why: &'static str) -> Finding {
    Finding { rule, keyspace, clause: None, field: None, with: &[], why }
}

/// Returns the files of all systems.
fn files() -> impl Iterator<Item = &'static File> {
    [
        findings_bank::FILES,
        findings_bitbadges::FILES,
        findings_onesat::FILES,
        findings_osmosis::FILES,
        findings_paw::FILES,
    ]
    .into_iter()
    .flatten()
}

fn recorded(file: &str) -> impl Iterator<Item = &'static Finding> {
    let of_file = files().find(|known| known.name == file);
    of_file.into_iter().flat_map(|known| known.findings).copied().flatten()
}

/// Formats a claim in one line, for both sides of the comparison.
fn line(
    rule: Rule,
    keyspace: &str,
    clause: Option<&str>,
    field: Option<&str>,
    with: &[&str],
) -> String {
    let mut line = format!("{} {keyspace}", rule.code());
    if let Some(clause) = clause {
        let word = if rule == Rule::Splittable { "split" } else { "scan" };
        line += &format!(" {word} {clause}");
    }
    if let Some(field) = field {
        line += &format!(" field {field}");
    }
    if !with.is_empty() {
        line += &format!(" with {}", with.join(", "));
    }
    line
}

fn finding_line(finding: &Finding) -> String {
    let Finding { rule, keyspace, clause, field, with, .. } = finding;
    line(*rule, keyspace, *clause, *field, with)
}

fn claim_line(layout: &Layout, claim: &Claim, fault: &Fault) -> String {
    let keyspace = layout.keyspace(claim.keyspace);
    let name = |id| layout.keyspace(id).name.as_str();
    let scan = claim.scan.map(|index| keyspace.scans[index].name.as_str());
    let split = claim.split.map(|index| keyspace.splits[index].name.as_str());
    let mut field = claim.field.as_deref();
    let mut with: Vec<&str> = Vec::new();
    match fault {
        Fault::Disjoint { collisions, .. } => {
            with.extend(collisions.iter().map(|collision| name(collision.there.keyspace)));
        }
        Fault::ScanExact(found) => with.push(name(found.row.keyspace)),
        Fault::Allocated { fault: AllocationFault::Comparable { other }, .. } => {
            with.push(name(*other));
        }
        Fault::Indexed { missing, .. } => field = Some(missing),
        Fault::Unambiguous { .. }
        | Fault::Ordered { .. }
        | Fault::Lossless { .. }
        | Fault::Bounded { .. }
        | Fault::Allocated { .. }
        | Fault::Splittable { .. } => {}
    }
    with.sort_unstable();
    line(claim.rule, &keyspace.name, scan.or(split), field, &with)
}

#[test]
fn exactly_the_known_claims_of_every_layout_file_are_refuted_and_none_is_undecided() {
    for Checked { file, layout, report } in all() {
        let mut found = Vec::new();
        for claim in &report.claims {
            match &claim.verdict {
                Verdict::Proved => {}
                Verdict::Refuted(counterexample) => {
                    found.push(claim_line(layout, claim, &counterexample.fault));
                }
                Verdict::Unknown(reason) => panic!("{file}: {} {reason:?}", claim.rule.code()),
            }
        }
        let mut expected: Vec<String> = recorded(file).map(finding_line).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn every_file_with_findings_exists_and_every_finding_has_a_reason() {
    for known in files() {
        assert!(all().iter().any(|checked| checked.file == known.name), "{}", known.name);
        let mut findings = known.findings.iter().copied().flatten();
        assert!(findings.all(|finding| !finding.why.is_empty()), "{}", known.name);
    }
}

#[test]
fn every_counterexample_replays_through_the_codecs() {
    let mut replayed = 0;
    for Checked { layout, report, .. } in all() {
        for claim in &report.claims {
            replay(layout, claim);
            replayed += usize::from(matches!(claim.verdict, Verdict::Refuted(_)));
        }
    }
    assert!(replayed > 0);
}
