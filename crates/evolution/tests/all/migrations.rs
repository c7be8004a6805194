//! The examples of `spec/migration.md`, run. The blocks `old`, `new`, `migration` and `verdicts`
//! are one example. A line `KS111 orders refuted "key"` expects that verdict about the old
//! keyspace, with the old key of the counterexample. All other verdicts must be `proved`.

use crate::page::{Block, blocks, bytes, read};
use keyscape_evolution::{
    Config,
    migration::{Answer, Claim, Migration, MigrationFault, Verdict},
};
use keyscape_layout::Built;
use std::collections::BTreeMap;

const PAGE: &str = include_str!("../../../../spec/migration.md");

#[derive(Default)]
struct Example {
    claim: Option<Claim>,
    blocks: BTreeMap<String, String>,
}

impl Example {
    fn block(&self, name: &str) -> &str {
        self.blocks.get(name).unwrap_or_else(|| panic!("no block `{name}`: {:?}", self.blocks))
    }
}

fn examples() -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for Block { heading, kind, text } in blocks(PAGE) {
        if kind == "old" {
            examples.push(Example { claim: Claim::find(heading), ..Example::default() });
        }
        examples.last_mut().unwrap().blocks.insert(kind.to_owned(), text);
    }
    examples
}

fn key(answer: &Answer) -> Option<&[u8]> {
    let Verdict::Refuted(fault) = &answer.verdict else { return None };
    match fault {
        MigrationFault::Forgotten { row, .. }
        | MigrationFault::Unfit { row, .. }
        | MigrationFault::Both { row, .. }
        | MigrationFault::Collision { first: row, .. } => Some(&row.key),
        _ => None,
    }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Proved => "proved",
        Verdict::Refuted(_) => "refuted",
        Verdict::Unknown(_) => "unknown",
    }
}

#[test]
fn every_example_has_exactly_the_expected_verdicts() {
    for example in examples() {
        let built = Built::default();
        let texts = ["old", "new"].map(|name| example.block(name));
        let (old, new) = (read(&built, "old.keys", texts[0]), read(&built, "new.keys", texts[1]));
        let text = example.block("migration");
        let migration = Migration::read(text, &old, &new)
            .unwrap_or_else(|mistakes| panic!("{texts:?}\n{text}\n{mistakes:?}"));
        let report = keyscape_prover::check(&new, keyscape_prover::Config::default());
        let proof = migration.prove(Config::default(), &report);
        let mut expected: BTreeMap<(&str, &str), (&str, &str)> = BTreeMap::new();
        for line in example.block("verdicts").lines() {
            let (code, rest) = line.split_once(' ').unwrap();
            let (name, rest) = rest.split_once(' ').unwrap();
            let (verdict, key) = rest.split_once(' ').unwrap_or((rest, ""));
            expected.insert((code, name), (verdict, key));
        }
        for answer in &proof.answers {
            let name = old.keyspace(answer.from).name.as_str();
            let about = format!("{texts:?}\n{text}\n{answer:?}");
            // A keyspace with several statements has several answers.
            match expected.get(&(answer.claim.code(), name)) {
                Some((verdict, expected_key)) if word(&answer.verdict) == *verdict => {
                    if !expected_key.is_empty() {
                        assert_eq!(key(answer), Some(&*bytes(expected_key)), "{about}");
                    }
                    expected.remove(&(answer.claim.code(), name));
                }
                _ => assert_eq!(answer.verdict, Verdict::Proved, "{about}"),
            }
        }
        assert!(expected.is_empty(), "{texts:?}\n{text}\n{expected:?}\n{:?}", proof.answers);
        let is_reversible = proof.holds(Claim::Reversible);
        assert_eq!(proof.inverse.is_some(), is_reversible, "{text}");
    }
}

