//! The simulations of all modules: invariants, the same state after a stop, and after a failure of
//! the database.

use crate::Tested;
use keyscape::store::{Database, Db, Durability, Layout, Memory};
use keyscape_sim::{Chain, Outcome, Plan, System, layouts, run, state_of, system};
use keyscape_store_redb::Options;
use keyscape_testkit::{Failing, Fault};
use std::{ffi::OsStr, fs, path::Path, sync::Arc};

system!(Bank, bank, keyscape_bank, [keyscape_bank::layout::bank::LAYOUT]);
system!(Badges, badges, keyscape_badges, [keyscape_badges::layout::badges::LAYOUT]);
system!(
    Liquidity,
    cl,
    keyscape_concentrated_liquidity,
    [
        keyscape_concentrated_liquidity::layout::concentratedliquidity::LAYOUT,
        keyscape_bank::layout::bank::LAYOUT,
    ]
);
system!(Txo, txo, keyscape_txo, [keyscape_txo::layout::txo::LAYOUT]);
system!(
    Paw,
    paw,
    keyscape_paw,
    [keyscape_paw::layout::paw::LAYOUT, keyscape_bank::layout::bank::LAYOUT]
);

/// All systems on one database.
const CHAIN: Chain = Chain { name: "chain", systems: &[&Bank, &Txo, &Liquidity, &Badges, &Paw] };
/// Two systems that share the bank. Longer chains do nothing else.
const PAIR: Chain = Chain { name: "pair", systems: &[&Liquidity, &Paw] };

fn memory(system: &dyn System) -> Result<Db, keyscape_sim::Fault> {
    Ok(keyscape::memory_with(&layouts(&[system]))?)
}

fn plan(seed: u64, blocks: u64, check_every: u64) -> Result<Plan, keyscape_sim::Fault> {
    Ok(Plan { check_every: check_every.try_into()?, ..Plan::new(seed, blocks) })
}

/// The minima of done and of rejected operations of a run.
type Minima = (u64, u64);

/// Runs blocks with checks of all invariants, and compares the numbers of done and rejected
/// operations with their minima. Returns the database.
fn sound(
    system: &dyn System,
    seed: u64,
    blocks: u64,
    (done, refused): Minima,
) -> Result<Db, keyscape_sim::Fault> {
    let db = memory(system)?;
    let Outcome { reached, .. } = run(&db, system, plan(seed, blocks, 10)?, |_| ())?;
    assert!(reached.done > done && reached.refused > refused, "{reached:?}");
    Ok(db)
}

fn keeps_invariants(system: &dyn System, blocks: u64, minima: Minima) -> Tested {
    sound(system, 1, blocks, minima)?;
    sound(system, u64::MAX, blocks, minima)?;
    Ok(())
}

/// Checks that a run in a file that is closed and opened again ends in the state of a run without a
/// stop, and that another seed leads to another state.
fn resumes(system: &dyn System, blocks: u64) -> Tested {
    let (plan, part) = (plan(7, blocks, blocks)?, plan(7, blocks / 3, blocks)?);
    let whole = run(&memory(system)?, system, plan, |_| ())?;

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("run.redb");
    let (layouts, options) = (layouts(&[system]), Options::new());
    let db = keyscape_store_redb::create_with(&path, &layouts, &options)?;
    let stopped = run(&db.with_durability(Durability::Buffered), system, part, |_| ())?;
    db.sync()?;
    drop(db);
    let other = run(&memory(system)?, system, Plan { seed: 8, ..part }, |_| ())?;
    assert_ne!(stopped.state, other.state);
    let db = keyscape_store_redb::open_with(&path, &layouts, &options)?;
    let rest = run(&db.with_durability(Durability::Buffered), system, plan, |_| ())?;
    assert_eq!(
        (rest.before, rest.reached, rest.state),
        (stopped.reached, whole.reached, whole.state)
    );
    Ok(())
}

/// Runs a plan on an engine that fails at one call, and resumes the run after the failure.
/// Returns the engine too.
fn with_failure(
    system: &dyn System,
    plan: Plan,
    call: u64,
    fault: Fault,
) -> Result<(Outcome, Arc<Failing>), keyscape_sim::Fault> {
    let inner = Arc::new(Memory::new(Layout::spaces_of(&layouts(&[system]))?));
    let engine = Arc::new(Failing::at(inner, call, fault));
    let db = Db::from(Arc::clone(&engine) as Arc<dyn Database>);
    let outcome = match run(&db, system, plan, |_| ()) {
        Err(_) if engine.has_failed() => run(&db, system, plan, |_| ()),
        other => other,
    };
    Ok((outcome?, engine))
}

/// Checks that a run whose database fails at any of its calls contains only whole blocks.
fn survives_failures(system: &dyn System) -> Tested {
    const FAILURES: u64 = 10;
    let plan = plan(7, 3, 3)?;
    let (expected, engine) = with_failure(system, plan, u64::MAX / 2, Fault::Before)?;
    assert!(!engine.has_failed());
    let calls = engine.calls();
    for fault in [Fault::Before, Fault::After] {
        for place in 0..FAILURES {
            let call = 1 + place * calls / FAILURES;
            let (found, engine) = with_failure(system, plan, call, fault)?;
            assert!(engine.has_failed(), "call {call} of {calls}");
            assert_eq!((found.reached, found.state), (expected.reached, expected.state), "{call}");
        }
    }
    Ok(())
}

