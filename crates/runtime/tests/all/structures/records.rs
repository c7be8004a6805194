//! The bytes of records.

use crate::structures::{Outcome, dump, empty, name, outpoint, txo::*};
use keyscape_runtime::{
    Error,
    record::{self, Family, Item, Kind, State},
};
use proptest::prelude::*;

#[test]
fn records_of_hashes_and_sets_have_these_bytes() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        OUTPUT_MERKLE.put(tx, outpoint(0, 1), (), 7)?;
        OUTPUT_DATA.put(tx, outpoint(0, 1), name("bsv21"), b"{}")?;
        WHITELIST.add(tx, (), name("tok"))?;
        FRIENDS.add(tx, name("ann"), name("bob"))?;
        FRIENDS.add(tx, name("ann"), name("cid"))?;
        Ok::<(), Error>(())
    })?;
    let aa = r"\xaa".repeat(31);
    let output = format!(r"hh:{aa}\x00\xff\x00\xff\x00\xff\x00\xff\x01\x00\x01f");
    assert_eq!(
        dump(&db.read()?)?,
        [
            format!("{output}dt:bsv21={{}}"),
            format!(r"{output}ms=\x00\x00\x00\x00\x00\x00\x00\x07"),
            r"sf:ann\x00\x01c=\x00\x00\x00\x00\x00\x00\x00\x02".to_owned(),
            r"sf:ann\x00\x01mbob=".to_owned(),
            r"sf:ann\x00\x01mcid=".to_owned(),
            r"ss:bsv21:whitelist\x00\x01mtok=".to_owned(),
        ]
    );
    Ok(())
}

#[test]
fn records_of_sorted_sets_have_these_bytes() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        BOARD.add(tx, 0, name("ann"), 5_u64)?;
        TOPICS.add(tx, name("t"), outpoint(9, 1), Score::Confirmed { height: 256, index: 2 })?;
        Ok::<(), Error>(())
    })?;
    let member = format!(r"{}\t\x00\x00\x00\x01", r"\xaa".repeat(31));
    let score = r"\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x02";
    let escaped = score.replace(r"\x00", r"\x00\xff");
    assert_eq!(
        dump(&db.read()?)?,
        [
            r"zb:\x00\xff\x00\x01c=\x00\x00\x00\x00\x00\x00\x00\x01".to_owned(),
            format!(r"zb:\x00\xff\x00\x01k\x01={0}{0}", r"\x00\x00\x00\x00\x00\x00\x00\x01"),
            r"zb:\x00\xff\x00\x01mann=\x00\x00\x00\x00\x00\x00\x00\x05".to_owned(),
            r"zb:\x00\xff\x00\x01s\x00\x00\x00\x00\x00\x00\x00\x05ann=".to_owned(),
            r"zz:tp:t\x00\x01c=\x00\x00\x00\x00\x00\x00\x00\x01".to_owned(),
            format!(r"zz:tp:t\x00\x01m{member}={score}"),
            format!(r"zz:tp:t\x00\x01s{escaped}\x00\x01{member}="),
        ]
    );
    Ok(())
}

