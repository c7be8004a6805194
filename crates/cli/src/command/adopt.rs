//! `keyscape adopt`

use super::audit;
use crate::{
    audit::{FindingKind, Findings},
    database::{
        DatabaseError, Reader, SavedLayout, Stored, Verification, engine, open_read_only, sound,
    },
    failure::{Exit, Failure},
    input::{address::Address, layout},
    output::{
        bytes::hex,
        message::Message,
        progress::Progress,
        stderr::{self, many},
    },
};
use clap::Args;
use keyscape_layout::{Layout, model::KeyspaceId};
use keyscape_store::{Db, KeyRange, LayoutError, Read, StoreId, Unfit, saved_stores};
use std::path::PathBuf;

/// Check a database that has no layout, and store a layout in it
///
/// Decodes the key and value of every row, and compares index entries, counts, ranks and records of
/// structures with the rows that they follow from. Checks that values provide the fields of
/// indexes. If everything fits, the command stores the layout in the file, and other commands and
/// programs can open it. Otherwise nothing is written, and the first rows that do not fit are
/// printed. Rows are never changed.
///
/// Proves the layout and verifies the checksums of the file first. Exit status: 1 if a row does not
/// fit or the layout is not sound.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape adopt node.redb --layout layouts/bank/sound.keys")]
pub(crate) struct Adopt {
    /// The database: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// The layout: a `.keys` file, a database that stores one, or `-` for stdin
    #[arg(long, value_name = "FILE")]
    layout: PathBuf,
    #[command(flatten)]
    verification: Verification,
}

/// The maximum number of misfits that are printed.
const SHOWN: usize = 10;

impl Adopt {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = layout::load(&self.layout)?;
        sound(&layout)?;
        let reader = Reader::new(&layout).map_err(DatabaseError::TooLarge)?;
        // redb would silently repair a file that was not closed cleanly.
        let existing = engine::open_all_spaces(&self.db)?;
        let described = saved_stores(&existing.read()?)?;
        let was_adopted =
            layout.stores.iter().all(|store| described.iter().any(|known| **known == *store.name));
        drop(existing);
        let derived = self.derived(&layout)?;
        let mut progress = Progress::new("checking");
        let mut rows = 0_u64;
        let failed = |error: LayoutError| engine::failed(&self.db, error);
        let adopted: Result<(), DatabaseError> = SavedLayout::of(&layout).lend(&[], |saved| {
            let check = |space: &str, key: &[u8], value: &[u8]| {
                progress.row();
                rows += 1;
                match reader.read(space, key, value)?.value() {
                    Some(Stored::Raw(_)) => Err("its value does not have the declared form"),
                    _ => Ok(()),
                }
            };
            let spaces = keyscape_store::Layout::spaces_of(&[saved])
                .map_err(|error| engine::failed(&self.db, error))?;
            if derived.is_empty() {
                let db = engine::open_spaces(&self.db, spaces)?;
                return db.adopt(&[saved], check).map_err(failed);
            }
            // Reports rows that do not fit, and saves nothing.
            let db = engine::open_spaces_read_only(&self.db, spaces)?;
            check_rows(&db, saved.spaces, check).map_err(failed)
        });
        drop(progress);
        if let Err(DatabaseError::Layout { source: LayoutError::Unfit { rows, total }, .. }) =
            &adopted
        {
            show(rows, *total);
        }
        adopted?;
        if !derived.is_empty() {
            derived.iter().for_each(|finding| stderr::say(&audit::message(&layout, &finding)));
            if derived.iter().any(|finding| finding.kind == FindingKind::MissingField) {
                return Err(missing_fields());
            }
            return Err(DatabaseError::Derived.into());
        }
        let rows = many(rows, "row");
        stderr::line(&match was_adopted {
            true => format!("checked {rows}: the database has this layout already"),
            false => format!("adopted {rows}: all fit the layout"),
        });
        Ok(Exit::Fine)
    }

    /// Compares derived rows with the rows that they follow from, and finds rows whose values do
    /// not provide the fields of an index. Verifies the file.
    fn derived(&self, layout: &Layout) -> Result<Findings, Failure> {
        let base = open_read_only(layout, &self.db, self.verification)?;
        let state = base.db.read()?;
        let is_derived = |id: &KeyspaceId| {
            let keyspace = layout.keyspace(*id);
            keyspace.of.is_some() || keyspace.member.is_some()
        };
        let ids = layout.keyspace_ids().filter(is_derived).collect();
        Ok(crate::audit::derived(&base, &state, &ids)?)
    }
}

/// Returns the error of rows whose values do not provide the fields of an index.
fn missing_fields() -> Failure {
    Failure::described(
        "some values do not provide the fields of an index, so nothing is written",
        Some("correct these values, or the types or paths of the fields in the layout".to_owned()),
        Exit::Refuted,
    )
}

/// Checks all rows as an adoption does, and saves nothing.
fn check_rows(
    db: &Db,
    spaces: &[&str],
    mut check: impl FnMut(&str, &[u8], &[u8]) -> Result<(), &'static str>,
) -> Result<(), LayoutError> {
    let (mut unfit, mut total) = (Vec::new(), 0);
    for space in spaces {
        let state = db.read()?;
        let mut rows = state.rows(StoreId::of(space), KeyRange::all())?;
        while let Some(row) = rows.next()? {
            let Err(reason) = check(space, row.key, row.value) else { continue };
            total += 1;
            if unfit.len() < SHOWN {
                let (space, key) = ((*space).into(), row.key.into());
                unfit.push(Unfit { space, key, reason: reason.into() });
            }
        }
    }
    if total > 0 { Err(LayoutError::Unfit { rows: unfit, total }) } else { Ok(()) }
}

fn show(rows: &[Unfit], total: u64) {
    for Unfit { space, key, reason } in rows.iter().take(SHOWN) {
        let key = if key.is_empty() { "the empty key".to_owned() } else { hex(key) };
        stderr::say(&Message::error(format!("{space}: {key}: {reason}")));
    }
    let more = total.saturating_sub(rows.len().min(SHOWN) as u64);
    if more > 0 {
        stderr::line(&format!("and {more} more"));
    }
}
