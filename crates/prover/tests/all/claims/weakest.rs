//! Fixes have the weakest bounds, and every fix of a random layout proves its claim.

use crate::claims::check;
use keyscape_layout::{Built, Layout, NoImports, read_beside};
use keyscape_oracle::{Oracle, ScanAnswer, Words, generate};
use keyscape_prover::{Claim, Config, Report, Rule, Verdict};
use std::{collections::BTreeMap, sync::LazyLock};

/// Reads a layout. All layouts share their codecs and automata.
fn read(text: &str) -> Option<Layout> {
    static BUILT: LazyLock<Built> = LazyLock::new(Built::default);
    read_beside(&BUILT, "random.keys", text, &mut NoImports).ok()
}

fn full_check(text: &str, fixes: bool) -> Option<Report> {
    Some(keyscape_prover::check(&read(text)?, Config { fixes, ..Config::default() }))
}

#[test]
fn no_larger_bound_would_do() {
    for (ty, range, low, high) in [
        ("dec(u8)", " in 3..=250", 3, 250),
        ("u16le", " in 200..=600", 200, 600),
        ("dec(u16)", " in 95..=300", 95, 300),
        ("i8", "", -128, 127),
        ("i8", " in -2..=2", -2, 2),
        ("i16le", " in -2..=2", -2, 2),
        ("dec(i8)", " in -5..=20", -5, 20),
        ("dec(i16)", " in -30..=-3", -30, -3),
    ] {
        for (rule, after) in [
            (Rule::Ordered, "-> empty scan all by x"),
            (Rule::Unambiguous, "{y: dec(u8)} -> empty"),
        ] {
            let holds = |low: i32, high: i32| {
                let text = format!("store s map m = {{x: {ty} in {low}..={high}}} {after}");
                let claims = full_check(&text, false).unwrap().claims;
                let mut claims = claims.iter().filter(|claim| claim.rule == rule);
                claims.all(|claim| matches!(claim.verdict, Verdict::Proved))
            };
            let whole = format!("store s map m = {{x: {ty}{range}}} {after}");
            let offered = crate::claims::fixes::fixes(rule, &whole);
            let Some(line) = offered.lines().find(|line| line.starts_with("m narrowed")) else {
                // A fix never narrows a domain to one value, or to less than a sixteenth.
                let from = if high >= 0 { low.max(0) } else { low };
                let sixteenth = from + 1.max((high - low + 1) / 16);
                assert!(offered.is_empty() || !holds(from, sixteenth), "{whole}: {offered}");
                continue;
            };
            let range = line.split_once(" in ").unwrap().1.split_once('}').unwrap().0;
            let (from, to) = range.split_once("..").unwrap();
            let from: i32 = from.parse().unwrap();
            let to = to.strip_prefix('=').map_or(high, |to| to.parse().unwrap());
            assert!(low <= from && to <= high && holds(from, to), "{whole}: {line}");
            assert!(from == low || !holds(from - 1, to), "{whole}: {line}");
            assert!(to == high || !holds(from, to + 1), "{whole}: {line}");
        }
    }
}

/// The longest value is known even if no automaton counts so far.
#[test]
fn long_bounds_are_the_weakest_too() {
    for (ty, bound) in [
        ("rune(bytes[0..])", "rune(bytes[0..=402653183])"),
        ("escaped01(text[1..])", "escaped01(text[1..=402653182])"),
        ("groups8(bytes[0..])", "groups8(bytes[0..=715827879])"),
        ("blake2_128_concat(bytes[0..])", "blake2_128_concat(bytes[0..=805306351])"),
    ] {
        let text = format!("store s on redb map m = \"m\" {{x: {ty}}} -> empty");
        let expected = format!("m narrowed: map m = \"m\" {{x: {bound}}} -> empty");
        assert_eq!(crate::claims::fixes::fixes(Rule::Bounded, &text), expected);
    }
}

