//! The migrations of the five systems, on rows that the systems wrote and on random rows of their
//! layouts: copied, verified, moved in place if possible, and rolled back if reversible.

use crate::harness::{Rows, fill, memory, prove, prove_back, rows};
use fastrand::Rng;
use keyscape_codec::Value;
use keyscape_evolution::migration::{Claim, Migration, Verdict};
use keyscape_inspect::database::{DynamicIndex, Reader, space_name};
use keyscape_layout::{
    Built, Datum, Layout, NoImports, Record, RowDatum, encode_type, encode_value,
    model::{KeyspaceKind, RowValue, Type},
    read_beside, record_kind, type_at,
};
use keyscape_migrate::{Plan, Runner};
use keyscape_runtime::record::{self, Family};
use keyscape_store::Db;
use keyscape_testkit::corpus::{self, StoredRow};
use std::{fs, path::Path};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../layouts"))
}

struct Loaded {
    old: Layout,
    new: Layout,
    text: String,
}

fn load(system: &str, old: &str, new: &str) -> Loaded {
    let built = Built::default();
    let read = |name: &str| {
        let path = folder().join(system).join(format!("{name}.keys"));
        let text = fs::read_to_string(path).unwrap();
        read_beside(&built, name, &text, &mut NoImports).unwrap()
    };
    let text = fs::read_to_string(folder().join(system).join(format!("{old}-to-{new}.migration")));
    Loaded { old: read(old), new: read(new), text: text.unwrap() }
}

/// Makes random rows of every keyspace that is not derived, without keys that have several
/// readings.
fn random_rows(layout: &Layout, seed: u64, each: usize) -> Rows {
    let mut random = Rng::with_seed(seed);
    let reader = Reader::new(layout).unwrap();
    let mut found = Rows::new();
    for id in layout.keyspace_ids() {
        let keyspace = layout.keyspace(id);
        let structures = layout.store(keyspace.store).structures;
        let plain = matches!(
            keyspace.kind,
            KeyspaceKind::Map | KeyspaceKind::Item | KeyspaceKind::Sequence
        );
        if !plain || structures || keyspace.hash.is_some() {
            continue;
        }
        let mut pick = |ty: &Type| random_datum(ty, &mut random);
        for _ in 0..each {
            let Ok((mut record, _)) = keyspace.example() else { continue };
            for (name, datum) in &mut record.0 {
                if let Some(ty) = type_at(&keyspace.key, &[name]) {
                    *datum = pick(ty).unwrap_or_else(|| datum.clone());
                }
            }
            let Ok(key) = keyspace.encode(&record) else { continue };
            let Some(value) = random_value(keyspace.value.as_ref(), &mut pick) else { continue };
            let space = space_name(layout, id);
            let is_clear = reader.read_all(&space, &key, &value).is_ok_and(|all| all.len() == 1);
            if is_clear {
                found.insert((space, key), value);
            }
        }
    }
    add_entries(layout, &reader, &mut found);
    found
}

/// Adds the entries of indexes that follow from the rows.
fn add_entries(layout: &Layout, reader: &Reader<'_>, rows: &mut Rows) {
    let indexes = DynamicIndex::all(reader);
    let mut entries = Rows::new();
    for index in indexes.iter().filter(|index| !index.needs_program()) {
        for ((space, key), value) in rows.iter() {
            let Ok(entry) = reader.read(space, key, value) else { continue };
            if entry.keyspace != index.map() {
                continue;
            }
            let Ok(found) = index.entries(&entry.key, value) else { continue };
            for key in found.keys {
                entries.insert((space_name(layout, index.id()), key), found.value.clone());
            }
        }
    }
    rows.extend(entries);
}

fn random_datum(ty: &Type, random: &mut Rng) -> Option<Datum> {
    match ty {
        Type::Leaf(leaf) => {
            let samples = leaf.codec.samples();
            let at = random.usize(..samples.len().max(1));
            samples.get(at).cloned().map(Datum::Leaf)
        }
        Type::Enum(of) => {
            let at = random.usize(..of.texts.len());
            of.texts.get(at).cloned().map(Datum::Name)
        }
        Type::Composite(_) | Type::Variant(_) | Type::List(_) => ty.example(),
    }
}

