//! Refuted claims of the layouts have fixes.

use crate::layouts::files::all;
use keyscape_prover::Verdict;

#[test]
fn every_refutation_has_a_fix() {
    let (mut refuted, mut without) = (0, Vec::new());
    for checked in all() {
        for claim in &checked.report.claims {
            let Verdict::Refuted(counterexample) = &claim.verdict else { continue };
            refuted += 1;
            if counterexample.fixes.is_empty() {
                let name = &checked.layout.keyspace(claim.keyspace).name;
                without.push(format!("{} {} {name}", checked.file, claim.rule.code()));
            }
        }
    }
    assert!(refuted > 100, "{refuted}");
    assert!(without.is_empty(), "{} of {refuted}: {without:#?}", without.len());
}
