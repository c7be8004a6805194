//! Sorted sets.

use crate::structures::{Outcome, TXO, empty, event, name, outpoint, sound, txo::*};
use keyscape_runtime::{
    Error, ErrorKind,
    record::{self, Family, Kind},
};
use keyscape_store::{Db, Read};
use std::ops::Bound;

fn board(members: &[(&str, u64)]) -> Result<Db, Box<dyn std::error::Error>> {
    let db = empty()?;
    db.write(|tx| {
        for (member, score) in members {
            BOARD.add(tx, 1, name(member), *score)?;
        }
        BOARD.add(tx, 0, name("other"), 3_u64)?;
        BOARD.add(tx, 2, name("other"), 3_u64)
    })?;
    Ok(db)
}

fn names(rows: Vec<keyscape_runtime::Scored<Name<'static>, u64>>) -> Vec<String> {
    rows.into_iter().map(|row| row.member.as_str().to_owned()).collect()
}

#[test]
fn a_score_is_added_replaced_and_removed() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        assert_eq!(BOARD.add(tx, 1, name("ann"), 5_u64)?, None);
        assert_eq!(BOARD.add(tx, 1, name("ann"), 3_u64)?, Some(5));
        assert_eq!(BOARD.add(tx, 1, name("ann"), 3_u64)?, Some(3));
        assert_eq!(BOARD.score(tx, 1, name("ann"))?, Some(3));
        assert_eq!(BOARD.score(tx, 1, name("bob"))?, None);
        assert_eq!(BOARD.count(tx, 1)?, 1);
        assert_eq!(BOARD.remove(tx, 1, name("bob"))?, None);
        assert_eq!(BOARD.remove(tx, 1, name("ann"))?, Some(3));
        assert!(BOARD.is_empty(tx, 1)?);
        Ok::<(), Error>(())
    })?;
    assert_eq!(crate::structures::dump(&db.read()?)?, [""; 0]);
    Ok(())
}

#[test]
fn members_are_sorted_by_score_and_then_by_bytes() -> Outcome {
    let db = board(&[("b", 2), ("a", 2), ("z", 1), ("c", 300), ("ab", 2)])?;
    let state = db.read()?;
    assert_eq!(names(BOARD.members(1).to_vec(&state)?), ["z", "a", "ab", "b", "c"]);
    assert_eq!(names(BOARD.members(1).reverse().to_vec(&state)?), ["c", "b", "ab", "a", "z"]);
    sound(&BOARD.check(&state, 1)?)
}

#[test]
fn bounds_of_all_kinds_select_scores() -> Outcome {
    let db = board(&[("a", 1), ("b", 2), ("c", 2), ("d", 3), ("e", u64::MAX)])?;
    let state = db.read()?;
    let range = |low: Bound<u64>, high: Bound<u64>| -> Result<String, Error> {
        let forward = names(BOARD.members(1).range((low, high)).to_vec(&state)?);
        let mut backward = names(BOARD.members(1).range((low, high)).reverse().to_vec(&state)?);
        backward.reverse();
        assert_eq!(forward, backward);
        assert_eq!(BOARD.members(1).range((low, high)).count(&state)?, forward.len() as u64);
        Ok(forward.concat())
    };
    use Bound::{Excluded, Included, Unbounded};
    assert_eq!(range(Unbounded, Unbounded)?, "abcde");
    assert_eq!(range(Included(2), Unbounded)?, "bcde");
    assert_eq!(range(Excluded(2), Unbounded)?, "de");
    assert_eq!(range(Unbounded, Included(2))?, "abc");
    assert_eq!(range(Unbounded, Excluded(2))?, "a");
    assert_eq!(range(Included(2), Included(2))?, "bc");
    assert_eq!(range(Included(2), Excluded(3))?, "bc");
    assert_eq!(range(Excluded(1), Excluded(3))?, "bc");
    assert_eq!(range(Excluded(2), Excluded(3))?, "");
    assert_eq!(range(Included(u64::MAX), Included(u64::MAX))?, "e");
    assert_eq!(range(Excluded(u64::MAX), Unbounded)?, "");
    assert_eq!(range(Included(3), Included(1))?, "", "bounds in the wrong order mean nothing");
    assert_eq!(names(BOARD.members(1).range(2..).offset(1).limit(2).to_vec(&state)?), ["c", "d"]);
    Ok(())
}