fn random_value(
    form: Option<&RowValue>,
    pick: &mut impl FnMut(&Type) -> Option<Datum>,
) -> Option<Vec<u8>> {
    let datum = match form {
        Some(RowValue::Empty | RowValue::Const(_)) => RowDatum::Nothing,
        Some(RowValue::Json(_)) => RowDatum::Json("{\"a\":1}".to_owned()),
        Some(RowValue::Typed(typed)) => RowDatum::Datum(pick(&typed.ty)?),
        Some(RowValue::Proto(_) | RowValue::Own(_)) | None => RowDatum::Bytes(vec![0x08, 0x01]),
    };
    let mut out = Vec::new();
    encode_value(form, &datum, &mut out).ok().map(|()| out)
}

/// The expectations of the migration of a system.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Only a copy.
    Copy,
    /// In place as well.
    InPlace,
    /// In place, and back again.
    Reversible,
}

fn check(system: &str, old: &str, new: &str, given: &Rows, mode: Mode) {
    let about = format!("{system}: {old} to {new}");
    let loaded = load(system, old, new);
    let migration = Migration::read(&loaded.text, &loaded.old, &loaded.new)
        .unwrap_or_else(|mistakes| panic!("{about}: {mistakes:#?}"));
    let proof = prove(&migration);
    let open = |claim: Claim| {
        proof.answers.iter().find(|a| a.claim == claim && a.verdict != Verdict::Proved)
    };
    assert!(
        proof.may_run(),
        "{about}: {:?}",
        proof
            .answers
            .iter()
            .filter(|a| matches!(a.verdict, Verdict::Refuted(_)) && a.claim < Claim::Restartable)
            .collect::<Vec<_>>()
    );
    assert_eq!(
        proof.may_run_in_place(),
        mode != Mode::Copy,
        "{about}: {:?}",
        (
            open(Claim::Total),
            open(Claim::Injective),
            open(Claim::Fitting),
            open(Claim::Restartable)
        )
    );
    assert_eq!(
        proof.holds(Claim::Reversible),
        mode == Mode::Reversible,
        "{about}: {:?}",
        open(Claim::Reversible)
    );
    let runner = Runner::new(&migration, &proof, &loaded.text, "the test").unwrap().with_batch(50);
    let spaces = runner.spaces();
    let old_db = Db::from(memory(&spaces));
    fill(&old_db, &loaded.old, given);
    let copy = Db::from(memory(&spaces));
    runner.run_copy(&old_db, &copy, || ()).unwrap_or_else(|error| panic!("{about}: {error}"));
    let differences = runner.verify_copy(&old_db, &copy, || ()).unwrap();
    assert!(differences.is_empty(), "{about}: {differences:?}");
    let copied = rows(&copy, &spaces);
    // Every new row is one of the new layout.
    let reader = Reader::new(&loaded.new).unwrap();
    for ((space, key), value) in &copied {
        reader
            .read_exactly(space, key, value)
            .unwrap_or_else(|why| panic!("{about}: {key:?} {why}"));
    }
    if mode == Mode::Copy {
        return;
    }
    runner.run_in_place(&old_db, &proof, || ()).unwrap_or_else(|error| panic!("{about}: {error}"));
    assert_eq!(rows(&old_db, &spaces), copied, "{about}");
    let plan = Plan::last(&old_db.read().unwrap()).unwrap().unwrap();
    assert_eq!(runner.digest_new(&old_db, || ()).unwrap(), plan.digest, "{about}");
    if mode == Mode::Reversible {
        let text = plan.inverse.unwrap();
        let inverse = Migration::read(&text, &loaded.new, &loaded.old).unwrap();
        let back = prove_back(&inverse);
        let runner = Runner::rollback(&inverse, &back, &text, "the test").unwrap();
        let again = Db::from(memory(&spaces));
        runner.run_copy(&old_db, &again, || ()).unwrap_or_else(|error| panic!("{about}: {error}"));
        assert_eq!(&rows(&again, &spaces), given, "{about}");
    }
}

