//! Thousands of keyspaces.

use super::{all_proved, layout_of, prove, undecided};
use keyscape_automata::Budget;
use keyscape_prover::{Config, Rule, Verdict, check};

#[test]
fn five_thousand_keyspaces_with_distinct_prefixes_are_proved() {
    let layout = layout_of(5000, |index| {
        format!(
            "0x{index:04x} {{owner: len8(text[1..=64])}} {{id: u64be}} -> u64be scan owner by id"
        )
    });
    let report = prove(&layout);
    assert!(report.claims.len() >= 5 * 5000 && all_proved(&report));
    // Linear work: less than two thousand units per keyspace.
    assert!(report.work < 10_000_000, "{}", report.work);
}

#[test]
fn five_thousand_keyspaces_that_begin_with_one_text_are_proved() {
    let layout = layout_of(5000, |index| {
        format!(
            r#"{{owner: text(r"[a-z]{{1,32}}")}} "/{index:04}/" {{id: u64be}} -> u64be scan owner"#
        )
    });
    assert!(all_proved(&prove(&layout)));
}

#[test]
fn thousands_of_keyspaces_that_begin_with_a_text_that_holds_anything_are_proved() {
    // Runs that diverge end at different lengths, and the search detects this immediately.
    let layout = layout_of(5000, |index| {
        format!(r#"{{owner: text[1..]}} "/{index}/" {{id: u64be}} -> empty"#)
    });
    assert!(all_proved(&prove(&layout)));
}

#[test]
fn one_shared_key_among_thousands_is_found() {
    let layout = layout_of(3000, |index| {
        let name = if index == 2999 { 7 } else { index };
        format!(r#"{{owner: text(r"[a-z]{{1,32}}")}} "/{name:04}/" {{id: u8}} -> empty"#)
    });
    let report = prove(&layout);
    let refuted = report.claims.iter().filter(|c| matches!(c.verdict, Verdict::Refuted(_)));
    let names: Vec<&str> =
        refuted.map(|claim| layout.keyspace(claim.keyspace).name.as_str()).collect();
    assert_eq!(names, ["k7", "k2999"]);
}

#[test]
fn only_keyspaces_that_a_search_did_not_reach_are_unknown() {
    // Texts that can contain the slash overlap in many ways. The numbers have distinct prefixes.
    let layout = layout_of(60, |index| match index {
        0..40 => {
            format!(r#"0x01 {{owner: text[1..=64]}} "/{index:02}/" {{id: dec(u64)}} -> empty"#)
        }
        _ => format!("0x02 0x{index:02x} {{id: u64be}} -> empty"),
    });
    let budget = Budget { pairs: 20_000, ..Budget::default() };
    let report = check(&layout, Config { budget, fixes: false, ..Config::default() });
    let (proved, reasons) = undecided(&report, Rule::Disjoint);
    assert_eq!((proved, reasons.len()), (20, 40));
    assert!(reasons.iter().all(|reason| reason.contains("search nodes")), "{reasons:?}");
    // A sufficient budget proves that the texts are disjoint too.
    assert_eq!(undecided(&prove(&layout), Rule::Disjoint).0, 60);
}

#[test]
fn all_claims_of_a_layout_share_a_total() {
    let layout = layout_of(40, |index| {
        format!(
            r#"0x{index:02x} {{owner: text[1..=64]}} "/" {{rest: text[1..=64]}} -> empty scan owner"#
        )
    });
    let whole = prove(&layout);
    let config = Config { fixes: false, work: 0, ..Config::default() };
    let report = check(&layout, config);
    let (proved, reasons) = undecided(&report, Rule::Unambiguous);
    assert_eq!((proved, reasons.len()), (0, 40));
    assert!(reasons.iter().all(|reason| reason.contains("for all claims of the layout")));
    let refuted = |claim: &&keyscape_prover::Claim| matches!(claim.verdict, Verdict::Refuted(_));
    assert_eq!(whole.claims.iter().filter(refuted).count(), 80);
    assert_eq!(report.claims.iter().filter(refuted).count(), 0);
}
