//! The memory engine: the rules of all engines, and commits of all sizes.

use keyscape_store::{Db, KeyRange, Memory, Read, ReadExt, Spaces, StoreId};
use keyscape_testkit::conformance::{Setup, run_local};

#[test]
fn memory_keeps_every_rule() {
    run_local(&|Setup { spaces, limits }| Box::new(Memory::new(spaces).with_limits(limits)));
}

/// Commits of up to 1,024 rows are written in place, larger ones to a copy.
#[test]
fn commits_of_all_sizes_leave_open_states_unchanged() -> Result<(), Box<dyn std::error::Error>> {
    const A: StoreId = StoreId::of("a");
    let db = Db::new(Memory::new(Spaces::new(["a"])?));
    for (round, rows) in (0..).zip([1024, 1, 1025, 3, 1024_u64]) {
        let before = db.read()?;
        let expected = before.rows(A, KeyRange::all())?.to_vec()?;
        db.write(|tx| (0..rows).try_for_each(|row| tx.put(A, &row.to_be_bytes(), &[round])))?;
        assert_eq!(before.rows(A, KeyRange::all())?.to_vec()?, expected);
        assert!(db.read()?.get(A, &0_u64.to_be_bytes())?.is_some_and(|tag| *tag == [round]));
    }
    Ok(())
}
