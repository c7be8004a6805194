//! Hashes, sets and sorted sets compared with simple models.

use crate::structures::{Engine, Outcome, empty, engines, name, outpoint, sound, txo::*};
use keyscape_runtime::Error;
use keyscape_store::{Db, Direction, Tx};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Draws names with common prefixes, which test the order and the separation of keys.
fn names() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "aa", "ab", "b", "ba", "a\0", "a\0b", "\u{1}", "zz", "z"])
        .prop_map(str::to_owned)
}

/// Runs steps on an empty database, `at_once` of them per transaction.
fn run<S: std::fmt::Debug>(
    engine: Engine,
    steps: &[S],
    at_once: usize,
    mut step: impl FnMut(&mut Tx<'_>, &S) -> Result<(), Error>,
) -> Result<Db, TestCaseError> {
    let db = Db::from(engine());
    for some in steps.chunks(at_once) {
        db.write(|tx| some.iter().try_for_each(|one| step(tx, one)))
            .map_err(|error| TestCaseError::fail(format!("{error} at {some:?}")))?;
    }
    Ok(db)
}

fn ends(outcome: Outcome) -> Result<(), TestCaseError> {
    outcome.map_err(|error| TestCaseError::fail(error.to_string()))
}

#[derive(Clone, Debug)]
enum SetStep {
    Add(String, String),
    Remove(String, String),
    Delete(String),
}

fn set_steps() -> impl Strategy<Value = Vec<SetStep>> {
    let step = prop_oneof![
        6 => (names(), names()).prop_map(|(key, member)| SetStep::Add(key, member)),
        4 => (names(), names()).prop_map(|(key, member)| SetStep::Remove(key, member)),
        1 => names().prop_map(SetStep::Delete),
    ];
    prop::collection::vec(step, 0..80)
}

#[derive(Clone, Debug)]
enum HashStep {
    Merkle(u32, Option<u64>),
    Data(u32, String, Option<Vec<u8>>),
    Delete(u32),
}

fn hash_steps() -> impl Strategy<Value = Vec<HashStep>> {
    let key = || 0_u32..3;
    let step = prop_oneof![
        3 => (key(), any::<Option<u64>>()).prop_map(|(key, value)| HashStep::Merkle(key, value)),
        6 => (key(), names(), any::<Option<Vec<u8>>>())
            .prop_map(|(key, tag, value)| HashStep::Data(key, tag, value)),
        1 => key().prop_map(HashStep::Delete),
    ];
    prop::collection::vec(step, 0..60)
}

#[derive(Clone, Debug)]
enum ZsetStep {
    Add(u8, u32, u64),
    Remove(u8, u32),
    Increment(u8, u32, i64),
    Delete(u8),
}

fn zset_steps(max: usize) -> impl Strategy<Value = Vec<ZsetStep>> {
    let key = || 0_u8..2;
    let score = || prop_oneof![3 => 0_u64..8, 1 => 250_u64..260, 1 => any::<u64>()];
    let step = prop_oneof![
        60 => (key(), 0_u32..400, score()).prop_map(|(key, m, score)| ZsetStep::Add(key, m, score)),
        20 => (key(), 0_u32..400).prop_map(|(key, member)| ZsetStep::Remove(key, member)),
        10 => (key(), 0_u32..400, -3_i64..9).prop_map(|(k, m, by)| ZsetStep::Increment(k, m, by)),
        1 => key().prop_map(ZsetStep::Delete),
    ];
    prop::collection::vec(step, 0..max)
}

fn member(number: u32) -> Name<'static> {
    Name::new(format!("m{number}")).expect("a good name")
}

