//! Claims that a layout accepts.

use crate::check;

const PAIR: &str =
    r#"store s map pair = {a: text(r"[a-z]{1,2}")} {b: text(r"[a-z]{1,2}")} -> empty"#;

#[test]
fn an_accepted_claim_is_shown_as_such() {
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
