//! What is known to be wrong with each layout file: exactly these claims fail, each for the reason
//! given.

use crate::{
    files::{Checked, all},
    findings_bank, findings_onesat,
    replay::replay,
};
use keyscape_layout::Layout;
use keyscape_prover::{Claim, Fault, Rule, Verdict};

/// A claim that does not hold.
pub(crate) struct Finding {
    pub(crate) rule: Rule,
    pub(crate) keyspace: &'static str,
    pub(crate) scan: Option<&'static str>,
    /// The keyspaces that it collides with, or whose row a scan meets, by name in alphabetical order.
    pub(crate) with: &'static [&'static str],
    /// Why, in a line.
    pub(crate) why: &'static str,
}

/// What is known about one file.
pub(crate) struct File {
    pub(crate) name: &'static str,
    pub(crate) findings: &'static [Finding],
}

/// KS001.
pub(crate) const fn collides(
    keyspace: &'static str,
    with: &'static [&'static str],
    why: &'static str,
) -> Finding {
    Finding { rule: Rule::Disjoint, keyspace, scan: None, with, why }
}

/// KS002.
pub(crate) const fn reads_twice(keyspace: &'static str, why: &'static str) -> Finding {
    Finding { rule: Rule::Unambiguous, keyspace, scan: None, with: &[], why }
}

/// KS003.
pub(crate) const fn scans_more(
    keyspace: &'static str,
    scan: &'static str,
    with: &'static [&'static str],
    why: &'static str,
) -> Finding {
    Finding { rule: Rule::ScanExact, keyspace, scan: Some(scan), with, why }
}

/// KS004.
pub(crate) const fn out_of_order(
    keyspace: &'static str,
    scan: &'static str,
    why: &'static str,
) -> Finding {
    Finding { rule: Rule::Ordered, keyspace, scan: Some(scan), with: &[], why }
}

fn known(file: &str) -> &'static [Finding] {
    let mut files = findings_bank::FILES.iter().chain(findings_onesat::FILES);
    files.find(|known| known.name == file).map_or(&[], |known| known.findings)
}

/// A claim in a line, as both sides of the comparison write it.
fn line(rule: Rule, keyspace: &str, scan: Option<&str>, with: &[&str]) -> String {
    let mut line = format!("{} {keyspace}", rule.code());
    if let Some(scan) = scan {
        line += &format!(" scan {scan}");
    }
    if !with.is_empty() {
        line += &format!(" with {}", with.join(", "));
    }
    line
}

fn claim_line(layout: &Layout, claim: &Claim, fault: &Fault) -> String {
    let keyspace = layout.keyspace(claim.keyspace);
    let scan = claim.scan.map(|index| keyspace.scans[index].name.as_str());
    let mut with: Vec<&str> = match fault {
        Fault::Disjoint { collisions, .. } => {
            collisions.iter().map(|c| layout.keyspace(c.there.keyspace).name.as_str()).collect()
        }
        Fault::ScanExact { row, .. } => vec![layout.keyspace(row.keyspace).name.as_str()],
        Fault::Unambiguous { .. } | Fault::Ordered { .. } => Vec::new(),
    };
    with.sort_unstable();
    line(claim.rule, &keyspace.name, scan, &with)
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
        let mut expected: Vec<String> =
            known(file).iter().map(|f| line(f.rule, f.keyspace, f.scan, f.with)).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn every_file_with_findings_exists_and_every_finding_has_a_reason() {
    let files = all();
    for known in findings_bank::FILES.iter().chain(findings_onesat::FILES) {
        assert!(files.iter().any(|checked| checked.file == known.name), "{}", known.name);
        assert!(known.findings.iter().all(|finding| !finding.why.is_empty()), "{}", known.name);
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
