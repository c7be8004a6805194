//! Sets.

use crate::structures::{Outcome, TXO, empty, name, sound, txo::*};
use keyscape_runtime::{
    Error, ErrorKind,
    record::{self, Family, Kind},
};

#[test]
fn members_are_added_and_removed_once() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        assert!(WHITELIST.add(tx, (), name("a"))?);
        assert!(!WHITELIST.add(tx, (), name("a"))?);
        assert!(WHITELIST.contains(tx, (), name("a"))?);
        assert!(!WHITELIST.contains(tx, (), name("b"))?);
        assert!(WHITELIST.remove(tx, (), name("a"))?);
        assert!(!WHITELIST.remove(tx, (), name("a"))?);
        assert!(WHITELIST.is_empty(tx, ())?);
        Ok::<(), Error>(())
    })?;
    Ok(())
}

#[test]
fn members_are_listed_in_both_directions() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        for member in ["c", "a", "b", "aa"] {
            FRIENDS.add(tx, name("ann"), name(member))?;
        }
        FRIENDS.add(tx, name("an"), name("other"))?;
        FRIENDS.add(tx, name("anna"), name("other"))
    })?;
    let state = db.read()?;
    let members = |rows: Vec<Name<'static>>| rows.iter().map(|m| m.as_str().to_owned()).collect();
    let forward: Vec<String> = members(FRIENDS.members(name("ann")).to_vec(&state)?);
    assert_eq!(forward, ["a", "aa", "b", "c"]);
    let backward: Vec<String> =
        members(FRIENDS.members(name("ann")).reverse().offset(1).limit(2).to_vec(&state)?);
    assert_eq!(backward, ["b", "aa"]);
    assert_eq!(FRIENDS.count(&state, name("ann"))?, 4);
    assert_eq!(FRIENDS.members(name("ann")).offset(3).count(&state)?, 1);
    assert_eq!(FRIENDS.members(name("ann")).limit(3).count(&state)?, 3);
    sound(&FRIENDS.check(&state, name("ann"))?)
}

#[test]
fn a_deleted_set_can_be_filled_again() -> Outcome {
    example(|tx| {
        FRIENDS.add(tx, name("ann"), name("bob"))?;
        assert_eq!(FRIENDS.delete(tx, name("ann"))?, 2);
        assert_eq!(FRIENDS.count(tx, name("ann"))?, 0);
        FRIENDS.add(tx, name("ann"), name("cid"))?;
        assert_eq!(FRIENDS.count(tx, name("ann"))?, 1);
        sound(&FRIENDS.check(tx, name("ann"))?)
    })
}

#[test]
fn a_wrong_count_is_found() -> Outcome {
    let db = empty()?;
    let mut count = Vec::new();
    record::begin(Kind::Set, b"f:ann", Family::Count, &mut count);
    db.write(|tx| {
        FRIENDS.add(tx, name("ann"), name("bob"))?;
        tx.put(TXO, &count, &5_u64.to_be_bytes())?;
        assert_eq!(FRIENDS.check(tx, name("ann"))?.faults, 1);
        tx.put(TXO, &count, b"5")?;
        let error = FRIENDS.count(tx, name("ann")).expect_err("the count is corrupt");
        assert!(matches!(error.kind(), ErrorKind::Inconsistent { keyspace, .. } if keyspace == "friends"));
        tx.delete(TXO, &count)?;
        let error = FRIENDS.remove(tx, name("ann"), name("bob")).expect_err("the count is gone");
        assert!(matches!(error.kind(), ErrorKind::Inconsistent { .. }));
        assert!(FRIENDS.contains(tx, name("ann"), name("bob"))?, "nothing has changed");
        Ok::<(), Error>(())
    })?;
    Ok(())
}
