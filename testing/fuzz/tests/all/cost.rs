//! Inputs that once took seconds or gigabytes. The tests count work instead of time, so they hold
//! on any machine. Layouts that the fuzzer found are in `regressions/cost`.

use keyscape_fuzz::{
    Mutator,
    cost::{self, Cost},
    grammar,
};
use keyscape_layout::{MAX_BYTES, NoImports, read};
use keyscape_prover::{Unknown, Verdict};

/// Checks a layout. Returns its cost and the numbers of proved, refuted and unknown claims.
fn check(text: &str) -> (Cost, Option<[usize; 3]>) {
    let (cost, report) = cost::of_layout(text);
    cost.assert_bounded();
    let counts = report.map(|report| {
        for claim in &report.claims {
            if let Verdict::Unknown(reason) = &claim.verdict {
                assert!(matches!(reason, Unknown::Budget(_)), "{reason:?}");
            }
        }
        [
            report.count(|verdict| matches!(verdict, Verdict::Proved)),
            report.count(|verdict| matches!(verdict, Verdict::Refuted(_))),
            report.count(|verdict| matches!(verdict, Verdict::Unknown(_))),
        ]
    });
    (cost, counts)
}

fn text_field(pattern: &str) -> String {
    format!("store s\nmap m = \"m\" {{x: text(r\"{pattern}\")}} -> empty\n")
}

#[test]
fn counts_of_counts_are_one_count() {
    // Once 7 s, 41 s and 816 MB: subsets of thousands of states at thousands of places.
    for pattern in ["(.{0,512}){0,3}", "(.{0,1024}){0,3}"] {
        let (cost, counts) = check(&text_field(pattern));
        assert_eq!(counts, Some([3, 0, 0]), "{pattern}");
        assert!(cost.units < 1 << 20 && cost.peak < 64 << 20, "{pattern}: {cost:?}");
    }
}

#[test]
fn an_expression_that_is_too_large_is_refused_soon() {
    // Once 21 s. Rewriting cannot reduce these subsets, so the budget of one construction ends
    // them.
    for pattern in [
        "(([a-z]{1,64}/){1,64}){1,16}",
        "(([a-z]{1,64}/?){1,64}x?){1,16}",
        "((a|b|ab){0,300}.{0,300}){0,300}",
        "[a-z]*a[a-z]{4096}",
    ] {
        let (cost, counts) = check(&text_field(pattern));
        assert_eq!(counts, None, "{pattern}");
        assert!(cost.units < 5 << 19, "{pattern}: {cost:?}");
    }
}

#[test]
fn a_layout_of_many_large_expressions_ends_at_one_total() {
    let mut text = String::from("store s\n");
    for index in 0..1000 {
        let high = 1000 + index;
        let field = format!("{{x: text(r\"(é|.){{0,{high}}}[a-z]{{0,9}}\")}}");
        text.push_str(&format!("map m{index} = 0x{index:04x} {field} -> empty\n"));
    }
    let (cost, counts) = check(&text);
    assert!(counts.is_none() && cost.units <= 1 << 23, "{cost:?}");
}

#[test]
fn lengths_in_a_row_end_at_the_work_of_a_search() {
    // Once 12 s with 64 bytes and 105 s with 1,024 bytes: two runs read lengths one byte apart.
    for (max, unknown) in [(64, false), (1024, true)] {
        let field = |name: &str| format!("{{{name}: len32(text[..={max}])}}");
        let (a, b, c) = (field("a"), field("b"), field("c"));
        let text = format!(
            "store s\nmap m = {a} {b} {c} -> empty\n    scan a\n\
             map n = {{x: u8}} {a} {b} {c} -> empty\n    scan x\n"
        );
        let (cost, counts) = check(&text);
        let [proved, refuted, left] = counts.unwrap();
        assert!(proved + refuted >= 7 && (left > 0) == unknown, "{max}: {counts:?} {cost:?}");
    }
}

#[test]
fn lengths_that_begin_together_are_crossed_at_once() {
    let field = |name: &str| format!("{{{name}: len32(text[..=4096])}}");
    let (a, b, c) = (field("a"), field("b"), field("c"));
    let text = format!("store s\nmap m = \"m\" {a} {b} {c} -> empty\n    scan a\n    scan a, b\n");
    let (cost, counts) = check(&text);
    assert_eq!(counts, Some([7, 0, 0]));
    assert!(cost.units < 1 << 20, "{cost:?}");
}

