//! Queues.

use crate::structures::{Outcome, TXO, empty, name, outpoint, sound, txo::*};
use keyscape_runtime::{
    Acked, Backoff, Claim, Error, ErrorKind, Failed, Pushed, QueueCounts,
    engine::{Location, QueueRecords, StructureRecords},
    record::{Kind, State},
};
use keyscape_store::{KeyRange, Mode, Read, ReadExt, Tx};

fn push(tx: &mut Tx<'_>, member: &str, score: u64) -> Result<Pushed, Error> {
    JOBS.push(tx, 1, name(member), score)
}

fn claim(tx: &mut Tx<'_>, now: u64, max: usize) -> Result<Vec<Claim<Jobs>>, Error> {
    JOBS.claim(tx, 1, now, 10, max)
}

fn members(claims: &[Claim<Jobs>]) -> Vec<&str> {
    claims.iter().map(|claim| claim.member.as_str()).collect()
}

fn is_lost<T: std::fmt::Debug>(outcome: Result<T, Error>) -> bool {
    matches!(outcome, Err(error) if matches!(error.kind(), ErrorKind::ClaimLost { .. }))
}

/// Runs a test in one transaction, and checks the queue at the end.
fn check(run: impl FnMut(&mut Tx<'_>) -> Result<(), Error>) -> Outcome {
    let db = empty()?;
    db.write(run)?;
    sound(&JOBS.check(&db.read()?, 1)?)
}

#[test]
fn the_lowest_scores_are_claimed_first_and_once() -> Outcome {
    check(|tx| {
        for (member, score) in [("c", 3), ("a", 1), ("b", 2)] {
            assert_eq!(push(tx, member, score)?, Pushed::New);
        }
        let first = claim(tx, 0, 2)?;
        assert_eq!(members(&first), ["a", "b"]);
        assert_eq!((first[0].token, first[1].token), (1, 2));
        assert_eq!((first[0].score, first[0].attempts, first[0].deadline), (1, 1, 10));
        assert_eq!(members(&claim(tx, 0, 2)?), ["c"]);
        assert_eq!(members(&claim(tx, 0, 2)?), [""; 0]);
        assert_eq!(JOBS.ack(tx, 1, &first[0])?, Acked::Done);
        assert!(is_lost(JOBS.ack(tx, 1, &first[0])));
        let counts = JOBS.counts(tx, 1)?;
        assert_eq!(counts, QueueCounts { leased: 2, ..QueueCounts::default() });
        Ok(())
    })
}

#[test]
fn a_push_changes_the_score_of_a_member() -> Outcome {
    check(|tx| {
        push(tx, "a", 5)?;
        push(tx, "b", 6)?;
        assert_eq!(push(tx, "a", 7)?, Pushed::Updated);
        let first = claim(tx, 0, 9)?;
        assert_eq!(members(&first), ["b", "a"]);
        JOBS.retry(tx, 1, &first[0], 0, 5)?;
        assert_eq!(push(tx, "b", 1)?, Pushed::Updated, "it waits all the same");
        assert!(claim(tx, 4, 9)?.is_empty());
        let again = claim(tx, 5, 9)?;
        assert_eq!((again[0].score, again[0].attempts), (1, 2));
        Ok(())
    })
}

#[test]
fn a_member_pushed_during_the_work_is_worked_on_again() -> Outcome {
    check(|tx| {
        push(tx, "a", 5)?;
        let first = claim(tx, 0, 1)?;
        assert_eq!(push(tx, "a", 9)?, Pushed::Again);
        assert_eq!(push(tx, "a", 8)?, Pushed::Again);
        assert!(claim(tx, 0, 1)?.is_empty(), "nobody else gets it meanwhile");
        let known = JOBS.get(tx, 1, name("a"))?.expect("it is known");
        assert_eq!((known.score, known.again), (5, Some(8)));
        assert_eq!(JOBS.ack(tx, 1, &first[0])?, Acked::Again);
        let second = claim(tx, 0, 1)?;
        assert_eq!((second[0].score, second[0].attempts, second[0].token), (8, 1, 2));
        assert_eq!(JOBS.ack(tx, 1, &second[0])?, Acked::Done);
        assert!(JOBS.is_empty(tx, 1)?);
        Ok(())
    })
}

#[test]
fn a_push_during_failing_work_does_not_repeat_the_work() -> Outcome {
    check(|tx| {
        push(tx, "a", 5)?;
        let first = claim(tx, 0, 1)?;
        push(tx, "a", 9)?;
        JOBS.retry(tx, 1, &first[0], 0, 5)?;
        let second = claim(tx, 5, 1)?;
        assert_eq!((second[0].score, second[0].attempts), (9, 2));
        assert_eq!(JOBS.ack(tx, 1, &second[0])?, Acked::Done);
        Ok(())
    })
}

#[test]
fn others_can_claim_a_member_after_its_lease_has_ended() -> Outcome {
    check(|tx| {
        push(tx, "a", 5)?;
        let first = claim(tx, 0, 1)?;
        assert!(claim(tx, 9, 1)?.is_empty());
        let second = claim(tx, 10, 1)?;
        assert_eq!((second[0].attempts, second[0].token, second[0].deadline), (2, 2, 20));
        assert!(is_lost(JOBS.ack(tx, 1, &first[0])));
        assert!(is_lost(JOBS.retry(tx, 1, &first[0], 10, 0)));
        assert!(is_lost(JOBS.extend(tx, 1, &first[0], 10, 10)));
        assert!(is_lost(JOBS.bury(tx, 1, &first[0])));
        assert_eq!(JOBS.ack(tx, 1, &second[0])?, Acked::Done);
        Ok(())
    })
}

#[test]
fn late_work_counts_unless_another_worker_has_claimed_the_member() -> Outcome {
    check(|tx| {
        push(tx, "a", 5)?;
        push(tx, "b", 6)?;
        let first = claim(tx, 0, 2)?;
        assert_eq!(JOBS.ack(tx, 1, &first[0])?, Acked::Done, "at any time");
        // Another worker claims, but does not get this member.
        push(tx, "c", 1)?;
        assert_eq!(members(&claim(tx, 10, 1)?), ["c"]);
        assert_eq!(JOBS.ack(tx, 1, &first[1])?, Acked::Done);
        Ok(())
    })
}

#[test]
fn failing_members_and_new_members_do_not_starve_each_other() -> Outcome {
    check(|tx| {
        for number in 0..40 {
            push(tx, &format!("bad{number:02}"), number)?;
        }
        for number in 0..40 {
            push(tx, &format!("good{number:02}"), 100 + number)?;
        }
        // The clock advances with each claim, so failed members are soon due again.
        let (mut now, mut done, mut tried) = (0, 0, 0);
        while done < 40 {
            now += 10;
            assert!(now < 2_000, "{done} done, {tried} tried");
            for job in claim(tx, now, 1)? {
                if job.member.as_str().starts_with("bad") {
                    JOBS.retry(tx, 1, &job, now, 10)?;
                    tried += 1;
                } else {
                    JOBS.ack(tx, 1, &job)?;
                    done += 1;
                }
            }
        }
        // Due members get their turn even if new members arrive all the time.
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..200 {
            now += 10;
            push(tx, &format!("new{number:03}"), 0)?;
            for job in claim(tx, now, 1)? {
                seen.insert(job.member.as_str().to_owned());
                if job.member.as_str().starts_with("bad") {
                    JOBS.retry(tx, 1, &job, now, 10)?;
                } else {
                    JOBS.ack(tx, 1, &job)?;
                }
            }
        }
        assert_eq!(seen.iter().filter(|member| member.starts_with("bad0")).count(), 10);
        assert!(seen.iter().any(|member| member.starts_with("new")));
        Ok(())
    })
}

#[test]
fn a_lease_can_be_extended() -> Outcome {
    check(|tx| {
        push(tx, "a", 5)?;
        let first = claim(tx, 0, 1)?;
        assert_eq!(JOBS.extend(tx, 1, &first[0], 8, 10)?, 18);
        assert!(claim(tx, 17, 1)?.is_empty());
        assert_eq!(JOBS.next_time(tx, 1)?, Some(18));
        assert_eq!(JOBS.ack(tx, 1, &first[0])?, Acked::Done);
        assert_eq!(JOBS.next_time(tx, 1)?, None);
        Ok(())
    })
}

#[test]
fn a_failing_member_waits_longer_each_time_and_is_then_buried() -> Outcome {
    let backoff = Backoff { first: 10, max: 15, attempts: 3 };
    check(|tx| {
        push(tx, "a", 5)?;
        let mut now = 0;
        for delay in [10, 15] {
            let claims = claim(tx, now, 1)?;
            let failed = JOBS.fail(tx, 1, &claims[0], now, &backoff)?;
            assert_eq!(failed, Failed::RetryAt(now + delay));
            assert!(claim(tx, now + delay - 1, 1)?.is_empty());
            now += delay;
        }
        let claims = claim(tx, now, 1)?;
        assert_eq!(JOBS.fail(tx, 1, &claims[0], now, &backoff)?, Failed::Buried);
        assert!(claim(tx, u64::MAX, 1)?.is_empty());
        assert_eq!(push(tx, "a", 1)?, Pushed::Dead);
        assert_eq!(JOBS.dead(1).to_vec(tx)?, [name("a")]);
        assert!(is_lost(JOBS.ack(tx, 1, &claims[0])));
        assert!(!JOBS.revive(tx, 1, name("b"))?);
        assert!(JOBS.revive(tx, 1, name("a"))?);
        assert!(!JOBS.revive(tx, 1, name("a"))?);
        let revived = claim(tx, now, 1)?;
        assert_eq!((revived[0].attempts, revived[0].score), (1, 5));
        Ok(())
    })
}

#[test]
fn failing_members_do_not_delay_others() -> Outcome {
    check(|tx| {
        for bad in 0..50 {
            push(tx, &format!("bad{bad}"), bad)?;
        }
        push(tx, "good", 1000)?;
        let mut turns = 0;
        loop {
            let claims = claim(tx, turns, 5)?;
            if members(&claims).contains(&"good") {
                break;
            }
            for claim in &claims {
                JOBS.retry(tx, 1, claim, turns, 100)?;
            }
            turns += 1;
        }
        assert_eq!(turns, 10, "each failing member has had one turn");
        Ok(())
    })
}

#[test]
fn the_longest_overdue_members_are_claimed_first() -> Outcome {
    check(|tx| {
        for member in ["a", "b", "c"] {
            push(tx, member, 1)?;
        }
        let claims = claim(tx, 0, 3)?;
        JOBS.retry(tx, 1, &claims[0], 0, 12)?;
        JOBS.retry(tx, 1, &claims[1], 0, 5)?;
        // Due at 12 and 5; the lease of the third ends at 10.
        assert_eq!(members(&claim(tx, 100, 1)?), ["b"]);
        assert_eq!(members(&claim(tx, 100, 1)?), ["c"]);
        assert_eq!(members(&claim(tx, 100, 1)?), ["a"]);
        Ok(())
    })
}

#[test]
fn members_are_listed_by_their_state() -> Outcome {
    check(|tx| {
        for (member, score) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
            push(tx, member, score)?;
        }
        let claims = claim(tx, 0, 2)?;
        JOBS.retry(tx, 1, &claims[0], 0, 7)?;
        let ready = JOBS.ready(1).range(4..).to_vec(tx)?;
        assert_eq!((ready.len(), ready[0].member.as_str(), ready[0].score), (1, "d", 4));
        let waiting = JOBS.waiting(1).range(..=7).to_vec(tx)?;
        assert_eq!((waiting.len(), waiting[0].member.as_str(), waiting[0].at), (1, "a", 7));
        let leased = JOBS.leased(1).reverse().to_vec(tx)?;
        assert_eq!((leased.len(), leased[0].member.as_str(), leased[0].at), (1, "b", 10));
        assert_eq!(JOBS.next_time(tx, 1)?, Some(7));
        let known = JOBS.get(tx, 1, name("b"))?.expect("it is known");
        assert_eq!((known.state, known.attempts), (State::Leased(10), 1));
        Ok(())
    })
}

