//! The number of reads and writes of operations.

use crate::structures::{Outcome, empty, event, name, txo::*};
use keyscape_runtime::Error;
use keyscape_store::{Count, Counter, Db, Tx};
use std::sync::Arc;

fn cost(db: &Db, mut run: impl FnMut(&mut Tx<'_>) -> Result<(), Error>) -> Result<Count, Error> {
    let counter = Arc::new(Counter::new());
    db.write(|tx| {
        tx.set_meter(Some(counter.clone()));
        run(tx)
    })?;
    Ok(counter.count())
}

/// Creates a queue with `each` waiting, leased, dead and ready members.
fn queue(each: u64) -> Result<Db, Box<dyn std::error::Error>> {
    let db = empty()?;
    db.write(|tx| {
        for state in ["w", "l", "d", "r"] {
            for item in 0..each {
                JOBS.push(tx, 1, name(&format!("{state}{item:06}")), item)?;
            }
            let max = usize::try_from(each).unwrap_or(usize::MAX);
            let claims = match state {
                "r" => Vec::new(),
                _ => JOBS.claim(tx, 1, 0, 1_000, max)?,
            };
            for claim in &claims {
                match state {
                    "w" => drop(JOBS.retry(tx, 1, claim, 0, 1_000)?),
                    "d" => JOBS.bury(tx, 1, claim)?,
                    _ => {}
                }
            }
        }
        Ok::<(), Error>(())
    })?;
    assert_eq!(JOBS.counts(&db.read()?, 1)?.waiting, each);
    assert_eq!(JOBS.counts(&db.read()?, 1)?.leased, each);
    Ok(db)
}

#[test]
fn a_claim_costs_the_same_in_a_queue_of_any_size() -> Outcome {
    let mut costs = Vec::new();
    for each in [10, 100, 1_000] {
        let db = queue(each)?;
        let none_due = cost(&db, |tx| JOBS.claim(tx, 1, 500, 10, 5).map(drop))?;
        let all_due = cost(&db, |tx| JOBS.claim(tx, 1, 5_000, 10, 5).map(drop))?;
        costs.push((none_due, all_due));
    }
    // The byte counts are equal too, because names and scores have a fixed length.
    assert!(costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");
    let (none_due, all_due) = costs[0];
    assert_eq!((none_due.seeks, none_due.rows, none_due.gets), (3, 5, 6));
    assert_eq!((none_due.puts, none_due.deletes), (11, 5));
    assert_eq!((all_due.seeks, all_due.rows, all_due.gets), (3, 15, 6));
    assert_eq!((all_due.puts, all_due.deletes), (11, 5));
    Ok(())
}

#[test]
fn pushing_and_acknowledging_cost_the_same_in_a_queue_of_any_size() -> Outcome {
    let mut costs = Vec::new();
    for each in [10, 1_000] {
        let db = queue(each)?;
        let push = cost(&db, |tx| JOBS.push(tx, 1, name("new"), 5_u64).map(drop))?;
        let mut claims = Vec::new();
        db.write(|tx| {
            claims = JOBS.claim(tx, 1, 500, 10, 1)?;
            Ok::<(), Error>(())
        })?;
        let ack = cost(&db, |tx| JOBS.ack(tx, 1, &claims[0]).map(drop))?;
        costs.push((push, ack));
    }
    assert_eq!(costs[0], costs[1]);
    let (push, ack) = costs[0];
    assert_eq!((push.gets, push.puts, push.deletes, push.seeks), (1, 2, 0, 0));
    assert_eq!((ack.gets, ack.puts, ack.deletes, ack.seeks), (1, 0, 2, 0));
    Ok(())
}

#[test]
fn adding_to_a_plain_zset_costs_the_same_at_any_size() -> Outcome {
    let mut costs = Vec::new();
    for size in [10_u32, 1_000, 5_000] {
        let db = empty()?;
        let score =
            |n: u32| Score::Unconfirmed { nanoseconds: u64::from(n) | 0x0101_0101_0101_0101 };
        db.write(|tx| {
            for vout in 0..size {
                EVENTS.add(
                    tx,
                    event("own:a"),
                    crate::structures::outpoint(1, vout),
                    score(vout),
                )?;
                TOPICS.add(tx, name("t"), crate::structures::outpoint(1, vout), score(vout))?;
            }
            Ok::<(), Error>(())
        })?;
        let new = crate::structures::outpoint(2, 0);
        let add = cost(&db, |tx| EVENTS.add(tx, event("own:a"), new, score(3)).map(drop))?;
        let replace = cost(&db, |tx| EVENTS.add(tx, event("own:a"), new, score(4)).map(drop))?;
        let counted = cost(&db, |tx| TOPICS.add(tx, name("t"), new, score(3)).map(drop))?;
        let count = cost(&db, |tx| {
            assert_eq!(TOPICS.count(tx, name("t"))?, u64::from(size) + 1);
            Ok(())
        })?;
        costs.push((add, replace, counted, count));
    }
    assert!(costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");
    let (add, replace, counted, count) = costs[0];
    assert_eq!((add.gets, add.puts, add.deletes, add.seeks), (1, 2, 0, 0));
    assert_eq!((replace.gets, replace.puts, replace.deletes, replace.seeks), (1, 2, 1, 0));
    assert_eq!((counted.gets, counted.puts, counted.seeks), (2, 3, 0));
    assert_eq!((count.gets, count.rows, count.seeks), (1, 0, 0));
    Ok(())
}

/// A hundred times as many members need one or two more levels.
#[test]
fn ranks_cost_a_logarithm() -> Outcome {
    let mut most = Vec::new();
    for size in [100_u64, 10_000] {
        let db = empty()?;
        db.write(|tx| {
            for member in 0..size {
                // Insert in random order to split buckets at all positions.
                let score = (member * 7919) % size;
                BOARD.add(tx, 1, name(&format!("m{member}")), score)?;
            }
            Ok::<(), Error>(())
        })?;
        let mut worst = (0, 0, 0);
        for member in (0..size).step_by(97) {
            let score = (member * 7919) % size;
            let rank = cost(&db, |tx| {
                assert_eq!(BOARD.rank(tx, 1, name(&format!("m{member}")))?, Some(score));
                Ok(())
            })?;
            let range = cost(&db, |tx| {
                let rows = BOARD.ranks(1, score..score + 3).reverse().to_vec(tx)?;
                assert_eq!(rows[0].score, size - 1 - score);
                Ok(())
            })?;
            let add = cost(&db, |tx| BOARD.add(tx, 1, name("new"), score).map(drop))?;
            let remove = cost(&db, |tx| BOARD.remove(tx, 1, name("new")).map(drop))?;
            worst.0 = worst.0.max(rank.rows + rank.seeks);
            worst.1 = worst.1.max(range.rows + range.seeks);
            worst.2 = worst.2.max(add.rows + add.seeks).max(remove.rows + remove.seeks);
        }
        most.push(worst);
    }
    let levels = |rows: u64| rows / 70;
    for (few, many) in [(most[0].0, most[1].0), (most[0].1, most[1].1), (most[0].2, most[1].2)] {
        assert!(levels(many) <= levels(few) + 2, "{most:?}");
        assert!(many < 250, "{most:?}");
    }
    Ok(())
}