/// The values of `q` differ between the two maps, but rows of both may lack it.
#[test]
fn rows_without_an_optional_part_of_a_composite_collide() {
    let built = Built::default();
    let old =
        "store s\nmap a = 0x01 {x: u8} [{y: u8 in 0..=4}]\nmap b = 0x02 {x: u8} [{y: u8 in 5..=9}]";
    let types = "type P = {p: u8} [{q: u8}]\ntype V = | one 0x01 {p: u8} [{q: u8}] | two 0x02";
    for (ty, at) in [("P", "c"), ("V", "c.one")] {
        let new = format!("store s\n{types}\nmap t = 0x03 {{c: {ty}}}");
        let (old, new) = (read(&built, "old.keys", old), read(&built, "new.keys", &new));
        let moved = |from: &str| format!("move {from} to t {{ {at}.p = x {at}.q = y }}\n");
        let migration = Migration::read(&(moved("a") + &moved("b")), &old, &new).unwrap();
        let report = keyscape_prover::check(&new, keyscape_prover::Config::default());
        let proof = migration.prove(Config::default(), &report);
        assert!(proof.is_refuted(Claim::Injective), "{ty}: {:?}", proof.answers);
    }
}

/// Stored values may have the form after `reads`, which has more values than the declared form.
#[test]
fn assigned_values_must_fit_in_the_form_after_reads() {
    let built = Built::default();
    for (old, new, moved, is_fitting) in [
        ("{a: u8} -> u8 reads u16be", "{a: u8} -> u8", "value = value", false),
        ("{a: u8} -> u8 reads u16be", "{a: u8} -> u16be", "value = value", true),
        ("{a: u8} -> u8 reads u16be", "{a: u8} -> u8", "value = 7", true),
        ("{a: u8} -> u8 reads json", "{a: u8} -> u16be", "value = value", false),
        (
            "{a: u8} -> u8 reads u16be",
            "{a: u8} {b: u8} -> json",
            "b = value value = same_bytes(value)",
            false,
        ),
        ("{a: u8} -> u8", "{a: u8} -> u16be", "value = value", true),
    ] {
        let layout =
            |name, prefix, row| read(&built, name, &format!("store s\nmap m = {prefix} {row}"));
        let (old, new) = (layout("old.keys", "0x01", old), layout("new.keys", "0x02", new));
        let migration = Migration::read(&format!("move m {{ {moved} }}"), &old, &new).unwrap();
        let report = keyscape_prover::check(&new, keyscape_prover::Config::default());
        let proof = migration.prove(Config::default(), &report);
        assert_eq!(proof.holds(Claim::Fitting), is_fitting, "{moved}: {:?}", proof.answers);
    }
}

/// `score` and `value` are the score and the value of a row only if the key has no such field.
#[test]
fn key_fields_may_have_the_names_of_other_parts_of_rows() {
    let built = Built::default();
    for name in ["score", "value"] {
        let layout = |file, key: &str| read(&built, file, &format!("store s\nmap m = {key}"));
        let old = layout("old.keys", &format!("0x01 {{{name}: u16be}}"));
        let same = layout("same.keys", &format!("0x02 {{{name}: u32be}}"));
        let short = layout("short.keys", &format!("0x02 {{{name}: u8}}"));
        let prove = |new| {
            let report = keyscape_prover::check(new, keyscape_prover::Config::default());
            Migration::read("", &old, new).unwrap().prove(Config::default(), &report)
        };
        let proof = prove(&same);
        assert!(proof.holds(Claim::Injective), "{name}: {:?}", proof.answers);
        let proof = prove(&short);
        let unfit = proof.answers.iter().find(|answer| answer.claim == Claim::Fitting).unwrap();
        // The value that does not fit is in the key of the row.
        let Verdict::Refuted(MigrationFault::Unfit { row, value: None, .. }) = &unfit.verdict
        else {
            panic!("{name}: {unfit:?}")
        };
        assert_ne!(row.key.get(1), Some(&0), "{name}: {row:?}");
    }
}

#[test]
fn every_claim_has_a_wrong_and_a_right_example() {
    for claim in Claim::ALL {
        let of_claim: Vec<Example> =
            examples().into_iter().filter(|example| example.claim == Some(claim)).collect();
        let is_wrong = |example: &&Example| {
            let is_it = |line: &str| line.starts_with(claim.code()) && line.contains("refuted");
            example.block("verdicts").lines().any(is_it)
        };
        let wrong = of_claim.iter().filter(is_wrong).count();
        assert!(wrong > 0 && wrong < of_claim.len(), "{claim:?}");
    }
}
