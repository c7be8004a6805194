//! Tests for details of the program that no command shows on every machine.

use crate::program::{columns::Columns, in_order::in_order, panics::catch_panic, rows};
use keyscape_store::{Db, Memory, Spaces, StoreId};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

#[test]
fn outcomes_are_in_order_on_any_number_of_threads() {
    for threads in [1, 2, 3, 20] {
        for begin in [vec![], vec![0], vec![4, 3, 2, 1, 0], vec![1, 0, 2, 4, 3]] {
            let work = |at: usize| {
                thread::sleep(Duration::from_millis(at as u64 % 3));
                at
            };
            let mut taken = Vec::new();
            let outcome = in_order(threads, &begin, work, |at| -> Result<(), ()> {
                taken.push(at);
                Ok(())
            });
            assert_eq!(outcome, Ok(()));
            assert_eq!(taken, (0..begin.len()).collect::<Vec<usize>>(), "{threads} {begin:?}");
        }
    }
}

#[test]
fn an_error_ends_the_work() {
    let begin: Vec<usize> = (0..1000).collect();
    for threads in [1, 3] {
        let done = AtomicUsize::new(0);
        let work = |at| {
            done.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(1));
            at
        };
        let mut taken = 0;
        let outcome = in_order(threads, &begin, work, |at| {
            taken += 1;
            if at == 2 { Err("enough") } else { Ok(()) }
        });
        assert_eq!((outcome, taken), (Err("enough"), 3));
        assert!(done.load(Ordering::Relaxed) < 1000);
    }
}

/// This is one test, because the panic hook belongs to the whole process.
#[test]
fn a_panic_of_a_task_ends_the_program_and_is_described_without_paths() {
    assert_eq!(catch_panic(|| 7), Ok(7));
    for bad in 0..4 {
        let work = |at| {
            thread::sleep(Duration::from_millis(1));
            assert_ne!(at, bad, "a bad {}", "task");
        };
        let run = || in_order(2, &[0, 1, 2, 3], work, |()| -> Result<(), ()> { Ok(()) });
        let panic = catch_panic(run).unwrap_err();
        assert!(panic.contains("a bad task (modules.rs:"), "{panic}");
    }
    drop(std::panic::take_hook());
}

#[test]
fn every_column_is_visible_on_a_narrow_terminal() {
    let head = ["owner", "denom", "value"].map(str::to_owned);
    let row = ["cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu", &"x".repeat(60), "1234567"];
    let row = row.map(str::to_owned).to_vec();
    let line = |max| Columns::new(&head, std::slice::from_ref(&row), 0, max).line(&row);
    let narrow = "cosmos1qypqxpq9qcrsszg2…  xxxxxxxxxxxxxxxxxxxxxxxx…  1234567";
    assert_eq!(line(Some(60)), narrow);
    assert_eq!(line(Some(116)), line(None));
    assert_eq!(line(Some(10)), "cos…  xxx…");
    // Numbers are aligned to the right, and a wide character takes two columns.
    let columns = Columns::new(&head, std::slice::from_ref(&row), 1, Some(60));
    let wide = ["漢字漢字漢字漢字漢字漢字漢字", "uatom", "7"].map(str::to_owned);
    assert_eq!(columns.line(&wide), "漢字漢字漢字漢字漢字漢…   uatom                            7");
}

#[test]
fn the_middle_is_between_both_keys() {
    for (after, before) in [
        (None, None),
        (Some(&b"a"[..]), None),
        (None, Some(&b"b"[..])),
        (Some(b"abc"), Some(b"abd")),
        (Some(b"o/1/1"), Some(b"o/1/10")),
        (Some(&[0xff; 9]), None),
    ] {
        if let Some(middle) = rows::middle(after, before) {
            assert!(after.is_none_or(|after| after < &middle[..]), "{after:?} {middle:?}");
            assert!(before.is_none_or(|before| before > &middle[..]), "{before:?} {middle:?}");
        }
    }
    assert_eq!(rows::middle(Some(b"a"), Some(b"a\0")), None);
    assert!(rows::middle(Some(b"o/1/1"), Some(b"o/1/2")).is_some());
    let db = Db::new(Memory::new(Spaces::new(["s"]).unwrap()));
    let gaps = rows::each(&db, StoreId::of("s"), |_, _| Ok::<_, ()>(()));
    assert_eq!(gaps, Ok(Vec::new()), "a store that is not damaged has no gaps");
}
