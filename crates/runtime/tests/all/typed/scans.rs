//! Scans: intervals, bounds, directions, limits, and rows of other keyspaces in the interval.

use crate::typed::{
    ODD, Outcome, SHOP, database, kind,
    odd::{FLAGS, MARKS, NAMES, NamesName, PAIRS, Pairs, TIMES, WORDS, Words},
    order,
    shop::layout::{ORDERS, Orders, OrdersUser},
};
use keyscape_codec::{KeyBuf, Sink};
use keyscape_runtime::{Be, By, Error, MapRows, Prefix, ScanRows};
use keyscape_store::{Db, Mode, Read, Tx};
use std::{fmt::Debug, ops::Bound};

/// Returns the keys of a scan, after checking that `count`, `walk` and both directions agree.
fn keys<K: MapRows, B: By<K>>(db: &Db, prefix: impl Fn() -> Prefix<K, B>) -> Vec<K::Key<'static>>
where
    K::Key<'static>: PartialEq + Debug,
{
    let state = db.read().expect("a state");
    let all = |prefix: Prefix<K, B>| -> Vec<K::Key<'static>> {
        let scan = prefix.scan(&state).expect("a scan");
        scan.map(|row| row.expect("a row").0).collect()
    };
    let forward = all(prefix());
    let mut backward = all(prefix().reverse());
    backward.reverse();
    assert_eq!(forward, backward);
    assert_eq!(all(prefix().reverse().reverse()), forward);
    assert_eq!(prefix().count(&state).expect("a count"), forward.len() as u64);
    let first = |prefix: Prefix<K, B>| prefix.first(&state).expect("a row").map(|(key, _)| key);
    assert_eq!(first(prefix()).as_ref(), forward.first());
    assert_eq!(first(prefix().reverse()).as_ref(), forward.last());
    assert_eq!(first(prefix().limit(0)), None);
    let most = forward.len().min(2);
    assert_eq!(all(prefix().limit(2)), forward[..most]);
    drop(state);
    let mut tx = db.begin(Mode::Write).expect("a transaction");
    let mut walked = Vec::new();
    let count = prefix().walk(&mut tx, |_, row| {
        walked.push(K::into_owned(row.key));
        Ok::<(), Error>(())
    });
    assert_eq!(count.expect("a walk"), forward.len() as u64);
    assert_eq!(walked, forward);
    forward
}

