//! `keyscape copy`

use crate::{
    database::{DatabaseError, Verification, engine},
    failure::{Exit, Failure},
    input::address::Address,
    output::{
        destination::{is_same, output_is_input},
        progress::Progress,
        stderr::many,
        stdout,
    },
};
use clap::Args;
use keyscape_store::{
    Db, Hex, KeyRange, OwnedRow, Read, ReadExt as _, Snapshot, Spaces, StoreError, StoreId,
};
use sha2::{Digest as _, Sha256};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Copy a database to another engine
///
/// Copies all rows of one snapshot byte for byte, with the saved layout, and compares digests of
/// both sides at the end. Each side is a file, `postgres://USER@HOST/DATABASE?schema=NAME`, or
/// `tikv://HOST,HOST/NAME` if the program is built with the feature `tikv`. The source is not
/// changed.
///
/// If the command is interrupted, the same command continues after the last commit. Until the copy
/// is complete, no layout opens it.
///
/// Exit status: 2 if TO exists and is not an unfinished copy, if a row exceeds a limit of its
/// engine, or if both sides differ because the source has changed meanwhile.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape copy shop.redb postgres://shop@db.example/shop
  keyscape copy 'postgres://shop@db.example/shop?schema=shop' shop.redb")]
pub(crate) struct Copy {
    /// The database to read
    #[arg(value_name = "FROM", value_parser = Address)]
    from: PathBuf,
    /// The database to create
    #[arg(value_name = "TO", value_parser = Address)]
    to: PathBuf,
    #[command(flatten)]
    verification: Verification,
}

impl Copy {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        if is_same(&self.from, &self.to) {
            let path = engine::without_password(&self.to).display().to_string();
            return Err(output_is_input(&path).into());
        }
        self.verification.run(&self.from)?;
        let mut progress = Progress::new("copying");
        let copied = copy(&self.from, &self.to, || progress.row());
        drop(progress);
        let copied = copied?;
        let (rows, stores) = (many(copied.rows, "row"), many(copied.stores as u64, "store"));
        let continued = match copied.rows - copied.written {
            0 => String::new(),
            before => format!(", {} of an earlier run", many(before, "row")),
        };
        let digest = Hex(&copied.digest);
        writeln!(stdout::plain(), "copied {rows} of {stores}{continued}\ndigest: {digest}")?;
        Ok(Exit::Fine)
    }
}

/// The maximum number of rows and bytes in one commit.
const BATCH_ROWS: usize = 5_000;
const BATCH_BYTES: usize = 4 << 20;
/// The row in the metadata of an unfinished copy: the space, a NUL, and the last copied key.
const POSITION: &[u8] = b"copy/position";

/// The result of a copy.
#[derive(Debug)]
struct Copied {
    /// All rows of the database, including those of an earlier run.
    rows: u64,
    /// The number of stores.
    stores: usize,
    /// The rows that this run has written.
    written: u64,
    /// The digest of all rows, equal on both sides.
    digest: [u8; 32],
}

/// Copies all rows of one snapshot to a new database, and compares both at the end. An interrupted
/// copy continues. Calls `copied` for every row that is written.
///
/// The metadata come last. Until then, no layout opens the new database.
///
/// # Errors
/// If the new database exists and is not an unfinished copy; if a row exceeds its limits; if the
/// source has changed since an interrupted run.
fn copy(from: &Path, to: &Path, mut copied: impl FnMut()) -> Result<Copied, DatabaseError> {
    let source = engine::open_all_spaces(from)?;
    let mut names: Vec<String> =
        source.spaces().iter().skip(1).map(|(_, name)| name.into()).collect();
    names.sort_unstable();
    let (target, position) = open_target(to, &names)?;
    let state = source.read()?;
    let mut written = 0;
    for name in &names {
        let after = match &position {
            Some((reached, _)) if name < reached => continue,
            Some((reached, key)) if name == reached => Some(key.as_slice()),
            _ => None,
        };
        copy_space(&state, &target, name, after, || {
            written += 1;
            copied();
        })
        .map_err(|error| engine::failed(to, error))?;
    }
    let metadata = state.rows(StoreId::META, KeyRange::all())?.to_vec()?;
    target.write(|tx| {
        metadata.iter().try_for_each(|(key, value)| tx.put(StoreId::META, key, value))?;
        tx.delete(StoreId::META, POSITION)
    })?;
    let (digest, rows) = digest_of(&state, &names)?;
    if digest_of(&target.read()?, &names)? != (digest, rows) {
        let to = engine::without_password(to);
        return Err(DatabaseError::new(
            format!(
                "`{}` differs from the source, which has changed since the copy began",
                to.display()
            ),
            "delete it, and copy again while nobody writes the source",
        ));
    }
    target.sync()?;
    Ok(Copied { rows, stores: names.len(), written, digest })
}