#[test]
fn tokens_are_never_given_out_twice() -> Outcome {
    check(|tx| {
        push(tx, "a", 5)?;
        let first = claim(tx, 0, 1)?;
        assert!(JOBS.remove(tx, 1, name("a"))?);
        assert!(!JOBS.remove(tx, 1, name("a"))?);
        push(tx, "a", 5)?;
        let second = claim(tx, 0, 1)?;
        assert!(is_lost(JOBS.ack(tx, 1, &first[0])));
        assert_eq!(JOBS.delete(tx, 1)?, 2);
        assert!(JOBS.is_empty(tx, 1)?);
        push(tx, "a", 5)?;
        let third = claim(tx, 0, 1)?;
        assert_eq!((first[0].token, second[0].token, third[0].token), (1, 2, 3));
        assert!(is_lost(JOBS.ack(tx, 1, &second[0])));
        Ok(())
    })
}

#[test]
fn queues_accept_scores_of_several_lengths() -> Outcome {
    let db = empty()?;
    let token = || name("t");
    db.write(|tx| {
        TOKENS.push(tx, token(), outpoint(1, 0), Score::Unconfirmed { nanoseconds: 0 })?;
        TOKENS.push(tx, token(), outpoint(1, 1), Score::Confirmed { height: 256, index: 0 })?;
        let claims = TOKENS.claim(tx, token(), 0, 10, 2)?;
        assert_eq!(claims[0].member, outpoint(1, 1));
        assert_eq!(claims[0].score, Score::Confirmed { height: 256, index: 0 });
        let again = Score::Confirmed { height: 7, index: 0 };
        TOKENS.push(tx, token(), outpoint(1, 1), again)?;
        assert_eq!(TOKENS.ack(tx, token(), &claims[0])?, Acked::Again);
        assert_eq!(TOKENS.ready(token()).to_vec(tx)?[0].score, again);
        Ok::<(), Error>(())
    })?;
    sound(&TOKENS.check(&db.read()?, token())?)
}

