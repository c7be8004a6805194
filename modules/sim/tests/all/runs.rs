//! Runs that are stopped, continued and rejected.

use crate::Tested;
use keyscape::store::{Db, Durability, Layout, Read, Tx};
use keyscape_sim::{Chain, Fault, Outcome, Plan, SimError, System, Tally, layouts, run, state_of};
use keyscape_store_redb::Options;
use std::{cell::Cell, num::NonZeroU64};

keyscape::layout!(
    r#"
store ledger
map entries = {height: u64be} {entry: u64be} -> u64be
    scan all
"#
);

/// Writes values that depend on the seed, the height and the previous block.
#[derive(Default)]
struct Ledger {
    /// The block that fails.
    fails_at: Cell<u64>,
    /// The first block at which an invariant does not hold.
    breaks_at: Cell<u64>,
}

impl System for Ledger {
    fn name(&self) -> &'static str {
        "ledger"
    }
    fn layouts(&self) -> Vec<&'static Layout<'static>> {
        vec![&ledger::LAYOUT]
    }
    fn begin(&self, tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
        Ok(ledger::ENTRIES.put(tx, (0, 0), seed)?)
    }
    fn block(&self, tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
        let before = ledger::ENTRIES.get(tx, (height - 1, 0))?.ok_or("the block before is gone")?;
        let entry = before.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed);
        ledger::ENTRIES.put(tx, (height, 0), entry)?;
        if height == self.fails_at.get() {
            return Err("the power went out".into());
        }
        Ok(Tally { done: 2, refused: 1 })
    }
    fn broken(&self, state: &dyn Read) -> Result<Vec<String>, Fault> {
        let last = ledger::ENTRIES.prefix_all().count(state)? - 1;
        let breaks = self.breaks_at.get();
        let is_broken = breaks > 0 && last >= breaks;
        Ok(if is_broken {
            vec![format!("{last} is too many"), "no more".to_owned()]
        } else {
            Vec::new()
        })
    }
}

fn memory(system: &Ledger) -> Result<Db, Fault> {
    Ok(keyscape::memory_with(&layouts(&[system]))?)
}

fn whole(seed: u64, blocks: u64) -> Result<Outcome, Fault> {
    let system = Ledger::default();
    Ok(run(&memory(&system)?, &system, Plan::new(seed, blocks), |_| ())?)
}

#[test]
fn a_stopped_run_ends_in_the_same_state_as_a_whole_one() -> Tested {
    let expected = whole(7, 250)?;
    assert_eq!((expected.reached.done, expected.reached.refused), (500, 250));
    assert_eq!((expected.checks, expected.state.rows), (3, 251));

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("run.redb");
    let system = Ledger::default();
    let (layouts, options) = (layouts(&[&system]), Options::new());
    drop(keyscape_store_redb::create_with(&path, &layouts, &options)?);
    for (fails_at, height) in [(1, 0), (90, 89), (250, 249), (0, 250)] {
        let db = keyscape_store_redb::open_with(&path, &layouts, &options)?;
        system.fails_at.set(fails_at);
        let mut heard = 0;
        let fast = db.with_durability(Durability::Buffered);
        let outcome = run(&fast, &system, Plan::new(7, 250), |reached| heard = reached.height);
        db.sync()?;
        match outcome {
            Err(SimError::Block { height: block, .. }) => assert_eq!(block, fails_at),
            Err(error) => return Err(error.into()),
            Ok(outcome) => {
                assert_eq!((outcome.reached, outcome.state), (expected.reached, expected.state));
                assert_eq!(outcome.before.height, 249);
            }
        }
        assert_eq!(heard, height);
    }
    Ok(())
}

#[test]
fn equal_seeds_end_in_equal_states_and_others_do_not() -> Tested {
    assert_eq!(whole(1, 20)?.state, whole(1, 20)?.state);
    assert_ne!(whole(1, 20)?.state.digest, whole(2, 20)?.state.digest);
    assert_ne!(whole(1, 20)?.state.digest, whole(1, 21)?.state.digest);
    Ok(())
}

