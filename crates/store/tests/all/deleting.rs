//! Ranges are deleted in batches.

use keyscape_store::{Db, KeyRange, Memory, Mode, Read, Spaces, StoreId, Tx};
use std::ops::Bound;

const A: StoreId = StoreId::of("a");

/// Deletes ranges whose sizes are around those of batches. Half of the rows are pending.
#[test]
fn a_range_is_deleted_whatever_its_size() -> Result<(), Box<dyn std::error::Error>> {
    for rows in [0_u16, 1, 255, 256, 257, 512, 513] {
        for is_backward in [false, true] {
            let db = Db::new(Memory::new(Spaces::new(["a"])?));
            let put = |tx: &mut Tx<'_>, parity: u16| {
                let keys = (0..rows).filter(|key| key % 2 == parity);
                keys.map(u16::to_be_bytes).try_for_each(|key| tx.put(A, &key, b"v"))
            };
            db.write(|tx| {
                tx.put(A, b"other", b"v")?;
                put(tx, 0)
            })?;
            let mut tx = db.begin(Mode::Write)?;
            put(&mut tx, 1)?;
            let range = KeyRange::new(Bound::Unbounded, Bound::Excluded(b"other"));
            let range = if is_backward { range.backward() } else { range };
            assert_eq!(tx.delete_range(A, range)?, u64::from(rows));
            tx.commit()?;
            let left = db.read()?.rows(A, KeyRange::all())?.to_vec()?;
            assert_eq!(left, [(b"other".to_vec(), b"v".to_vec())], "{rows} {is_backward}");
        }
    }
    Ok(())
}

/// Keys that fill a batch with few rows.
#[test]
fn long_keys_are_deleted_in_several_batches() -> Result<(), Box<dyn std::error::Error>> {
    let db = Db::new(Memory::new(Spaces::new(["a"])?));
    db.write(|tx| (0..5_u8).try_for_each(|key| tx.put(A, &vec![key; 600_000], b"")))?;
    assert_eq!(db.write(|tx| tx.delete_range(A, KeyRange::all()))?, 5);
    assert!(db.read()?.rows(A, KeyRange::all())?.to_vec()?.is_empty());
    Ok(())
}