/// Rows of the bank that the Cosmos SDK wrote, if the layout reads them.
fn golden_bank(layout: &Layout) -> Rows {
    let reader = Reader::new(layout).unwrap();
    let lines: Vec<StoredRow> = corpus::lines("golden/bank_rows.jsonl.gz");
    let mut found = Rows::new();
    for row in lines {
        let entry = reader.read(&row.store, &row.key, &row.bytes);
        let Ok(entry) = entry else { continue };
        if layout.keyspace(entry.keyspace).kind != KeyspaceKind::Index {
            found.insert((row.store, row.key), row.bytes);
        }
    }
    add_entries(layout, &reader, &mut found);
    found
}

/// Keys that a system wrote, with values of their form, if the layout reads them in one way as rows
/// that are not derived.
fn golden_keys(layout: &Layout, file: &str) -> Rows {
    let path = folder().join("../testing/corpus/golden").join(file);
    let entries: Vec<serde_json::Value> =
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let keys = entries.iter().filter_map(|entry| entry["key_hex"].as_str());
    let pairs = keys.map(|key| (key.to_owned(), None)).collect();
    golden(layout, pairs)
}

/// Rows of keys in hexadecimal digits, with their values or values of their form.
fn golden(layout: &Layout, given: Vec<(String, Option<String>)>) -> Rows {
    let bytes = |digits: &str| corpus::unhex(digits).unwrap();
    let reader = Reader::new(layout).unwrap();
    let mut random = Rng::with_seed(7);
    let mut found = Rows::new();
    let mut spaces: Vec<String> = layout.keyspace_ids().map(|id| space_name(layout, id)).collect();
    spaces.dedup();
    for (key, value) in given {
        let key = bytes(&key);
        for space in &spaces {
            let Ok(entries) = reader.read_all(space, &key, b"") else { continue };
            let keyspace = layout.keyspace(entries[0].keyspace);
            if entries.len() > 1 || keyspace.kind == KeyspaceKind::Index {
                continue;
            }
            let mut pick = |ty: &Type| random_datum(ty, &mut random);
            let value = value.as_deref().map(bytes);
            let value = value.or_else(|| random_value(keyspace.value.as_ref(), &mut pick));
            found.extend(value.map(|value| ((space.clone(), key.clone()), value)));
        }
    }
    found
}

#[derive(serde::Deserialize)]
struct LiquidityRow {
    key: String,
    value: String,
}

#[test]
fn the_bank_moves_from_version_to_version() {
    let old = |name: &str| {
        load(
            "bank",
            name,
            match name {
                "v0.40" => "v0.43",
                "v0.43" => "v0.46",
                _ => "sound",
            },
        )
        .old
    };
    for (from, to, mode) in [
        ("v0.40", "v0.43", Mode::InPlace),
        ("v0.43", "v0.46", Mode::InPlace),
        ("v0.46", "sound", Mode::Reversible),
        ("deployed", "sound", Mode::Reversible),
    ] {
        check("bank", from, to, &random_rows(&old(from), 1, 40), mode);
    }
    let golden = golden_bank(&old("deployed"));
    assert!(golden.len() > 100, "{}", golden.len());
    check("bank", "deployed", "sound", &golden, Mode::Reversible);
}

#[test]
fn the_badges_move_to_the_layout_of_the_module() {
    let layout = load("bitbadges", "deployed", "sound").old;
    check("bitbadges", "deployed", "sound", &random_rows(&layout, 2, 30), Mode::InPlace);
    let golden = golden_keys(&layout, "bitbadges.json");
    assert!(golden.len() > 5, "{}", golden.len());
    check("bitbadges", "deployed", "sound", &golden, Mode::InPlace);
}

#[test]
fn the_concentrated_liquidity_moves_to_the_layout_of_the_module() {
    let layout = load("osmosis-cl", "deployed", "sound").old;
    check("osmosis-cl", "deployed", "sound", &random_rows(&layout, 3, 30), Mode::InPlace);
    let lines: Vec<LiquidityRow> = corpus::lines("cl/rows.jsonl.gz");
    let given = lines.into_iter().take(2000).map(|row| (row.key, Some(row.value))).collect();
    let golden = golden(&layout, given);
    assert!(golden.len() > 100, "{}", golden.len());
    check("osmosis-cl", "deployed", "sound", &golden, Mode::InPlace);
}

