//! `keyscape stat`

use crate::{
    audit::Size,
    database::{DatabaseArgument, Faults, OpenDatabase, engine},
    failure::{Exit, Failure},
    output::{Format, grid::Grid, progress::Progress, stderr, stdout},
};
use clap::Args;
use keyscape_diagnostics::file::FileError;
use keyscape_layout::{Layout, model::KeyspaceId};
use keyscape_store::{KeyRange, Read, Snapshot, StoreId};
use serde::Serialize;
use serde_json::json;
use std::{collections::BTreeMap, fs};

/// Count rows and bytes per keyspace
///
/// Reads and decodes every row; rows that fit no keyspace are counted separately. A structure
/// counts with all its records: a member of a zset has two. The file is not changed. Verifies the
/// checksums of the whole file first. Exit status: 1 if a row fits no keyspace, or its value is not
/// of the declared form; 2 if the file is damaged.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape stat shop.redb
  keyscape stat shop.redb --format json | jq 'select(.keyspace == \"orders\").rows'")]
pub(crate) struct Stat {
    #[command(flatten)]
    database: DatabaseArgument,
    /// Output format: a table, or one JSON object per keyspace and a last one with the totals
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// The owner of counted rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner<'a> {
    Keyspace(KeyspaceId),
    /// Rows of a space that fit no keyspace.
    Unknown(&'a str),
    /// Rows of a space that the layout does not declare.
    Foreign(&'a str),
}

type Sizes<'a> = BTreeMap<Owner<'a>, Size>;

impl Stat {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let base = self.database.open_read_only(&layout)?;
        let path = &self.database.db;
        let file_bytes = match engine::server(path) {
            Some(_) => None,
            None => {
                let unread = |source| FileError::Read { path: path.clone(), source };
                Some(fs::metadata(path).map_err(unread)?.len())
            }
        };
        let mut sizes: Sizes<'_> =
            layout.keyspace_ids().map(|id| (Owner::Keyspace(id), Size::default())).collect();
        // A hash has no rows of its own, only those of its fields.
        sizes.retain(|owner, _| {
            !layout.keyspaces.iter().any(|k| k.hash.map(Owner::Keyspace) == Some(*owner))
        });
        let mut faults = Faults::default();
        let mut progress = Progress::new("reading");
        let state = base.db.read()?;
        for (_, space) in base.db.spaces().iter().skip(1) {
            count(&base, &state, space, &mut sizes, &mut faults, &mut progress)?;
        }
        drop(progress);
        let lines: Vec<SizeLine> =
            sizes.into_iter().map(|(owner, size)| SizeLine::new(&layout, owner, size)).collect();
        let mut total = Size::default();
        lines.iter().for_each(|line| total.join(line.size));
        match self.format {
            Format::Human => human(&lines, total, file_bytes)?,
            Format::Json => {
                let lines = lines.iter().map(|line| format!("{}\n", json!(line)));
                let total = json!(TotalLine { total: true, size: total, file_bytes });
                stdout::print_data(lines.collect::<String>() + &format!("{total}\n"))?;
            }
        }
        let is_known = faults.unknown == 0;
        let exit = stderr::report_faults(Faults { unknown: 0, ..faults }, &base);
        Ok(if is_known { exit } else { Exit::Refuted })
    }
}

/// Counts the rows of a space.
fn count<'a>(
    base: &'a OpenDatabase<'_>,
    state: &Snapshot<'_>,
    space: &'a str,
    sizes: &mut Sizes<'a>,
    faults: &mut Faults,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let foreign = base.others.iter().any(|other| other == space);
    let mut rows = state.rows(StoreId::of(space), KeyRange::all())?;
    while let Some(row) = rows.next()? {
        progress.row();
        let owner = match base.reader.read(space, row.key, row.value) {
            _ if foreign => Owner::Foreign(space),
            Ok(entry) => {
                faults.note(&entry);
                Owner::Keyspace(entry.value_keyspace())
            }
            Err(_) => {
                faults.unknown += 1;
                Owner::Unknown(space)
            }
        };
        sizes.entry(owner).or_default().add(row);
    }
    Ok(())
}

/// Prints a table. The size of a database on a server is not known.
fn human(lines: &[SizeLine], total: Size, file_bytes: Option<u64>) -> Result<(), Failure> {
    let head = ["keyspace", "rows", "key bytes", "value bytes"].map(str::to_owned);
    let mut grid = Grid::new(head.to_vec()).of_numbers();
    let lines = lines.iter().map(|line| (line.title.as_str(), line.size));
    for (title, size) in lines.chain([("total", total)]) {
        let cells = [size.rows, size.key_bytes, size.value_bytes].map(|number| number.to_string());
        grid.row([&[title.to_owned()][..], &cells].concat())?;
    }
    grid.flush()?;
    if let Some(bytes) = file_bytes {
        stdout::print_data(format!("the file has {bytes} bytes\n"))?;
    }
    Ok(())
}

/// The size of a keyspace, or of the rows of a space that fit none.
#[derive(Serialize)]
struct SizeLine {
    #[serde(skip)]
    title: String,
    store: String,
    keyspace: Option<String>,
    #[serde(flatten)]
    size: Size,
}

impl SizeLine {
    fn new(layout: &Layout, owner: Owner<'_>, size: Size) -> Self {
        let (title, store, keyspace) = match owner {
            Owner::Keyspace(id) => {
                let keyspace = layout.keyspace(id);
                let store = layout.store(keyspace.store).name.clone();
                (layout.full_name(id), store, Some(keyspace.name.clone()))
            }
            Owner::Unknown(space) => (format!("{space}: fits no keyspace"), space.to_owned(), None),
            Owner::Foreign(space) => {
                (format!("{space}: not in the layout"), space.to_owned(), None)
            }
        };
        Self { title, store, keyspace, size }
    }
}

#[derive(Serialize)]
struct TotalLine {
    total: bool,
    #[serde(flatten)]
    size: Size,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<u64>,
}