/// Creates a database with the rows that `put` writes.
fn filled(put: impl FnMut(&mut Tx<'_>) -> Result<(), Error>) -> Db {
    let db = database();
    db.write(put).expect("rows");
    db
}

fn orders() -> Db {
    filled(|tx| {
        for (place, (user, number)) in
            [(7, 0), (7, 1), (7, 255), (7, 256), (7, u32::MAX), (8, 1), (u64::MAX, u32::MAX)]
                .into_iter()
                .enumerate()
        {
            ORDERS.put(tx, (user, number), &order(&"abcdefg"[place..=place], 1))?;
        }
        Ok(())
    })
}

#[test]
fn a_scan_reads_its_rows_and_no_others() {
    let db = orders();
    assert_eq!(keys(&db, || ORDERS.prefix_all()).len(), 7);
    assert_eq!(keys(&db, || ORDERS.prefix_user(8)), [(8, 1).into()]);
    assert_eq!(keys(&db, || ORDERS.prefix_user(u64::MAX)), [(u64::MAX, u32::MAX).into()]);
    assert_eq!(keys(&db, || ORDERS.prefix_user(9)), []);
}

#[test]
fn bounds_of_all_kinds_are_exact() {
    let db = orders();
    let all = [0, 1, 255, 256, u32::MAX];
    let ends = [0, 1, 2, 255, 256, 257, u32::MAX - 1, u32::MAX];
    let bounds = || {
        let some = ends.into_iter().flat_map(|end| [Bound::Included(end), Bound::Excluded(end)]);
        some.chain([Bound::Unbounded])
    };
    for start in bounds() {
        for end in bounds() {
            let range = (start, end);
            let numbers: Vec<u32> = keys(&db, || ORDERS.prefix_user(7).range(range))
                .iter()
                .map(|key| key.order)
                .collect();
            let expected: Vec<u32> = all
                .into_iter()
                .filter(|number| std::ops::RangeBounds::contains(&range, number))
                .collect();
            assert_eq!(numbers, expected, "{range:?}");
        }
    }
}

#[test]
fn bounds_before_other_fields_take_all_rows_of_their_value() {
    let db = orders();
    let users = |range: (Bound<u64>, Bound<u64>)| -> Vec<u64> {
        keys(&db, || ORDERS.prefix_all().range(range)).iter().map(|key| key.user).collect()
    };
    use Bound::{Excluded, Included, Unbounded};
    assert_eq!(users((Included(7), Included(7))), [7; 5]);
    assert_eq!(users((Excluded(7), Unbounded)), [8, u64::MAX]);
    assert_eq!(users((Unbounded, Excluded(8))), [7; 5]);
    assert_eq!(users((Unbounded, Included(8))), [7, 7, 7, 7, 7, 8]);
    assert_eq!(users((Excluded(8), Included(u64::MAX))), [u64::MAX]);
    assert!(users((Excluded(u64::MAX), Unbounded)).is_empty());
    assert!(users((Included(9), Included(7))).is_empty());
}

#[test]
fn repeated_bounds_narrow_the_scan() {
    let db = orders();
    let found =
        keys(&db, || ORDERS.prefix_user(7).range(1..).range(..=256).range(0..).range(..256));
    assert_eq!(found, [(7, 1).into(), (7, 255).into()]);
}

fn name(text: &str) -> NamesName<'_> {
    NamesName::new(text).expect("a name")
}

#[test]
fn bounds_on_text_include_its_separator() {
    let rows = [("a", 1), ("ab", 0), ("ab", 255), ("abc", 1), ("b", 1)];
    let db = filled(|tx| rows.into_iter().try_for_each(|(name, n)| NAMES.put(tx, (name, n), n)));
    let named = |range: (Bound<&str>, Bound<&str>)| -> Vec<String> {
        let found = keys(&db, || NAMES.prefix_all().range((range.0.map(name), range.1.map(name))));
        found.iter().map(|key| key.name.as_str().to_owned()).collect()
    };
    use Bound::{Excluded, Included, Unbounded};
    assert_eq!(named((Included("ab"), Included("ab"))), ["ab", "ab"]);
    assert_eq!(named((Excluded("ab"), Unbounded)), ["abc", "b"]);
    assert_eq!(named((Unbounded, Included("ab"))), ["a", "ab", "ab"]);
    assert_eq!(named((Unbounded, Excluded("abb"))), ["a", "ab", "ab"]);
    assert_eq!(keys(&db, || NAMES.prefix_name("ab").range(1..)), [(name("ab"), 255).into()]);
}

#[test]
fn bounds_on_a_descending_field_are_by_value_and_the_last_keys_are_found() {
    let db = filled(|tx| {
        [(0, 1), (5, 0), (5, 255), (9, 1), (u16::MAX, 1)]
            .into_iter()
            .try_for_each(|key| TIMES.put(tx, key, ()))
    });
    let at = |range: (Bound<u16>, Bound<u16>)| -> Vec<u16> {
        keys(&db, || TIMES.prefix_all().range(range)).iter().map(|key| key.at).collect()
    };
    use Bound::{Excluded, Included, Unbounded};
    assert_eq!(at((Unbounded, Unbounded)), [u16::MAX, 9, 5, 5, 0]);
    assert_eq!(at((Included(5), Unbounded)), [u16::MAX, 9, 5, 5]);
    assert_eq!(at((Excluded(5), Included(9))), [9]);
    // 0 is encoded as FFFF after FF, so no key is above it.
    assert_eq!(at((Included(0), Excluded(5))), [0]);
    assert!(at((Unbounded, Excluded(0))).is_empty());
    assert_eq!(at((Excluded(0), Included(5))), [5, 5]);
}

