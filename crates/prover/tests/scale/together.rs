//! Tests that cached results of other layouts change no report.

use crate::layout;
use keyscape_automata::Budget;
use keyscape_prover::{Config, Memory, Unknown, Verdict, check, check_with};

const LAYOUT: &str = r#"store shop
map order = 0x01 {owner: text[1..=8]} "/" {item: text[1..=8]} -> empty
map price = 0x01 {owner: text[1..=8]} "/" {cents: dec(u16)} -> empty
map stock = 0x02 {item: text(r"[a-z]{1,8}")} "/" {shelf: u16be} -> empty scan item
"#;

/// The approximate work to build the automata of the layout.
const MACHINES: usize = 2_000;

#[test]
fn a_report_is_the_same_with_what_other_layouts_have_found() {
    let layout = layout(LAYOUT);
    let memory = Memory::default();
    let whole = check_with(&layout, Config::default(), &memory);
    let mut complete = 0;
    let mut broken_off = 0;
    // Budgets around the cost of the searches. Each claim is once the first to exceed the budget.
    for pairs in (1..120).chain((120..1200).step_by(40)) {
        for factor in [1, 3] {
            let budget = Budget { pairs, ..Budget::default() };
            // Automata count toward the total work.
            let work = MACHINES + pairs * factor;
            let config = Config { budget, work, ..Config::default() };
            let alone = check(&layout, config);
            let beside = check_with(&layout, config, &memory);
            assert_eq!(format!("{alone:?}"), format!("{beside:?}"), "{pairs} {factor}");
            let is_over =
                |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Unknown::Budget(_)));
            match alone.claims.iter().any(|claim| is_over(&claim.verdict)) {
                true => broken_off += 1,
                false => complete += 1,
            }
        }
    }
    assert!(complete > 0 && broken_off > 0, "{complete} {broken_off}");
    assert_eq!(format!("{whole:?}"), format!("{:?}", check(&layout, Config::default())));
}

/// Keys that differ only in their first literal, and keys that only look similar.
const ALIKE: [&str; 14] = [
    r#"{a: text[1..=4]} "/" {b: text[1..=4]}"#,
    r#"0x01 {a: text[1..=4]} "/" {b: text[1..=4]}"#,
    r#""long/" {a: text[1..=4]} "/" {b: text[1..=4]}"#,
    r#""long/" {a: text[1..=4]} ":" {b: text[1..=4]}"#,
    r#"0x01 {a: text(not "/")[1..=4]} "/" {b: text[1..=4]}"#,
    r#""/" {a: text(not "/")[1..=4]} "/" {b: text[1..=4]}"#,
    r#""/" {a: text(not "/")[1..=4]} {b: text[1..=4]}"#,
    r#"[{a: u8}] {b: u16be}"#,
    r#""x" [{a: u8}] {b: u16be}"#,
    r#""xyz" [{a: u8}] {b: u16be}"#,
    r#"["x" {a: u8}] {b: u16be}"#,
    r#""x" ["x" {a: u8}] {b: u16be}"#,
    r#""x" ["x" {a: u8}] {b: u8} {c: u16be}"#,
    r#""y" ["xy" {a: u8}] {b: u8} {c: u16be}"#,
];

#[test]
fn keys_that_are_alike_but_for_the_literal_in_front_are_each_decided_as_if_alone() {
    let layouts = ALIKE.map(|key| layout(&format!("store s map m = {key} -> empty")));
    let mut verdicts = [0; 3];
    for pairs in (1..60).chain((60..400).step_by(20)) {
        let config = Config { budget: Budget { pairs, ..Budget::default() }, ..Config::default() };
        // Each layout is the first once and fills the cache for the others.
        for first in 0..layouts.len() {
            let memory = Memory::default();
            let (before, after) = layouts.split_at(first);
            for layout in after.iter().chain(before) {
                // Also fill the cache with results of a larger budget.
                if pairs % 2 == 0 {
                    let _ = check_with(layout, Config::default(), &memory);
                }
                let (alone, beside) = (check(layout, config), check_with(layout, config, &memory));
                assert_eq!(format!("{alone:?}"), format!("{beside:?}"), "{pairs} {first}");
                for claim in alone.claims {
                    verdicts[match claim.verdict {
                        Verdict::Proved => 0,
                        Verdict::Refuted(_) => 1,
                        Verdict::Unknown(_) => 2,
                    }] += 1;
                }
            }
        }
    }
    assert!(verdicts.iter().all(|&count| count > 0), "{verdicts:?}");
}
