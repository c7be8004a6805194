//! Typed access on an engine that fails once: errors are returned, and commits are complete.

use crate::typed::{
    Engine, engines,
    model::{Model, Step, asked, step},
    order,
    shop::layout::{BY_ORDER, BY_TICKET, NUMBERS, ORDERS},
};
use keyscape_runtime::{Error, ErrorKind};
use keyscape_store::{Database, Db, StoreErrorKind, Tx};
use keyscape_testkit::{Failing, Fault};
use proptest::{collection::vec, prelude::*};
use std::sync::Arc;

/// Runs one step on both sides. Skips steps that control transactions.
fn apply(tx: &mut Tx<'_>, model: &mut Model, step: &Step) -> Result<(), Error> {
    match step {
        Step::Put(key, name, amount) => {
            let order = order(name, *amount);
            let refused = match ORDERS.put(tx, *key, &order) {
                Ok(()) => false,
                Err(error) if matches!(error.kind(), ErrorKind::NotUnique { .. }) => true,
                Err(error) => return Err(error),
            };
            assert_eq!(refused, !model.put(*key, &order));
        }
        Step::Delete(key) => {
            ORDERS.delete(tx, *key)?;
            model.orders.remove(key);
        }
        Step::DeleteScan(user, ask) => {
            let keys = model.of_user(*user, ask);
            assert_eq!(asked(*user, ask).delete(tx)?, keys.len() as u64);
            keys.iter().for_each(|key| drop(model.orders.remove(key)));
        }
        Step::Scan(user, ask) => {
            let rows = asked(*user, ask).scan(tx)?.collect::<Result<Vec<_>, Error>>()?;
            let keys: Vec<_> = rows.iter().map(|(key, _)| (key.user, key.order)).collect();
            assert_eq!(keys, model.of_user(*user, ask));
        }
        Step::Pages(user, ask, size, _) => {
            let page = asked(*user, ask).page(tx, *size)?;
            let keys = model.of_user(*user, ask);
            assert_eq!(page.rows.len(), keys.len().min(*size));
        }
        Step::Next => {
            assert_eq!(NUMBERS.next(tx)?, model.number);
            model.number += 1;
        }
        _ => {}
    }
    Ok(())
}

/// Whether a database equals the model.
fn holds(db: &Db, model: &Model) -> bool {
    let state = db.read().expect("a state");
    let sound = [BY_ORDER.check(&state), BY_TICKET.check(&state)]
        .map(|report| report.expect("a check"))
        .iter()
        .all(|report| report.is_sound() && report.rows == model.orders.len() as u64);
    let rows = ORDERS.scan_all(&state).expect("a scan");
    let same =
        rows.map(|row| row.expect("a row")).zip(&model.orders).all(|((key, order), expected)| {
            ((key.user, key.order), order) == (*expected.0, expected.1.clone())
        });
    sound && same && NUMBERS.peek(&state).expect("a number") == model.number
}

/// Runs the program with one failure. Returns whether the failing call was reached.
fn run(inner: Engine, program: &[Vec<Step>], call: u64, fault: Fault) -> bool {
    let inner = inner();
    let engine = Arc::new(Failing::at(Arc::clone(&inner), call, fault));
    let db = Db::from(Arc::clone(&engine) as Arc<dyn Database>);
    let inside = Db::from(inner);
    let mut model = Model::default();
    for steps in program {
        let mut after = model.clone();
        let had_failed = engine.has_failed();
        let outcome = db.write(|tx| steps.iter().try_for_each(|step| apply(tx, &mut after, step)));
        match outcome {
            Ok(()) => model = after,
            Err(error) => {
                assert!(!had_failed && engine.has_failed(), "{error}");
                let ErrorKind::Store(error) = error.kind() else { panic!("{error}") };
                let unknown = error.kind() == StoreErrorKind::CommitUnknown;
                // The commit exists only if its result was lost.
                assert!(holds(&inside, if unknown { &after } else { &model }));
                if unknown {
                    model = after;
                }
            }
        }
        assert!(holds(&inside, &model));
    }
    engine.has_failed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_failure_anywhere_is_an_error_and_leaves_whole_commits(
        engine in engines(),
        program in vec(vec(step(), 1..8), 1..4),
    ) {
        for fault in [Fault::Before, Fault::After] {
            let mut call = 1;
            while run(engine, &program, call, fault) {
                call += 1;
            }
            prop_assert!(call > program.len() as u64);
        }
    }
}
