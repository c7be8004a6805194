//! Rows of bytes in two stores.

use crate::{Outcome, WRITERS, Work, beside};
use keyscape_store::{Db, KeyRange, Read, ReadExt, Spaces, StoreError, StoreId};
use keyscape_store_redb::Options;
use std::{error::Error, path::Path};

const A: StoreId = StoreId::of("a");
const B: StoreId = StoreId::of("b");

/// Each commit writes the same row in both stores.
pub(crate) struct Bytes;

/// Returns row `number` of a writer, the same in both stores; some values span pages.
fn row(writer: u8, number: u64) -> ([u8; 9], Vec<u8>) {
    let mut key = [writer; 9];
    key[1..].copy_from_slice(&number.to_be_bytes());
    (key, vec![number as u8; (number % 97 * 61) as usize])
}

/// Returns the number of rows of a writer, which is the number of its last row.
fn last(state: &dyn Read, writer: u8) -> Result<u64, StoreError> {
    let last = state.get_with(A, &[b'n', writer], |value| value.try_into().unwrap_or_default())?;
    Ok(last.map_or(0, u64::from_be_bytes))
}

impl Work for Bytes {
    const NAME: &'static str = "bytes";

    fn new() -> Result<Self, Box<dyn Error>> {
        Ok(Bytes)
    }

    fn spaces() -> Result<Spaces, Box<dyn Error>> {
        Ok(Spaces::new(["a", "b"])?)
    }

    fn create(file: &Path) -> Outcome {
        drop(Options::new().create(file, Self::spaces()?)?);
        Ok(())
    }

    fn write_until_killed(file: &Path) -> Outcome {
        let db = Db::new(Options::new().open(file, Self::spaces()?)?);
        beside(|writer| {
            loop {
                let run = |tx: &mut keyscape_store::Tx<'_>| {
                    let number = last(tx, writer)? + 1;
                    let (key, value) = row(writer, number);
                    tx.put(A, &key, &value)?;
                    tx.put(B, &key, &value)?;
                    tx.put(A, &[b'n', writer], &number.to_be_bytes())?;
                    Ok::<u64, StoreError>(number)
                };
                let number = if writer == 0 { db.write(run)? } else { db.optimistic(100, run)? };
                // A commit is acknowledged only after it has returned. `println!` writes the line
                // at once.
                println!("{writer} {number}.");
            }
        })
    }

    fn check(&mut self, file: &Path, acknowledged: &[u64]) -> Outcome {
        let db = Db::new(Options::new().open(file, Self::spaces()?)?);
        let state = db.read()?;
        for (writer, acknowledged) in (0..WRITERS).zip(acknowledged) {
            let last = last(&state, writer)?;
            assert!(
                last >= *acknowledged,
                "writer {writer}: {acknowledged} acknowledged, {last} there"
            );
            for store in [A, B] {
                let mut rows = state.rows(store, KeyRange::prefix(&[writer]))?;
                for number in 1..=last {
                    let (key, value) = row(writer, number);
                    let found = rows.next()?.ok_or("a row of a commit is not there")?;
                    assert_eq!((found.key, found.value), (&key[..], &value[..]));
                }
                assert_eq!(rows.next()?, None, "a row of no commit is there");
            }
        }
        Ok(())
    }
}
