//! Accepted claims.

use crate::claims::check;
use keyscape_layout::{NoImports, read};
use keyscape_prover::{Config, Rule};

const PAIR: &str =
    r#"store s map pair = {a: text(r"[a-z]{1,2}")} {b: text(r"[a-z]{1,2}")} -> empty"#;

#[test]
fn an_accepted_claim_is_marked() {
    let verdict = check(&format!(r#"{PAIR} accept KS002 "names have two letters in practice""#));
    assert!(verdict.starts_with("KS002 pair (accepted)"), "{verdict}");
}

#[test]
fn an_acceptance_that_matches_nothing_is_idle() {
    assert_eq!(
        check(r#"store s map m = {a: u8} -> empty  accept KS002 "was needed once""#),
        "idle accept"
    );
}

#[test]
fn accepting_one_partner_does_not_accept_another() {
    let layout = |more: &str| {
        check(&format!(
            r#"store s
            map a = {{x: u8}} -> empty  accept KS001 with b "same rows" {more}
            map b = {{x: u8}} -> empty  accept KS001 "same rows"
            map c = {{x: u8}} -> empty  accept KS001 "same rows""#
        ))
    };
    assert!(layout("").lines().next().unwrap().starts_with("KS001 a:"));
    let both = layout(r#"accept KS001 with c "same rows""#);
    assert!(both.lines().next().unwrap().starts_with("KS001 a (accepted):"), "{both}");
}

/// Formats all claims of a rule that are not proved, by keyspace: the acceptances, and for each
/// partner whether it is refuted and accepted.
fn partners(rule: Rule, text: &str) -> String {
    let layout = read("test.keys", text, &mut NoImports)
        .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
    let report = keyscape_prover::check(&layout, Config::default());
    let name = |id| layout.keyspace(id).name.as_str();
    let mut lines = vec![format!("holds: {}, idle: {}", report.holds(), report.idle_accepts.len())];
    for claim in report.claims.iter().filter(|claim| claim.rule == rule) {
        let of = claim.partners.iter().map(|partner| {
            let verdict = if partner.undecided.is_some() { "unknown" } else { "refuted" };
            let accepted = if partner.accepted.is_some() { " accepted" } else { "" };
            format!("{verdict} {}{accepted}", partner.keyspace.map_or("itself", name))
        });
        let of = of.collect::<Vec<_>>().join(", ");
        let accepted = if claim.accepted.is_some() { " accepted" } else { "" };
        lines.push(format!("{}{accepted}: {of}", name(claim.keyspace)));
    }
    lines.join("\n")
}

/// Undecided pairs were once lost if a refuted pair was accepted.
#[test]
fn an_undecided_partner_is_kept_beside_a_refuted_one() {
    let layout = |more: &str| {
        partners(
            Rule::Disjoint,
            &format!(
                r#"store s
                map k0 = {{x: u16be in 0..=999}} {{= blake2_128(x)[1]}} "-"
                    accept KS001 with k2 "known"
                map k1 = {{x: u16be in 0..=999}} "a-" accept KS001 with k3 "known"
                map k2 = {{x: u16be in 0..=999}} {{= blake2_128(x)[1]}} "-"
                    accept KS001 with k0 "known" {more}
                map k3 = {{x: u16be in 0..=999}} "a-" accept KS001 "whatever it is""#
            ),
        )
    };
    assert_eq!(
        layout(""),
        "holds: false, idle: 0\n\
         k0: refuted k2 accepted, unknown k1, unknown k3\n\
         k1: refuted k3 accepted, unknown k0, unknown k2\n\
         k2: refuted k0 accepted, unknown k1, unknown k3\n\
         k3 accepted: refuted k1 accepted, unknown k0 accepted, unknown k2 accepted"
    );
    let more = layout(r#"accept KS001 with k1 "looked at" accept KS001 with k3 "looked at""#);
    assert!(more.contains("\nk2 accepted: refuted k0 accepted, unknown k1 accepted"), "{more}");
}

/// Of several keyspaces with comparable prefixes, only the first was once reported.
#[test]
fn each_comparable_prefix_is_accepted_by_itself() {
    let layout = |more: &str| {
        partners(
            Rule::Allocated,
            &format!(
                r#"store s
                namespace n = 0x02 {{
                    allocate core 0x01 ..= 0x0f
                    map a = 0x0e {{x: u8}}
                        accept KS007 with b "known"
                    map b = 0x0e 0x05 {{x: u8}} {{y: u8}}
                        accept KS007 "known"
                    map c = 0x0e 0x05 0x06 {{x: u8}} {{y: u8}} {{z: u8}}
                        accept KS007 with a "known" {more}
                }}"#
            ),
        )
    };
    assert_eq!(
        layout(""),
        "holds: false, idle: 0\n\
         a: refuted b accepted, refuted c\n\
         b accepted: refuted a accepted, refuted c accepted\n\
         c: refuted a accepted, refuted b"
    );
    let all = layout(r#"accept KS007 with b "known""#);
    assert!(all.contains("\nc accepted: refuted a accepted, refuted b accepted"), "{all}");
}

#[test]
fn accepting_a_partner_does_not_accept_a_fault_of_the_keyspace_itself() {
    let text = r#"store s
        namespace n = 0x02 {
            allocate core 0x01 ..= 0x0f
            reserve 0x0e "old"
            map a = 0x0e {x: u8} accept KS007 with b "known"
            map b = 0x0e 0x05 {x: u8} accept KS007 "known"
        }"#;
    assert_eq!(
        partners(Rule::Allocated, text),
        "holds: false, idle: 0\n\
         a: refuted itself, refuted b accepted\n\
         b accepted: refuted itself accepted, refuted a accepted"
    );
}

/// A claim lists at most 16 partners. The others could once not be accepted.
#[test]
fn partners_that_are_not_listed_are_accepted_one_by_one_too() {
    let layout = |accepted: usize| {
        let accepts = (0..accepted).map(|n| format!("accept KS001 with k{n} \"same rows\" "));
        let others =
            (0..20).map(|n| format!("map k{n} = {{x: u8}} -> empty accept KS001 \"same rows\"\n"));
        let (accepts, others) = (accepts.collect::<String>(), others.collect::<String>());
        check(&format!("store s\nmap a = {{x: u8}} -> empty {accepts}\n{others}"))
    };
    assert!(layout(20).starts_with("KS001 a (accepted): "));
    let one_missing = layout(19);
    let first = one_missing.lines().next().unwrap();
    assert!(first.starts_with("KS001 a: ") && first.contains("k19"), "{first}");
}