#[test]
fn paw_moves_to_the_layout_of_the_module() {
    let layout = load("paw", "deployed", "sound").old;
    check("paw", "deployed", "sound", &random_rows(&layout, 4, 10), Mode::InPlace);
    let golden = golden_keys(&layout, "paw.json");
    assert!(golden.len() > 5, "{}", golden.len());
    check("paw", "deployed", "sound", &golden, Mode::InPlace);
}

/// Records of the deployed transaction-output index: members of sets with scores, fields of hashes.
fn index_rows(layout: &Layout) -> Rows {
    let mut found = Rows::new();
    let id = |name: &str| layout.find(name)[0];
    let txid = [7; 32];
    let bytes = |number: u8| Datum::Leaf(Value::Bytes(vec![number; 32]));
    let vout = |number: u128| Datum::Leaf(Value::uint(number));
    let outpoint = |n: u8| {
        Datum::Record(Record(vec![
            ("txid".to_owned(), bytes(n)),
            ("vout".to_owned(), vout(u128::from(n))),
        ]))
    };
    let mut put = |name: &str, key: Record, member: &Datum, score: Option<(u64, u64)>| {
        let keyspace = layout.keyspace(id(name));
        let structure = keyspace.encode(&key).unwrap();
        let mut member_bytes = Vec::new();
        encode_type(keyspace.member.as_ref().unwrap(), "member", member, &mut member_bytes)
            .unwrap();
        let mut stored = Vec::new();
        record::begin(record_kind(keyspace.kind), &structure, Family::Member, &mut stored);
        let mut value = Vec::new();
        if let Some((height, index)) = score {
            let pair = Datum::Leaf(Value::Pair(height.into(), index.into()));
            let mut score_bytes = Vec::new();
            encode_type(keyspace.score.as_ref().unwrap(), "score", &pair, &mut score_bytes)
                .unwrap();
            let mut order = Vec::new();
            record::begin(record_kind(keyspace.kind), &structure, Family::Score, &mut order);
            record::put_score(&score_bytes, Some(score_bytes.len()), &mut order);
            order.extend(&member_bytes);
            found.insert(("txo".to_owned(), order), Vec::new());
            value = score_bytes;
        }
        stored.extend(member_bytes);
        found.insert(("txo".to_owned(), stored), value);
    };
    let text = |value: &str| Datum::Leaf(Value::Text(value.to_owned()));
    let topic = |name: &str| Record(vec![("topic".to_owned(), text(name))]);
    for n in 1..5 {
        put("topics", topic("tm_tokens"), &outpoint(n), Some((800_000 + u64::from(n), 3)));
        put("topics", topic("a:b"), &outpoint(n), Some((1, 2)));
    }
    let token = format!("{}_1", "ab".repeat(32));
    let event = Datum::Arm("id".to_owned(), Record(vec![("token".to_owned(), text(&token))]));
    put("events", Record(vec![("event".to_owned(), event)]), &outpoint(1), Some((9, 9)));
    put("whitelist", Record::default(), &text(&token), None);
    put("blacklist", Record::default(), &text(&token.replace('_', ".")), None);
    let satoshis = layout.keyspace(id("satoshis"));
    let mut stored = Vec::new();
    record::begin(
        record_kind(satoshis.kind),
        &satoshis.encode(&Record::default()).unwrap(),
        Family::Field,
        &mut stored,
    );
    stored.extend(txid);
    stored.extend([1, 0, 0, 0]);
    found.insert(("txo".to_owned(), stored), 42_u64.to_be_bytes().to_vec());
    found
}

#[test]
fn the_transaction_output_index_moves_to_the_layout_of_the_module() {
    let loaded = load("onesat", "deployed", "sound");
    let given = index_rows(&loaded.old);
    check("onesat", "deployed", "sound", &given, Mode::Copy);
}
