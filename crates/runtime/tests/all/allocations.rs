//! Tests that typed access through generated code allocates no more than the same calls on the
//! store, and nothing for keys.

use allocation_counter::measure;
use keyscape_runtime::Prefix;
use keyscape_samples::bank::{Denom, NUMBERS, TEXTS, Texts, TextsOwner};
use keyscape_store::{Db, KeyRange, Memory, Mode, Read, Spaces, StoreId, Tx};

const STORE: StoreId = StoreId::of("bank");
const ROWS: u64 = 1_000;

/// Returns the key of a row of `NUMBERS`.
fn key(owner: u64) -> Vec<u8> {
    [b"n", &owner.to_be_bytes()[..], b"atom"].concat()
}

fn denom(text: &'static str) -> Denom<'static> {
    Denom::new(text).expect("a denomination")
}

fn database() -> Db {
    Db::new(Memory::new(Spaces::new(["bank"]).expect("a name")))
}

fn allocations(run: impl FnOnce()) -> u64 {
    measure(run).count_total
}

/// Returns the number of allocations of one write to each row, all in one transaction.
fn writing(db: &Db, mut write: impl FnMut(&mut Tx<'_>, u64)) -> u64 {
    let mut tx = db.begin(Mode::Write).expect("a transaction");
    // The first write is not counted, because it registers the store and fills reused buffers.
    write(&mut tx, ROWS);
    allocations(|| (0..ROWS).for_each(|owner| write(&mut tx, owner)))
}

#[test]
fn a_put_allocates_for_the_write_set_alone() {
    let db = database();
    let keys: Vec<Vec<u8>> = (0..=ROWS).map(key).collect();
    let raw = writing(&db, |tx, owner| {
        tx.put(STORE, &keys[owner as usize], &owner.to_be_bytes()).expect("a put");
    });
    let typed = writing(&db, |tx, owner| NUMBERS.put(tx, (owner, "atom"), owner).expect("a put"));
    assert_eq!(typed, raw);
    // One allocation per value. The rest are nodes of the write set, which contain short keys
    // inline.
    assert!((ROWS..ROWS + ROWS / 4).contains(&typed), "{typed}");
    let long = "x".repeat(500);
    let typed = writing(&db, |tx, owner| TEXTS.put(tx, (owner, "atom"), &long).expect("a put"));
    assert_eq!(typed, raw);
}

#[test]
fn a_delete_allocates_for_the_write_set_alone() {
    let db = database();
    let keys: Vec<Vec<u8>> = (0..=ROWS).map(key).collect();
    let raw = writing(&db, |tx, owner| tx.delete(STORE, &keys[owner as usize]).expect("a delete"));
    let typed = writing(&db, |tx, owner| NUMBERS.delete(tx, (owner, "atom")).expect("a delete"));
    assert_eq!(typed, raw);
}

#[test]
fn a_get_allocates_nothing() {
    let db = database();
    db.write(|tx| (0..ROWS).try_for_each(|owner| NUMBERS.put(tx, (owner, "atom"), owner)))
        .expect("rows");
    let state = db.read().expect("a state");
    let get = allocations(|| {
        for owner in 0..ROWS {
            let there = NUMBERS.get(&state, (owner, "atom")).expect("a get");
            assert_eq!(there, Some(owner));
            assert!(!NUMBERS.contains(&state, (owner, "osmo")).expect("a get"));
        }
    });
    assert_eq!(get, 0);

    let db = database();
    db.write(|tx| TEXTS.put(tx, (1, "atom"), "seven")).expect("a row");
    let state = db.read().expect("a state");
    let borrowed = allocations(|| {
        let length = TEXTS.get_with(&state, (1, "atom"), str::len).expect("a get");
        assert_eq!(length, Some(5));
    });
    assert_eq!(borrowed, 0);
}

#[test]
fn a_scan_allocates_as_much_as_the_cursor_of_the_engine() {
    let db = database();
    db.write(|tx| {
        for denom in ["atom", "ion", "osmo", "usdc"] {
            (0..ROWS).try_for_each(|owner| TEXTS.put(tx, (owner, denom), denom))?;
        }
        Ok::<(), keyscape_runtime::Error>(())
    })
    .expect("rows");
    let state = db.read().expect("a state");
    let [start, end] = [7_u64, 8].map(|owner| [b"t", &owner.to_be_bytes()[..]].concat());
    let raw = |range: KeyRange<'_>| {
        allocations(|| {
            let mut rows = state.rows(STORE, range).expect("rows");
            while rows.next().expect("a row").is_some() {}
        })
    };
    let typed = |prefix: fn() -> Prefix<Texts, TextsOwner>, count: usize| {
        allocations(|| {
            let mut scan = prefix().scan(&state).expect("a scan");
            let mut seen = 0;
            while let Some(row) = scan.next_row().expect("a row") {
                assert_eq!(row.key.denom.as_str(), row.value().expect("a value"));
                seen += 1;
            }
            assert_eq!(seen, count);
        })
    };
    use std::ops::Bound::{Excluded, Included};
    let one = raw(KeyRange::new(Included(&start), Excluded(&end)));
    assert_eq!(typed(|| TEXTS.prefix_owner(7), 4), one);
    assert_eq!(typed(|| TEXTS.prefix_owner(7).range(denom("b")..=denom("osmo")), 2), one);
    assert_eq!(typed(|| TEXTS.prefix_owner(7).reverse().limit(3), 3), one);
}
