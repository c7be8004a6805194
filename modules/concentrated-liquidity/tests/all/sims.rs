//! The simulation: it runs, it is the same each time, and it goes on where it was stopped.

use keyscape::store::{Db, Layout, Memory, Read, Tx};
use keyscape_bank::layout::bank::LAYOUT as BANK_LAYOUT;
use keyscape_concentrated_liquidity::{
    genesis, invariants, layout::concentratedliquidity::LAYOUT, sim,
};
use keyscape_sim::{Fault, Plan, System, Tally, run};

/// The module as a system.
struct Liquidity;

impl System for Liquidity {
    fn name(&self) -> &'static str {
        "cl"
    }

    fn layouts(&self) -> Vec<&'static Layout<'static>> {
        vec![&LAYOUT, &BANK_LAYOUT]
    }

    fn begin(&self, tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
        Ok(sim::begin(tx, seed)?)
    }

    fn block(&self, tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
        let sim::Tally { done, refused } = sim::block(tx, seed, height)?;
        Ok(Tally { done, refused })
    }

    fn broken(&self, state: &dyn Read) -> Result<Vec<String>, Fault> {
        Ok(invariants::check(&state)?.iter().map(ToString::to_string).collect())
    }
}

fn plan(seed: u64, blocks: u64) -> Plan {
    Plan { check_every: 10.try_into().unwrap(), ..Plan::new(seed, blocks) }
}

fn memory() -> Db {
    let layouts = keyscape_sim::layouts(&[&Liquidity]);
    Db::new(Memory::new(Layout::spaces_of(&layouts).unwrap()))
}

#[test]
fn hundreds_of_operations_keep_all_invariants() {
    for seed in [1, u64::MAX] {
        let db = memory();
        let outcome = run(&db, &Liquidity, plan(seed, 60), |_| ()).unwrap();
        assert!(outcome.reached.done > 300, "{:?}", outcome.reached);
        assert!(outcome.reached.refused > 60, "{:?}", outcome.reached);
        genesis::verify(&db.read().unwrap()).unwrap();
    }
}

#[test]
fn a_run_that_was_stopped_ends_in_the_same_state() {
    let whole = run(&memory(), &Liquidity, plan(5, 30), |_| ()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cl.redb");
    let layouts = keyscape_sim::layouts(&[&Liquidity]);
    let options = keyscape_store_redb::Options::new();
    let db = keyscape_store_redb::create_with(&path, &layouts, &options).unwrap();
    run(&db, &Liquidity, plan(5, 11), |_| ()).unwrap();
    drop(db);
    let db = keyscape_store_redb::open_with(&path, &layouts, &options).unwrap();
    let rest = run(&db, &Liquidity, plan(5, 30), |_| ()).unwrap();
    assert_eq!(rest.before.height, 11);
    assert_eq!(rest.state, whole.state);
}
