//! The examples of `spec/migration.md`, run. The blocks `old`, `new`, `migration` and `verdicts`
//! are one example. A line `KS111 orders refuted "key"` expects that verdict about the old
//! keyspace, with the old key of the counterexample. All other verdicts must be `proved`.

use crate::page::{Block, blocks, bytes, read};
use keyscape_codec::Value;
use keyscape_evolution::{
    Config,
    migration::{
        Action, Answer, Claim, ImageValue, Migration, MigrationFault, OldRow, OldValue, Proof,
        Undecided, Verdict,
    },
};
use keyscape_layout::{Built, Datum, Record, RowDatum, encode_value, fields};
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

pub(crate) fn word(verdict: &Verdict) -> &'static str {
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

/// Proves a migration between two layouts of the store `s`.
pub(crate) fn prove(old: &str, new: &str, text: &str) -> Proof {
    let built = Built::default();
    let (old, new) = (read(&built, "old.keys", old), read(&built, "new.keys", new));
    let migration =
        Migration::read(text, &old, &new).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes:?}"));
    let report = keyscape_prover::check(&new, keyscape_prover::Config::default());
    migration.prove(Config::default(), &report)
}

/// Returns the first mistake of a migration between two layouts of the store `s`.
fn mistake(old: &str, new: &str, text: &str) -> String {
    let built = Built::default();
    let (old, new) = (read(&built, "old.keys", old), read(&built, "new.keys", new));
    let mistakes = Migration::read(text, &old, &new).unwrap_err();
    mistakes.first().unwrap().message.clone()
}

/// Values, scores and parts of values must exist in every row, like fields of keys.
#[test]
fn parts_that_rows_may_lack_are_not_enough() {
    let row = |key: &str| {
        format!("store s\ntype P = {{x: u8}} [{{y: u8}}]\ntype Q = {{x: u8}} {{y: u8}}\n{key}")
    };
    let zset = |key: &str| row(key).replace("store s", "store s structures");
    for (old, new, text) in [
        (row("map m = 0x01 {a: u8} -> P"), row("map m = 0x01 {a: u8} -> Q"), ""),
        (
            row("map m = 0x01 {a: u8} [{b: u8}] -> u8"),
            row("map m = 0x02 {a: u8} [{b: u8}] -> u8"),
            "move m { value = b }",
        ),
        (
            row("map m = 0x01 {a: u8} -> P"),
            row("map m = 0x02 {a: u8} {b: u8} -> P"),
            "move m { b = value.y }",
        ),
        (
            row("map m = 0x01 {a: u8} -> Q reads P"),
            row("map m = 0x02 {a: u8} {b: u8} -> Q reads P"),
            "move m { b = value.y }",
        ),
        (
            zset("zset m = 0x01 {a: u8} [{b: u8}] member u8 score u8"),
            zset("zset m = 0x02 {a: u8} [{b: u8}] member u8 score u8"),
            "move m { score = b }",
        ),
        (
            zset("zset m = 0x01 {a: u8} member u8 score P"),
            zset("zset m = 0x01 {a: u8} member u8 score Q"),
            "",
        ),
    ] {
        let proof = prove(&old, &new, text);
        assert!(!proof.holds(Claim::Fitting), "{old}\n{new}\n{:?}", proof.answers);
    }
    let fits = prove(&row("map m = 0x01 {a: u8} -> Q"), &row("map m = 0x01 {a: u8} -> P"), "");
    assert!(fits.holds(Claim::Fitting), "{:?}", fits.answers);
}

/// Fields of the program are checked row by row; the others must be proved to fit.
#[test]
fn a_field_beside_one_of_the_program_must_fit() {
    for (ty, is_in_place) in [("u16be", true), ("u32be", true), ("u8", false)] {
        let new = format!("store s\nmap m = 0x02 {{b: u8}} {{a: {ty}}}");
        let proof = prove("store s\nmap m = 0x01 {a: u16be}", &new, "move m { b = program() }");
        assert_eq!(proof.is_fitting_but_for_program(), is_in_place, "{ty}: {:?}", proof.answers);
        assert!(!proof.holds(Claim::Fitting) && proof.may_run());
    }
}

