//! Structures on an engine that fails at any call: every committed state is complete.

use crate::{
    FailAt,
    structures::{Engine, Outcome, dump, memory, name, redb, sound, txo::*},
};
use keyscape_runtime::Error;
use keyscape_store::{Database, Db, Mode, StoreErrorKind, Tx};
use keyscape_testkit::{Failing, Fault};
use std::sync::Arc;

type Step = fn(&mut Tx<'_>) -> Result<(), Error>;

/// Operations that write several records each.
const STEPS: [Step; 9] = [
    |tx| FRIENDS.add(tx, name("ann"), name("bob")).map(drop),
    |tx| (0..70).try_for_each(|n| BOARD.add(tx, 1, name(&format!("m{n}")), n % 9_u64).map(drop)),
    |tx| BOARD.add(tx, 1, name("m5"), 100_u64).map(drop),
    |tx| BOARD.remove(tx, 1, name("m6")).map(drop),
    |tx| (0_u64..5).try_for_each(|n| JOBS.push(tx, 1, name(&format!("j{n}")), n).map(drop)),
    |tx| {
        let claims = JOBS.claim(tx, 1, 0, 10, 4)?;
        JOBS.push(tx, 1, name("j0"), 7_u64)?;
        JOBS.ack(tx, 1, &claims[0])?;
        JOBS.retry(tx, 1, &claims[1], 0, 5)?;
        JOBS.bury(tx, 1, &claims[2])
    },
    |tx| JOBS.claim(tx, 1, 100, 10, 4).map(drop),
    |tx| FRIENDS.remove(tx, name("ann"), name("bob")).map(drop),
    |tx| BOARD.delete(tx, 1).map(drop),
];

/// Returns all records before the first step and after each step.
fn states() -> Result<Vec<Vec<String>>, Box<dyn std::error::Error>> {
    let db = Db::from(memory());
    let mut states = vec![dump(&db.read()?)?];
    for step in STEPS {
        db.write(step)?;
        states.push(dump(&db.read()?)?);
    }
    Ok(states)
}

fn all_sound(db: &Db) -> Outcome {
    let state = db.read()?;
    sound(&FRIENDS.check(&state, name("ann"))?)?;
    sound(&BOARD.check(&state, 1)?)?;
    sound(&JOBS.check(&state, 1)?)
}

#[test]
fn a_failure_at_any_call_leaves_a_whole_state() -> Outcome {
    fails_at_any_call(memory, 1)
}

/// Fails only at every seventh call, because every run creates a new file.
#[test]
fn a_failure_at_any_call_leaves_a_whole_state_on_redb() -> Outcome {
    fails_at_any_call(redb, 7)
}

fn fails_at_any_call(engine: Engine, stride: u64) -> Outcome {
    let states = states()?;
    for fault in [Fault::Before, Fault::After] {
        let mut call = 1;
        loop {
            let inner = engine();
            let failing = Arc::new(Failing::at(Arc::clone(&inner), call, fault));
            let db = Db::from(Arc::clone(&failing) as Arc<dyn Database>);
            let mut done = 0;
            for step in STEPS {
                match db.write(step) {
                    Ok(()) => done += 1,
                    Err(error) => {
                        let unknown = matches!(error.kind(), keyscape_runtime::ErrorKind::Store(e)
                            if e.kind() == StoreErrorKind::CommitUnknown);
                        done += usize::from(unknown);
                        break;
                    }
                }
            }
            let whole = Db::from(inner);
            assert_eq!(dump(&whole.read()?)?, states[done], "call {call}, {fault:?}");
            all_sound(&whole)?;
            if !failing.has_failed() {
                assert_eq!(done, STEPS.len());
                break;
            }
            call += stride;
        }
        assert!(call > 300, "only {call} calls were made");
    }
    Ok(())
}

/// A failing operation rolls back its own writes, and the transaction can continue.
#[test]
fn a_rejected_operation_writes_nothing() -> Outcome {
    // Only the failing operation is rolled back, so these steps consist of one operation.
    for step in [2, 3, 6, 8] {
        let db = Db::from(memory());
        STEPS[..step].iter().try_for_each(|step| db.write(step))?;
        let before = dump(&db.read()?)?;
        let mut failing = 0;
        loop {
            let mut tx = db.begin(Mode::Write)?;
            tx.set_meter(Some(Arc::new(FailAt::new(failing))));
            let outcome = STEPS[step](&mut tx);
            tx.set_meter(None);
            if outcome.is_ok() {
                break;
            }
            assert_eq!(dump(&tx)?, before, "step {step}, operation {failing}");
            failing += 1;
        }
        assert!(failing > 2, "step {step} has {failing} operations");
    }
    Ok(())
}
