//! KS001.

use crate::claims::{check, check_with};
use keyscape_automata::Budget;
use keyscape_layout::{NoImports, read};
use keyscape_prover::{Config, Rule, Verdict};

#[test]
fn two_keyspaces_with_one_prefix_share_the_shortest_key() {
    assert_eq!(
        check(
            r#"store s
            map event = "z:" {event: text(r"[a-z:]{1,64}")} -> empty
            map spent = "z:" {event: text(r"[a-z:]{1,64}")} ":spnd" -> empty"#
        ),
        "KS001 event: z:a:spnd event(event=a:spnd) = z:a:spnd spent(event=a) (+0)\n\
         KS001 spent: z:a:spnd spent(event=a) = z:a:spnd event(event=a:spnd) (+0)"
    );
}

#[test]
fn in_a_store_of_structures_only_one_kind_is_compared() {
    let verdict = check(
        r#"store s structures
        set a = "k:" {x: u8}  member u8
        set b = "k:" {y: u8 in 7..=8}  member u8
        zset c = "z:" {x: u8}  member u8  score f64
        hash h = "h:" {x: u8}  field one = "f" {n: dec(u8)} -> empty  field two = "f1" -> empty"#,
    );
    assert_eq!(
        verdict,
        "KS001 a: k:\\x07 a(x=7) = k:\\x07 b(y=7) (+0)\n\
         KS001 b: k:\\x07 b(y=7) = k:\\x07 a(x=7) (+0)\n\
         KS001 h.one: f1 h.one(n=1) = f1 h.two() (+0)\n\
         KS001 h.two: f1 h.two() = f1 h.one(n=1) (+0)"
    );
}

#[test]
fn a_domain_can_keep_keyspaces_apart() {
    assert_eq!(
        check(
            r#"store s
            map topics = "tp:" {topic: text(r"[a-z_]{1,32}")} -> empty
            map applied = "tp:" {topic: text(r"[a-z_]{1,32}")} ":tx" -> empty
            map logs = {name: text(r"[a-z]{1,8}", not "tp")} -> empty"#
        ),
        "proved"
    );
}

#[test]
fn at_most_sixteen_partners_are_listed() {
    let maps: String = (0..20).map(|n| format!("map m{n} = {{x: u8}} -> empty\n")).collect();
    let verdict = check(&format!("store s\n{maps}"));
    let first = verdict.lines().next().unwrap();
    assert_eq!(first.matches(" = ").count(), 16);
    assert!(first.ends_with("(+3)"), "{first}");
}

#[test]
fn a_budget_that_runs_out_is_unknown_not_proved() {
    let budget = Budget { pairs: 40, ..Budget::default() };
    let verdict = check_with(
        r#"store s
        map a = {x: text(r"[a-z]{1,60}")} "/" {y: text(r"[a-z]{1,60}")} -> empty
        map b = {x: text(r"[a-z]{2,60}")} "/" {y: text(r"[A-Z]{1,60}")} -> empty"#,
        Config { budget, fixes: false, ..Config::default() },
    );
    let unknown = |line: &&str| line.starts_with("KS001") && line.contains("unknown Budget");
    assert_eq!(verdict.lines().filter(unknown).count(), 2, "{verdict}");
}

#[test]
fn a_collision_is_not_called_the_shortest_beside_a_shorter_undecided_pair() {
    let text = r#"store s
        map a = {x: u16be in 0..=999} {= blake2_128(x)[1]} "-" [{t: text(r"z[yz]")}] -> empty
        map b = {x: u16be in 0..=999} "a-" -> empty
        map c = {x: u16be in 0..=999} {y: u8} "-zz" -> empty"#;
    let layout = read("undecided.keys", text, &mut NoImports).unwrap();
    let report = keyscape_prover::check(&layout, Config { fixes: false, ..Config::default() });
    let minimal = |name: &str| {
        let claim = report.claims.iter().find(|claim| {
            claim.rule == Rule::Disjoint && layout.keyspace(claim.keyspace).name == name
        });
        match &claim.unwrap().verdict {
            Verdict::Refuted(counterexample) => counterexample.minimal,
            other => panic!("{name}: {other:?}"),
        }
    };
    // A common key of `a` and `b` would have four bytes, one of `a` and `c` has six.
    assert_eq!((minimal("a"), minimal("c")), (false, true));
}

#[test]
fn kinds_of_structures_are_compared_in_any_order_of_declarations() {
    let verdict = check(
        r#"store s structures
        set a = "k:" {x: u8 in 1..=3}  member u8
        zset b = "k:" {x: u8}  member u8  score f64
        set c = "k:" {x: u8 in 7..=8}  member u8"#,
    );
    let kinds = verdict.lines().filter(|line| line.starts_with("KS008"));
    let kinds: Vec<&str> = kinds.filter_map(|line| line.split(':').next()).collect();
    assert_eq!(kinds, ["KS008 a", "KS008 b", "KS008 c"], "{verdict}");
}