/// With `was`, fields can change their names so that the text of a key stays the same.
#[test]
fn rows_move_if_names_inside_of_a_field_change_places() {
    for (old, new, key) in [
        ("{p: u8} {q: u8}", "{p was q: u8} {q was p: u8}", "{a: P}"),
        ("{p: u8} {q: u8}", "{p was q: u8} {q was p: u8}", "{a: list(P)[1..=2]}"),
        ("| one 0x01 {p: u8} {q: u8}", "| one 0x01 {p was q: u8} {q was p: u8}", "{a: P}"),
        ("{p: u8} {q: u8}", "{p was q: u8} {q was p: u8}", "{a: u8} -> P"),
    ] {
        let built = Built::default();
        let layout = |name: &str, ty: &str| {
            read(&built, name, &format!("store s\ntype P = {ty}\nmap m = 0x01 {key}"))
        };
        let (old, new) = (layout("old.keys", old), layout("new.keys", new));
        let migration = Migration::read("", &old, &new).unwrap();
        let Action::Move(moved) = &migration.pieces()[0].action else { panic!() };
        assert!(!moved.keeps_all(), "{key}");
    }
    // The bytes stay if the fields have only other names, unless bytes are derived from them.
    for (old, new, keeps_key) in [
        ("{p: u8} {q: u8}", "{q was p: u8} {p was q: u8}", true),
        ("{p: u8} {q: u8} {= sha256(p)[2]}", "{q was p: u8} {p was q: u8} {= sha256(p)[2]}", false),
        (
            "{p: L} {q: L} [{r: u8} if p is lo]",
            "{q was p: L} {p was q: L} [{r: u8} if p is lo]",
            false,
        ),
    ] {
        let built = Built::default();
        let layout = |name: &str, key: &str| {
            read(
                &built,
                name,
                &format!(
                    "store s\ntype L = \"lo\" | \"hi\"\nmap m = 0x01 {key}\nindex i of m = 0x02 {{p}} {{q}}"
                ),
            )
        };
        let (old, new) = (layout("old.keys", old), layout("new.keys", new));
        let migration = Migration::read("", &old, &new).unwrap();
        let [Action::Move(moved), Action::Derive { kept: None }] =
            [0, 1].map(|at| &migration.pieces()[at].action)
        else {
            panic!("{:?}", migration.pieces())
        };
        assert_eq!(moved.keeps_key, keeps_key);
    }
}

/// `was` of the new layout comes before an equal name, and an equal name before `was` of the old
/// layout. A rollback without assignments uses the latter.
#[test]
fn fields_of_keys_and_values_have_the_same_counterparts() {
    for (old, new, expected) in [
        ("{p: u8} {q: u8}", "{p was q: u8} {q was p: u8}", Some([2, 1])),
        ("{p was q: u8} {q was p: u8}", "{p: u8} {q: u8}", Some([1, 2])),
        ("{q was p: u8} {p was q: u8}", "{p: u8} {q: u8}", Some([2, 1])),
        ("{r was q: u8} {p: u8}", "{p: u8} {q: u8}", Some([2, 1])),
        ("{q: u8} {r: u8}", "{q was r: u8} {p was q: u8}", Some([2, 1])),
        ("{p was q: u8} {q was r: u8}", "{q: u8} {r: u8}", None),
    ] {
        let built = Built::default();
        let layout = |name: &str, ty: &str| {
            let maps = format!("map k = 0x01 {ty}\nmap l = 0x02 {{p: P}}\nmap v = 0x03 -> P");
            read(&built, name, &format!("store s\ntype P = {ty}\n{maps}"))
        };
        let (old, new) = (layout("old.keys", old), layout("new.keys", new));
        let migration = Migration::read("", &old, &new);
        let Ok(migration) = migration else {
            assert_eq!(migration.unwrap_err().len(), 3);
            assert_eq!(expected, None);
            continue;
        };
        for (id, piece) in migration.pieces().iter().enumerate() {
            let parts = fields(&old.keyspaces[0].key).into_iter().zip([1_u8, 2]);
            let parts = parts.map(|(field, number)| {
                (field.name.clone(), Datum::Leaf(Value::Uint(number.into())))
            });
            let (parts, unread) = (Record(parts.collect()), OldValue::Unread);
            let (fields, value) = match id {
                0 => (parts, unread),
                1 => (Record(vec![("p".to_owned(), Datum::Record(parts))]), unread),
                _ => {
                    let datum = RowDatum::Datum(Datum::Record(parts));
                    (Record::default(), OldValue::Declared(datum))
                }
            };
            let Action::Move(moved) = &piece.action else { panic!() };
            let image = migration.image(moved, &OldRow { keyspace: piece.from, fields, value });
            let image = image.unwrap();
            let new = new.keyspace(image.keyspace);
            let mut bytes = new.encode(&image.fields).unwrap().split_off(1);
            match image.value {
                ImageValue::Datum(datum) => {
                    encode_value(new.value.as_ref(), &datum, &mut bytes).unwrap();
                }
                _ if id == 2 => bytes.extend([1, 2]),
                _ => {}
            }
            assert_eq!(Some(&*bytes), expected.as_ref().map(|bytes| &bytes[..]), "{id}");
        }
    }
}

