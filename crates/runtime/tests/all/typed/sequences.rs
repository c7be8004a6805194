//! Sequences without gaps, and blocks with them.

use crate::typed::{
    Outcome, SHOP, database, kind,
    odd::COUNTS,
    shop::layout::{NUMBERS, Numbers},
};
use keyscape_runtime::{Blocks, Error, ErrorKind};
use keyscape_store::{Mode, ReadExt, StoreErrorKind};
use std::{num::NonZeroU64, thread};

#[test]
fn a_number_of_an_aborted_transaction_is_given_out_again() -> Outcome {
    let db = database();
    db.write(|tx| NUMBERS.next(tx))?;
    let mut tx = db.begin(Mode::Write)?;
    assert_eq!(NUMBERS.next(&mut tx)?, 1);
    drop(tx);
    db.write(|tx| {
        let failed = tx.attempt(|tx| {
            assert_eq!(NUMBERS.next(tx)?, 1);
            Err::<(), Error>(StoreErrorKind::Busy.into())
        });
        assert!(failed.is_err());
        assert_eq!(NUMBERS.peek(tx)?, 1);
        assert_eq!(NUMBERS.next(tx)?, 1);
        Ok::<(), Error>(())
    })?;
    // The row contains the next number.
    assert_eq!(db.read()?.get(SHOP, b"s")?, Some(vec![0, 0, 0, 0, 0, 0, 0, 2]));
    Ok(())
}

#[test]
fn a_sequence_ends_with_an_error() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    NUMBERS.set(&mut tx, u64::MAX - 1)?;
    assert_eq!(NUMBERS.next(&mut tx)?, u64::MAX - 1);
    let error = NUMBERS.next(&mut tx).expect_err("exhausted");
    assert!(
        matches!(error.kind(), ErrorKind::Exhausted { keyspace, .. } if keyspace == "numbers"),
        "{error}"
    );
    assert_eq!(NUMBERS.peek(&tx)?, u64::MAX);
    Ok(())
}

#[test]
fn a_corrupt_counter_is_an_error() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    tx.put(SHOP, b"s", b"")?;
    assert_eq!(kind(&NUMBERS.next(&mut tx).expect_err("corrupt")), "CorruptValue");
    assert_eq!(kind(&NUMBERS.peek(&tx).expect_err("corrupt")), "CorruptValue");
    Ok(())
}

#[test]
fn a_sequence_with_fields_counts_for_each_key() -> Outcome {
    let db = database();
    let mut tx = db.begin(Mode::Write)?;
    assert_eq!((COUNTS.next_of(&mut tx, 7)?, COUNTS.next_of(&mut tx, 7)?), (0, 1));
    assert_eq!(COUNTS.next_of(&mut tx, 8)?, 0);
    COUNTS.set_of(&mut tx, 8, 255)?;
    assert_eq!((COUNTS.peek_of(&tx, 7)?, COUNTS.peek_of(&tx, 8)?), (2, 255));
    let error = COUNTS.next_of(&mut tx, 8).expect_err("exhausted");
    let text = "sequence `counts` has too few numbers left: it has reached 255";
    assert_eq!(error.to_string(), text);
    Ok(())
}

#[test]
fn optimistic_transactions_never_share_a_number() -> Outcome {
    let db = database();
    let mut numbers: Vec<u64> = thread::scope(|scope| {
        let taking: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let take = || db.optimistic(1_000, |tx| NUMBERS.next(tx));
                    (0..25).map(|_| take().expect("a number")).collect::<Vec<u64>>()
                })
            })
            .collect();
        taking.into_iter().flat_map(|taking| taking.join().expect("a thread")).collect()
    });
    numbers.sort_unstable();
    assert_eq!(numbers, (0..100).collect::<Vec<u64>>());
    Ok(())
}

#[test]
fn blocks_give_each_number_once_across_handles_and_threads() -> Outcome {
    let db = database();
    let size = NonZeroU64::new(7).ok_or("0")?;
    let handles = [Blocks::<Numbers>::new(db.clone(), size), Blocks::new(db.clone(), size)];
    let mut numbers: Vec<u64> = thread::scope(|scope| {
        let taking: Vec<_> = (0..4)
            .map(|thread| {
                let blocks = &handles[thread % 2];
                scope
                    .spawn(|| (0..25).map(|_| blocks.next().expect("a number")).collect::<Vec<_>>())
            })
            .collect();
        taking.into_iter().flat_map(|taking| taking.join().expect("a thread")).collect()
    });
    numbers.sort_unstable();
    let count = numbers.len();
    numbers.dedup();
    assert_eq!((count, numbers.len()), (100, 100));
    // Two handles with 50 numbers each have taken 8 blocks each.
    assert_eq!(NUMBERS.peek(&db.read()?)?, 2 * 8 * 7);
    // The next number of the transaction follows all blocks.
    assert!(db.write(|tx| NUMBERS.next(tx))? > *numbers.last().ok_or("numbers")?);
    Ok(())
}

#[test]
fn blocks_are_not_taken_inside_a_transaction_of_the_same_thread() -> Outcome {
    let db = database();
    let blocks = Blocks::<Numbers>::new(db.clone(), NonZeroU64::MIN);
    let tx = db.begin(Mode::Write)?;
    let error = blocks.next().expect_err("busy");
    assert!(
        matches!(error.kind(), ErrorKind::Store(error) if error.kind() == StoreErrorKind::Busy)
    );
    drop(tx);
    assert_eq!(blocks.next()?, 0);
    Ok(())
}
