//! The simulation: it runs, it is the same each time, and it goes on where it was stopped.

use crate::setup::{Outcome, badges, sound};
use keyscape::store::{Database, Db, KeyRange, Layout, Memory, Mode, Read, StoreId, Tx};
use keyscape_badges::{layout::badges::LAYOUT, sim};
use keyscape_testkit::{Failing, Fault};
use std::sync::Arc;

fn run(
    db: &Db,
    seed: u64,
    heights: std::ops::RangeInclusive<u64>,
) -> Result<sim::Tally, sim::SimError> {
    let mut sum = sim::Tally::default();
    for height in heights {
        let tally = db.write(|tx| sim::block(tx, seed, height))?;
        sum.done += tally.done;
        sum.refused += tally.refused;
    }
    Ok(sum)
}

type Stored = Vec<(Vec<u8>, Vec<u8>)>;

fn rows(db: &Db) -> Stored {
    let state = db.read().expect("it can be read");
    state.rows(StoreId::of("badges"), KeyRange::all()).expect("rows").to_vec().expect("rows")
}

/// The lower-case names in the lists of `pub use` of a file.
fn exported(text: &str) -> impl Iterator<Item = &str> {
    let lists = text.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let names = lists.filter_map(|list| list.split_once("::")).flat_map(|(_, names)| {
        names.split(|sign: char| sign != '_' && !sign.is_ascii_alphanumeric())
    });
    names.filter(|name| name.starts_with(|sign: char| sign.is_ascii_lowercase()))
}

#[test]
fn every_operation_is_in_the_simulation() {
    const SIM: [&str; 4] = [
        include_str!("../../src/sim.rs"),
        include_str!("../../src/sim/valid.rs"),
        include_str!("../../src/sim/records.rs"),
        include_str!("../../src/sim/invalid.rs"),
    ];
    const HELPERS: [&str; 2] =
        [include_str!("../../src/sim/draw.rs"), include_str!("../../src/sim/expect.rs")];
    let called = |call: &str| SIM.iter().chain(&HELPERS).any(|text| text.contains(call));
    let keeper: Vec<&str> = exported(include_str!("../../src/keeper.rs")).collect();
    assert!(keeper.len() > 20, "{keeper:?}");
    let calls = keeper.iter().map(|name| format!("keeper::{name}("));
    let missing: Vec<String> = calls.filter(|call| !called(call)).collect();
    // Predetermined balances are a query of one approval, which has a test of its own.
    assert_eq!(missing, ["keeper::predetermined("]);
}

#[test]
fn dozens_of_blocks_leave_all_invariants_whole() -> Outcome {
    for seed in [1, u64::MAX] {
        let db = badges();
        db.write(|tx| sim::begin(tx, seed))?;
        let mut sum = sim::Tally::default();
        for block in 0..4 {
            let tally = run(&db, seed, block * 8 + 1..=block * 8 + 8)?;
            sum.done += tally.done;
            sum.refused += tally.refused;
            sound(&db.begin(Mode::Read)?);
        }
        assert!(sum.done > 900 && sum.refused * 100 > sum.done * 8, "{sum:?}");
    }
    Ok(())
}

#[test]
fn a_run_that_was_stopped_goes_on_as_if_it_had_not_been() -> Outcome {
    let (whole, other) = (badges(), badges());
    for (db, seed) in [(&whole, 7), (&other, 8)] {
        db.write(|tx| sim::begin(tx, seed))?;
        run(db, seed, 1..=12)?;
    }
    assert_ne!(rows(&whole), rows(&other));

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("badges.redb");
    let db = keyscape_store_redb::create(&path, &LAYOUT)?;
    db.write(|tx| sim::begin(tx, 7))?;
    run(&db, 7, 1..=5)?;
    // A block that was begun and not committed.
    let mut tx = db.begin(Mode::Write)?;
    sim::block(&mut tx, 7, 6)?;
    drop(tx);
    drop(db);
    let db = keyscape_store_redb::open(&path, &LAYOUT)?;
    run(&db, 7, 6..=12)?;
    assert_eq!(rows(&db), rows(&whole));
    Ok(())
}

/// Runs blocks on an engine that fails once, and runs again what was not committed. Returns the rows, and
/// whether it came to a failure.
fn disturbed(call: u64, fault: Fault) -> Result<(Stored, bool), sim::SimError> {
    let spaces = Layout::spaces_of(&[&LAYOUT]).expect("the layout has names");
    let inner: Arc<dyn Database> = Arc::new(Memory::new(spaces));
    let engine = Arc::new(Failing::at(Arc::clone(&inner), call, fault));
    let (db, inside) = (Db::from(Arc::clone(&engine) as Arc<dyn Database>), Db::from(inner));
    let step = |run: &dyn Fn(&mut Tx<'_>) -> Result<(), sim::SimError>| {
        let before = inside.read()?.revision();
        match db.write(|tx| run(tx)) {
            // The answer to a commit can be lost, and the commit be there.
            Err(_) if engine.has_failed() && inside.read()?.revision() > before => Ok(()),
            Err(_) if engine.has_failed() => db.write(|tx| run(tx)),
            other => other,
        }
    };
    step(&|tx| sim::begin(tx, 7))?;
    for height in 1..=2 {
        step(&|tx| sim::block(tx, 7, height).map(drop))?;
        sound(&inside.begin(Mode::Read)?);
    }
    Ok((rows(&inside), engine.has_failed()))
}

#[test]
fn a_database_that_fails_anywhere_has_whole_blocks() -> Outcome {
    for fault in [Fault::Before, Fault::After] {
        let (expected, failed) = disturbed(u64::MAX / 2, fault)?;
        assert!(!failed);
        let mut call = 1;
        let mut failures = 0;
        loop {
            let (found, failed) = disturbed(call, fault)?;
            assert_eq!(found, expected, "call {call}");
            if !failed {
                break;
            }
            failures += 1;
            call += 97;
        }
        assert!(failures > 3, "{failures}");
    }
    Ok(())
}
