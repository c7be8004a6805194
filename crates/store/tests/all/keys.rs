//! Keys, ranges and write sets in byte order.

use keyscape_store::{Changes, Db, KeyRange, Memory, Mode, Spaces, StoreId, compare_keys};
use std::{error::Error, ops::Bound};

const A: StoreId = StoreId::of("a");
const B: StoreId = StoreId::of("b");

/// Returns keys of lengths around those that are compared or stored in different ways.
fn keys() -> Vec<Vec<u8>> {
    let long = [7; 45];
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for length in (0..=17).chain([31, 32, 33, 39, 40, 41]) {
        keys.push(long[..length].to_vec());
        keys.push(vec![0; length]);
        for at in 0..length {
            for byte in [0, 8] {
                let mut key = long[..length].to_vec();
                key[at] = byte;
                keys.push(key);
            }
        }
    }
    keys
}

#[test]
fn keys_are_compared_in_byte_order() {
    let keys = keys();
    for a in &keys {
        for b in &keys {
            assert_eq!(compare_keys(a, b), a.cmp(b), "{a:02x?} {b:02x?}");
        }
    }
}

/// The order of insertion determines which keys are compared.
#[test]
fn write_sets_are_in_byte_order() -> Result<(), Box<dyn Error>> {
    let spaces = Spaces::new(["a"])?;
    let keys = keys();
    let mut sorted: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    sorted.sort_unstable();
    sorted.dedup();
    // Every step is prime to the number of keys, so it visits each key once.
    let steps = (1..keys.len()).step_by(29).filter(|step| gcd(*step, keys.len()) == 1);
    for step in steps {
        let mut changes = Changes::new();
        for at in 0..keys.len() {
            changes.set(&spaces, A, &keys[at * step % keys.len()], None)?;
        }
        assert!(changes.iter().map(|change| change.key).eq(sorted.iter().copied()), "{step}");
    }
    Ok(())
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[test]
fn write_sets_are_equal_if_they_write_the_same_rows() -> Result<(), Box<dyn Error>> {
    let db = Db::new(Memory::new(Spaces::new(["a", "b"])?));
    let mut one = db.begin(Mode::Write)?;
    let checkpoint = one.checkpoint();
    one.put(A, b"1", b"x")?;
    one.rollback_to(checkpoint)?;
    assert_eq!(*one.changes(), Changes::new());
    one.put(B, b"1", b"x")?;
    let mut other = Changes::new();
    other.set(db.spaces(), B, b"1", Some(b"x"))?;
    assert_eq!(*one.changes(), other);
    other.set(db.spaces(), B, b"1", None)?;
    assert_ne!(*one.changes(), other);
    other.set(db.spaces(), B, b"1", Some(b"x"))?;
    other.set(db.spaces(), A, b"1", Some(b"x"))?;
    assert_ne!(*one.changes(), other);
    Ok(())
}

#[test]
fn a_stop_is_the_end_of_its_range() {
    let keys: [&[u8]; 17] = [
        b"",
        b"o",
        b"o/",
        b"o/\0",
        b"o/\0\0\0\0\0",
        b"o/\0\0\0\0\0\0",
        b"o/\0\0\0\0\0\0\0",
        b"o/123456",
        b"o/1234567",
        b"o/12345678901234567",
        b"o/12345678901234",
        b"o/12345678901234\0",
        b"o0",
        b"\xff\xff\xff\xff\xff\xff\xff\xff",
        &[0xff; 16],
        &[0xff; 17],
        &[0; 16],
    ];
    for bound in keys {
        for bound in [Bound::Included(bound), Bound::Excluded(bound), Bound::Unbounded] {
            let up = KeyRange::new(Bound::Unbounded, bound);
            let down = KeyRange::new(bound, Bound::Unbounded).backward();
            for range in [up, down] {
                for key in keys {
                    let is_past = range.stop().is_before(key);
                    assert_eq!(is_past, !range.contains(key), "{range:?} {key:?}");
                }
            }
        }
    }
}
