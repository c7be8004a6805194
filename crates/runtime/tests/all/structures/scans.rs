//! Scans over structures, and pages of their contents.

use crate::structures::{Outcome, empty, name, outpoint, txo::*};
use keyscape_runtime::{Error, ErrorKind, PageCursor};
use keyscape_store::{Counter, Db, Direction};
use std::sync::Arc;

fn outputs() -> Result<Db, Box<dyn std::error::Error>> {
    let db = empty()?;
    db.write(|tx| {
        for (transaction, vout) in [(1, 0), (1, 1), (1, 256), (2, 0), (0, 7)] {
            OUTPUT_MERKLE.put(tx, outpoint(transaction, vout), (), 7)?;
            for tag in 0..10 {
                OUTPUT_DATA.put(tx, outpoint(transaction, vout), name(&format!("t{tag}")), b"")?;
            }
        }
        SATOSHIS_AMOUNT.put(tx, (), outpoint(1, 0), 7)?;
        // Scans over hashes do not return a set with the same prefix.
        FRIENDS.add(tx, name("h"), name("x"))
    })?;
    Ok(db)
}

fn outputs_of(keys: &[OutputKey]) -> Vec<(u8, u32)> {
    keys.iter().map(|key| (key.outpoint.txid[31], key.outpoint.vout)).collect()
}

#[test]
fn a_scan_finds_each_structure_once() -> Outcome {
    let db = outputs()?;
    let state = db.read()?;
    let txid = outpoint(1, 0).txid;
    let all = |prefix: keyscape_runtime::Prefix<Output, OutputOutpointTxid>| {
        prefix.structures(&state)?.collect::<Result<Vec<_>, Error>>().map(|keys| outputs_of(&keys))
    };
    let of_one = || OUTPUT.prefix_outpoint_txid(txid);
    assert_eq!(all(of_one())?, [(1, 0), (1, 1), (1, 256)]);
    assert_eq!(all(of_one().reverse())?, [(1, 256), (1, 1), (1, 0)]);
    assert_eq!(all(of_one().range(1..))?, [(1, 1), (1, 256)]);
    assert_eq!(all(of_one().range(..=1))?, [(1, 0), (1, 1)]);
    assert_eq!(all(of_one().range(..256).reverse())?, [(1, 1), (1, 0)]);
    assert_eq!(all(of_one().limit(2))?, [(1, 0), (1, 1)]);
    assert_eq!(of_one().count_structures(&state)?, 3);
    let every = OUTPUT.prefix_all().structures(&state)?.collect::<Result<Vec<_>, _>>()?;
    assert_eq!(outputs_of(&every), [(0, 7), (1, 0), (1, 1), (1, 256), (2, 0)], "not the satoshis");
    Ok(())
}

#[test]
fn a_structure_of_any_size_costs_one_seek() -> Outcome {
    let db = outputs()?;
    let counter = Arc::new(Counter::new());
    let mut state = db.read()?;
    state.set_meter(Some(counter.clone()));
    assert_eq!(OUTPUT.prefix_all().count_structures(&state)?, 5);
    let count = counter.count();
    assert_eq!(
        (count.seeks, count.rows, count.gets),
        (7, 6, 0),
        "one more for what is passed over"
    );
    Ok(())
}

#[test]
fn structures_are_read_in_pages() -> Outcome {
    let db = outputs()?;
    for direction in [Direction::Forward, Direction::Backward] {
        let prefix = || match direction {
            Direction::Forward => OUTPUT.prefix_all(),
            Direction::Backward => OUTPUT.prefix_all().reverse(),
        };
        let mut found = Vec::new();
        let mut page = prefix().page_of_structures(&db.read()?, 2)?;
        loop {
            found.extend(outputs_of(&page.rows));
            let Some(cursor) = page.next else { break };
            let cursor: PageCursor = cursor.to_string().parse()?;
            page = prefix().after(&cursor).page_of_structures(&db.read()?, 2)?;
        }
        let mut expected = vec![(0, 7), (1, 0), (1, 1), (1, 256), (2, 0)];
        if direction == Direction::Backward {
            expected.reverse();
        }
        assert_eq!(found, expected);
    }
    let page =
        OUTPUT.prefix_outpoint_txid(outpoint(1, 0).txid).page_of_structures(&db.read()?, 1)?;
    let cursor = page.next.ok_or("there are more")?;
    let other = OUTPUT.prefix_outpoint_txid(outpoint(2, 0).txid).after(&cursor);
    let error = other.page_of_structures(&db.read()?, 1).expect_err("it is one of another scan");
    assert!(matches!(error.kind(), ErrorKind::ForeignCursor { .. }));
    Ok(())
}