#[test]
fn declared_rows_of_other_keyspaces_are_skipped_and_unknown_rows_are_errors() -> Outcome {
    let db = filled(|tx| {
        [1, 3].into_iter().try_for_each(|id| MARKS.put(tx, id, ()))?;
        [0, 1, 2, 3].into_iter().try_for_each(|id| FLAGS.put(tx, id, ()))
    });
    assert_eq!(keys(&db, || MARKS.prefix_all()), [1.into(), 3.into()]);
    assert_eq!(keys(&db, || MARKS.prefix_all().range(2..)), [3.into()]);
    assert_eq!(db.write(|tx| MARKS.prefix_all().delete(tx))?, 2);
    assert_eq!(db.read()?.rows(ODD, keyscape_store::KeyRange::all())?.to_vec()?.len(), 4);
    db.write(|tx| tx.put(ODD, b"e\x02?", b""))?;
    let state = db.read()?;
    assert_eq!(kind(&MARKS.prefix_all().count(&state).expect_err("fits neither")), "CorruptKey");
    Ok(())
}

/// A tight scan of `words` with bounds that need not be words.
struct AnyWords;

impl ScanRows<Words> for AnyWords {
    const NAME: &'static str = "any";
}

impl By<Words> for AnyWords {
    type Field = NamesName<'static>;
    const LAST: bool = true;
}

fn any_words() -> Prefix<Words, AnyWords> {
    Prefix::new(|out: &mut Vec<u8>| {
        out.put(b"w");
        Ok(())
    })
    .within(b"b", Some(b"e"))
}

#[test]
fn a_tight_interval_excludes_impossible_continuations() {
    let db = filled(|tx| {
        ["b", "cat", "dz"].into_iter().try_for_each(|word| WORDS.put(tx, word, ()))?;
        // Keys of other keyspaces, below and above.
        for key in [&b"w"[..], b"waaa", b"we", b"w\xff"] {
            tx.put(ODD, key, b"")?;
        }
        Ok(())
    });
    let found = |range: (Bound<&str>, Bound<&str>)| -> Vec<String> {
        let found = keys(&db, || any_words().range((range.0.map(name), range.1.map(name))));
        found.iter().map(|key| key.word.as_str().to_owned()).collect()
    };
    use Bound::{Excluded, Included, Unbounded};
    assert_eq!(keys(&db, || WORDS.prefix_all()).len(), 3);
    assert_eq!(found((Unbounded, Unbounded)), ["b", "cat", "dz"]);
    assert_eq!(found((Included("a"), Excluded("d"))), ["b", "cat"]);
    assert_eq!(found((Included("c"), Included("z"))), ["cat", "dz"]);
}

/// The scan `all as "p" 0x10 .. "p" 0x20` of `pairs`, with bounds.
struct SomePairs;

impl ScanRows<Pairs> for SomePairs {
    const NAME: &'static str = "some";
}

impl By<Pairs> for SomePairs {
    type Field = Be<u8>;
    const LAST: bool = false;
}

fn some_pairs() -> Prefix<Pairs, SomePairs> {
    let write = |bytes: &'static [u8]| {
        move |out: &mut KeyBuf<3>| {
            out.put(bytes);
            Ok(())
        }
    };
    Prefix::<Pairs, SomePairs>::new(write(b"p")).between(write(b"p\x10"), write(b"p\x20"))
}