#[test]
fn a_run_is_not_continued_with_another_seed_or_fewer_blocks() -> Tested {
    let system = Ledger::default();
    let db = memory(&system)?;
    let first = run(&db, &system, Plan::new(3, 20), |_| ())?;
    let again = run(&db, &system, Plan::new(3, 20), |_| ())?;
    assert_eq!((again.before, again.state), (first.reached, first.state));
    let other = run(&db, &system, Plan::new(4, 20), |_| ());
    assert!(matches!(other, Err(SimError::Seed { stored: 3, asked: 4, .. })));
    let back = run(&db, &system, Plan::new(3, 19), |_| ());
    assert!(matches!(back, Err(SimError::Further { reached: 20, asked: 19, .. })));
    assert_eq!(state_of(&db.read()?, &system.layouts())?, first.state);
    Ok(())
}

#[test]
fn a_database_with_foreign_rows_is_not_changed() -> Tested {
    let system = Ledger::default();
    let db = memory(&system)?;
    db.write(|tx| ledger::ENTRIES.put(tx, (5, 5), 5))?;
    let refused = run(&db, &system, Plan::new(3, 20), |_| ());
    assert!(matches!(refused, Err(SimError::Foreign { ref space, .. }) if &**space == "ledger"));
    assert_eq!(ledger::ENTRIES.prefix_all().count(&db.read()?)?, 1);
    Ok(())
}

#[test]
fn a_broken_invariant_ends_the_run_before_the_commit() -> Tested {
    let system = Ledger::default();
    system.breaks_at.set(12);
    let db = memory(&system)?;
    let check_every = NonZeroU64::new(5).ok_or("zero")?;
    let plan = Plan { seed: 1, blocks: 40, check_every };
    let error = run(&db, &system, plan, |_| ()).err().ok_or("it did not break")?;
    let expected = "after block 15 of `ledger`, invariants do not hold:\n15 is too many\nno more";
    assert_eq!(error.to_string(), expected);
    assert_eq!(ledger::ENTRIES.prefix_all().count(&db.read()?)?, 15);
    // The last block of a plan is checked too.
    system.breaks_at.set(16);
    assert!(run(&db, &system, Plan { blocks: 16, ..plan }, |_| ()).is_err());
    assert_eq!(ledger::ENTRIES.prefix_all().count(&db.read()?)?, 16);
    system.breaks_at.set(0);
    assert_eq!(run(&db, &system, plan, |_| ())?.before.height, 15);
    Ok(())
}

/// A system that reports a fixed violation.
struct Broken(&'static str, &'static str);

impl System for Broken {
    fn name(&self) -> &'static str {
        self.0
    }
    fn layouts(&self) -> Vec<&'static Layout<'static>> {
        vec![&ledger::LAYOUT]
    }
    fn begin(&self, _: &mut Tx<'_>, _: u64) -> Result<(), Fault> {
        Ok(())
    }
    fn block(&self, _: &mut Tx<'_>, _: u64, _: u64) -> Result<Tally, Fault> {
        Ok(Tally::default())
    }
    fn broken(&self, _: &dyn Read) -> Result<Vec<String>, Fault> {
        Ok(vec![self.1.to_owned()])
    }
}

/// Equal texts of two systems are two violations. Only a violation in a store of another system is
/// not repeated.
#[test]
fn a_chain_reports_equal_violations_of_two_systems() -> Tested {
    const SYSTEMS: [&(dyn System + Sync); 4] = [
        &Broken("bank", "supply: 5 more"),
        &Broken("one", "counters: 3 more"),
        &Broken("two", "counters: 3 more"),
        &Broken("three", "bank: supply: 5 more"),
    ];
    let chain = Chain { name: "chain", systems: &SYSTEMS };
    let db = memory(&Ledger::default())?;
    let expected = ["bank: supply: 5 more", "one: counters: 3 more", "two: counters: 3 more"];
    assert_eq!(chain.broken(&db.read()?).map_err(|fault| fault.to_string())?, expected);
    Ok(())
}