/// Returns the calls of the public functions that a file defines or exports, `part::name`.
fn calls_of(path: &Path) -> Result<Vec<String>, keyscape_sim::Fault> {
    let part = path.file_stem().and_then(OsStr::to_str).ok_or("no name")?;
    let text = fs::read_to_string(path)?;
    let exports = text.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let exports = exports.filter_map(|list| list.split_once("::")).flat_map(|(_, names)| {
        names.split(|sign: char| sign != '_' && !sign.is_ascii_alphanumeric())
    });
    let exports = exports.filter(|name| name.starts_with(|sign: char| sign.is_ascii_lowercase()));
    let own = text.split("\npub fn ").skip(1).filter_map(|rest| rest.split('(').next());
    Ok(exports.chain(own).map(|name| format!("{part}::{name}")).collect())
}

/// Returns the public operations of a module that its simulation never calls. `files` export or
/// define the operations, more than `min_calls` in total.
fn not_simulated(
    module: &str,
    files: &[&str],
    min_calls: usize,
) -> Result<Vec<String>, keyscape_sim::Fault> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(module).join("src");
    let mut simulation = fs::read_to_string(source.join("sim.rs"))?;
    for entry in fs::read_dir(source.join("sim"))? {
        simulation += &fs::read_to_string(entry?.path())?;
    }
    let mut calls = Vec::new();
    for file in files {
        let found = calls_of(&source.join(file))?;
        assert!(!found.is_empty(), "{module}: {file}");
        calls.extend(found);
    }
    assert!(calls.len() > min_calls, "{module}: {calls:?}");
    // Methods of a type `Keeper`.
    for entry in fs::read_dir(source.join("keeper"))? {
        let path = entry?.path();
        let text = if path.is_file() { fs::read_to_string(path)? } else { String::new() };
        let methods = text.split("\nimpl Keeper {\n").skip(1);
        let methods = methods.filter_map(|rest| rest.split("\n}\n").next());
        let names = methods.flat_map(|body| body.split("\n    pub fn ").skip(1));
        calls.extend(names.filter_map(|rest| Some(format!(".{}", rest.split('(').next()?))));
    }
    calls.retain(|call| {
        !["(", "::<"].iter().any(|next| simulation.contains(&format!("{call}{next}")))
    });
    calls.sort();
    Ok(calls)
}

#[test]
fn the_bank_keeps_its_invariants() -> Tested {
    keeps_invariants(&Bank, 100, (2_000, 160))
}

#[test]
fn badges_keep_their_invariants() -> Tested {
    keeps_invariants(&Badges, 32, (900, 72))
}

#[test]
fn liquidity_keeps_its_invariants() -> Tested {
    keeps_invariants(&Liquidity, 60, (300, 60))
}

#[test]
fn outputs_keep_their_invariants() -> Tested {
    keeps_invariants(&Txo, 50, (1_000, 100))
}

#[test]
fn paw_keeps_its_invariants() -> Tested {
    keeps_invariants(&Paw, 120, (1_000, 500))
}

/// The bank covers the coins of all systems that use it. Every system of the chain runs as it does
/// alone: only the systems that share the bank differ.
#[test]
fn systems_of_a_chain_keep_all_invariants_and_do_not_affect_each_other() -> Tested {
    const BLOCKS: u64 = 15;
    const MINIMA: Minima = (1_200, 200);
    sound(&CHAIN, u64::MAX, BLOCKS, MINIMA)?;
    let chain = sound(&CHAIN, 1, BLOCKS, MINIMA)?;
    for (system, own) in [
        (&Txo as &dyn System, &keyscape_txo::layout::txo::LAYOUT),
        (&Badges, &keyscape_badges::layout::badges::LAYOUT),
        (&Paw, &keyscape_paw::layout::paw::LAYOUT),
    ] {
        let alone = memory(system)?;
        run(&alone, system, plan(1, BLOCKS, BLOCKS)?, |_| ())?;
        let digest = |db: &Db| Ok::<_, keyscape_sim::Fault>(state_of(&db.read()?, &[own])?);
        assert_eq!(digest(&alone)?, digest(&chain)?, "{}", system.name());
    }
    Ok(())
}

#[test]
fn every_run_resumes() -> Tested {
    resumes(&Paw, 30)?;
    resumes(&PAIR, 6)?;
    resumes(&Bank, 30)?;
    resumes(&Badges, 12)?;
    resumes(&Liquidity, 30)?;
    resumes(&Txo, 25)
}

#[test]
fn every_run_survives_failures() -> Tested {
    survives_failures(&Bank)?;
    survives_failures(&Badges)?;
    survives_failures(&Liquidity)?;
    survives_failures(&Txo)?;
    survives_failures(&Paw)?;
    survives_failures(&PAIR)
}

#[test]
fn simulations_call_every_operation() -> Tested {
    // A genesis sets balances. Queries have tests of their own.
    assert_eq!(
        not_simulated("bank", &["keeper.rs", "messages.rs"], 20)?,
        [
            ".create_module_account",
            ".repair_modules",
            ".send_from_module_to_account",
            ".send_from_module_to_module",
            "keeper::each_balance",
            "keeper::set_balance",
        ]
    );
    assert_eq!(not_simulated("badges", &["keeper.rs"], 20)?, ["keeper::predetermined"]);
    assert_eq!(not_simulated("concentrated-liquidity", &["keeper.rs"], 20)?, [""; 0]);
    assert_eq!(not_simulated("txo", &["keeper.rs"], 20)?, ["keeper::topics"]);
    // The tally calls the functions of medians, and the end of a block prunes packets.
    let paw = ["keeper/compute.rs", "keeper/dex.rs", "keeper/oracle.rs", "keeper/ibc.rs"];
    assert_eq!(
        not_simulated("paw", &paw, 50)?,
        ["ibc::prune", "oracle::is_outlier_of", "oracle::weighted_median"]
    );
    Ok(())
}