#[test]
fn a_corrupt_member_is_named_with_its_item() -> Outcome {
    let db = empty()?;
    let location = Location::new("jobs", "txo");
    let records = StructureRecords::new(location, Kind::Queue, b"q:job:\x01");
    let queue = QueueRecords { records, score_width: Some(8) };
    db.write(|tx| queue.push(tx, b"no:name", &5_u64.to_be_bytes()))?;
    let error = db.write(|tx| claim(tx, 0, 1)).expect_err("it is not a name");
    assert!(matches!(error.kind(), ErrorKind::CorruptKey { .. }), "{error}");
    assert!(db.read()?.contains(TXO, error.key().ok_or("no key")?)?, "{error}");
    Ok(())
}

#[test]
fn every_missing_record_of_a_queue_is_found() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        for (member, score) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
            push(tx, member, score)?;
        }
        let claims = claim(tx, 0, 3)?;
        JOBS.retry(tx, 1, &claims[0], 0, 7)?;
        JOBS.bury(tx, 1, &claims[1])
    })?;
    let records = db.read()?.rows(TXO, KeyRange::all())?.to_vec()?;
    assert_eq!(records.len(), 9);
    for (key, _) in &records {
        let mut tx = db.begin(Mode::Write)?;
        tx.delete(TXO, key)?;
        assert!(!JOBS.check(&tx, 1)?.is_sound(), "without {}", key.escape_ascii());
    }
    Ok(())
}