#[test]
fn records_of_queues_have_these_bytes() -> Outcome {
    let db = empty()?;
    db.write(|tx| {
        for (member, score) in [("dead", 1), ("late", 2), ("mine", 3), ("new", 4)] {
            JOBS.push(tx, 7, name(member), score as u64)?;
        }
        let claims = JOBS.claim(tx, 7, 100, 50, 3)?;
        JOBS.bury(tx, 7, &claims[0])?;
        JOBS.retry(tx, 7, &claims[1], 100, 156)?;
        JOBS.push(tx, 7, name("mine"), 9_u64)?;
        Ok::<(), Error>(())
    })?;
    let at = |at: &str| format!(r"\x00\x00\x00\x00\x00\x00{at}");
    let item = |state: &str, when: &str, attempts: &str, token: &str| {
        format!(r"{state}{}\x00\x00\x00{attempts}{}", at(when), at(token))
    };
    let one = r"\x01";
    assert_eq!(
        dump(&db.read()?)?,
        [
            r"qq:job:\x07\x00\x01ddead=".to_owned(),
            format!(
                r"qq:job:\x07\x00\x01idead={}\x00{}",
                item("d", r"\x00\x00", one, r"\x00\x01"),
                at(r"\x00\x01")
            ),
            format!(
                r"qq:job:\x07\x00\x01ilate={}\x00{}",
                item("w", r"\x01\x00", one, r"\x00\x02"),
                at(r"\x00\x02")
            ),
            format!(
                r"qq:job:\x07\x00\x01imine={}\x01{}{}",
                item("l", r"\x00\x96", one, r"\x00\x03"),
                at(r"\x00\x03"),
                at(r"\x00\t")
            ),
            format!(
                r"qq:job:\x07\x00\x01inew={}\x00{}",
                item("r", r"\x00\x00", r"\x00", r"\x00\x00"),
                at(r"\x00\x04")
            ),
            format!(r"qq:job:\x07\x00\x01l{}mine=", at(r"\x00\x96")),
            format!(r"qq:job:\x07\x00\x01r{}new=", at(r"\x00\x04")),
            format!(r"qq:job:\x07\x00\x01t={}", at(r"\x00\x03")),
            format!(r"qq:job:\x07\x00\x01w{}late=", at(r"\x01\x00")),
        ]
    );
    Ok(())
}

#[test]
fn malformed_records_are_rejected() {
    let bad: [&[u8]; 8] = [
        b"",
        b"x",
        b"h",
        b"hkey",
        b"hkey\x00",
        b"hkey\x00\x02f",
        b"hkey\x00\x01",
        b"hkey\x00\x01m",
    ];
    for record in bad {
        assert!(record::split(record).is_err(), "{}", record.escape_ascii());
    }
    let row = record::split(b"r\x00x").expect("a plain row");
    assert_eq!((row.kind, &*row.structure, row.family), (Kind::Row, &b"\x00x"[..], None));
}

#[test]
fn malformed_items_are_rejected() {
    let item =
        Item { state: State::Ready, attempts: 0, token: 0, score: b"abcdefgh".into(), again: None };
    let good = item.bytes(Some(8));
    assert_eq!(Item::read(&good, Some(8)).as_ref(), Ok(&item));
    for length in 0..good.len() {
        assert!(Item::read(&good[..length], Some(8)).is_err(), "{length} bytes");
    }
    let change = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        Item::read(&bytes, Some(8)).is_err()
    };
    assert!(change(0, b'x'), "no such state");
    assert!(change(8, 1), "a ready item with a time");
    assert!(change(21, 2), "a flag that is none");
    assert!(change(21, 1), "the second score is missing");
    assert!(Item::read(&[&good[..], b"x"].concat(), Some(8)).is_err());
}

proptest! {
    #[test]
    fn splitting_undoes_joining(
        structure: Vec<u8>,
        rest: Vec<u8>,
        which in 0_usize..13,
    ) {
        let all = Kind::ALL.iter().flat_map(|kind| kind.families().iter().map(|f| (*kind, *f)));
        let (kind, family) = all.cycle().nth(which).expect("there are families");
        let mut bytes = Vec::new();
        record::begin(kind, &structure, family, &mut bytes);
        bytes.extend_from_slice(&rest);
        let split = record::split(&bytes).expect("it was joined");
        prop_assert_eq!((split.kind, &*split.structure), (kind, &structure[..]));
        prop_assert_eq!((split.family, split.rest), (Some(family), &rest[..]));
    }

    /// Records sort like the keys of their structures.
    #[test]
    fn records_keep_the_order_of_structures(
        a in prop::collection::vec(prop::sample::select(vec![0_u8, 1, 2, 0xfe, 0xff]), 0..6),
        b in prop::collection::vec(prop::sample::select(vec![0_u8, 1, 2, 0xfe, 0xff]), 0..6),
        rest: Vec<u8>,
    ) {
        let mut record = Vec::new();
        record::begin(Kind::Zset, &a, Family::Score, &mut record);
        record.extend_from_slice(&rest);
        let bound = record::prefix(Kind::Zset, &b);
        prop_assert_eq!(record < bound, a < b);
        prop_assert_eq!(record.starts_with(&bound), a.starts_with(&b));
    }
}