#[test]
fn a_stated_interval_is_read() {
    let db = filled(|tx| {
        [(0x0f, 0), (0x10, 0), (0x1f, 9), (0x20, 0)]
            .into_iter()
            .try_for_each(|key| PAIRS.put(tx, key, 0))
    });
    assert_eq!(keys(&db, some_pairs), [(0x10, 0).into(), (0x1f, 9).into()]);
    assert_eq!(keys(&db, || some_pairs().range(..0x11)), [(0x10, 0).into()]);
    assert_eq!(keys(&db, || some_pairs().range(0x1f..)), [(0x1f, 9).into()]);
}

#[test]
fn a_row_that_does_not_belong_to_the_scan_is_corrupt() -> Outcome {
    let db = orders();
    db.write(|tx| tx.put(SHOP, b"o/\0\0\0\0\0\0\0\x07\0", b""))?;
    let state = db.read()?;
    let error = ORDERS.scan_user(&state, 7)?.next_row().expect_err("corrupt");
    assert!(
        error.to_string().starts_with(
            "keyspace `orders`: the stored key 6f2f000000000000000700 does not belong to it: "
        ),
        "{error}"
    );
    // An iterator ends with the error.
    let rows: Vec<_> = ORDERS.scan_user(&state, 7)?.collect();
    assert_eq!(rows.len(), 1);
    let mut tx = db.begin(Mode::Write)?;
    assert!(ORDERS.prefix_user(7).delete(&mut tx).is_err());
    assert!(tx.changes().is_empty());
    Ok(())
}

#[test]
fn a_corrupt_value_is_an_error_when_it_is_decoded() -> Outcome {
    let db = orders();
    db.write(|tx| tx.put(SHOP, b"o/\0\0\0\0\0\0\0\x07\0\0\0\0", b"?"))?;
    let state = db.read()?;
    let mut scan = ORDERS.scan_user(&state, 7)?;
    let row = scan.next_row()?.ok_or("a row")?;
    assert_eq!((row.key.order, row.value_bytes()), (0, &b"?"[..]));
    assert_eq!(kind(&row.value().expect_err("corrupt")), "CorruptValue");
    assert_eq!(kind(&row.into_owned().expect_err("corrupt")), "CorruptValue");
    Ok(())
}

#[test]
fn deleting_respects_the_limit_and_the_direction() -> Outcome {
    let db = orders();
    db.write(|tx| {
        assert_eq!(ORDERS.prefix_user(7).reverse().limit(2).delete(tx)?, 2);
        assert_eq!(ORDERS.prefix_user(7).range(..1).delete(tx)?, 1);
        assert_eq!(ORDERS.prefix_user(7).limit(0).delete(tx)?, 0);
        Ok::<(), Error>(())
    })?;
    assert_eq!(keys(&db, || ORDERS.prefix_user(7)), [(7, 1).into(), (7, 255).into()]);
    assert_eq!(keys(&db, || ORDERS.prefix_user(8)).len(), 1);
    Ok(())
}

#[test]
fn a_walk_continues_on_the_changed_state() -> Outcome {
    let db = orders();
    let mut seen = Vec::new();
    db.write(|tx| {
        ORDERS.prefix_user(7).walk(tx, |tx, row| {
            seen.push(row.key.order);
            if row.key.order == 1 {
                ORDERS.delete(tx, (7, 255))?;
                ORDERS.put(tx, (7, 2), &order("zz", 1))?;
                ORDERS.delete(tx, row.key)?;
            }
            Ok::<(), Error>(())
        })
    })?;
    assert_eq!(seen, [0, 1, 2, 256, u32::MAX]);
    Ok(())
}

#[test]
fn reads_report_fields_that_are_too_long() -> Outcome {
    let db = database();
    let prefix = || {
        Prefix::<Orders, OrdersUser>::new(|out| {
            out.put(&[0; 15]);
            Ok(())
        })
    };
    let state = db.read()?;
    assert_eq!(kind(&prefix().count(&state).expect_err("too long")), "Overflow");
    assert_eq!(kind(&prefix().range(1..).scan(&state).expect_err("too long")), "Overflow");
    Ok(())
}
