//! Interrupted operations write nothing.

use crate::setup::{KEEPER, Outcome, address, bank, coins, fund, metadata};
use keyscape::store::{Db, Mode, Tx};
use keyscape_bank::{Error, Keeper, Output, keeper, messages, vesting::Schedule};
use keyscape_testkit::interrupt;

type Run = fn(&mut Tx<'_>) -> Result<(), Error>;

fn filled() -> Result<Db, Error> {
    let db = bank();
    db.write(|tx| {
        fund(tx, &address(1), "100foo,100stake")?;
        fund(tx, &address(2), "100foo")?;
        let (ann, cid, fifty) = (address(1), address(3), coins("50foo"));
        let schedule = Schedule::Continuous { start: 0, end: 100 };
        KEEPER.create_vesting_account(tx, 0, &ann, &cid, &fifty, schedule)?;
        KEEPER.delegate(tx, 10, &address(3), "pool", &coins("20foo"))?;
        Ok::<(), Error>(())
    })?;
    Ok(db)
}

const RUNS: [(&str, Run); 10] = [
    ("send", |tx| KEEPER.send(tx, 0, &address(1), &address(2), &coins("50foo,100stake")).map(drop)),
    ("send to a new account", |tx| {
        KEEPER.send(tx, 0, &address(1), &address(9), &coins("5foo,10stake")).map(drop)
    }),
    ("multi-send", |tx| {
        let outputs =
            [2, 8, 9].map(|byte| Output { to: address(byte), coins: coins("1foo,2stake") });
        KEEPER.multi_send(tx, 0, &address(1), &coins("3foo,6stake"), &outputs).map(drop)
    }),
    ("mint", |tx| KEEPER.mint(tx, "mint", &coins("1bar,1foo")).map(drop)),
    ("burn", |tx| KEEPER.burn(tx, "pool", &coins("20foo")).map(drop)),
    ("delegate", |tx| KEEPER.delegate(tx, 50, &address(3), "pool", &coins("30foo")).map(drop)),
    ("undelegate", |tx| KEEPER.undelegate(tx, "pool", &address(3), &coins("20foo")).map(drop)),
    ("vesting account", |tx| {
        let schedule = Schedule::Delayed { end: 9 };
        let coins = coins("1foo,1stake");
        KEEPER.create_vesting_account(tx, 0, &address(1), &address(9), &coins, schedule).map(drop)
    }),
    ("message", |tx| {
        let coins = coins("1foo,1stake");
        messages::send(tx, &Keeper::default(), 0, &address(1), &address(9), &coins).map(drop)
    }),
    ("metadata", |tx| keeper::set_metadata(tx, &metadata("foo"))),
];

#[test]
fn an_interrupted_operation_writes_nothing() -> Outcome {
    let db = filled()?;
    let begin = || {
        let mut tx = db.begin(Mode::Write)?;
        KEEPER.create_account(&mut tx, &address(77))?;
        Ok::<_, Error>(tx)
    };
    for (name, run) in RUNS {
        assert!(interrupt(begin, run, Error::is_refusal)? >= 1, "{name}");
    }
    Ok(())
}

#[test]
fn every_operation_leaves_a_sound_state() -> Outcome {
    let db = filled()?;
    for (name, run) in RUNS {
        let mut tx = db.begin(Mode::Write)?;
        run(&mut tx)?;
        assert_eq!(keyscape_bank::invariants::check(&tx)?, [], "{name}");
    }
    Ok(())
}