/// The inverse cannot assign parts of arms and elements. Without an assignment, a part of the same
/// name comes first.
#[test]
fn names_that_change_places_inside_of_arms_and_elements_have_no_inverse() {
    let (one, two) = ("{p: u8} {q: u8}", "{p was q: u8} {q was p: u8}");
    let inverse = |ty: [&str; 2], key: &str| {
        let [old, new] = ty.map(|ty| format!("store s\ntype P = {ty}\nmap m = 0x01 {key}"));
        prove(&old, &new, "").inverse
    };
    for key in ["{a: list(P)[1..=2]}", "{a: u8} -> list(P)[2]"] {
        assert_eq!(inverse([one, two], key), None, "{key}");
        assert!(inverse([one, "{r was p: u8} {q: u8}"], key).is_some(), "{key}");
    }
    let arms = [one, two].map(|fields| format!("| one 0x01 {fields}"));
    assert_eq!(inverse(arms.each_ref().map(String::as_str), "{a: P}"), None);
    // Fields of composites are assigned.
    assert!(inverse([one, two], "{a: P}").is_some());
}

/// The guard is about the other field now.
#[test]
fn a_guard_of_fields_that_change_places_may_not_fit() {
    let layout = |fields: &str| {
        let texts = "store s\ntype L = \"lo\" | \"hi\"";
        format!("{texts}\ntype P = {fields} [{{z: u8}} if x is lo]\nmap m = 0x01 {{a: P}}")
    };
    let (old, new) = (layout("{x: L} {y: L}"), layout("{x was y: L} {y was x: L}"));
    let proof = prove(&old, &new, "");
    assert!(!proof.holds(Claim::Fitting), "{:?}", proof.answers);
    assert!(prove(&old, &old, "").holds(Claim::Fitting));
}

/// A path would mean both parts.
#[test]
fn rows_with_two_parts_of_one_name_do_not_move() {
    for (keyspace, name) in [
        ("set m = 0x01 {member: u8} member u8", "member"),
        ("zset m = 0x01 {score: u8} member u8 score u8", "score"),
        ("hash m = 0x01 {id: u8} field f = \"f\" {id: u8} -> u8", "id"),
    ] {
        let old = format!("store s structures\n{keyspace}");
        let message = mistake(&old, &old.replace("0x01", "0x02"), "");
        assert!(message.contains(&format!("two parts `{name}`")), "{message}");
        let proof = prove(&old, &old, "");
        assert!(proof.may_run_in_place(), "{:?}", proof.answers);
        let from = if name == "id" { "m.f" } else { "m" };
        let message = mistake(&old, &old, &format!("drop {from} where {name} in 0..=3 \"few\""));
        assert!(message.contains(&format!("two parts `{name}`")), "{message}");
    }
    // The count is built again from the members that stay.
    let old = "store s structures\nzset m = 0x01 {score: u8} member u8 score u8";
    let text = "drop m where member in 0..=3 \"few\"";
    let counted = format!("{old} counted");
    let message = mistake(&counted, &counted, text);
    assert!(message.contains("two parts `score`"), "{message}");
    assert!(prove(old, old, text).may_run(), "members stay as they are");
}

#[test]
fn same_bytes_is_rejected_if_the_layouts_know_other_bytes() {
    let value = |prefix: &str, form: &str| format!("store s\nmap m = {prefix} {{a: u8}} -> {form}");
    for (old, new) in [
        ("u8", "const 0x01"),
        ("empty", "u8"),
        ("const 0x01", "empty"),
        ("const 0x01", "proto BoolValue"),
        ("A reads empty", "u64be reads const 0x01"),
    ] {
        let message = mistake(
            &value("0x01", old),
            &value("0x02", new),
            "move m { value = same_bytes(value) }",
        );
        assert!(message.contains("other bytes"), "{message}");
    }
    for (old, new) in [
        ("const 0x01", "u8"),
        ("empty", "bytes[0..]"),
        ("u8", "json"),
        ("A", "u8"),
        ("A reads empty", "u64be reads empty"),
        ("empty", "proto UInt64Value"),
        ("const 0x0801", "proto BoolValue"),
    ] {
        let text = "move m { value = same_bytes(value) }";
        let proof = prove(&value("0x01", old), &value("0x02", new), text);
        assert!(proof.holds(Claim::Fitting), "{old} to {new}");
    }
}