#[test]
fn thousands_of_fields_are_looked_up_by_name() {
    // Once 6.6 s until the error: each name was compared with all earlier names.
    let fields = |count: usize| {
        let fields: String = (0..count).map(|at| format!("{{f{at}: u8}} ")).collect();
        format!("store s\nmap m = {fields}-> empty\n")
    };
    let (cost, counts) = check(&fields(40_000));
    assert!(counts.is_none() && cost.allocations < 1_000_000, "{cost:?}");
    // Once each claim about a field listed all fields.
    let (cost, counts) = check(&fields(4_000));
    assert_eq!(counts, Some([4_002, 0, 0]));
    assert!(cost.allocations < 500_000, "{cost:?}");
}

#[test]
fn a_layout_of_ten_megabytes_is_refused_by_its_size() {
    // Once 2.3 GB of memory.
    let line = "map m = \"m\" {a: u64be} {b: text(r\"[a-z]{1,8}\")} -> empty\n";
    let text = format!("store s\n{}", line.repeat(10_000_000 / line.len()));
    let (cost, counts) = check(&text);
    assert!(counts.is_none() && cost.peak < 16 << 20, "{cost:?}");
    let rejected = read("large.keys", &text, &mut NoImports).unwrap_err();
    let messages: Vec<&str> = rejected.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains(&MAX_BYTES.to_string()), "{messages:?}");
}

#[test]
fn a_long_ambiguous_key_keeps_few_runs() {
    // Once 8.7 s: every end of the first field started a new run.
    let layout = "store s\nmap m = {a: bytes[0..]} {b: bytes[0..]} {c: bytes[0..]} -> empty\n";
    let layout = read("keys.keys", layout, &mut NoImports).unwrap();
    for length in [4_000, 100_000, 2_000_000] {
        let (cost, readings) = cost::of_key(&layout, &vec![b'a'; length]);
        assert!(readings.is_some_and(|readings| readings > 1), "{length}: {readings:?}");
        assert!(cost.peak < 64 * length as u64 + (32 << 20), "{length}: {cost:?}");
    }
}

/// Returns a layout whose keyspaces can all continue at every byte of a text.
fn ambiguous() -> String {
    let mut text = String::from("store s\n");
    for index in 0..400 {
        let max = 1_000_000 + index;
        let key = format!("{{a: text[1..={max}]}} {{b: text[1..]}}");
        text.push_str(&format!("map m{index} = {key} -> empty\n"));
    }
    text
}

#[test]
fn a_key_that_would_take_too_much_is_too_ambiguous() {
    // A codec checks each end of a field.
    let layout = read("keys.keys", &ambiguous(), &mut NoImports).unwrap();
    let (cost, readings) = cost::of_key(&layout, &[b'a'; 60_000]);
    assert_eq!(readings, None);
    assert!(cost.peak < 256 << 20, "{cost:?}");
}

/// Generates a layout of some keyspaces in one namespace.
fn keyspaces(count: usize, body: impl Fn(usize) -> String) -> String {
    let keyspaces: String = (0..count).map(|at| format!("map k{at} = {}\n", body(at))).collect();
    format!("store s\nnamespace n = 0x01 {{\nreserve 0xff \"old\"\n{keyspaces}}}\n")
}

#[test]
fn pairs_of_keyspaces_that_share_keys_are_replayed_within_a_share() {
    // Once 3 GB and 17 s for 800 keyspaces: each pair was replayed and retained.
    let (cost, counts) = check(&keyspaces(300, |_| "{a: text[1..]} -> empty".to_owned()));
    let [proved, refuted, unknown] = counts.unwrap();
    assert_eq!((proved, refuted, unknown), (600, 600, 0), "{cost:?}");
    assert!(cost.peak < 64 << 20, "{cost:?}");
}

#[test]
fn a_scan_with_another_codec_tries_no_rows_that_it_has_no_work_for() {
    // Once 52 s for 1,500 keyspaces: samples were created for each pair after the budget was spent.
    let body = |_| "{a: u16be} {b: u16be} -> empty scan a as {a: u16le}".to_owned();
    let (cost, report) = cost::of_layout(&keyspaces(1_400, body));
    cost.assert_bounded();
    assert!(report.is_some());
}

#[test]
fn near_misses_of_a_long_key_are_searched_at_its_beginning() {
    let key = [&[b'a'; 60_000][..], &[0xff]].concat();
    let layout = read("keys.keys", &ambiguous(), &mut NoImports).unwrap();
    let (cost, found) = cost::of_near_misses(&layout, &key);
    assert_eq!(found, Some(3));
    assert!(cost.allocations < 2_000_000, "{cost:?}");
}

#[test]
fn layouts_that_are_written_to_be_costly_are_bounded() {
    let mut random = Mutator::new(11);
    let layouts: Vec<String> = (0..3).map(|_| grammar::layout(&mut random, 2_000)).collect();
    // The allocations of each thread are counted apart.
    std::thread::scope(|scope| {
        for layout in &layouts {
            scope.spawn(|| cost::of_layout(layout).0.assert_bounded());
        }
    });
}