type Ordered = BTreeSet<(u64, Name<'static>)>;

/// Returns the members of a model in order.
fn ordered(model: &BTreeMap<Name<'static>, u64>) -> Ordered {
    model.iter().map(|(member, score)| (*score, member.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sets_agree_with_a_model(engine in engines(), steps in set_steps(), at_once in 1_usize..5) {
        let mut model: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let db = run(engine, &steps, at_once, |tx, step| {
            match step {
                SetStep::Add(key, member) => {
                    let new = model.entry(key.clone()).or_default().insert(member.clone());
                    assert_eq!(FRIENDS.add(tx, name(key), name(member))?, new);
                }
                SetStep::Remove(key, member) => {
                    let was = model.entry(key.clone()).or_default().remove(member);
                    assert_eq!(FRIENDS.remove(tx, name(key), name(member))?, was);
                }
                SetStep::Delete(key) => {
                    let members = model.remove(key).unwrap_or_default().len() as u64;
                    let records = FRIENDS.delete(tx, name(key))?;
                    assert_eq!(records, members + u64::from(members > 0), "with the count");
                }
            }
            Ok(())
        })?;
        ends((|| {
            let state = db.read()?;
            for (key, members) in &model {
                let found = FRIENDS.members(name(key)).to_vec(&state)?;
                assert!(found.iter().map(Name::as_str).eq(members));
                let back = FRIENDS.members(name(key)).reverse().to_vec(&state)?;
                assert!(back.iter().map(Name::as_str).eq(members.iter().rev()));
                assert_eq!(FRIENDS.count(&state, name(key))?, members.len() as u64);
                assert_eq!(FRIENDS.is_empty(&state, name(key))?, members.is_empty());
                sound(&FRIENDS.check(&state, name(key))?)?;
            }
            Ok(())
        })())?;
    }

    #[test]
    fn hashes_agree_with_a_model(engine in engines(), steps in hash_steps(), at_once in 1_usize..5) {
        let mut model: BTreeMap<u32, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
        let db = run(engine, &steps, at_once, |tx, step| {
            match step {
                HashStep::Merkle(key, value) => {
                    let (hash, field) = (model.entry(*key).or_default(), "ms".to_owned());
                    match value {
                        Some(value) => {
                            hash.insert(field, value.to_be_bytes().to_vec());
                            OUTPUT_MERKLE.put(tx, outpoint(1, *key), (), *value)?;
                        }
                        None => {
                            hash.remove(&field);
                            OUTPUT_MERKLE.delete(tx, outpoint(1, *key), ())?;
                        }
                    }
                    assert_eq!(OUTPUT_MERKLE.get(tx, outpoint(1, *key), ())?, *value);
                }
                HashStep::Data(key, tag, value) => {
                    let (hash, field) = (model.entry(*key).or_default(), format!("dt:{tag}"));
                    match value {
                        Some(value) => {
                            hash.insert(field, value.clone());
                            OUTPUT_DATA.put(tx, outpoint(1, *key), name(tag), value)?;
                        }
                        None => {
                            hash.remove(&field);
                            OUTPUT_DATA.delete(tx, outpoint(1, *key), name(tag))?;
                        }
                    }
                    assert_eq!(OUTPUT_DATA.get(tx, outpoint(1, *key), name(tag))?, *value);
                }
                HashStep::Delete(key) => {
                    let fields = model.remove(key).unwrap_or_default().len() as u64;
                    assert_eq!(OUTPUT.delete(tx, outpoint(1, *key))?, fields);
                }
            }
            Ok(())
        })?;
        ends((|| {
            let state = db.read()?;
            for (key, fields) in &model {
                let at = outpoint(1, *key);
                let found = OUTPUT.fields(at).to_vec(&state)?;
                let found = found.iter().map(|row| (&*row.field_bytes, &*row.value_bytes));
                assert!(found.eq(fields.iter().map(|(f, value)| (f.as_bytes(), &value[..]))));
                let data = fields.keys().filter_map(|field| field.strip_prefix("dt:"));
                let found = OUTPUT_DATA.all(at).to_vec(&state)?;
                assert!(found.iter().map(|row| row.field.tag.as_str()).eq(data));
                sound(&OUTPUT.check(&state, at)?)?;
            }
            let there = model.iter().filter(|(_, fields)| !fields.is_empty()).map(|(key, _)| *key);
            let keys = OUTPUT.prefix_all().structures(&state)?;
            let keys = keys.collect::<Result<Vec<_>, _>>()?;
            assert!(keys.iter().map(|key| key.outpoint.vout).eq(there));
            Ok(())
        })())?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sorted_sets_agree_with_a_model(
        engine in engines(),
        steps in zset_steps(900),
        at_once in 1_usize..40,
        low in 0_u64..8,
        high in 0_u64..8,
        offset in 0_u64..300,
    ) {
        let mut model: BTreeMap<u8, BTreeMap<Name<'static>, u64>> = BTreeMap::new();
        let db = run(engine, &steps, at_once, |tx, step| {
            match step {
                ZsetStep::Add(key, number, score) => {
                    let was = model.entry(*key).or_default().insert(member(*number), *score);
                    assert_eq!(BOARD.add(tx, *key, member(*number), *score)?, was);
                }
                ZsetStep::Remove(key, number) => {
                    let was = model.entry(*key).or_default().remove(&member(*number));
                    assert_eq!(BOARD.remove(tx, *key, member(*number))?, was);
                }
                ZsetStep::Increment(key, number, by) => {
                    let zset = model.entry(*key).or_default();
                    let was = zset.get(&member(*number)).copied().unwrap_or(0);
                    let sum = BOARD.increment(tx, *key, member(*number), i128::from(*by));
                    match was.checked_add_signed(*by) {
                        Some(expected) => {
                            assert_eq!(sum?, expected);
                            zset.insert(member(*number), expected);
                        }
                        None => assert!(sum.is_err()),
                    }
                }
                ZsetStep::Delete(key) => {
                    model.remove(key);
                    BOARD.delete(tx, *key)?;
                }
            }
            Ok(())
        })?;
        ends((|| {
            let state = db.read()?;
            for (key, scores) in &model {
                let all: Vec<_> = ordered(scores).into_iter().collect();
                sound(&BOARD.check(&state, *key)?)?;
                assert_eq!(BOARD.count(&state, *key)?, all.len() as u64);
                for (rank, (score, member)) in all.iter().enumerate() {
                    let found = BOARD.rank(&state, *key, member.clone())?;
                    assert_eq!(found, Some(rank as u64));
                    assert_eq!(BOARD.score(&state, *key, member.clone())?, Some(*score));
                }
                let bounded: Vec<_> =
                    all.iter().filter(|(score, _)| (low..high).contains(score)).collect();
                for direction in [Direction::Forward, Direction::Backward] {
                    let mut expected = bounded.clone();
                    let mut records = BOARD.members(*key).range(low..high);
                    if direction == Direction::Backward {
                        expected.reverse();
                        records = records.reverse();
                    }
                    assert_eq!(records.count(&state)?, expected.len() as u64);
                    let skip = usize::try_from(offset)?;
                    let found = records.clone().offset(offset).to_vec(&state)?;
                    let found = found.into_iter().map(|row| (row.score, row.member));
                    assert!(found.eq(expected.into_iter().skip(skip).cloned()));
                }
            }
            Ok(())
        })())?;
    }
}

/// Removes most members again, which empties buckets in every order.
#[test]
fn ranks_stay_right_while_a_large_zset_grows_and_shrinks() -> Outcome {
    let db = empty()?;
    let mut random = fastrand::Rng::with_seed(7);
    let mut model: BTreeMap<Name<'static>, u64> = BTreeMap::new();
    for round in 0..40 {
        db.write(|tx| {
            for _ in 0..400 {
                let growing = round % 20 < 10;
                let member = member(random.u32(..6000));
                if random.u8(..10) < if growing { 9 } else { 2 } {
                    let score = random.u64(..50);
                    assert_eq!(
                        BOARD.add(tx, 1, member.clone(), score)?,
                        model.insert(member, score)
                    );
                } else if let Some(member) = model.range(member..).next().map(|(m, _)| m.clone()) {
                    assert_eq!(BOARD.remove(tx, 1, member.clone())?, model.remove(&member));
                }
            }
            Ok::<(), Error>(())
        })?;
        let state = db.read()?;
        sound(&BOARD.check(&state, 1)?)?;
        let all: Vec<_> = ordered(&model).into_iter().collect();
        for _ in 0..20 {
            let rank = random.u64(..all.len() as u64 + 2);
            let found = BOARD.ranks(1, rank..=rank).to_vec(&state)?;
            let expected = all.get(usize::try_from(rank)?);
            assert_eq!(found.first().map(|row| (row.score, row.member.clone())).as_ref(), expected);
        }
    }
    db.write(|tx| {
        for member in model.keys() {
            BOARD.remove(tx, 1, member.clone())?;
        }
        Ok::<(), Error>(())
    })?;
    assert!(BOARD.is_empty(&db.read()?, 1)?, "the last one takes all counts with it");
    Ok(())
}