#[test]
fn no_larger_length_would_do() {
    let text = |length: usize| {
        format!(
            r#"store s on lmdb map m = "prefix/" {{a: bytes[0..={length}]}} {{b: bytes[3]}} -> empty"#
        )
    };
    assert_eq!(check(&text(501)), "proved");
    assert_ne!(check(&text(502)), "proved");
    assert!(crate::claims::fixes::fixes(Rule::Bounded, &text(700)).contains("bytes[0..=501]"));
}

/// Whether two claims have the same subject. A fix renames and moves nothing.
fn same(a: &Claim, b: &Claim) -> bool {
    let about = |claim: &Claim| (claim.rule, claim.keyspace, claim.scan, claim.split);
    about(a) == about(b) && a.field == b.field
}

/// Decides a claim by enumeration. Returns `None` for rules that this test does not enumerate.
fn enumerated(oracle: &Oracle<'_>, claim: &Claim) -> Option<bool> {
    let id = claim.keyspace;
    Some(match (claim.rule, claim.scan) {
        (Rule::Disjoint, _) => oracle.collisions(id).is_empty(),
        (Rule::Unambiguous, _) => oracle.shortest_ambiguous(id).is_none(),
        (Rule::ScanExact, Some(scan)) => !matches!(oracle.scan(id, scan), ScanAnswer::Wrong(..)),
        (Rule::Ordered, Some(scan)) => oracle.least_disorder(id, scan).is_none(),
        (Rule::Splittable, _) => oracle.shortest_missplit(id, claim.split?).is_none(),
        _ => return None,
    })
}

/// Returns the claims that each fix of a report proves, by the text of the layout with the fix.
/// Several claims often have the same fix.
fn fixed_texts<'r>(text: &str, report: &'r Report) -> BTreeMap<String, Vec<&'r Claim>> {
    let mut fixed: BTreeMap<String, Vec<&Claim>> = BTreeMap::new();
    for claim in &report.claims {
        let Verdict::Refuted(counterexample) = &claim.verdict else { continue };
        let effects: Vec<_> = counterexample.fixes.iter().map(|fix| fix.effect).collect();
        assert!(effects.len() <= 4 && effects.is_sorted(), "{text}");
        for fix in &counterexample.fixes {
            let mut edited = text.to_owned();
            let replaces = fix.replaces.start as usize..fix.replaces.end as usize;
            edited.replace_range(replaces, &fix.edit);
            fixed.entry(edited).or_default().push(claim);
        }
    }
    fixed
}

#[test]
fn every_fix_of_a_random_layout_applies_and_is_proved_by_a_whole_check() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut words, mut seconded) = (Words::default(), 0);
    let is_proved = |claim: &Claim| matches!(claim.verdict, Verdict::Proved);
    for seed in 0..200 {
        let text = generate(seed, (seed % 5) as usize).to_string();
        let Some(report) = full_check(&text, true) else { continue };
        for (fixed, claims) in fixed_texts(&text, &report) {
            let layout = read(&fixed).unwrap();
            let config = Config { fixes: false, ..Config::default() };
            let after = keyscape_prover::check(&layout, config);
            for before in &report.claims {
                let now = after.claims.iter().find(|now| same(now, before)).unwrap();
                assert!(!is_proved(before) || is_proved(now), "{text}\n{fixed}\nbreaks {before:?}");
            }
            let oracle = Oracle::new(&layout, &mut words, &[], 2000).ok();
            for claim in claims {
                let now = after.claims.iter().find(|now| same(now, claim)).unwrap();
                assert!(is_proved(now), "{text}\n{fixed}");
                let holds = oracle.as_ref().and_then(|oracle| enumerated(oracle, claim));
                assert_ne!(holds, Some(false), "{text}\n{fixed}");
                seconded += usize::from(holds.is_some());
                *counts.entry(claim.rule.code()).or_default() += 1;
            }
        }
    }
    for rule in ["KS001", "KS002", "KS003", "KS004", "KS010"] {
        assert!(counts.get(rule).is_some_and(|&count| count > 20), "{counts:?}");
    }
    assert!(seconded > 100, "{seconded} fixes were enumerated");
}
