//! The simulation: it runs, it goes on after a crash, and it finds what is wrong.

use crate::world::{assert_sound, memory, redb, state};
use keyscape::store::{Db, Durability};
use keyscape_txo::{
    event,
    layout::txo::{EVENTS, OUTPUT},
    sim::{self, SimError, Tally},
};

fn run(db: &Db, seed: u64, blocks: std::ops::RangeInclusive<u64>) -> Tally {
    let mut sum = Tally::default();
    for height in blocks {
        let tally = db.write(|tx| sim::block(tx, seed, height)).unwrap_or_else(|error| {
            panic!("seed {seed}, block {height}: {error}");
        });
        sum.done += tally.done;
        sum.refused += tally.refused;
    }
    sum
}

#[test]
fn blocks_keep_every_promise() {
    for seed in 0..2 {
        let db = memory();
        db.write(|tx| sim::begin(tx, seed)).unwrap();
        let mut sum = Tally::default();
        for tens in 0..5 {
            let tally = run(&db, seed, tens * 10 + 1..=tens * 10 + 10);
            sum.done += tally.done;
            sum.refused += tally.refused;
            assert_sound(&db.read().unwrap());
        }
        assert!(sum.done > 1_000 && sum.refused > 100, "{sum:?}");
    }
}

#[test]
fn a_run_that_was_killed_goes_on_as_if_it_had_not_been() {
    let (whole, (parts, _folder)) = (memory(), redb());
    let parts = parts.with_durability(Durability::Buffered);
    for db in [&whole, &parts] {
        db.write(|tx| sim::begin(tx, 7)).unwrap();
    }
    run(&whole, 7, 1..=25);
    run(&parts, 7, 1..=12);
    let killed: Result<(), SimError> = parts.write(|tx| {
        sim::block(tx, 7, 13)?;
        Err(SimError::Height(0))
    });
    assert!(killed.is_err());
    run(&parts, 7, 13..=25);
    assert_eq!(state(&whole.read().unwrap()), state(&parts.read().unwrap()));
}

#[test]
fn a_state_that_is_wrong_is_noticed() {
    let db = memory();
    db.write(|tx| sim::begin(tx, 3)).unwrap();
    run(&db, 3, 1..=8);
    // Outputs keep their rows and are listed under their transactions no more.
    db.write(|tx| {
        let outputs = OUTPUT.prefix_all().structures(tx)?.keys().collect::<Result<Vec<_>, _>>()?;
        outputs
            .iter()
            .try_for_each(|key| EVENTS.delete(tx, event::txid(key.outpoint.txid)).map(drop))
    })
    .unwrap();
    let error = (9..=20).find_map(|height| db.write(|tx| sim::block(tx, 3, height)).err());
    let error = error.unwrap();
    assert!(matches!(error, SimError::Differs { .. } | SimError::Accepted { .. }), "{error}");
}

#[test]
fn blocks_that_are_no_heights_are_refused() {
    let db = memory();
    for height in [0, u64::MAX] {
        let error = db.write(|tx| sim::block(tx, 1, height)).unwrap_err();
        assert!(matches!(error, SimError::Height(of) if of == height), "{error}");
    }
}
