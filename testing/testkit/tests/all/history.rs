//! Tests that the checker of histories finds cycles and lost writes.

use keyscape_testkit::history::{RowId, Transaction, check};
use std::collections::BTreeMap;

const X: RowId = (0, 1);
const Y: RowId = (0, 2);

fn transaction(
    id: u32,
    span: (u64, u64),
    reads: &[(RowId, &[u32])],
    writes: &[RowId],
) -> Transaction {
    let reads = reads.iter().map(|(row, list)| (*row, list.to_vec())).collect();
    Transaction { id, span, reads, writes: writes.to_vec(), is_committed: true }
}

fn end(rows: &[(RowId, &[u32])]) -> BTreeMap<RowId, Vec<u32>> {
    rows.iter().map(|(row, list)| (*row, list.to_vec())).collect()
}

#[test]
fn a_serial_history_has_no_cycle() {
    let history = [
        transaction(1, (1, 2), &[(X, &[]), (Y, &[])], &[X]),
        transaction(2, (3, 4), &[(X, &[1])], &[X, Y]),
        transaction(3, (5, 6), &[(X, &[1, 2]), (Y, &[2])], &[]),
    ];
    assert_eq!(check(&history, &end(&[(X, &[1, 2]), (Y, &[2])])), Ok(()));
}

#[test]
fn write_skew_is_a_cycle() {
    let history = [
        transaction(1, (1, 5), &[(X, &[]), (Y, &[])], &[X]),
        transaction(2, (2, 6), &[(X, &[]), (Y, &[])], &[Y]),
    ];
    let found = check(&history, &end(&[(X, &[1]), (Y, &[2])])).unwrap_err();
    assert!(found.contains("1 read (0, 2) before the write of 2"), "{found}");
    assert!(found.contains("2 read (0, 1) before the write of 1"), "{found}");
}

#[test]
fn a_stale_read_is_a_cycle() {
    let history =
        [transaction(1, (1, 2), &[(X, &[])], &[X]), transaction(2, (3, 4), &[(X, &[])], &[Y])];
    let found = check(&history, &end(&[(X, &[1]), (Y, &[2])])).unwrap_err();
    assert!(found.contains("ended before the begin of 2"), "{found}");
}

#[test]
fn lost_repeated_and_forbidden_writes_are_found() {
    let one = transaction(1, (1, 2), &[(X, &[])], &[X]);
    assert!(check(std::slice::from_ref(&one), &end(&[])).unwrap_err().contains("is lost"));
    let twice = check(std::slice::from_ref(&one), &end(&[(X, &[1, 1])])).unwrap_err();
    assert!(twice.contains("2 times instead of 1"), "{twice}");
    let failed = Transaction { is_committed: false, ..one };
    let written = check(&[failed], &end(&[(X, &[1])])).unwrap_err();
    assert!(written.contains("1 times instead of 0"), "{written}");
    let reader = transaction(2, (3, 4), &[(X, &[9])], &[]);
    assert!(check(&[reader], &end(&[(X, &[1])])).unwrap_err().contains("has read [9]"));
}
