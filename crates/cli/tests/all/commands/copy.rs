//! `keyscape copy` between files.

use crate::harness::{Folder, printed, rejected};
use insta::assert_snapshot;
use keyscape_store::StoreId;
use std::fs;

const A: StoreId = StoreId::of("a");

#[test]
fn a_database_is_not_copied_to_itself() {
    let folder = Folder::new().database("s", "store s\nitem i = \"i\" -> text\n");
    assert_snapshot!(rejected(folder.run(&["copy", "s.redb", "./s.redb"])), @"
    error: `./s.redb` is an input of this command
      help: choose another output file
    ");
}

#[test]
fn an_interrupted_copy_continues_and_a_changed_source_is_noticed() {
    const PAGE: usize = 4096;
    let folder = Folder::new();
    folder.write("from.redb", &["a", "b"], |tx| {
        (0..10_000_u32).try_for_each(|row| tx.put(A, &row.to_be_bytes(), b"v"))?;
        tx.put(StoreId::of("b"), b"k", b"v")
    });
    let file = folder.path().join("from.redb");
    let sound = fs::read(&file).unwrap();
    // The copy stops at a damaged page, after its first commit of 5000 rows.
    let neighbours = |row: u32| [row.to_be_bytes(), (row + 1).to_be_bytes()].concat();
    let damaged = (9_500..9_600).find_map(|row| {
        let keys = neighbours(row);
        sound.windows(keys.len()).position(|window| window == keys)
    });
    let start = damaged.unwrap() / PAGE * PAGE;
    let mut bytes = sound.clone();
    bytes[start..start + PAGE].fill(0xA5);
    fs::write(&file, bytes).unwrap();
    let interrupted = rejected(folder.run(&["copy", "from.redb", "to.redb", "--no-verify"]));
    assert!(interrupted.contains("error: "), "{interrupted}");
    folder.copy("to.redb", "other.redb");

    fs::write(&file, sound).unwrap();
    let copied = printed(folder.run(&["copy", "from.redb", "to.redb"]));
    let expected = "copied 10001 rows of 2 stores, 5000 rows of an earlier run\ndigest: ";
    assert!(copied.starts_with(expected), "{copied}");
    assert_snapshot!(rejected(folder.run(&["copy", "from.redb", "to.redb"])), @"
    error: `to.redb` exists and is not an unfinished copy
      help: it is left as it is; name another database
    ");
    folder.write("from.redb", &["a"], |tx| tx.put(A, &[0; 4], b"changed"));
    assert_snapshot!(rejected(folder.run(&["copy", "from.redb", "other.redb"])), @"
    error: `other.redb` differs from the source, which has changed since the copy began
      help: delete it, and copy again while nobody writes the source
    ");
}