#[test]
fn the_structures_of_a_scan_are_deleted_together() -> Outcome {
    let db = outputs()?;
    db.write(|tx| {
        assert_eq!(OUTPUT.prefix_outpoint_txid(outpoint(1, 0).txid).delete_structures(tx)?, 3);
        assert_eq!(OUTPUT.prefix_all().count_structures(tx)?, 2);
        assert!(!SATOSHIS.is_empty(tx, ())?);
        assert_eq!(OUTPUT.fields(outpoint(2, 0)).count(tx)?, 11);
        Ok::<(), Error>(())
    })?;
    Ok(())
}

#[test]
fn queues_exist_while_they_have_members() -> Outcome {
    let db = empty()?;
    let score = Score::Unconfirmed { nanoseconds: 1 };
    db.write(|tx| {
        for token in ["a", "b", "c"] {
            TOKENS.push(tx, name(token), outpoint(1, 0), score)?;
        }
        for token in ["a", "b"] {
            let claims = TOKENS.claim(tx, name(token), 0, 10, 1)?;
            if token == "b" {
                TOKENS.ack(tx, name(token), &claims[0])?;
            }
        }
        Ok::<(), Error>(())
    })?;
    let state = db.read()?;
    for prefix in [TOKENS.prefix_all(), TOKENS.prefix_all().reverse()] {
        let mut keys = prefix.structures(&state)?.collect::<Result<Vec<_>, _>>()?;
        keys.sort();
        assert_eq!(keys, [name("a").into(), name("c").into()]);
    }
    Ok(())
}

#[test]
fn a_scan_rejects_records_that_belong_to_no_structure() -> Outcome {
    let db = outputs()?;
    db.write(|tx| tx.put(crate::structures::TXO, b"hh:other\x00\x01fms", b""))?;
    let error = OUTPUT.prefix_all().count_structures(&db.read()?).expect_err("it is no output");
    assert!(matches!(error.kind(), ErrorKind::CorruptKey { keyspace, .. } if keyspace == "output"));
    db.write(|tx| {
        tx.delete(crate::structures::TXO, b"hh:other\x00\x01fms")?;
        tx.put(crate::structures::TXO, b"hh:sats\x00\x01?", b"")
    })?;
    assert!(OUTPUT.prefix_all().count_structures(&db.read()?).is_err(), "it is no record");
    Ok(())
}

#[test]
fn pages_of_members_are_complete_while_other_members_change() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        for member in 0..10_u64 {
            BOARD.add(tx, 1, name(&format!("m{member}")), member)?;
        }
        Ok::<(), Error>(())
    })?;
    let members = || BOARD.members(1).range(2..=8).reverse();
    let mut found = Vec::new();
    let mut page = members().page(&db.read()?, 3)?;
    loop {
        found.extend(page.rows.iter().map(|row| row.score));
        let Some(cursor) = page.next else { break };
        db.write(|tx| {
            BOARD.remove(tx, 1, name(&format!("m{}", found[0])))?;
            BOARD.add(tx, 1, name("late"), 8_u64)
        })?;
        let cursor: PageCursor = cursor.to_string().parse()?;
        page = members().after(&cursor).page(&db.read()?, 3)?;
    }
    assert_eq!(found, [8, 7, 6, 5, 4, 3, 2]);
    Ok(())
}

#[test]
fn a_cursor_of_another_structure_is_rejected() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        for game in 1..3 {
            for member in ["a", "b", "c"] {
                BOARD.add(tx, game, name(member), 5_u64)?;
                JOBS.push(tx, game, name(member), 5_u64)?;
            }
        }
        Ok::<(), Error>(())
    })?;
    let state = db.read()?;
    let cursor = BOARD.members(1).page(&state, 1)?.next.ok_or("there are more")?;
    let refused = |outcome: Result<(), Error>| matches!(outcome, Err(error) if matches!(error.kind(), ErrorKind::ForeignCursor { .. }));
    let page = |records: keyscape_runtime::Records<'_, keyscape_runtime::MembersByScore<Board>>| {
        records.page(&state, 1).map(|_| ())
    };
    assert!(page(BOARD.members(1).after(&cursor)).is_ok());
    assert!(refused(page(BOARD.members(2).after(&cursor))), "another zset");
    assert!(refused(page(BOARD.members(1).reverse().after(&cursor))), "another direction");
    assert!(refused(page(BOARD.members(1).range(6..).after(&cursor))), "outside the bounds");
    assert!(refused(JOBS.ready(1).after(&cursor).page(&state, 1).map(|_| ())), "another keyspace");
    let text = cursor.to_string();
    let cut: PageCursor = text[..text.len() - 2].parse()?;
    assert!(refused(page(BOARD.members(1).after(&cut))), "a member without a name");
    Ok(())
}
