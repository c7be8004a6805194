//! The sound files that are damaged.

use keyscape_store::{Db, KeyRange, Read, Spaces, StoreError, StoreErrorKind, StoreId};
use keyscape_store_redb::Options;
use std::{collections::BTreeMap, error::Error, fs, path::Path};

pub(crate) const A: StoreId = StoreId::of("a");
const B: StoreId = StoreId::of("b");
const COMMITS: u64 = 24;

/// All rows of both stores; keys of the second store have the prefix `b`.
pub(crate) type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// A sound file.
pub(crate) struct Sound {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    /// The same file some commits earlier.
    pub(crate) older: Vec<u8>,
    /// The rows after each commit.
    pub(crate) states: Vec<Rows>,
}

impl Sound {
    pub(crate) fn last(&self) -> &Rows {
        self.states.last().expect("there are commits")
    }
}

pub(crate) fn spaces() -> Spaces {
    Spaces::new(["a", "b"]).expect("two names")
}

/// Creates files with rows of all sizes: closed or not, with and without quick repair.
pub(crate) fn all(folder: &Path) -> Result<Vec<Sound>, Box<dyn Error>> {
    [
        ("closed", false, true),
        ("closed, quick repair", true, true),
        ("not closed", false, false),
        ("not closed, quick repair", true, false),
    ]
    .into_iter()
    .map(|(name, quick_repair, closed)| make(folder, name, quick_repair, closed))
    .collect()
}

fn make(
    folder: &Path,
    name: &'static str,
    quick_repair: bool,
    closed: bool,
) -> Result<Sound, Box<dyn Error>> {
    let file = folder.join("sound.redb");
    let options = Options { quick_repair, ..Options::new() };
    let db = Db::new(options.create(&file, spaces())?);
    let (mut states, mut rows, mut older) = (Vec::new(), Rows::new(), Vec::new());
    for commit in 0..COMMITS {
        db.write(|tx| {
            for step in 0..12 {
                let number = commit * 7919 + step * 104_729;
                let key = (number % 90).to_be_bytes();
                let size = if number % 11 == 0 { 9_000 } else { number % 300 };
                let value: Vec<u8> = (0..size).map(|at| (at * number) as u8).collect();
                if number % 5 == 0 {
                    tx.delete(A, &key)?;
                    rows.remove(&key[..]);
                } else {
                    tx.put(A, &key, &value)?;
                    rows.insert(key.to_vec(), value);
                }
                tx.put(B, &key, &number.to_be_bytes())?;
                rows.insert([&b"b"[..], &key].concat(), number.to_be_bytes().to_vec());
            }
            Ok::<(), StoreError>(())
        })?;
        states.push(rows.clone());
        if commit == COMMITS / 2 {
            older = fs::read(&file)?;
        }
    }
    if !closed {
        // The file that a crash at this moment would leave.
        let bytes = fs::read(&file)?;
        drop(db);
        fs::remove_file(&file)?;
        return Ok(Sound { name, bytes, older, states });
    }
    drop(db);
    let bytes = fs::read(&file)?;
    fs::remove_file(&file)?;
    Ok(Sound { name, bytes, older, states })
}

/// Reads all rows. Damage may create cycles: far more rows than ever existed are an error.
pub(crate) fn rows(db: &Db) -> Result<Rows, StoreError> {
    let state = db.read()?;
    let mut all = Rows::new();
    let mut left = 100_000;
    for (store, prefix) in [(A, &b""[..]), (B, b"b")] {
        let mut rows = state.rows(store, KeyRange::all())?;
        while let Some(row) = rows.next()? {
            left -= 1;
            if left == 0 {
                return Err(StoreErrorKind::Corrupt { what: "it never ends" }.into());
            }
            all.insert([prefix, row.key].concat(), row.value.to_vec());
        }
    }
    Ok(all)
}