/// The value of a row of `m` stays empty, but the new layout has other values as well.
#[test]
fn a_value_without_an_inverse_concerns_only_its_piece() {
    let layout = |key: &str, form: &str, prefix: &str| {
        let m = format!("map m = 0x01 {{{key}: u8}} -> {form}");
        format!("store s\n{m}\nmap n = {prefix} {{b: u8}} -> u8")
    };
    for (key, old, new) in [
        ("a", "empty", "u64be reads empty"),
        ("a", "const 0x01", "u8 reads const 0x01"),
        ("value", "u8", "u8 reads empty"),
    ] {
        let proof = prove(&layout(key, old, "0x02"), &layout(key, new, "0x03"), "");
        let answers = proof.answers.iter().filter(|answer| answer.claim == Claim::Reversible);
        let verdicts: Vec<&Verdict> = answers.map(|answer| &answer.verdict).collect();
        let reason = "the inverse of the field `value` cannot be written".to_owned();
        let unwritten = Verdict::Unknown(Undecided::Because(reason));
        assert_eq!(verdicts, [&unwritten, &Verdict::Proved], "{old} to {new}");
    }
}

/// Records of the dropped set have other bytes than its keys.
#[test]
fn rows_that_move_to_the_store_of_structures_may_meet_their_records() {
    let old =
        "store a structures\nset z = \"z\" member u8\nstore b\nmap m = \"m\" {x: bytes[0..=8]}";
    let new = "store a\nmap m = \"s\" {x: bytes[0..=8]}\nstore b\nitem k = \"k\"";
    let proof = prove(old, new, "drop z \"gone\"\nmove b.m to a.m");
    assert!(!proof.holds(Claim::Restartable), "{:?}", proof.answers);
}

/// Rows of two maps differ in a number, about which the inverse has no condition.
#[test]
fn conditions_of_the_inverse_distinguish_all_pieces() {
    let texts = |count: u8| {
        let texts: Vec<String> =
            (0..count).map(|at| format!("\"t{}\"", char::from(b'a' + at))).collect();
        format!("store s\ntype L = {}", texts.join(" | "))
    };
    let map = |name: &str, range: &str| {
        format!("\nmap {name} = \"{name}\" {{e: L}} {{n: u8 in {range}}}")
    };
    let old = texts(12) + &map("a", "0..=4") + &map("b", "5..=9");
    let proof = prove(&old, &(texts(13) + &map("t", "0..=9")), "move a to t\nmove b to t");
    assert!(proof.holds(Claim::Injective), "{:?}", proof.answers);
    assert!(!proof.holds(Claim::Reversible), "{:?}", proof.inverse);
    let reason = "the inverse for rows of `a` cannot be written";
    assert!(format!("{:?}", proof.answers).contains(reason), "{:?}", proof.answers);
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

/// Bytes of both forms are read in the declared one, so only other bytes refute a claim.
#[test]
fn values_of_the_older_form_that_the_declared_form_reads_refute_nothing() {
    let verdict = |old: &str, new: &str, moved: &str| {
        let layout = |prefix: &str, row: &str| {
            let text = "{p: text(r\"a?\")} {q: u8 in 97..=98}";
            format!("store s\ntype P = {text}\nmap m = {prefix} {row}")
        };
        let moved = format!("move m {{ {moved} }}");
        let proof = prove(&layout("0x01", old), &layout("0x02", new), &moved);
        let answers = proof.answers.into_iter();
        let fitting = answers.filter(|answer| answer.claim == Claim::Fitting);
        fitting.map(|answer| word(&answer.verdict)).collect::<Vec<_>>()
    };
    let part = ("{w: text[0..]} -> json", "w = value.p value = same_bytes(value)");
    let whole = ("-> bytes[1..=2]", "value = value");
    for (old, (new, moved), expected) in [
        ("{w: u8} -> P reads u8 in 97..=98", part, "unknown"),
        ("{w: u8} -> P reads u8", part, "refuted"),
        ("-> bytes[1..=2] reads bytes(br\"a?\")", whole, "refuted"),
        ("-> bytes[0..=2] reads bytes[0..=3]", whole, "refuted"),
    ] {
        assert_eq!(verdict(old, new, moved), [expected], "{old}");
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