#[test]
fn scores_of_several_lengths_keep_their_order() -> Outcome {
    let db = empty()?;
    let scores = [
        Score::Confirmed { height: 0, index: 0 },
        Score::Confirmed { height: 0, index: 256 },
        Score::Confirmed { height: 1, index: 0 },
        Score::Confirmed { height: u32::MAX, index: u64::MAX },
        Score::Unconfirmed { nanoseconds: 0 },
        Score::Unconfirmed { nanoseconds: 1 },
    ];
    let topic = || name("t");
    db.write(|tx| {
        for (vout, score) in (0..6).zip(scores).rev() {
            TOPICS.add(tx, topic(), outpoint(1, vout), score)?;
        }
        Ok::<(), Error>(())
    })?;
    let state = db.read()?;
    let rows = TOPICS.members(topic()).to_vec(&state)?;
    assert_eq!(rows.iter().map(|row| row.score).collect::<Vec<_>>(), scores);
    assert_eq!(rows.iter().map(|row| row.member.vout).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    let unconfirmed = Score::Unconfirmed { nanoseconds: 0 };
    assert_eq!(TOPICS.members(topic()).range(..unconfirmed).count(&state)?, 4);
    assert_eq!(TOPICS.members(topic()).range(..=unconfirmed).count(&state)?, 5);
    assert_eq!(TOPICS.members(topic()).range(scores[1]..).count(&state)?, 5);
    assert_eq!(TOPICS.rank(&state, topic(), outpoint(1, 3))?, Some(3));
    sound(&TOPICS.check(&state, topic())?)
}

#[test]
fn ranks_are_those_of_the_order() -> Outcome {
    let db = board(&[("a", 1), ("b", 2), ("c", 2), ("d", 3)])?;
    let state = db.read()?;
    for (rank, member) in (0..).zip(["a", "b", "c", "d"]) {
        assert_eq!(BOARD.rank(&state, 1, name(member))?, Some(rank));
    }
    assert_eq!(BOARD.rank(&state, 1, name("x"))?, None);
    assert_eq!(names(BOARD.ranks(1, 1..3).to_vec(&state)?), ["b", "c"]);
    assert_eq!(names(BOARD.ranks(1, 3..).to_vec(&state)?), ["d"]);
    assert_eq!(names(BOARD.ranks(1, ..=0).reverse().to_vec(&state)?), ["d"], "from the end");
    assert_eq!(names(BOARD.ranks(1, 4..9).to_vec(&state)?), [""; 0]);
    assert_eq!(names(BOARD.ranks(1, 4..).reverse().to_vec(&state)?), [""; 0]);
    Ok(())
}

#[test]
fn integer_scores_can_be_incremented() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        assert_eq!(BOARD.increment(tx, 1, name("ann"), 5)?, 5);
        assert_eq!(BOARD.increment(tx, 1, name("ann"), -2)?, 3);
        assert_eq!(BOARD.members(1).range(3..=3).count(tx)?, 1);
        let error = BOARD.increment(tx, 1, name("ann"), -4).expect_err("below zero");
        assert!(matches!(error.kind(), ErrorKind::Domain(_)), "{error}");
        assert_eq!(BOARD.score(tx, 1, name("ann"))?, Some(3));
        Ok::<(), Error>(())
    })?;
    Ok(())
}

#[test]
fn deleting_one_zset_keeps_those_whose_key_continues() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        EVENTS.add(tx, event("own:a"), outpoint(1, 0), Score::Unconfirmed { nanoseconds: 1 })?;
        EVENTS.add(
            tx,
            event("own:a:spnd"),
            outpoint(1, 1),
            Score::Unconfirmed { nanoseconds: 1 },
        )?;
        assert_eq!(EVENTS.count(tx, event("own:a"))?, 1);
        assert_eq!(EVENTS.delete(tx, event("own:a"))?, 2);
        assert_eq!(EVENTS.count(tx, event("own:a"))?, 0);
        assert_eq!(EVENTS.count(tx, event("own:a:spnd"))?, 1);
        Ok::<(), Error>(())
    })?;
    Ok(())
}

#[test]
fn families_that_disagree_are_found() -> Outcome {
    let db = board(&[("a", 1), ("b", 2)])?;
    let mut start = Vec::new();
    record::begin_structure(Kind::Zset, b"b:\x01", &mut start);
    let records = db.read()?.rows(TXO, keyscape_store::KeyRange::prefix(&start))?.to_vec()?;
    assert_eq!(records.len(), 6, "a count, a bucket, two members, two scores");
    for (key, _) in &records {
        let mut tx = db.begin(keyscape_store::Mode::Write)?;
        tx.delete(TXO, key)?;
        let report = BOARD.check(&tx, 1)?;
        assert!(!report.is_sound(), "without {}", key.escape_ascii());
    }
    let mut stray = Vec::new();
    record::begin(Kind::Zset, b"e:own:a", Family::Rank, &mut stray);
    let mut tx = db.begin(keyscape_store::Mode::Write)?;
    tx.put(TXO, &stray, &[0; 16])?;
    assert!(!EVENTS.check(&tx, event("own:a"))?.is_sound(), "a rank in a zset that is not ranked");
    Ok(())
}

/// Sizes of buckets that no sorted set can have are errors and faults, not overflows.
#[test]
fn impossible_sizes_of_buckets_are_found() -> Outcome {
    let names: Vec<String> = (0..400).map(|number| format!("m{number:03}")).collect();
    let members: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 5)).collect();
    let db = board(&members)?;
    let mut start = Vec::new();
    record::begin(Kind::Zset, b"b:\x01", Family::Rank, &mut start);
    let buckets = db.read()?.rows(TXO, keyscape_store::KeyRange::prefix(&start))?.to_vec()?;
    assert!(buckets.len() > 4, "three buckets of level 1 and one of level 2");
    let size =
        |children: u64, members: u64| [children.to_be_bytes(), members.to_be_bytes()].concat();
    for (size, changes) in [(size(u64::MAX, u64::MAX), "add"), (size(0, 1), "remove")] {
        let mut tx = db.begin(keyscape_store::Mode::Write)?;
        buckets.iter().try_for_each(|(bucket, _)| tx.put(TXO, bucket, &size))?;
        assert!(!BOARD.check(&tx, 1)?.is_sound());
        let refused = match changes {
            "add" => {
                let error = BOARD.rank(&tx, 1, name("m399")).expect_err("the sum overflows");
                assert!(matches!(error.kind(), ErrorKind::Inconsistent { .. }), "{error}");
                BOARD.add(&mut tx, 1, name("new"), 5_u64).map(drop)
            }
            _ => BOARD.remove(&mut tx, 1, name("m001")).map(drop),
        };
        let error = refused.expect_err(changes);
        assert!(matches!(error.kind(), ErrorKind::Inconsistent { .. }), "{error}");
    }
    Ok(())
}
