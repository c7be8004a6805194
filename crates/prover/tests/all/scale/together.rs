//! Results of earlier checks change no report.

use crate::scale::layout;
use keyscape_automata::Budget;
use keyscape_layout::Layout;
use keyscape_prover::{Cache, Config, Report, Unknown, Verdict, check, check_with};

const LAYOUT: &str = r#"store shop
map order = 0x01 {owner: text[1..=8]} "/" {item: text[1..=8]} -> empty
map price = 0x01 {owner: text[1..=8]} "/" {cents: dec(u16)} -> empty
map stock = 0x02 {item: text(r"[a-z]{1,8}")} "/" {shelf: u16be} -> empty scan item
"#;

/// The approximate units of work of building the automata of the layout.
const MACHINES: usize = 2_000;

#[test]
fn cached_results_of_other_layouts_do_not_change_a_report() {
    let layout = layout(LAYOUT);
    let cache = Cache::default();
    let whole = check_with(&layout, Config::default(), &cache);
    let mut complete = 0;
    let mut broken_off = 0;
    // Budgets around the work of the searches: each claim is once the first one over budget.
    for pairs in (1..120).chain((120..1200).step_by(40)) {
        for factor in [1, 3] {
            let budget = Budget { pairs, ..Budget::default() };
            // Building the automata draws from the same total.
            let work = MACHINES + pairs * factor;
            let config = Config { budget, work, ..Config::default() };
            let alone = check(&layout, config);
            let beside = check_with(&layout, config, &cache);
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

/// Keys with separators that differ only in their first literal, and keys that only look similar.
const SEPARATED: [&str; 7] = [
    r#"{a: text[1..=4]} "/" {b: text[1..=4]}"#,
    r#"0x01 {a: text[1..=4]} "/" {b: text[1..=4]}"#,
    r#""long/" {a: text[1..=4]} "/" {b: text[1..=4]}"#,
    r#""long/" {a: text[1..=4]} ":" {b: text[1..=4]}"#,
    r#"0x01 {a: text(not "/")[1..=4]} "/" {b: text[1..=4]}"#,
    r#""/" {a: text(not "/")[1..=4]} "/" {b: text[1..=4]}"#,
    r#""/" {a: text(not "/")[1..=4]} {b: text[1..=4]}"#,
];

/// Keys with optional parts that differ only in their first literal, or only look similar.
const OPTIONAL: [&str; 7] = [
    r#"[{a: u8}] {b: u16be}"#,
    r#""x" [{a: u8}] {b: u16be}"#,
    r#""xyz" [{a: u8}] {b: u16be}"#,
    r#"["x" {a: u8}] {b: u16be}"#,
    r#""x" ["x" {a: u8}] {b: u16be}"#,
    r#""x" ["x" {a: u8}] {b: u8} {c: u16be}"#,
    r#""y" ["xy" {a: u8}] {b: u8} {c: u16be}"#,
];

#[test]
fn separated_keys_that_begin_with_different_literals_are_decided_as_if_alone() {
    let [proved, refuted, unknown] = same_at_all_budgets(SEPARATED);
    assert!(proved > 0 && refuted > 0 && unknown > 0, "{proved} {refuted} {unknown}");
}

#[test]
fn optional_parts_after_different_literals_are_decided_as_if_alone() {
    let [proved, _, unknown] = same_at_all_budgets(OPTIONAL);
    assert!(proved > 0 && unknown > 0, "{proved} {unknown}");
}

/// Compares the reports under budgets around the work of a search, and counts the proved, refuted
/// and unknown claims. Each layout has the same report alone and after the others. Each layout
/// comes first once, and the others reuse its results.
fn same_at_all_budgets(keys: [&str; 7]) -> [usize; 3] {
    let layouts = keys.map(|key| layout(&format!("store s map m = {key} -> empty")));
    let orders: Vec<Vec<&Layout>> = (0..layouts.len())
        .map(|first| layouts[first..].iter().chain(&layouts[..first]).collect())
        .collect();
    let with_results_of_a_larger_budget = |order: &Vec<&Layout>| {
        let cache = Cache::default();
        for layout in order {
            let _ = check_with(layout, Config::default(), &cache);
        }
        cache
    };
    let filled: Vec<Cache> = orders.iter().map(with_results_of_a_larger_budget).collect();
    let mut verdicts = [0; 3];
    // Odd and even budgets take turns.
    for pairs in (1..60).step_by(3).chain((60..400).step_by(25)) {
        let config = Config { budget: Budget { pairs, ..Budget::default() }, ..Config::default() };
        let alone: Vec<Report> = layouts.iter().map(|layout| check(layout, config)).collect();
        let texts: Vec<String> = alone.iter().map(|report| format!("{report:?}")).collect();
        for (first, (order, filled)) in orders.iter().zip(&filled).enumerate() {
            let empty = Cache::default();
            let cache = if pairs.is_multiple_of(2) { filled } else { &empty };
            let expected = texts[first..].iter().chain(&texts[..first]);
            for (layout, expected) in order.iter().zip(expected) {
                let beside = check_with(layout, config, cache);
                assert_eq!(*expected, format!("{beside:?}"), "{pairs} {first}");
            }
        }
        for claim in alone.iter().flat_map(|report| &report.claims) {
            verdicts[match claim.verdict {
                Verdict::Proved => 0,
                Verdict::Refuted(_) => 1,
                Verdict::Unknown(_) => 2,
            }] += 1;
        }
    }
    verdicts
}