type Position = (String, Vec<u8>);

/// Creates the new database, or opens an unfinished copy at its position.
fn open_target(to: &Path, names: &[String]) -> Result<(Db, Option<Position>), DatabaseError> {
    let spaces = engine::spaces(to, names)?;
    if !engine::exists(to)? {
        let db = engine::create_spaces(to, spaces)?;
        db.write(|tx| tx.put(StoreId::META, POSITION, b"\0"))?;
        return Ok((db, None));
    }
    let db = engine::open_spaces(to, spaces)?;
    let Some(position) = db.read()?.get(StoreId::META, POSITION)? else {
        return Err(DatabaseError::new(
            format!(
                "`{}` exists and is not an unfinished copy",
                engine::without_password(to).display()
            ),
            "it is left as it is; name another database",
        ));
    };
    let cut = position.iter().position(|byte| *byte == 0).unwrap_or(position.len());
    let name = String::from_utf8_lossy(position.get(..cut).unwrap_or_default()).into_owned();
    let key = position.get(cut + 1..).unwrap_or_default().to_vec();
    let position = (!name.is_empty()).then_some((name, key));
    Ok((db, position))
}

/// Copies the rows of a space after a key, in commits that contain the position.
fn copy_space(
    state: &Snapshot<'_>,
    target: &Db,
    name: &str,
    after: Option<&[u8]>,
    mut copied: impl FnMut(),
) -> Result<(), StoreError> {
    let store = StoreId::of(name);
    let range = KeyRange::all().expecting(BATCH_ROWS);
    let range = match after {
        Some(key) => range.after(key),
        None => range,
    };
    let mut rows = state.rows(store, range)?;
    let limits = target.limits();
    let max_rows = limits.batch(BATCH_ROWS);
    let max_bytes = BATCH_BYTES.min((limits.bytes / 2).try_into().unwrap_or(BATCH_BYTES));
    let (mut batch, mut bytes) = (Vec::new(), 0);
    let mut write = |batch: &mut Vec<OwnedRow>| {
        write_batch(target, store, name, batch)?;
        batch.drain(..).for_each(|_| copied());
        Ok::<_, StoreError>(())
    };
    while let Some(row) = rows.next()? {
        bytes += row.key.len() + row.value.len();
        batch.push((row.key.to_vec(), row.value.to_vec()));
        if batch.len() >= max_rows || bytes >= max_bytes {
            write(&mut batch)?;
            bytes = 0;
        }
    }
    write(&mut batch)
}

/// Writes rows together with the position after them.
fn write_batch(
    target: &Db,
    store: StoreId,
    name: &str,
    batch: &[OwnedRow],
) -> Result<(), StoreError> {
    let Some((last, _)) = batch.last() else { return Ok(()) };
    let position = [name.as_bytes(), &[0], last].concat();
    target.write(|tx| {
        batch.iter().try_for_each(|(key, value)| tx.put(store, key, value))?;
        tx.put(StoreId::META, POSITION, &position)
    })
}

/// Returns the digest and the number of all rows, including metadata.
fn digest_of(state: &Snapshot<'_>, names: &[String]) -> Result<([u8; 32], u64), StoreError> {
    let mut digest = Sha256::new();
    let mut count = 0;
    let mut add = |bytes: &[u8]| {
        digest.update((bytes.len() as u64).to_be_bytes());
        digest.update(bytes);
    };
    for name in names.iter().map(String::as_str).chain([Spaces::META]) {
        add(name.as_bytes());
        let mut rows = state.rows(StoreId::of(name), KeyRange::all().expecting(BATCH_ROWS))?;
        while let Some(row) = rows.next()? {
            add(row.key);
            add(row.value);
            count += u64::from(name != Spaces::META);
        }
    }
    Ok((digest.finalize().into(), count))
}
