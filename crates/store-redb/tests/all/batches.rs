//! Batches of a cursor, with copied and borrowed values.

use keyscape_store::{Db, KeyRange, Read, Spaces, StoreId};
use keyscape_store_redb::Options;
use std::{error::Error, ops::Bound};

const A: StoreId = StoreId::of("a");
/// Rows of up to 320 bytes, key included, are copied.
const LENGTHS: [usize; 12] = [0, 1, 7, 8, 15, 31, 33, 65, 310, 311, 312, 5_000];

#[test]
fn rows_of_all_lengths_are_the_same_in_batches_of_all_sizes() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let db = Db::new(Options::new().create(folder.path().join("a.redb"), Spaces::new(["a"])?)?);
    let all: Vec<(Vec<u8>, Vec<u8>)> = (0..150u8)
        .map(|at| (vec![at; 9], vec![at; LENGTHS[usize::from(at) % LENGTHS.len()]]))
        .collect();
    db.write(|tx| all.iter().try_for_each(|(key, value)| tx.put(A, key, value)))?;
    let state = db.read()?;
    for expected in [None, Some(1), Some(10), Some(1_000)] {
        let with_expected = |range: KeyRange<'static>| match expected {
            Some(rows) => range.expecting(rows),
            None => range,
        };
        assert_eq!(state.rows(A, with_expected(KeyRange::all()))?.to_vec()?, all);
        let mut backward = state.rows(A, with_expected(KeyRange::all().backward()))?.to_vec()?;
        backward.reverse();
        assert_eq!(backward, all);
        for end in [0, 3, 4, 5, 12, 13, 149] {
            let bound = [end; 9];
            let range = KeyRange::new(Bound::Unbounded, Bound::Excluded(&bound));
            let range = expected.map_or(range.clone(), |rows| range.expecting(rows));
            let mut rows = state.rows(A, range)?;
            for row in &all[..usize::from(end)] {
                let next = rows.next()?.map(|row| (row.key.to_vec(), row.value.to_vec()));
                assert_eq!(next.as_ref(), Some(row));
                let current = rows.row().map(|row| (row.key.to_vec(), row.value.to_vec()));
                assert_eq!(current, next);
            }
            assert_eq!(rows.next()?, None, "{end}");
            assert_eq!(rows.row(), None, "{end}");
        }
    }
    Ok(())
}
